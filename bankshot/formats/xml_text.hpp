// Any bytes as text of an XML document.
#pragma once

#include <string>

namespace bankshot::formats {

/// For elements and for attributes in double quotes. What is not UTF-8, and what XML forbids, becomes U+FFFD; newlines
/// and tabs keep their meaning in attributes, too.
std::string xml_text(const std::string& text);

}  // namespace bankshot::formats
