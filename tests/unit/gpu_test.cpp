// Machine descriptions: those we ship, and what is refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bankshot/gpu/gpu.hpp"

namespace bankshot::gpu {
namespace {

const std::string kFolder = std::string(BANKSHOT_SOURCE_DIR) + "/gpus";

std::string h100() {
  std::ifstream in(kFolder + "/h100.toml");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void refuses(const std::string& toml, const std::string& because) {
  const Result<Gpu> gpu = parse_gpu(toml, "x.toml");
  ASSERT_FALSE(gpu) << because;
  EXPECT_NE(gpu.error().message.find(because), std::string::npos) << gpu.error().message;
}

TEST(Gpu, every_description_we_ship_loads) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const Result<Gpu> gpu = load_gpu(entry.path().string());
    ASSERT_TRUE(gpu) << gpu.error().message;
    EXPECT_EQ(gpu->machine.scratchpad.banks, 32u);
    EXPECT_TRUE(std::filesystem::path(gpu->file).is_absolute());
    ++count;
  }
  EXPECT_GE(count, 5);
}

TEST(Gpu, h100_has_its_public_figures) {
  const Result<Gpu> gpu = load_gpu(kFolder + "/h100.toml");
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->compute_major, 9u);
  EXPECT_EQ(gpu->compute_minor, 0u);
  EXPECT_EQ(gpu->shared_per_block_optin, 227u * 1024);
  EXPECT_FALSE(gpu->machine.scratchpad.merge_b128);
  EXPECT_EQ(gpu->machine.sms, 132u);
}

TEST(Gpu, is_found_by_name_or_path) {
  setenv("BANKSHOT_GPUS", kFolder.c_str(), 1);
  const Result<Gpu> by_name = find_gpu("t4");
  ASSERT_TRUE(by_name);
  EXPECT_EQ(by_name->file, kFolder + "/t4.toml");
  EXPECT_TRUE(find_gpu(kFolder + "/a100.toml"));
  const Result<Gpu> unknown = find_gpu("gtx480");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("a100, h100"), std::string::npos) << unknown.error().message;
  EXPECT_FALSE(find_gpu("no/such.toml"));
  unsetenv("BANKSHOT_GPUS");
}

TEST(Gpu, rejects_unknown_keys_naming_the_line) {
  refuses(replaced(h100(), "max_blocks = 32", "max_blocks = 32\nmax_blobs = 3"), "unknown key: sm.max_blobs");
  refuses(h100() + "\n[cache]\nl1 = 1\n", "unknown section or key: cache");
  const std::string text = "[gpu]\nname = 1\n[clocks]\n[memory]\n[sm]\n[scratchpad]\n";
  refuses(text, "x.toml:2:8: error: gpu.name must be a text in quotes");
}

TEST(Gpu, rejects_missing_keys) {
  refuses(replaced(h100(), "max_blocks = 32", ""), "sm.max_blocks (resident blocks of an SM) is missing");
  refuses("", "section [gpu] is missing");
  refuses("gpu = 3", "gpu must be a section");
}

TEST(Gpu, rejects_wrong_types) {
  refuses(replaced(h100(), "max_blocks = 32", "max_blocks = \"many\""), "sm.max_blocks must be an integer");
  refuses(replaced(h100(), "max_blocks = 32", "max_blocks = 3.5"), "sm.max_blocks must be an integer");
  refuses(replaced(h100(), "\"9.0\"", "\"nine\""), "gpu.compute_capability must be like");
  refuses(replaced(h100(), "lanes_b128 = 8", "lanes_b128 = 8\nmerge_b128 = 1"), "must be true or false");
}

TEST(Gpu, rejects_impossible_values) {
  refuses(replaced(h100(), "banks = 32", "banks = 33"), "scratchpad.banks = 33 is impossible");
  refuses(replaced(h100(), "banks = 32", "banks = -32"), "scratchpad.banks = -32 is impossible");
  refuses(replaced(h100(), "sms = 132", "sms = 0"), "gpu.sms = 0 is impossible");
  refuses(replaced(h100(), "lanes_b64 = 16", "lanes_b64 = 32"), "need more bytes than all banks deliver");
  refuses(replaced(h100(), "max_warps = 64", "max_warps = 8"), "too few warps");
}

TEST(Gpu, rejects_what_is_not_toml_with_place) { refuses("[gpu\nname = 1", "x.toml:1:"); }

TEST(Gpu, rejects_files_that_cannot_be_read) {
  EXPECT_NE(load_gpu("/no/such.toml").error().message.find("cannot be read"), std::string::npos);
  EXPECT_NE(load_gpu("/tmp").error().message.find("folder"), std::string::npos);
  EXPECT_NE(load_gpu("/dev/null").error().message.find("section [gpu] is missing"), std::string::npos);
  EXPECT_NE(find_gpu("/bin/true").error().message.find("ends in .toml"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::gpu
