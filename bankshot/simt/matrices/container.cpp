#include "bankshot/simt/matrices/container.hpp"

#include <cstdint>
#include <cstring>

namespace bankshot::simt {

unsigned stored_bits(Element element) {
  switch (element) {
    case Element::padded_e2m1: return 4;
    case Element::e2m3:
    case Element::e3m2: return 6;
    default: return bits(element);
  }
}

void expand(unsigned bits, std::byte* bytes, size_t count) {
  constexpr size_t kBytes = 16;
  if (bits == 8) return;
  const unsigned mask = (1u << bits) - 1, shift = bits == 4 ? 2 : 0;
  for (size_t at = 0; at < count; at += kBytes) {
    unsigned char packed[kBytes + 1] = {};
    std::memcpy(packed, bytes + at, kBytes);
    for (size_t k = 0; k < kBytes; ++k) {
      const size_t first = k * bits;
      const unsigned two = packed[first / 8] | unsigned{packed[first / 8 + 1]} << 8;
      bytes[at + k] = static_cast<std::byte>((two >> first % 8 & mask) << shift);
    }
  }
}

}  // namespace bankshot::simt
