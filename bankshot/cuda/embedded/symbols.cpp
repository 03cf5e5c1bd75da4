#include "bankshot/cuda/embedded/symbols.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

namespace bankshot::cuda::embedded {
namespace {

using Bytes = std::span<const std::byte>;

/// The part of a file that a table says it takes; nothing if it is not inside.
std::optional<Bytes> part(Bytes file, uint64_t offset, uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) return std::nullopt;
  return file.subspan(offset, size);
}

template <class T>
T load(Bytes table, size_t index) {
  T value;
  std::memcpy(&value, table.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// A table of the header; empty if its entries have another size or it is not inside the file.
template <class Entry>
std::vector<Entry> table(Bytes file, uint64_t offset, uint64_t count, uint64_t entry_size) {
  const auto bytes = part(file, offset, count * sizeof(Entry));
  if (entry_size != sizeof(Entry) || !bytes) return {};
  std::vector<Entry> all(count);
  if (!all.empty()) std::memcpy(all.data(), bytes->data(), bytes->size());
  return all;
}

/// The NUL-terminated text at an offset of a table of strings; empty if it does not end there.
std::string_view text(Bytes strings, uint64_t offset) {
  if (offset >= strings.size()) return {};
  const char* begin = reinterpret_cast<const char*>(strings.data()) + offset;
  const void* end = std::memchr(begin, 0, strings.size() - offset);
  return end ? std::string_view(begin, static_cast<const char*>(end)) : std::string_view();
}

/// A symbol of code, with `room` still the end of its section.
std::optional<Symbol> function(const Elf64_Sym& entry, Bytes strings, std::span<const Elf64_Shdr> sections) {
  if (ELF64_ST_TYPE(entry.st_info) != STT_FUNC || entry.st_shndx == SHN_UNDEF || entry.st_shndx >= sections.size())
    return std::nullopt;
  const Elf64_Shdr& section = sections[entry.st_shndx];
  const uint64_t within = entry.st_value - section.sh_addr;
  if (section.sh_type != SHT_PROGBITS || within >= section.sh_size) return std::nullopt;
  const std::string_view name = text(strings, entry.st_name);
  if (name.empty()) return std::nullopt;
  return Symbol{name, entry.st_value, section.sh_offset + within, section.sh_size - within};
}

/// Whether the loader puts the symbol's code where the symbol says.
bool is_mapped(const Symbol& symbol, std::span<const Elf64_Phdr> segments) {
  return std::any_of(segments.begin(), segments.end(), [&](const Elf64_Phdr& segment) {
    const uint64_t within = symbol.address - segment.p_vaddr;
    return segment.p_type == PT_LOAD && (segment.p_flags & PF_X) && within < segment.p_filesz &&
           symbol.room <= segment.p_filesz - within && symbol.offset == segment.p_offset + within;
  });
}

void end_at_the_next(std::vector<Symbol>& symbols) {
  std::sort(symbols.begin(), symbols.end(),
            [](const Symbol& a, const Symbol& b) { return std::tie(a.address, a.name) < std::tie(b.address, b.name); });
  uint64_t next = UINT64_MAX, current = UINT64_MAX;  // the nearest start behind `current`, which is the last one seen
  for (auto symbol = symbols.rbegin(); symbol != symbols.rend(); ++symbol) {
    if (symbol->address != current) next = std::exchange(current, symbol->address);
    if (next != UINT64_MAX) symbol->room = std::min(symbol->room, next - symbol->address);
  }
}

}  // namespace

std::vector<Symbol> function_symbols(std::span<const std::byte> file, Table which) {
  if (file.size() < sizeof(Elf64_Ehdr) || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0) return {};
  const auto header = load<Elf64_Ehdr>(file, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return {};
  const auto sections = table<Elf64_Shdr>(file, header.e_shoff, header.e_shnum, header.e_shentsize);
  const auto segments = table<Elf64_Phdr>(file, header.e_phoff, header.e_phnum, header.e_phentsize);
  std::vector<Symbol> symbols;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != (which == Table::all ? SHT_SYMTAB : SHT_DYNSYM) || section.sh_link >= sections.size())
      continue;
    const auto entries = part(file, section.sh_offset, section.sh_size);
    const auto strings = part(file, sections[section.sh_link].sh_offset, sections[section.sh_link].sh_size);
    if (!entries || !strings) continue;
    for (size_t i = 0; i < entries->size() / sizeof(Elf64_Sym); ++i) {
      const auto symbol = function(load<Elf64_Sym>(*entries, i), *strings, sections);
      if (symbol && is_mapped(*symbol, segments)) symbols.push_back(*symbol);
    }
  }
  end_at_the_next(symbols);
  return symbols;
}

Release release_of(std::span<const Symbol> symbols) {
  const auto has = [&](std::string_view name) {
    return std::any_of(symbols.begin(), symbols.end(), [&](const Symbol& symbol) { return symbol.name == name; });
  };
  if (!has("__cudaRegisterFatBinary")) return Release::none;
  if (has("cudaGetDeviceProperties_v2")) return Release::cuda12;
  return has("cudaMemGetMemPool") ? Release::cuda13 : Release::unknown;
}

}  // namespace bankshot::cuda::embedded
