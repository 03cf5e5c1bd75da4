// The page of web/report, built once with the program and embedded in it.
#pragma once

#include <string>
#include <string_view>

namespace bankshot::page {

/// A JSON text in which no character begins markup: "<" becomes "\u003c". It can stand only in strings of JSON.
std::string without_markup(std::string_view json);

/// The page with a document in it. @param document  of without_markup
std::string in_template(std::string_view document);

}  // namespace bankshot::page
