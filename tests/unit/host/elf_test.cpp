// The reader of ELF files: what it finds, and that no damage can harm it.
#include <gtest/gtest.h>

#include <elf.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bankshot/host/elf.hpp"

namespace bankshot::host {
namespace {

using File = std::vector<std::byte>;

/// A program of one segment at address 0x1000, with a dynamic section and the named sections.
struct Builder {
  std::vector<std::pair<int64_t, std::string>> entries;  ///< DT_NEEDED, DT_RPATH, DT_RUNPATH
  std::vector<std::string> sections;

  File build() const {
    std::string strings(1, '\0'), names(1, '\0');
    std::vector<Elf64_Dyn> dynamic;
    for (const auto& [tag, text] : entries) {
      dynamic.push_back({tag, {strings.size()}});
      strings += text + '\0';
    }
    std::vector<Elf64_Shdr> headers(1);
    for (const std::string& name : sections) {
      Elf64_Shdr header{};
      header.sh_name = static_cast<Elf64_Word>(names.size());
      names += name + '\0';
      headers.push_back(header);
    }
    constexpr uint64_t kBase = 0x1000;
    const uint64_t strings_at = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
    const uint64_t names_at = strings_at + strings.size();
    const uint64_t dynamic_at = names_at + names.size();
    dynamic.push_back({DT_STRTAB, {kBase + strings_at}});
    dynamic.push_back({DT_NULL, {0}});
    const uint64_t sections_at = dynamic_at + dynamic.size() * sizeof(Elf64_Dyn);
    Elf64_Shdr table{};
    table.sh_offset = names_at;
    table.sh_size = names.size();
    headers.push_back(table);

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = EM_X86_64;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 2;
    header.e_shoff = sections_at;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(headers.size());
    header.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
    Elf64_Phdr load{}, dyn{};
    load.p_type = PT_LOAD;
    load.p_vaddr = kBase;
    load.p_filesz = sections_at;
    dyn.p_type = PT_DYNAMIC;
    dyn.p_offset = dynamic_at;
    dyn.p_filesz = dynamic.size() * sizeof(Elf64_Dyn);

    File file;
    const auto put = [&](const void* data, size_t size) {
      const auto* bytes = static_cast<const std::byte*>(data);
      file.insert(file.end(), bytes, bytes + size);
    };
    put(&header, sizeof header);
    put(&load, sizeof load);
    put(&dyn, sizeof dyn);
    put(strings.data(), strings.size());
    put(names.data(), names.size());
    put(dynamic.data(), dynamic.size() * sizeof(Elf64_Dyn));
    put(headers.data(), headers.size() * sizeof(Elf64_Shdr));
    return file;
  }
};

File cuda_program() {
  return Builder{{{DT_NEEDED, "libcudart.so.13"}, {DT_NEEDED, "libc.so.6"}, {DT_RPATH, "/opt/cuda"}},
                 {".text", ".nv_fatbin", ".nvFatBinSegment"}}
      .build();
}

TEST(Elf, finds_libraries_paths_and_cuda_sections) {
  const Result<Elf> elf = read_elf(cuda_program());
  ASSERT_TRUE(elf) << elf.error().message;
  EXPECT_EQ(elf->needed, (std::vector<std::string>{"libcudart.so.13", "libc.so.6"}));
  EXPECT_EQ(elf->rpath, "/opt/cuda");
  EXPECT_EQ(elf->runpath, "");
  EXPECT_TRUE(elf->has_fatbin);
  EXPECT_EQ(elf->machine, EM_X86_64);
  EXPECT_EQ(elf->type, ET_DYN);
}

TEST(Elf, a_program_without_cuda_has_no_fatbin) {
  const Result<Elf> elf = read_elf(Builder{{{DT_NEEDED, "libc.so.6"}}, {".text", ".nv_fatbin"}}.build());
  ASSERT_TRUE(elf);
  EXPECT_FALSE(elf->has_fatbin);
}

TEST(Elf, tells_32_bit_programs) {
  File file = cuda_program();
  file[EI_CLASS] = std::byte{ELFCLASS32};
  const Result<Elf> elf = read_elf(file);
  ASSERT_TRUE(elf);
  EXPECT_FALSE(elf->is_64_bit);
}

TEST(Elf, rejects_other_files) {
  EXPECT_FALSE(read_elf({}));
  const std::string script = "#!/bin/sh\n";
  EXPECT_FALSE(read_elf(std::as_bytes(std::span(script))));
}

TEST(Elf, survives_every_truncation) {
  const File file = cuda_program();
  for (size_t size = 0; size < file.size(); ++size) {
    const File cut(file.begin(), file.begin() + static_cast<long>(size));
    const Result<Elf> elf = read_elf(cut);
    if (elf && size < sizeof(Elf64_Ehdr)) ADD_FAILURE() << "accepted a header of " << size << " bytes";
  }
}

TEST(Elf, survives_damage_of_every_byte) {
  const File file = cuda_program();
  for (size_t at = 0; at < file.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      File damaged = file;
      damaged[at] = static_cast<std::byte>(value);
      read_elf(damaged);
    }
  }
}

TEST(Elf, survives_random_damage) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    File damaged = cuda_program();
    for (int i = 0; i < 8; ++i) damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    read_elf(damaged);
  }
}

}  // namespace
}  // namespace bankshot::host
