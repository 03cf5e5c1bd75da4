#include "bankshot/report/run/instruction_hashes.hpp"

#include <fmt/format.h>

namespace bankshot::report {

std::optional<Error> unfit(const InstructionHashes& hashes, const scratchpad::Rules& rules) {
  if (hashes.banks == rules.banks && hashes.bank_bytes == rules.bank_bytes) return {};
  return Error{fmt::format(
      "the hashes are for {} banks of {} bytes, but this GPU has {} of {}; trace and search again for this GPU",
      hashes.banks, hashes.bank_bytes, rules.banks, rules.bank_bytes)};
}

}  // namespace bankshot::report
