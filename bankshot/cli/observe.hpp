// Running a program to see what it does to shared memory.
#pragma once

#include <string>
#include <vector>

#include "bankshot/cli/run_options.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::cli {

struct Observation {
  Ending ending;
  report::RunReport report;
  std::vector<std::string> problems;   ///< reports of processes that cannot be read
  std::vector<std::string> timelines;  ///< JSON texts, one a process that simulated launches with one
};

struct ObserveOptions {
  LaunchOptions launch;
  unsigned trace_accesses = 0;  ///< different accesses of each site that the report keeps
};

/// Runs the program to its end and collects the reports of its processes.
/// @param setup  of set_up(); variables for the report are added to its environment
Result<Observation> observe(Setup& setup, const std::vector<std::string>& command, const ObserveOptions& options);

/// Says on standard error how a program ended that did not end well.
void say_how_it_ended(const Setup& setup, const Ending& ending);
/// Says on standard error that launches failed, if any did. @return whether so
bool say_failed_launches(const report::RunReport& report);

}  // namespace bankshot::cli
