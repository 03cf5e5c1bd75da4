// Machine code of NVIDIA GPUs: a cubin, read to compare it with what our model expects of ptxas. Nothing here executes
// it.
//
//   const auto cubin = sass::read_cubin(bytes);
//   for (const sass::Kernel& kernel : cubin->kernels)
//     for (const sass::Instruction& instruction : kernel.code) …
//
// A cubin is an ELF file of 64 bits, one text section per kernel. Where a source line is comes from .debug_line and
// .nv_debug_line_sass, which ptxas and nvcc write with -lineinfo or -G.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bankshot/sass/instruction.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::sass {

constexpr unsigned kFirstArchitecture = 70, kLastArchitecture = 121;

/// A line of source. Code of an inlined function has the line in that function; `inlined_at` leads to its caller.
struct Place {
  uint32_t file = 0;        ///< index into Cubin::files
  uint32_t line = 0;        ///< from 1
  uint32_t inlined_at = 0;  ///< index into Cubin::places, always a smaller one; 0 = not inlined
  auto operator<=>(const Place&) const = default;
};

/// A function without a text section of its own: ptxas put it behind the kernel that calls it.
struct Subroutine {
  std::string name;
  uint32_t address = 0;  ///< of its first instruction, from the start of the kernel
  uint32_t bytes = 0;
};

/// A text section: a kernel, or a function that kernels call.
struct Kernel {
  std::string name;           ///< mangled
  bool entry = false;         ///< a kernel; otherwise other functions call it
  unsigned registers = 0;     ///< per thread; 0 = the file does not say
  uint32_t shared_bytes = 0;  ///< static, without the 1024 bytes that the system has on sm_90 and newer
  std::vector<Instruction> code;
  std::vector<Subroutine> subroutines;
};

struct Cubin {
  unsigned architecture = 0;       ///< 75 for sm_75
  std::vector<std::string> files;  ///< [0] is empty: no file
  std::vector<Place> places;       ///< [0] is no place
  std::vector<Kernel> kernels;     ///< in the order of the file
};

/// Reads any bytes; every offset is checked.
/// @return  a cubin for sm_70 to sm_121, or an error that says what is wrong and what to do
Result<Cubin> read_cubin(std::span<const std::byte> bytes);

}  // namespace bankshot::sass
