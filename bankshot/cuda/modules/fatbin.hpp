// Fat binaries: the containers in which nvcc and clang embed PTX and machine code in a program.
//
//   container   0 u32 magic BA55ED50   4 u16 version (1)   6 u16 header size (16)   8 u64 bytes of entries
//   entry       0 u16 kind (1 PTX, 2 machine code)   4 u32 header size   8 u64 payload, padding included
//               16 u32 compressed size (0: not compressed)   28 u32 architecture (75 = sm_75)
//               32 u32 offset and 36 u32 length of the source file's name within the header (0: none)
//               40 u64 flags   56 u64 size after decompression
//   wrapper     0 u32 magic 466243B1   4 u32 version (1; 2 = -rdc=true)   8 pointer to the container   16 pointer
//
// With -rdc=true the wrapper's container has linked machine code only; its last word points to the containers of the
// units that were linked, a null behind them.
//
// Numbers are little endian. Source: found by looking at what nvcc 11 to 13 and clang write; there is no public page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::cuda {

constexpr uint32_t kContainerMagic = 0xBA55ED50;
constexpr uint32_t kWrapperMagic = 0x466243B1;
/// No payload may decompress to more: a corrupt size field must not take the machine's memory.
constexpr uint64_t kMaxPayload = uint64_t{512} << 20;

enum class Compression : uint8_t { none, lz4, zstd };

/// One PTX text or one machine-code image. `payload` points into the bytes that were read.
struct FatbinEntry {
  enum class Kind : uint8_t { ptx, machine_code, other };
  Kind kind = Kind::other;
  unsigned architecture = 0;  ///< 75 = sm_75
  char variant = 0;           ///< 'a' of sm_90a, 'f' of sm_100f, else 0
  Compression compression = Compression::none;
  std::string source;                  ///< file name the compiler noted (-lineinfo, -G), or empty
  uint64_t offset = 0;                 ///< of the entry's header, for messages
  uint64_t size = 0;                   ///< bytes after decompression
  std::span<const std::byte> payload;  ///< without its padding
};

/// "sm_90a"
std::string architecture_name(const FatbinEntry& entry);

/// Whether a GPU runs this machine code: that of its generation which is not newer, of the a variant only its own.
/// @param architecture  of the GPU, 90 for sm_90
/// Source: CUDA C++ Programming Guide, "Compute Capabilities", binary compatibility.
bool runs_on(const FatbinEntry& entry, unsigned architecture);

/// The entries of all containers in `bytes`, in order. Zero bytes between and after containers are padding.
/// Any bytes are allowed; the error says at which offset what is wrong and what to do.
Result<std::vector<FatbinEntry>> read_fatbin(std::span<const std::byte> bytes);

/// The entry's contents. PTX comes without the trailing NULs of its padding.
Result<std::string> decompress(const FatbinEntry& entry);

/// PTX entries, the best first: the highest architecture, of equal ones the portable one before its `a` and `f`
/// variants. The error names the compiler flag that embeds PTX if there is none.
Result<std::vector<FatbinEntry>> choose_ptx(const std::vector<FatbinEntry>& entries);

/// Bytes of the container at an address in this process, from its own header; 0 if there is no container.
/// The image that the loader mapped is trusted: nothing else says how long it is.
size_t container_extent(const void* container);

/// The containers that a registration wrapper points to: one, or one of each unit that is to be linked.
/// @param wrapper  what __cudaRegisterFatBinary was given
Result<std::vector<std::span<const std::byte>>> containers_of(const void* wrapper);

/// The container with the machine code of a wrapper that containers_of() can read: with -rdc=true the linked one. Empty
/// if there is none.
std::span<const std::byte> machine_code_container(const void* wrapper);

}  // namespace bankshot::cuda
