#include "bankshot/experiment/atomics_machine.hpp"

#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::experiment {

scratchpad::AtomicsTimes atomics_times(Parameters& parameters) {
  constexpr unsigned kMost = 1'000'000;
  return {parameters.number("base", 0, kMost), parameters.number("round", 0, kMost),
          parameters.number("read_level", 0, kMost), parameters.number("write_level", 0, kMost)};
}

Result<scratchpad::LockGeometry> atomics_geometry(const std::string& hash) {
  scratchpad::LockGeometry geometry;
  geometry.banks = kBanks;
  const auto locks = scratchpad::parse_lock_hash(hash, {kAddressBits, 10, 5});
  if (!locks) return locks.error();
  geometry.locks = *locks;
  if (hash == "none") return geometry;
  const auto banks = scratchpad::parse_hash(hash, {kAddressBits, 5});
  if (!banks) return banks.error();
  geometry.bank_hash = *banks;
  return geometry;
}

std::string hash_label(const std::string& hash) {
  if (hash == "none") return "baseline";
  return hash == "xor" ? "XOR" : hash == "add" ? "ADD" : hash;
}

}  // namespace bankshot::experiment
