#include "bankshot/formats/xml_text.hpp"

#include <nlohmann/json.hpp>

namespace bankshot::formats {
namespace {

constexpr const char* kReplacement = "\xef\xbf\xbd";  // U+FFFD

/// The library for JSON knows what is UTF-8.
std::string utf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

}  // namespace

std::string xml_text(const std::string& text) {
  const std::string valid = utf8(text);
  std::string xml;
  for (size_t at = 0; at < valid.size(); ++at) {
    const char c = valid[at];
    switch (c) {
      case '&': xml += "&amp;"; break;
      case '<': xml += "&lt;"; break;
      case '>': xml += "&gt;"; break;
      case '"': xml += "&quot;"; break;
      case '\n': xml += "&#10;"; break;
      case '\t': xml += "&#9;"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {  // forbidden, "\r" would be read as "\n"
          xml += kReplacement;
        } else if (valid.compare(at, 3, "\xef\xbf\xbe") == 0 || valid.compare(at, 3, "\xef\xbf\xbf") == 0) {
          xml += kReplacement;  // U+FFFE and U+FFFF are no characters
          at += 2;
        } else {
          xml += c;
        }
    }
  }
  return xml;
}

}  // namespace bankshot::formats
