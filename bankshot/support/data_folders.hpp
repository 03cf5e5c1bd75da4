// Where the files lie that come with the program: beside it, where it is installed, or in the source tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bankshot {

/// The folders called `name` that there are, best first: next to the folder of the program (or shared library) that
/// holds this code, in ../share/bankshot, or in the source tree three levels up (build/release/bin).
std::vector<std::string> data_folders(std::string_view name);

}  // namespace bankshot
