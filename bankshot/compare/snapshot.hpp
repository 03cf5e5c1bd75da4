// What is compared of a run: kernels, lines and findings with their counters, and under what conditions they were
// counted. Plain data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/compare/counters.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::compare {

enum class Mode : uint8_t { explain, simulate, check };
std::string_view name(Mode mode);

/// Why an allowance has no effect where reports of these modes are compared; empty if it has.
std::string without_effect(const Allowance& allowance, Mode before, Mode after);

/// A source line in a kernel, with the shared-memory instructions that it became; without line information one of them.
struct Line {
  std::string file;
  uint32_t line = 0;       ///< 0: not known
  std::string text;        ///< of the source line, or empty
  std::string operations;  ///< "ld.shared.f32 st.shared.f32": in the order of the PTX, repetitions once
  uint64_t conflicts = 0;
};

struct Kernel {
  std::string name, demangled;
  std::string file;    ///< of its module, or empty
  std::string launch;  ///< "2 launches, grid (4,4,1), block (32,8,1)"
  Numbers numbers;
  std::vector<Line> lines;  ///< by file and line; of equals by place in the PTX
};

struct Finding {
  std::string kind;
  bool is_warning = false;
  std::string kernel, demangled;
  std::string variable, operations;  ///< the access, after "; " the earlier one
  std::string file;
  uint32_t line = 0;
  std::string text;
  uint64_t count = 0;
};

struct Snapshot {
  Mode mode = Mode::explain;
  std::string program;
  /// GPU, rules of the banks, hash, machine code, simulated machine: by name.
  std::map<std::string, std::string> conditions;
  std::string incomplete;   ///< why this is no whole run; empty if it is
  uint64_t suppressed = 0;  ///< lines and findings that bankshot.toml suppresses: their conflicts are not in it
  std::vector<Kernel> kernels;
  std::vector<Finding> findings;
};

/// What is suppressed is left out.
Snapshot snapshot_of(const report::RunReport& report);

/// Keeps the kernels, and their findings, that have one of `parts` in their names in the source; all if there are none.
void keep_kernels(Snapshot& snapshot, const std::vector<std::string>& parts);

}  // namespace bankshot::compare
