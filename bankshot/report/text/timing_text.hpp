// What a simulated kernel took, as a person reads it.
#pragma once

#include <string>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/source_lines.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::report {

/// "88.12 us": three or four digits that matter.
std::string duration_text(double seconds);

/// The machine in one line: SMs, clock, components, hash.
std::string machine_text(const SimulatedMachine& machine);

/// What all launches of the report took, in one line.
std::string program_text(const RunReport& report);

/// Cycles, IPC, occupancy, issue slots by cause, shared memory, caches, DRAM, and the source lines that were waited for
/// most.
/// @param kernel  simulated: it has a timing, and the report a machine
std::string timing_text(const Kernel& kernel, const RunReport& report, const TextOptions& options,
                        SourceLines& sources);

}  // namespace bankshot::report
