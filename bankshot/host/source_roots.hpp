// Below which folders source files may be quoted.
#pragma once

#include <string>
#include <vector>

namespace bankshot::host {

/// The folders where the sources of a program are usually: the working directory and the folder of the program, each up
/// to the top of the repository that it is in; and the source folder that CMake built the program from, if it is around
/// the build folder. Folders around the user's home, and the file system's root, are never among them.
/// @param program  its file; it need not exist
std::vector<std::string> source_roots(const std::string& program);

}  // namespace bankshot::host
