// Which files are source code, by their names.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace bankshot {

inline constexpr std::array<std::string_view, 22> kSourceEndings = {
    ".cu",  ".cuh", ".c",   ".cc",  ".cpp", ".cxx", ".h",  ".hh", ".hpp", ".hxx", ".inl",
    ".ipp", ".inc", ".tcc", ".ptx", ".cl",  ".hip", ".py", ".jl", ".rs",  ".f90", ".cuf"};

inline bool is_source(std::string_view file) {
  return std::ranges::any_of(kSourceEndings, [&](std::string_view ending) { return file.ends_with(ending); });
}

}  // namespace bankshot
