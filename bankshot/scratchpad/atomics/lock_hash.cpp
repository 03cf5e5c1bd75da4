#include "bankshot/scratchpad/atomics/lock_hash.hpp"

#include <charconv>

#include "bankshot/scratchpad/hash/gf2.hpp"

namespace bankshot::scratchpad {
namespace {

LockHash of_size(LockSize size) {
  LockHash hash;
  hash.address_bits = size.address_bits;
  hash.lock_bits = size.lock_bits;
  hash.field_bits = std::min(size.bank_bits, size.lock_bits);
  return hash;
}

/// Why a text is not the rows of a lock hash; fills them otherwise.
std::string read_rows(std::string_view text, LockHash& hash) {
  unsigned count = 0;
  for (bool more = true; more; ++count) {
    const size_t end = text.find(',');
    const std::string_view part = text.substr(0, end);
    more = end != std::string_view::npos;
    if (more) text.remove_prefix(end + 1);
    uint32_t row = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), row);
    if (error != std::errc{} || stop != part.data() + part.size()) return "'" + std::string(part) + "' is not a number";
    if (row > low_bits(hash.address_bits))
      return "row " + std::to_string(count) + " names more than " + std::to_string(hash.address_bits) + " address bits";
    if (count < hash.lock_bits) hash.row[count] = row;
  }
  if (count == hash.lock_bits) return {};
  return std::to_string(count) + " rows, but " + std::to_string(hash.lock_bits) + " lock bits";
}

}  // namespace

unsigned LockHash::lock(uint32_t word) const {
  const uint32_t a = word & low_bits(address_bits);
  if (kind == Kind::add) {
    const uint32_t field = low_bits(field_bits), high = a >> field_bits;
    return ((a + high) & field) | (((high + (high >> field_bits)) & field) << field_bits & low_bits(lock_bits));
  }
  unsigned lock = 0;
  for (unsigned i = 0; i < lock_bits; ++i) lock |= parity(a & row[i]) << i;
  return lock;
}

Result<LockHash> parse_lock_hash(std::string_view spec, LockSize size) {
  LockHash hash = of_size(size);
  const auto fail = [&](const std::string& why) { return Error{"lock hash '" + std::string(spec) + "': " + why}; };
  if (spec.starts_with("rows:")) {
    const std::string why = read_rows(spec.substr(5), hash);
    return why.empty() ? Result<LockHash>(hash) : Result<LockHash>(fail(why));
  }
  if (spec == "add") {
    if (size.lock_bits > 2 * hash.field_bits)
      return fail("has two fields of " + std::to_string(hash.field_bits) + " bits, but there are " +
                  std::to_string(size.lock_bits) + " lock bits; give none, xor or rows:R,…");
    hash.kind = LockHash::Kind::add;
    return hash;
  }
  if (spec != "none" && spec != "xor")
    return fail("no such hash; there are none, xor, add and rows:R,… with a row for each lock bit");
  for (unsigned i = 0; i < size.lock_bits; ++i) {
    hash.row[i] = 1u << i;
    if (spec == "xor") hash.row[i] |= (1u << (i + hash.field_bits)) & low_bits(size.address_bits);
  }
  return hash;
}

std::string spec(const LockHash& hash, LockSize size) {
  for (const char* named : {"none", "xor", "add"}) {
    const Result<LockHash> one = parse_lock_hash(named, size);
    if (one && *one == hash) return named;
  }
  std::string rows = "rows:";
  for (unsigned bit = 0; bit < hash.lock_bits; ++bit) rows += (bit == 0 ? "" : ",") + std::to_string(hash.row[bit]);
  return rows;
}

}  // namespace bankshot::scratchpad
