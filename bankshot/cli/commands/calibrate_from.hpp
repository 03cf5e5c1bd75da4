// bankshot calibrate --from: a description fitted to published measurements.
#pragma once

#include <string>
#include <vector>

namespace bankshot::cli {

struct CalibrateFrom {
  std::string from;                  ///< the file of the rows
  std::string gpu;                   ///< the base
  std::vector<std::string> devices;  ///< names in the rows; none: all GPUs that the base describes
  std::string output, json;          ///< as -o and --json say
  unsigned threads = 0;              ///< 0: all cores
};

/// Fits, prints and writes. @return exit status
int calibrate_from(const CalibrateFrom& request);

}  // namespace bankshot::cli
