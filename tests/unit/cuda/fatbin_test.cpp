#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include "bankshot/cuda/modules/fatbin.hpp"
#include "fatbin_helpers.hpp"

namespace bankshot::cuda::test {
namespace {

const std::string kPtx = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";

EntrySpec zstd_entry(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return {.flags = 0x8011,
          .payload = packed,
          .compressed = static_cast<uint32_t>(packed.size()),
          .uncompressed = text.size(),
          .source = {}};
}

EntrySpec lz4_entry(const std::string& text) {
  std::string packed(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  packed.resize(static_cast<size_t>(LZ4_compress_default(text.data(), packed.data(), static_cast<int>(text.size()),
                                                         static_cast<int>(packed.size()))));
  return {.flags = 0x2011,
          .payload = packed,
          .compressed = static_cast<uint32_t>(packed.size()),
          .uncompressed = text.size(),
          .source = {}};
}

/// The only PTX of a fat binary with this one entry.
Result<std::string> text_of(const EntrySpec& spec) {
  const std::string bytes = container(entry(spec));
  auto entries = read(bytes);
  return entries ? decompress(entries->at(0)) : Result<std::string>(entries.error());
}

TEST(CudaFatbin, raw_payload_loses_the_nuls_of_its_padding) {
  const auto text = text_of({.payload = kPtx, .source = {}});
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, kPtx);
}

TEST(CudaFatbin, zstd_and_lz4_payloads_decompress) {
  for (const auto& spec : {zstd_entry(kPtx), lz4_entry(kPtx)}) {
    const auto text = text_of(spec);
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(*text, kPtx);
  }
}

TEST(CudaFatbin, machine_code_runs_on_gpus_of_its_generation_that_are_not_older) {
  const auto code = [](unsigned architecture, char variant = 0) {
    return FatbinEntry{
        .kind = FatbinEntry::Kind::machine_code, .architecture = architecture, .variant = variant, .source = {}};
  };
  EXPECT_TRUE(runs_on(code(80), 80));
  EXPECT_TRUE(runs_on(code(80), 86));
  EXPECT_FALSE(runs_on(code(86), 80));
  EXPECT_FALSE(runs_on(code(80), 90));
  EXPECT_TRUE(runs_on(code(90, 'a'), 90));
  EXPECT_FALSE(runs_on(code(100, 'a'), 103));
  EXPECT_TRUE(runs_on(code(100, 'f'), 103));
  EXPECT_FALSE(runs_on({.kind = FatbinEntry::Kind::ptx, .architecture = 80, .source = {}}, 80));
}

TEST(CudaFatbin, entry_tells_architecture_variant_and_source) {
  const std::string bytes =
      container(entry({.architecture = 90, .flags = 0x100011, .payload = kPtx, .source = "k.cu"}));
  const auto entries = read(bytes);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(architecture_name(entries->at(0)), "sm_90a");
  EXPECT_EQ(entries->at(0).source, "k.cu");
}

TEST(CudaFatbin, several_containers_and_padding_between_them) {
  const std::string bytes = container("") + std::string(8, '\0') + container(entry({.payload = kPtx, .source = {}})) +
                            container(entry({.kind = 2,
                                             .payload = "\x7f"
                                                        "ELF",
                                             .source = {}})) +
                            std::string(5, '\0');
  const auto entries = read(bytes);
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ(entries->at(0).kind, FatbinEntry::Kind::ptx);
  EXPECT_EQ(entries->at(1).kind, FatbinEntry::Kind::machine_code);
}

TEST(CudaFatbin, chooses_highest_architecture_and_portable_before_variants) {
  const std::string bytes = container(entry({.architecture = 75, .payload = "75", .source = {}}) +
                                      entry({.architecture = 90, .flags = 0x100011, .payload = "90a", .source = {}}) +
                                      entry({.architecture = 90, .payload = "90", .source = {}}) +
                                      entry({.kind = 2, .architecture = 100, .payload = "elf", .source = {}}));
  const auto entries = read(bytes);
  ASSERT_TRUE(entries);
  const auto ptx = choose_ptx(*entries);
  ASSERT_TRUE(ptx);
  ASSERT_EQ(ptx->size(), 3u);
  EXPECT_EQ(architecture_name((*ptx)[0]), "sm_90");
  EXPECT_EQ(architecture_name((*ptx)[1]), "sm_90a");
  EXPECT_EQ(architecture_name((*ptx)[2]), "sm_75");
}

TEST(CudaFatbin, rejects_machine_code_only_and_names_the_flag) {
  const std::string bytes = container(entry({.kind = 2,
                                             .architecture = 80,
                                             .payload = "\x7f"
                                                        "ELF",
                                             .source = {}}));
  const auto ptx = choose_ptx(*read(bytes));
  ASSERT_FALSE(ptx);
  EXPECT_NE(ptx.error().message.find("sm_80"), std::string::npos);
  EXPECT_NE(ptx.error().message.find("-gencode arch=compute_75,code=compute_75"), std::string::npos);
}

TEST(CudaFatbin, rejects_every_truncation_with_a_message) {
  const std::string bytes = container(entry(zstd_entry(kPtx)) + entry({.payload = kPtx, .source = "k.cu"}));
  for (size_t size = 0; size < bytes.size(); ++size) {
    // A copy, so that a sanitizer sees a read behind the end.
    const std::string cut(bytes.data(), size);
    const auto entries = read(cut);
    ASSERT_FALSE(entries) << size;
    EXPECT_TRUE(entries.error().message.starts_with("fat binary, byte ")) << entries.error().message;
    EXPECT_NE(entries.error().message.find("; "), std::string::npos) << "no remedy";
  }
}

TEST(CudaFatbin, rejects_other_files) {
  for (const std::string text : {"",
                                 "\x7f"
                                 "ELF",
                                 "hello, this is no fat binary"})
    EXPECT_FALSE(read(text)) << text;
}

TEST(CudaFatbin, rejects_wrong_sizes_in_headers) {
  const std::string good = container(entry({.payload = kPtx, .source = {}}));
  ASSERT_TRUE(read(good));
  struct Damage {
    size_t offset;
    uint64_t value;
    size_t bytes;
  };
  for (const Damage& damage : {Damage{6, 8, 2},
                               {6, 0xffff, 2},
                               {8, UINT64_MAX, 8},
                               {8, good.size(), 8},
                               {16 + 4, 63, 4},
                               {16 + 4, 0xffffffff, 4},
                               {16 + 8, UINT64_MAX - 8, 8}}) {
    std::string bad = good;
    std::memcpy(bad.data() + damage.offset, &damage.value, damage.bytes);
    EXPECT_FALSE(read(bad)) << "at " << damage.offset << " value " << damage.value;
  }
}

TEST(CudaFatbin, rejects_payload_beyond_the_limit_without_allocating) {
  EntrySpec spec = zstd_entry(kPtx);
  spec.uncompressed = kMaxPayload + 1;
  EXPECT_FALSE(read(container(entry(spec))));
}

TEST(CudaFatbin, rejects_payload_of_another_size_than_declared) {
  for (EntrySpec spec : {zstd_entry(kPtx), lz4_entry(kPtx)}) {
    spec.uncompressed += 1;
    EXPECT_FALSE(text_of(spec));
    spec.uncompressed -= 2;
    EXPECT_FALSE(text_of(spec));
    spec.uncompressed = kMaxPayload;  // more than so few bytes can make
    EXPECT_FALSE(text_of(spec));
  }
}

TEST(CudaFatbin, rejects_damaged_compressed_payload) {
  for (EntrySpec spec : {zstd_entry(kPtx), lz4_entry(kPtx)}) {
    spec.payload[0] = static_cast<char>(~spec.payload[0]);
    EXPECT_FALSE(text_of(spec));
  }
}

TEST(CudaFatbin, rejects_compression_it_does_not_know) {
  EntrySpec spec = zstd_entry(kPtx);
  spec.flags = 0x11;
  EXPECT_FALSE(read(container(entry(spec))));
}

TEST(CudaFatbin, wrapper_leads_to_its_container) {
  const std::string bytes = container(entry({.payload = kPtx, .source = {}}));
  struct {
    uint32_t magic = kWrapperMagic, version = 1;
    const void* data = nullptr;
    const void* more = nullptr;
  } wrapper;
  wrapper.data = bytes.data();
  const auto found = containers_of(&wrapper);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().size(), bytes.size());
  wrapper.magic = 1;
  EXPECT_FALSE(containers_of(&wrapper));
}

TEST(CudaFatbin, a_wrapper_of_linked_units_leads_to_theirs) {
  const std::string first = container(entry({.payload = kPtx, .source = {}})),
                    second = container(entry({.payload = kPtx + kPtx, .source = {}}));
  const void* const units[] = {first.data(), second.data(), nullptr};
  struct {
    uint32_t magic = kWrapperMagic, version = 2;
    const void* data = nullptr;
    const void* more = nullptr;
  } wrapper;
  wrapper.data = first.data();
  wrapper.more = units;
  const auto found = containers_of(&wrapper);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[1].size(), second.size());
  wrapper.more = units + 2;
  EXPECT_FALSE(containers_of(&wrapper));
  wrapper.more = nullptr;
  EXPECT_FALSE(containers_of(&wrapper));
}

}  // namespace
}  // namespace bankshot::cuda::test
