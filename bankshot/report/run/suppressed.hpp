// What a project accepts: the suppressions of its bankshot.toml, as a report lists them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/simt/state/fault.hpp"

namespace bankshot::report {

/// The kind of suppressed bank conflicts; the others are those of findings.
inline constexpr std::string_view kBankConflict = "bank-conflict";

/// The conflicts of a line, or a finding, that bankshot.toml accepts.
struct Suppressed {
  std::string kind;
  std::string kernel;  ///< as in the PTX; empty for leaks
  simt::Source source;
  uint64_t count = 0;  ///< conflicts, or how often it was seen
  std::string reason;  ///< as bankshot.toml gives it
};

/// By kind, kernel and place: the order that a report has them in.
void sort(std::vector<Suppressed>& suppressed);

}  // namespace bankshot::report
