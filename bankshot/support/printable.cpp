#include "bankshot/support/printable.hpp"

namespace bankshot {

std::string printable(std::string_view text, bool lines) {
  std::string shown;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const auto byte = static_cast<unsigned char>(c);
    const auto next = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : 0);
    const bool stays = lines && c == '\n';
    if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {  // U+0080 to U+009F, control characters as well
      shown += '?';
      ++at;
    } else {
      shown += c == '\t' ? ' ' : !stays && (byte < 0x20 || byte == 0x7f) ? '?' : c;
    }
  }
  return shown;
}

}  // namespace bankshot
