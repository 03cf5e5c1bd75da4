// The parts of an ELF file that a cubin has: sections, symbols and relocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::sass {

/// Names and bytes point into the bytes that were read.
struct Section {
  std::string_view name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint32_t info = 0;
  uint64_t size = 0;                 ///< also of sections without bytes in the file
  std::span<const std::byte> bytes;  ///< empty for SHT_NOBITS
};

struct Symbol {
  std::string_view name;
  uint64_t value = 0;
  uint64_t size = 0;
  uint16_t section = 0;
  bool function = false;
  bool entry = false;  ///< a kernel
};

/// Where the relocation of eight bytes leads: an address in a section.
struct Target {
  uint16_t section = 0;
  uint64_t address = 0;
};

struct Sections {
  unsigned architecture = 0;
  bool linked = false;  ///< not what -rdc=true makes, whose addresses a linker fills in
  std::vector<Section> all;
  std::map<std::string_view, size_t> by_name;  ///< index into `all`
  std::vector<Symbol> symbols;

  /// nullptr if there is none.
  const Section* find(std::string_view name) const;
  /// What is relocated in a section, by the offset in it.
  std::map<uint64_t, Target> relocations(const Section& of) const;
};

/// The error of a file that is cut off or corrupt.
Error damaged(std::string_view what);

Result<Sections> read_sections(std::span<const std::byte> bytes);

}  // namespace bankshot::sass
