// Where a program lies that is known by its name.
#pragma once

#include <string>
#include <string_view>

namespace bankshot {

/// The first file of that name that can be run, of the folders of a list as in PATH; empty if there is none.
std::string find_in(std::string_view folders, const std::string& name);
/// The same in PATH.
std::string find_in_path(const std::string& name);

}  // namespace bankshot
