// Whether a file lies in a folder.
#pragma once

#include <filesystem>
#include <optional>

namespace bankshot {

/// A path as seen from a folder: "b/c" of "/a/b/c" in "/a", "." of the folder itself; nothing if it lies elsewhere. By
/// names alone: who follows symbolic links does so before.
inline std::optional<std::filesystem::path> path_below(const std::filesystem::path& path,
                                                       const std::filesystem::path& folder) {
  std::filesystem::path below = path.lexically_normal().lexically_relative(folder.lexically_normal());
  if (below.empty() || *below.begin() == "..") return std::nullopt;
  return below;
}

}  // namespace bankshot
