#include "bankshot/sass/sections.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "bankshot/sass/cubin.hpp"
#include "bankshot/sass/cursor.hpp"

namespace bankshot::sass {
namespace {

constexpr uint16_t kMachine = 190;                                       // EM_CUDA; Debian's elf.h does not name it
constexpr unsigned char kAbiUntilCuda12 = 0x33, kAbiSinceCuda13 = 0x41;  // CUDA 12.9 writes both
constexpr unsigned char kEntry = 0x10;                                   // STO_CUDA_ENTRY in a symbol's st_other

/// The bytes of a section, or nothing if they are not all in the file.
std::optional<std::span<const std::byte>> contents(std::span<const std::byte> bytes, const Elf64_Shdr& header) {
  if (header.sh_type == SHT_NOBITS || header.sh_type == SHT_NULL) return std::span<const std::byte>{};
  if (header.sh_offset > bytes.size() || header.sh_size > bytes.size() - header.sh_offset) return std::nullopt;
  return bytes.subspan(header.sh_offset, header.sh_size);
}

unsigned architecture_of(const Elf64_Ehdr& header) {
  return header.e_ident[EI_OSABI] == kAbiSinceCuda13 ? header.e_flags >> 8 & 0xFF : header.e_flags & 0xFF;
}

/// Empty if the file is a cubin that can be read, else why not.
std::string objection(const Elf64_Ehdr& header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "not a cubin, as it does not begin like an ELF file: make one with nvcc -cubin or ptxas";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != kMachine)
    return fmt::format("not a cubin, but an ELF file for machine {}: make one with nvcc -cubin or ptxas",
                       header.e_machine);
  const unsigned char abi = header.e_ident[EI_OSABI];
  if (abi != kAbiUntilCuda12 && abi != kAbiSinceCuda13)
    return fmt::format("a cubin with the unknown ABI {:#04x}: compile with CUDA 12 or 13", abi);
  const unsigned architecture = architecture_of(header);
  if (architecture < kFirstArchitecture || architecture > kLastArchitecture)
    return fmt::format("a cubin for sm_{}: compile for sm_{} to sm_{}, whose machine code is known", architecture,
                       kFirstArchitecture, kLastArchitecture);
  return {};
}

std::string_view name_in(std::span<const std::byte> names, uint64_t at) { return Cursor(names, at).text(); }

std::vector<Symbol> read_symbols(const Section& table, const Section& names) {
  std::vector<Symbol> symbols;
  Cursor cursor(table.bytes);
  while (!cursor.done()) {
    const auto entry = cursor.number<Elf64_Sym>();
    if (cursor.failed()) break;
    symbols.push_back({name_in(names.bytes, entry.st_name), entry.st_value, entry.st_size, entry.st_shndx,
                       ELF64_ST_TYPE(entry.st_info) == STT_FUNC, (entry.st_other & kEntry) != 0});
  }
  return symbols;
}

}  // namespace

Error damaged(std::string_view what) { return {fmt::format("the cubin is damaged: {}; compile it again", what)}; }

Result<Sections> read_sections(std::span<const std::byte> bytes) {
  Cursor start(bytes);
  const auto header = start.number<Elf64_Ehdr>();
  if (start.failed()) {
    if (bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0)
      return damaged("its header is cut off");
    return Error{"not a cubin, as it does not begin like an ELF file: make one with nvcc -cubin or ptxas"};
  }
  if (std::string reason = objection(header); !reason.empty()) return Error{std::move(reason)};
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > bytes.size())
    return damaged("there is no table of sections");

  Sections sections;
  sections.architecture = architecture_of(header);
  sections.linked = header.e_type == ET_EXEC;
  std::vector<Elf64_Shdr> headers;
  Cursor table(bytes, header.e_shoff);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    headers.push_back(table.number<Elf64_Shdr>());
    if (table.failed()) return damaged("the table of sections is cut off");
    const auto found = contents(bytes, headers.back());
    if (!found) return damaged(fmt::format("section {} ends after the file", i));
    const Elf64_Shdr& one = headers.back();
    sections.all.push_back({{}, one.sh_type, one.sh_flags, one.sh_info, one.sh_size, *found});
  }
  if (header.e_shstrndx >= sections.all.size()) return damaged("sections have no names");
  for (size_t i = 0; i < headers.size(); ++i) {
    sections.all[i].name = name_in(sections.all[header.e_shstrndx].bytes, headers[i].sh_name);
    sections.by_name.try_emplace(sections.all[i].name, i);
  }
  for (size_t i = 0; i < headers.size(); ++i) {
    if (headers[i].sh_type != SHT_SYMTAB || !sections.symbols.empty()) continue;
    if (headers[i].sh_link >= sections.all.size()) return damaged("symbols have no names");
    sections.symbols = read_symbols(sections.all[i], sections.all[headers[i].sh_link]);
  }
  return sections;
}

const Section* Sections::find(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : &all[found->second];
}

std::map<uint64_t, Target> Sections::relocations(const Section& of) const {
  std::map<uint64_t, Target> found;
  for (const Section& table : all) {
    const bool with_addend = table.type == SHT_RELA;
    if ((table.type != SHT_REL && !with_addend) || table.info >= all.size() || &all[table.info] != &of) continue;
    Cursor cursor(table.bytes);
    while (!cursor.done()) {
      const auto entry = cursor.number<Elf64_Rel>();
      auto addend = with_addend ? cursor.number<uint64_t>() : 0;
      if (cursor.failed()) break;
      if (!with_addend && entry.r_offset < of.bytes.size())
        addend = Cursor(of.bytes, entry.r_offset).number<uint64_t>();
      const uint64_t symbol = ELF64_R_SYM(entry.r_info);
      if (symbol >= symbols.size()) continue;
      found[entry.r_offset] = {symbols[symbol].section, symbols[symbol].value + addend};
    }
  }
  return found;
}

}  // namespace bankshot::sass
