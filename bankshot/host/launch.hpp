// Running the program: environment, signals, how it ended.
#pragma once

#include <cstdint>
#include <string>

#include "bankshot/cuda/process/request.hpp"
#include "bankshot/host/target.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::host {

struct Ending {
  int status = 0;           ///< exit status, if signal is 0
  int signal = 0;           ///< that killed it
  uint64_t peak_bytes = 0;  ///< of memory that it, or one of its own processes, held at once
  /// What a shell would say: its status, or 128 + signal.
  int shell_status() const { return signal != 0 ? 128 + signal : status; }
};

/// Our libraries first on LD_LIBRARY_PATH, and LD_PRELOAD where the target needs it.
void add_libraries(cuda::EnvironmentChanges& environment, const Target& target, const std::string& libraries);

/// What lets programs in Python find the parts of Bankshot made for them: our package and its start-up code on
/// PYTHONPATH, and our ptxas (tools/stand_in) for Triton.
void add_python(cuda::EnvironmentChanges& environment);

struct LaunchOptions {
  int output = 1, error = 2;     ///< our file descriptors that become its standard output and error
  bool fixed_addresses = false;  ///< without address-space randomisation: pointers are the same in each run
};

/// Runs the program to its end with our standard input. SIGINT, SIGTERM, SIGHUP and SIGQUIT that are
/// sent to us alone are passed on; those the terminal sends reach the program anyway.
Result<Ending> launch(const Target& target, const cuda::EnvironmentChanges& environment,
                      const LaunchOptions& options = {});

/// "./app was killed by signal 11 (Segmentation fault)" or "./app was interrupted" (SIGINT); "" if it was not killed,
/// or only by a closed pipe.
std::string killed_text(const Target& target, const Ending& ending);

}  // namespace bankshot::host
