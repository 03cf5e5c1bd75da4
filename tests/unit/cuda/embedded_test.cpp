// Programs with a CUDA runtime inside: which functions a file has, of which release its runtime is, and the jumps that
// are written over them.
#include <gtest/gtest.h>

#include <elf.h>
#include <sys/mman.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bankshot/cuda/embedded/redirect.hpp"
#include "bankshot/cuda/embedded/symbols.hpp"

namespace bankshot::cuda::embedded {
namespace {

using File = std::vector<std::byte>;

/// A file of one segment and four sections: none, code of 0x100 bytes at address 0x1000, symbols, strings.
struct Builder {
  struct Entry {
    std::string name;
    uint64_t address;
    unsigned char type = STT_FUNC;
    uint16_t section = 1;
  };
  std::vector<Entry> entries;

  uint32_t segment_flags = PF_R | PF_X;
  uint64_t segment_bytes = kSize;  ///< from the start of the code
  uint32_t table = SHT_SYMTAB;

  static constexpr uint64_t kAddress = 0x1000, kOffset = 0x78, kSize = 0x100;

  File build() const {
    std::string strings(1, '\0');
    std::vector<Elf64_Sym> symbols(1);
    for (const Entry& entry : entries) {
      Elf64_Sym symbol{};
      symbol.st_name = static_cast<Elf64_Word>(strings.size());
      symbol.st_value = entry.address;
      symbol.st_info = ELF64_ST_INFO(STB_LOCAL, entry.type);
      symbol.st_shndx = entry.section;
      strings += entry.name + '\0';
      symbols.push_back(symbol);
    }
    static_assert(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) == kOffset);
    std::vector<Elf64_Shdr> sections(4);
    sections[1].sh_type = SHT_PROGBITS;
    sections[1].sh_addr = kAddress;
    sections[1].sh_offset = kOffset;
    sections[1].sh_size = kSize;
    sections[2].sh_type = table;
    sections[2].sh_offset = kOffset + kSize;
    sections[2].sh_size = symbols.size() * sizeof(Elf64_Sym);
    sections[2].sh_link = 3;
    sections[3].sh_type = SHT_STRTAB;
    sections[3].sh_offset = sections[2].sh_offset + sections[2].sh_size;
    sections[3].sh_size = strings.size();

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_shoff = sections[3].sh_offset + strings.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 4;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    Elf64_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_flags = segment_flags;
    segment.p_offset = kOffset;
    segment.p_vaddr = kAddress;
    segment.p_filesz = segment_bytes;

    File file(header.e_shoff + sections.size() * sizeof(Elf64_Shdr));
    std::memcpy(file.data(), &header, sizeof header);
    std::memcpy(file.data() + header.e_phoff, &segment, sizeof segment);
    std::memcpy(file.data() + sections[2].sh_offset, symbols.data(), sections[2].sh_size);
    std::memcpy(file.data() + sections[3].sh_offset, strings.data(), strings.size());
    std::memcpy(file.data() + header.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr));
    return file;
  }
};

Release release_of_names(const std::vector<std::string>& names) {
  Builder builder;
  for (const std::string& name : names) builder.entries.push_back({name, 0x1000 + 16 * builder.entries.size()});
  const File file = builder.build();
  return release_of(function_symbols(file));
}

TEST(EmbeddedSymbols, functions_have_room_up_to_the_next_or_the_end_of_their_section) {
  const File file = Builder{{{"last", 0x10f0}, {"first", 0x1010}, {"second", 0x1018}, {"same", 0x1010}}}.build();
  const std::vector<Symbol> symbols = function_symbols(file);
  ASSERT_EQ(symbols.size(), 4u);
  EXPECT_EQ(symbols[0].name, "first");
  EXPECT_EQ(symbols[1].name, "same");
  for (const Symbol& symbol : {symbols[0], symbols[1]}) {
    EXPECT_EQ(symbol.address, 0x1010u);
    EXPECT_EQ(symbol.offset, 0x88u);  // 0x78 + 0x10
    EXPECT_EQ(symbol.room, 8u);
  }
  EXPECT_EQ(symbols[2].name, "second");
  EXPECT_EQ(symbols[2].room, 0xd8u);  // 0x10f0 - 0x1018
  EXPECT_EQ(symbols[3].name, "last");
  EXPECT_EQ(symbols[3].room, 0x10u);  // 0x1100 - 0x10f0
}

TEST(EmbeddedSymbols, what_a_library_exports_is_a_table_of_its_own) {
  Builder builder{{{"nvrtcGetCUBIN", 0x1000}}};
  EXPECT_TRUE(function_symbols(builder.build(), Table::exported).empty());
  builder.table = SHT_DYNSYM;
  const File file = builder.build();
  EXPECT_TRUE(function_symbols(file).empty());
  ASSERT_EQ(function_symbols(file, Table::exported).size(), 1u);
  EXPECT_EQ(function_symbols(file, Table::exported).front().name, "nvrtcGetCUBIN");
}

