// NVIDIA's runtime library inside a program: nvcc links it statically unless told otherwise (-cudart shared). All its
// functions are there, under their names, in the program's table of symbols. Pure: bytes in, places out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bankshot::cuda::embedded {

/// A function that a file defines.
struct Symbol {
  std::string_view name;  ///< within the file's bytes
  uint64_t address = 0;   ///< as the file has it: what the loader adds is not in it
  uint64_t offset = 0;    ///< of its code in the file
  uint64_t room = 0;      ///< bytes from its start to the next symbol or the end of its section
};

/// Which table of a file to read: that of all symbols, which `strip` takes away, or of what a library exports.
enum class Table : uint8_t { all, exported };

/// Reads any bytes; every offset is checked. Functions that the loader does not map as code are left out. Nothing if
/// the file has no such table, is damaged or no 64-bit ELF file.
/// @return  by address, then by name: several names of one place are several symbols
std::vector<Symbol> function_symbols(std::span<const std::byte> file, Table table = Table::all);

/// Which CUDA the runtime is of. The names of its functions tell: 12 has cudaGetDeviceProperties_v2, which 13 dropped
/// when it brought cudaMemGetMemPool.
enum class Release : uint8_t { none, unknown, cuda12, cuda13 };
Release release_of(std::span<const Symbol> symbols);

}  // namespace bankshot::cuda::embedded
