#include "bankshot/support/demangle.hpp"

#include <cxxabi.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <system_error>

namespace bankshot {
namespace {

/// The byte that Numba wrote as "_xx" at this place; or -1.
int escaped_byte(std::string_view text, size_t at) {
  unsigned byte = 0;
  if (at + 3 > text.size() || text[at] != '_') return -1;
  const char* end = text.data() + at + 3;
  const auto [stop, error] = std::from_chars(end - 2, end, byte, 16);
  return error == std::errc() && stop == end ? static_cast<int>(byte) : -1;
}

/// Restores the characters beyond ASCII, of which Numba wrote each byte in UTF-8 as "_xx". A single "_xx" stays: Numba
/// does not escape the underscore, so it may be the programmer's own, as in "tile_32".
std::string with_characters(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const int lead = escaped_byte(text, 0);
    const size_t bytes = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
    std::string character;
    for (size_t i = 0; bytes > 1 && i < bytes; ++i) {
      const int byte = escaped_byte(text, 3 * i);
      if (i == 0 || (byte >= 0x80 && byte < 0xc0)) character += static_cast<char>(byte);
    }
    const bool is_whole = bytes > 1 && character.size() == bytes;
    result += is_whole ? character : std::string(1, text[0]);
    text.remove_prefix(is_whole ? 3 * bytes : 1);
  }
  return result;
}

/// Removes what Numba adds to a name as ABI tags, of which the first is a number ("[abi:v1][abi:cw51c…]"), and writes
/// the name as Python does: "__main__.outer.<locals>.kernel(…)". Source: numba/cuda/itanium_mangler.py. Other names
/// stay.
std::string without_numba_tags(std::string name) {
  const size_t begin = name.find("[abi:v");
  size_t end = begin == name.npos ? begin : name.find_first_not_of("0123456789", begin + 6);
  if (end == name.npos || end == begin + 6 || name.compare(end, 2, "][") != 0) return name;
  while (name.compare(end, 6, "][abi:") == 0) end = name.find(']', end + 1);
  std::string text = name.substr(0, begin);
  const auto replace_all = [&](std::string_view from, std::string_view to) {
    for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  };
  replace_all("::", ".");
  replace_all("_3clocals_3e", "<locals>");
  replace_all("_3clambda_3e", "<lambda>");
  return with_characters(text) + name.substr(end + 1);
}

}  // namespace

std::string demangle(std::string_view name) {
  if (!name.starts_with("_Z")) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? without_numba_tags(text.get()) : std::string(name);
}

}  // namespace bankshot
