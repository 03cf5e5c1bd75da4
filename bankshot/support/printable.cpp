#include "bankshot/support/printable.hpp"

namespace bankshot {

std::string printable(std::string_view text, bool lines) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool stays = lines && c == '\n';
    shown += c == '\t' ? ' ' : !stays && (byte < 0x20 || byte == 0x7f) ? '?' : c;
  }
  return shown;
}

}  // namespace bankshot
