// Where in the source an instruction of a program of the host comes from.
#pragma once

#include <cstdint>
#include <string>

namespace bankshot::cli {

/// "main (app.cu:12)", or "main" where the file has no line information, as binutils' addr2line tells it. What is
/// inlined counts; wrappers in CUDA's headers do not.
/// @return empty if there is no addr2line, or it finds nothing or only a wrapper
std::string code_place(const std::string& file, uint64_t offset);

}  // namespace bankshot::cli
