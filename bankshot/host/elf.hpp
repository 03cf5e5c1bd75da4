// What an ELF file says of itself: which libraries it wants, and whether it holds CUDA code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::host {

struct Elf {
  bool is_64_bit = true;
  uint16_t machine = 0;             ///< EM_X86_64 = 62, EM_AARCH64 = 183
  uint16_t type = 0;                ///< ET_EXEC = 2, ET_DYN = 3
  std::vector<std::string> needed;  ///< DT_NEEDED, in order
  std::string rpath;                ///< DT_RPATH: searched before LD_LIBRARY_PATH, unless there is a DT_RUNPATH
  std::string runpath;              ///< DT_RUNPATH: searched after it
  bool has_loader = false;          ///< the dynamic loader starts it; not so a program linked with -static
  bool has_fatbin = false;  ///< kernels that a runtime registers: .nvFatBinSegment. nvcc puts an empty .nv_fatbin into
                            ///< all that it links
};

/// True if the bytes begin like an ELF file.
bool is_elf(std::span<const std::byte> bytes);

/// Reads any bytes; every offset is checked. Only little-endian 64-bit files are read further than class and machine.
/// Tables that are damaged are an error; section names may be missing (stripped files).
Result<Elf> read_elf(std::span<const std::byte> bytes);

}  // namespace bankshot::host
