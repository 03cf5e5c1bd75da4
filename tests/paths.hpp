// Where this build finds what its tests read. The paths are compiled into one file, so that the others are the same in
// every checkout and come out of a compiler cache.
#pragma once

#include <string>

namespace bankshot::paths {

std::string source();           ///< the root of the sources, without a slash at its end
std::string fake_driver();      ///< a libcuda.so.1 without a GPU behind it: tests/fake_driver
std::string old_fake_driver();  ///< one that lacks a function
std::string ptxas();            ///< of CUDA's toolkit; empty if there is none

}  // namespace bankshot::paths