TEST(EmbeddedSymbols, data_and_what_others_define_are_no_functions_of_the_file) {
  const File file = Builder{
      {{"data", 0x1000, STT_OBJECT},
       {"undefined", 0x1000, STT_FUNC, SHN_UNDEF},
       {"absolute", 0x1000, STT_FUNC, SHN_ABS},
       {"outside", 0x1100},
       {"before", 0xfff},
       {"in strings", 0, STT_FUNC, 3},
       {"", 0x1000}}}.build();
  EXPECT_TRUE(function_symbols(file).empty());
}

TEST(EmbeddedSymbols, functions_that_are_not_mapped_as_code_are_left_out) {
  Builder builder{{{"first", 0x1000}, {"last", 0x10f0}}};
  builder.segment_bytes = 0xff;  // the section goes on, and with it the room of the last function
  const File cut = builder.build();
  EXPECT_TRUE(function_symbols(cut).empty());
  builder.segment_bytes = Builder::kSize;
  EXPECT_EQ(function_symbols(builder.build()).size(), 2u);
  builder.segment_flags = PF_R | PF_W;
  EXPECT_TRUE(function_symbols(builder.build()).empty());
}

TEST(EmbeddedSymbols, no_damage_reads_outside_the_file) {
  const File file = Builder{{{"cudaMalloc", 0x1000}, {"__cudaRegisterFatBinary", 0x1020}}}.build();
  ASSERT_EQ(function_symbols(file).size(), 2u);
  for (size_t size = 0; size < file.size(); ++size) {
    const File cut(file.begin(),
                   file.begin() + static_cast<long>(size));  // of its own, so that a sanitizer sees its end
    function_symbols(cut);
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    File damaged = file;
    for (int k = 0; k < 4; ++k) damaged[random() % damaged.size()] = static_cast<std::byte>(random() % 3 * 127);
    function_symbols(damaged);
  }
}

TEST(EmbeddedSymbols, names_tell_the_release) {
  EXPECT_EQ(release_of_names({"main", "cudaMalloc"}), Release::none);
  EXPECT_EQ(release_of_names({"__cudaRegisterFatBinary", "cudaMalloc"}), Release::unknown);
  EXPECT_EQ(release_of_names({"__cudaRegisterFatBinary", "cudaGetDeviceProperties_v2"}), Release::cuda12);
  EXPECT_EQ(release_of_names({"__cudaRegisterFatBinary", "cudaMemGetMemPool"}), Release::cuda13);
}

#if defined(__x86_64__)

/// Pages of code that tests write over.
struct Code {
  std::byte* at =
      static_cast<std::byte*>(mmap(nullptr, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ~Code() { munmap(at, 2 * 4096); }
};

int seven(int) { return 7; }
int doubled(int value) { return 2 * value; }

TEST(Redirect, jumps_lead_where_they_say_and_across_pages) {
  const Code code;
  const Jump jumps[] = {{code.at + 4096 - 6, reinterpret_cast<const void*>(&doubled)},
                        {code.at + 32, reinterpret_cast<const void*>(&seven)}};
  EXPECT_FALSE(is_jump(code.at + 32));
  ASSERT_TRUE(write_jumps(jumps));
  EXPECT_TRUE(is_jump(code.at + 32));
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(code.at + 32)(21), 7);
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(code.at + 4096 - 6)(21), 42);
  EXPECT_EQ(code.at[31], std::byte{0});
  EXPECT_EQ(code.at[32 + kJumpBytes], std::byte{0});
}

TEST(Redirect, says_where_nothing_can_be_written) {
  void* const gone = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(gone, 4096);
  const Jump jump{static_cast<std::byte*>(gone), nullptr};
  EXPECT_FALSE(write_jumps({&jump, 1}));
}

TEST(Redirect, tells_functions_that_only_return) {
  alignas(16) unsigned char code[16] = {0xc3, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0, 0x0f, 0x1f, 0x40, 0};
  const auto* at = reinterpret_cast<const std::byte*>(code);
  EXPECT_TRUE(is_empty_function(at));
  code[13] = 0x55;  // push %rbp: another function begins within the room of a jump
  EXPECT_FALSE(is_empty_function(at));
  alignas(16) unsigned char marked[16] = {0xf3, 0x0f, 0x1e, 0xfa, 0xc3, 0x90, 0x90, 0x90,
                                          0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90};
  EXPECT_TRUE(is_empty_function(reinterpret_cast<const std::byte*>(marked)));
  marked[4] = 0x55;
  EXPECT_FALSE(is_empty_function(reinterpret_cast<const std::byte*>(marked)));
}

#endif

}  // namespace
}  // namespace bankshot::cuda::embedded
