#include "bankshot/host/elf.hpp"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string_view>

namespace bankshot::host {
namespace {

using Bytes = std::span<const std::byte>;

constexpr size_t kMostDynamic = 1 << 16, kMostSections = 1 << 16;  // far more than any real file has

bool inside(Bytes bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

template <class T>
std::optional<T> load(Bytes bytes, uint64_t offset) {
  if (!inside(bytes, offset, sizeof(T))) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// The NUL-terminated text at an offset, if it ends inside the file.
std::optional<std::string> text(Bytes bytes, uint64_t offset) {
  if (offset >= bytes.size()) return std::nullopt;
  const char* begin = reinterpret_cast<const char*>(bytes.data()) + offset;
  const void* end = std::memchr(begin, 0, bytes.size() - offset);
  if (end == nullptr) return std::nullopt;
  return std::string(begin, static_cast<const char*>(end));
}

std::optional<std::vector<Elf64_Phdr>> segments(Bytes bytes, const Elf64_Ehdr& header) {
  std::vector<Elf64_Phdr> all;
  if (header.e_phnum != 0 && header.e_phentsize != sizeof(Elf64_Phdr)) return std::nullopt;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    if (header.e_phoff > bytes.size()) return std::nullopt;
    const auto segment = load<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return std::nullopt;
    all.push_back(*segment);
  }
  return all;
}

/// Where a virtual address lies in the file.
std::optional<uint64_t> file_offset(const std::vector<Elf64_Phdr>& segments, uint64_t address) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return std::nullopt;
}

/// Fills needed, rpath and runpath. @return what is damaged, or empty
std::string read_dynamic(Bytes bytes, const std::vector<Elf64_Phdr>& segments, Elf& elf) {
  const Elf64_Phdr* dynamic = nullptr;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_DYNAMIC) dynamic = &segment;
  }
  if (dynamic == nullptr) return {};  // statically linked
  std::vector<Elf64_Dyn> entries;
  uint64_t strings = 0;
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic->p_filesz && entries.size() < kMostDynamic;
       at += sizeof(Elf64_Dyn)) {
    if (!inside(bytes, dynamic->p_offset, at)) return "the dynamic section is cut off";
    const auto entry = load<Elf64_Dyn>(bytes, dynamic->p_offset + at);
    if (!entry) return "the dynamic section is cut off";
    if (entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
    entries.push_back(*entry);
  }
  const auto table = file_offset(segments, strings);
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RPATH && entry.d_tag != DT_RUNPATH) continue;
    if (!table || entry.d_un.d_val > bytes.size()) return "the string table of the dynamic section is missing";
    const auto value = text(bytes, *table + entry.d_un.d_val);
    if (!value) return "a name of the dynamic section lies outside the file";
    if (entry.d_tag == DT_NEEDED) elf.needed.push_back(*value);
    if (entry.d_tag == DT_RPATH) elf.rpath = *value;
    if (entry.d_tag == DT_RUNPATH) elf.runpath = *value;
  }
  return {};
}

/// Sections are not needed to run a program, so damage here only means that nothing is found.
bool has_fatbin_section(Bytes bytes, const Elf64_Ehdr& header) {
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > bytes.size()) return false;
  const auto section = [&](uint64_t i) { return load<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr)); };
  const auto names = section(header.e_shstrndx);
  if (!names || !inside(bytes, names->sh_offset, names->sh_size)) return false;
  for (uint64_t i = 0; i < header.e_shnum && i < kMostSections; ++i) {
    const auto entry = section(i);
    if (!entry || entry->sh_name >= names->sh_size) continue;
    const auto name = text(bytes, names->sh_offset + entry->sh_name);
    if (name && *name == ".nvFatBinSegment") return true;
  }
  return false;
}

}  // namespace

bool is_elf(Bytes bytes) { return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0; }

Result<Elf> read_elf(Bytes bytes) {
  if (!is_elf(bytes)) return Error{"not an ELF file"};
  if (bytes.size() < EI_NIDENT + 4) return Error{"the ELF header is cut off"};
  Elf elf;
  elf.is_64_bit = static_cast<uint8_t>(bytes[EI_CLASS]) == ELFCLASS64;
  if (static_cast<uint8_t>(bytes[EI_DATA]) != ELFDATA2LSB) return elf;
  elf.type = *load<uint16_t>(bytes, offsetof(Elf64_Ehdr, e_type));
  elf.machine = *load<uint16_t>(bytes, offsetof(Elf64_Ehdr, e_machine));
  if (!elf.is_64_bit) return elf;
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  if (!header) return Error{"the ELF header is cut off"};
  const auto all = segments(bytes, *header);
  if (!all) return Error{"the program headers are cut off"};
  if (const std::string damage = read_dynamic(bytes, *all, elf); !damage.empty()) return Error{damage};
  for (const Elf64_Phdr& segment : *all) elf.has_loader |= segment.p_type == PT_INTERP;
  elf.has_fatbin = has_fatbin_section(bytes, *header);
  return elf;
}

}  // namespace bankshot::host
