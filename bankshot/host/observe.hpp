// Running a program to see what it does to shared memory.
#pragma once

#include <string>
#include <vector>

#include "bankshot/host/launch.hpp"
#include "bankshot/host/report_folder.hpp"
#include "bankshot/host/setup.hpp"

namespace bankshot::host {

/// How a run ended and what its processes handed in. Where something is lost the report is not whole, and neither it
/// nor what follows from it may pass for the result of the run.
struct Observation : HandedIn {
  Ending ending;
};

/// Runs the program to its end and collects what its processes hand in. The report is partial if a signal killed the
/// program.
/// @param setup  its request says what is wanted, except the folder
Result<Observation> observe(const Setup& setup, const std::vector<std::string>& command,
                            const LaunchOptions& options = {});

}  // namespace bankshot::host
