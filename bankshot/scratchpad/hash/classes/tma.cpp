// tma: the layouts that tensor-map copies write, as Swizzle<B,2,3> of words. Rows have 128 bytes, chunks 16.
//
//   address   x x x x x x y y y z z z w w     chunk z of row y lies where chunk z ^ y would; w: the word of a chunk
//                                             y and z have 1, 2 or 3 bits: 32, 64 or 128 bytes
//
// Source: PTX ISA, swizzling modes.
#include <bit>

#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/spec_parts.hpp"

namespace bankshot::scratchpad {

Result<BankHash> tma_hash(HashSize size, unsigned bytes) {
  // 16-byte chunks are exchanged: chunk bits (byte address bits 4 …) ^ bits 7 …; of word addresses 2 … and 5 ….
  if (bytes == 0) return modulo_hash(size);
  if (bytes != 32 && bytes != 64 && bytes != 128) return Error{"a tensor-map swizzle has 0, 32, 64 or 128 bytes"};
  return swizzle_hash(size, static_cast<unsigned>(std::countr_zero(bytes / 16)), 2, 3);
}

namespace {

constexpr unsigned kSpans[] = {0, 32, 64, 128};

Result<BankHash> parse(std::string_view parameters, HashSize size) {
  const Result<std::vector<int>> bytes = numbers(parameters, 1, "tma");
  if (!bytes) return bytes.error();
  return tma_hash(size, static_cast<unsigned>(bytes->front()));
}

std::optional<std::string> parameters_of(const BankHash& hash) {
  for (const unsigned bytes : kSpans) {
    const Result<BankHash> own = tma_hash(hash.size(), bytes);
    if (own && *own == hash) return std::to_string(bytes);
  }
  return std::nullopt;
}

void each(HashSize size, const std::function<void(const BankHash&)>& visit) {
  for (const unsigned bytes : kSpans) {
    if (const Result<BankHash> hash = tma_hash(size, bytes)) visit(*hash);
  }
}

const RegisterHashClass registered({
    .order = 90,
    .word = "tma",
    .parameters = "BYTES",
    .summary = "the layout of tensor-map copies with a swizzle of 32, 64 or 128 bytes, or 0: none",
    .parse = parse,
    .parameters_of = parameters_of,
    .each = each,
    .examples = {{"32", 1}, {"64", 1}, {"128", 1}},
});

}  // namespace

}  // namespace bankshot::scratchpad
