// Files that are there whole or not at all.
#pragma once

#include <string>

namespace bankshot::cuda {

/// Writes PATH.part and renames it. @return false, errno set and nothing left behind, if it could not be written whole
bool write_beside_and_rename(const std::string& path, const std::string& text);

}  // namespace bankshot::cuda
