// A JSON document as text.
#pragma once

#include <string>

namespace bankshot::report {

/// Indented, with a newline at its end. Names that are not UTF-8, as those of files may be, get U+FFFD for what is
/// wrong.
template <class Json>
std::string json_text(const Json& document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace bankshot::report
