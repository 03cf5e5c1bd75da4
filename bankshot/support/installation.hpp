// Where the parts of Bankshot are, installed or in a build folder. Nothing is fixed when it is built: an installation
// can be moved as a whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bankshot {

/// The program, or the shared library by the name it was loaded by, that holds this code; empty if it cannot be found.
std::string own_file();

/// The folders called `name` that exist, best first: beside the folder of the program (or shared library) that holds
/// this code, in the share/bankshot of its installation, or in the source tree three levels up (build/release/bin).
std::vector<std::string> data_folders(std::string_view name);

/// The folder of libbankshot.so, the drop-in libraries and the compiler of kernels. If there is none, ../lib from here.
std::string library_folder();

/// The folder of our CUDA programs, compiled, whether it exists or not.
std::string kernel_folder();

}  // namespace bankshot
