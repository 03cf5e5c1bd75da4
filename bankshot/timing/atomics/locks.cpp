#include "bankshot/timing/atomics/locks.hpp"

#include <bit>

namespace bankshot::timing {
namespace {

constexpr std::string_view kSection = "scratchpad.locks";

constexpr Parameter cycles(std::string_view name, std::string_view meaning) {
  return {kSection, name, "cycles", 1, kLongCycles, 0, meaning, true};
}

}  // namespace

constinit const std::array<Parameter, 8> kLockParameters = {{
    {kSection, "bits", "bits", 1, scratchpad::kMaxLockBits, 0,
     "2^bits locks guard the words of shared memory; without this section, atomics need no locks", true},
    cycles("read", "cycles to read and lock, per bank conflict level"),
    cycles("update", "cycles of the addition"),
    cycles("write", "cycles to write and unlock, per bank conflict level"),
    cycles("branch", "cycles until lanes without a lock try again"),
    cycles("base", "closed model: cycles of an atomic without conflicts"),
    cycles("position", "closed model: cycles for each further lane on one lock"),
    cycles("bank", "closed model: cycles for each further bank conflict level of a read or write"),
}};

LocksConfig locks_of(const Config& config) {
  const auto value = [&](size_t index) { return config.parameters[kLockParameters[index]]; };
  return {value(0), value(1), value(2), value(3), value(4), value(5), value(6), value(7)};
}

scratchpad::LockSize lock_size(const Config& config) {
  const auto bank_bits = static_cast<unsigned>(std::countr_zero(config.rules.banks));
  return {scratchpad::kMaxAddressBits, locks_of(config).bits, bank_bits};
}

}  // namespace bankshot::timing
