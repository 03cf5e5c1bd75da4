// Machine descriptions: those we ship, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/timing/pipelines/stage_config.hpp"
#include "tests/paths.hpp"

namespace bankshot::gpu {
namespace {

const std::string kFolder = paths::source() + "/gpus";

std::string text_of(const std::string& name) {
  std::ifstream in(kFolder + "/" + name + ".toml");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}
std::string h100() { return text_of("h100"); }

/// Of one that is simulated. The default is what the test wants to be wrong when it fails.
Gpu shipped(const std::string& name) {
  const Result<Gpu> gpu = load_gpu(kFolder + "/" + name + ".toml");
  EXPECT_TRUE(gpu) << gpu.error().message;
  return gpu ? *gpu : Gpu{};
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
    const bool is_cf11 = gpu->name == "Elastic Pipeline CF'11", is_cdna4 = gpu->name == "AMD Instinct MI350X";
    EXPECT_EQ(gpu->machine.scratchpad.banks, is_cf11 ? 8u : is_cdna4 ? 64u : 32u);
    EXPECT_TRUE(std::filesystem::path(gpu->file).is_absolute());
    ++count;
  }
  EXPECT_GE(count, 9);
}

TEST(Gpu, what_is_printed_of_every_description_is_a_description_that_prints_the_same) {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const Result<Gpu> gpu = load_gpu(entry.path().string());
    ASSERT_TRUE(gpu) << gpu.error().message;
    const std::string text = to_toml(*gpu);
    const Result<Gpu> again = parse_gpu(text, "printed.toml");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(to_toml(*again), text);
    EXPECT_EQ(again->timing.has_value(), gpu->timing.has_value());
    EXPECT_EQ(again->machine.scratchpad, gpu->machine.scratchpad) << gpu->name;
    EXPECT_EQ(again->shared_per_block, gpu->shared_per_block);
  }
}

TEST(Gpu, what_is_printed_quotes_texts_and_leaves_out_what_the_file_left_out) {
  const Result<Gpu> gpu =
      parse_gpu(replaced(h100(), R"("NVIDIA H100 80GB HBM3")", R"("a \"b\" \\ \u0009c µ")"), "x.toml");
  ASSERT_TRUE(gpu) << gpu.error().message;
  EXPECT_EQ(gpu->name, "a \"b\" \\ \tc µ");
  const Result<Gpu> again = parse_gpu(to_toml(*gpu), "printed.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->name, gpu->name);
  EXPECT_EQ(to_toml(*gpu).find("[scratchpad.locks]"), std::string::npos);  // it has none
  EXPECT_NE(to_toml(*gpu).find("[units.tensor]"), std::string::npos);
  EXPECT_EQ(to_toml(shipped("gtx480")).find("[units.tensor]"), std::string::npos);
  EXPECT_NE(to_toml(shipped("gtx480")).find("[scratchpad.locks]"), std::string::npos);
}

TEST(Gpu, h100_has_its_public_figures) {
  const Result<Gpu> gpu = load_gpu(kFolder + "/h100.toml");
  ASSERT_TRUE(gpu);
  EXPECT_EQ(gpu->compute_major, 9u);
  EXPECT_EQ(gpu->compute_minor, 0u);
  EXPECT_EQ(gpu->shared_per_block_optin, 227u * 1024);
  EXPECT_TRUE(gpu->machine.scratchpad.merge_pairs);
  EXPECT_EQ(gpu->machine.sms, 132u);
}

TEST(Gpu, is_found_by_name_or_path) {
  setenv("BANKSHOT_GPUS", kFolder.c_str(), 1);
  const Result<Gpu> by_name = find_gpu("t4");
  ASSERT_TRUE(by_name);
  EXPECT_EQ(by_name->file, kFolder + "/t4.toml");
  EXPECT_TRUE(find_gpu(kFolder + "/a100.toml"));
  EXPECT_TRUE(find_gpu("A100")) << "as people write it";
  const Result<Gpu> unknown = find_gpu("gtx4800");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("a100, b200, b300, cf11, gtx480, gtx580, h100"), std::string::npos)
      << unknown.error().message;
  EXPECT_FALSE(find_gpu("no/such.toml"));
  unsetenv("BANKSHOT_GPUS");
}

TEST(Gpu, has_rules_of_l1_where_global_loads_are_cached_in_banks) {
  Result<Gpu> gpu = parse_gpu(h100(), "h100.toml");
  ASSERT_TRUE(gpu);
  ASSERT_TRUE(gpu->l1_rules());
  EXPECT_EQ(gpu->l1_rules()->banks.banks, 32u);
  EXPECT_EQ(gpu->l1_rules()->line_bytes, 128u);
  EXPECT_EQ(gpu->l1_rules()->sector_bytes, 32u);
  EXPECT_EQ(gpu->l1_rules()->tags, 4u);
  for (const char* without : {"l1.bytes=0", "l1.global=false"}) {
    Gpu changed = *gpu;
    ASSERT_FALSE(change(changed, std::vector<std::string>{without}));
    EXPECT_FALSE(changed.l1_rules()) << without;
  }
  gpu->timing->l1.banks = 0;
  EXPECT_FALSE(gpu->l1_rules());
  gpu->timing.reset();
  EXPECT_FALSE(gpu->l1_rules());
}

TEST(Gpu, rejects_unknown_keys_naming_the_line) {
  refuses(replaced(h100(), "max_blocks = 32", "max_blocks = 32\nmax_blobs = 3"), "unknown key: sm.max_blobs");
  refuses(h100() + "\n[cache]\nl1 = 1\n", "unknown section or key: cache");
  const std::string text = "[gpu]\nname = 1\n[clocks]\n[memory]\n[sm]\n[scratchpad]\n";
  refuses(text, "x.toml:2:8: error: gpu.name must be a string in quotes");
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
  refuses(replaced(h100(), "merge_pairs = true", "merge_pairs = 1"), "must be true or false");
  refuses(replaced(h100(), "global = true", "global = 1"), "l1.global must be true or false");
  refuses(replaced(h100(), "schedulers = 4", "schedulers = \"4\""), "issue.schedulers must be an integer");
  refuses(replaced(h100(), "policy = \"gty\"", "policy = 3"), "issue.policy must be a string in quotes");
}

TEST(Gpu, rejects_impossible_values) {
  refuses(replaced(h100(), "banks = 32", "banks = 33"), "scratchpad.banks = 33 is impossible");
  refuses(replaced(h100(), "banks = 32", "banks = -32"), "scratchpad.banks = -32 is impossible");
  refuses(replaced(h100(), "sms = 132", "sms = 0"), "gpu.sms = 0 is impossible");
  refuses(replaced(h100(), "lanes_b64 = 16", "lanes_b64 = 32"), "need more bytes than all banks deliver");
  refuses(replaced(h100(), "max_warps = 64", "max_warps = 8"), "too few warps");
}

TEST(Gpu, tables_of_phases_are_lists_of_lanes) {
  const Gpu cdna3 = shipped("mi300x");
  const scratchpad::Rules& rules = cdna3.machine.scratchpad;
  const auto* table = scratchpad::table_of(rules, scratchpad::AccessKind::load, 16);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(scratchpad::phases_text(*table), "0-3 20-23, 4-7 16-19, 8-11 28-31, 12-15 24-27");
  EXPECT_EQ(scratchpad::table_of(rules, scratchpad::AccessKind::store, 16), nullptr);
  EXPECT_EQ(scratchpad::neighbours_together(rules, scratchpad::AccessKind::store, 16), 8u);
  EXPECT_EQ(scratchpad::neighbours_together(rules, scratchpad::AccessKind::load, 16), 0u);
  EXPECT_NE(to_toml(cdna3).find(R"(load_b128 = ["0-3 20-23", "4-7 16-19", "8-11 28-31", "12-15 24-27"])"),
            std::string::npos);
  EXPECT_EQ(to_toml(shipped("h100")).find("load_b128"), std::string::npos);
}

TEST(Gpu, rejects_tables_of_phases_that_are_none) {
  const auto with = [](const char* line) {
    return replaced(h100(), "lanes_b128 = 8", std::string("lanes_b128 = 8\n") + line);
  };
  refuses(with("load_b128 = \"0-7\""), "scratchpad.load_b128 must be a list of strings");
  refuses(with("load_b128 = [1, 2]"), "scratchpad.load_b128 must be a list of strings");
  refuses(with("load_b128 = [\"0-3\", \"5-7\"]"),
          "scratchpad.load_b128 is not a table of phases: lane 4 is in no phase");
  refuses(with("store_b64 = [\"0-31\"]"),
          "scratchpad.store_b64: that many lanes need more bytes than all banks deliver");
  refuses(with("load_b128 = [\"0-7\"]"),
          "scratchpad.merge_pairs: needs phases of neighbouring lanes, but load_b64 or load_b128 has others");
}

TEST(Gpu, rejects_what_is_not_toml_with_place) { refuses("[gpu\nname = 1", "x.toml:1:"); }

TEST(Gpu, rejects_files_that_cannot_be_read) {
  EXPECT_NE(load_gpu("/no/such.toml").error().message.find("cannot be read"), std::string::npos);
  EXPECT_NE(load_gpu("/tmp").error().message.find("folder"), std::string::npos);
  EXPECT_NE(load_gpu("/dev/null").error().message.find("section [gpu] is missing"), std::string::npos);
  EXPECT_NE(find_gpu("/bin/true").error().message.find("end in .toml"), std::string::npos);
}

/// What is left when the timing sections are taken away: a file that only runs programs.
std::string h100_untimed() {
  std::string text = h100();
  text = text.substr(0, text.find("[issue]"));
  return text.substr(0, text.find("latency = 23"));
}

TEST(Gpu, a_file_without_timing_cannot_be_simulated) {
  const Result<Gpu> gpu = parse_gpu(h100_untimed(), "x.toml");
  ASSERT_TRUE(gpu) << gpu.error().message;
  EXPECT_FALSE(gpu->timing);
  EXPECT_FALSE(shipped("mi300x").timing);
  for (const std::string name : {"a100", "b200", "b300", "cf11", "gtx480", "gtx580", "h100", "k20", "rtx3090",
                                 "rtx4090", "rtx5090", "t4", "v100"})
    EXPECT_TRUE(shipped(name).timing) << name;
}

TEST(Gpu, rejects_a_part_of_the_timing) {
  // A key in a section that every GPU has, or one section: all others are missed, by name.
  refuses(h100_untimed() + "latency = 23\n",
          "section [issue] is missing: a GPU that can be simulated needs all timing sections");
  refuses(h100_untimed() + "[units.alu]\ncount = 4\nlanes = 16\nlatency = 4\n", "section [dram] is missing");
  refuses(h100_untimed() + "[units.alu]\n", "section [units.fp64] is missing");
  refuses(h100_untimed() + "[units]\nalu = 4\n", "units.alu must be a section: [units.alu]");
  refuses(replaced(h100(), "latency = 23                                # H200", "# "),
          "scratchpad.latency (cycles from issue until a dependent instruction can issue, "
          "without conflicts) is missing");
}

TEST(Gpu, rejects_wrong_timing_with_file_line_and_key) {
  const std::string text = replaced(h100(), "schedulers = 4", "schedulers = 0");
  const auto line = std::count(text.begin(), text.begin() + static_cast<long>(text.find("schedulers = 0")), '\n') + 1;
  refuses(text, "x.toml:" + std::to_string(line) +
                    ":14: error: issue.schedulers = 0 is impossible: warp schedulers of an SM, from 1 to 64");
  refuses(replaced(h100(), "[units.sfu]", "[units.cube]\n[units.sfu]"), "unknown section or key: units.cube");
  refuses(replaced(h100(), "[units.sfu]", "[units.sfu]\ndepth = 1"), "unknown key: units.sfu.depth");
  refuses(replaced(h100(), "policy = \"gty\"", "policy = \"fifo\""),
          "issue.policy = \"fifo\" is not known; there are barrel, gto, gty, lrr");
  refuses(replaced(h100(), "pipeline = \"queued\"", "pipeline = \"\""), "issue.pipeline = \"\" is not known");
  refuses(replaced(h100(), "atomics = \"native\"", "atomics = \"x\""),
          "scratchpad.atomics = \"x\" is not known; there are loadlike");
}

TEST(Gpu, rejects_timing_that_does_not_fit_together) {
  const auto with = [](const std::string& from, const std::string& to) { return replaced(h100(), from, to); };
  refuses(with("simd_lanes = 32", "simd_lanes = 64"), "issue.simd_lanes: must divide gpu.warp_size");
  refuses(with("simd_lanes = 32", "simd_lanes = 32\nstages = 4\nmemory_stages = 5"),
          "issue.memory_stages: must not exceed");
  refuses(replaced(replaced(h100(), "max_warps = 64", "max_warps = 128"), "max_threads = 2048", "max_threads = 4096"),
          "sm.max_warps: a simulated SM can have at most 64");
  refuses(with("sector_bytes = 32", "sector_bytes = 256"), "l1.sector_bytes: must not exceed");
  refuses(with("bytes = 262_144", "bytes = 262_145"), "l1.bytes: must be a whole number of sets");
  refuses(with("line_bytes = 128                            # GPGPU-Sim\nways", "line_bytes = 64\nways"),
          "l2.line_bytes: must equal l1.line_bytes");
  refuses(with("channels = 80", "channels = 79"),
          "memory.l2_bytes: must be a whole number of sets of l2.ways lines in each");
  refuses(with("interleave_bytes = 256", "interleave_bytes = 64"), "dram.interleave_bytes: must hold a whole line");
  refuses(with("burst_bytes = 32", "burst_bytes = 64"), "dram.burst_bytes: must not exceed l1.sector_bytes");
  refuses(with("row_bytes = 1024", "row_bytes = 16"), "dram.row_bytes: must hold a whole burst");
  refuses(with("rc = 61", "rc = 60"), "dram.rc: must be at least dram.ras + dram.rp");
  refuses(with("latency = 80 ", "latency = 0 "), "interconnect.latency = 0 is impossible");
  refuses(with("core_khz = 1_980_000", "core_khz = 1_980_000\nissue_khz = 1_980_001"),
          "clocks.issue_khz: must not exceed");
}

TEST(Gpu, timing_takes_what_the_rest_of_the_file_says) {
  const Gpu fermi = shipped("gtx480");
  ASSERT_TRUE(fermi.timing);
  EXPECT_EQ(fermi.core_khz, 1'401'000u);
  EXPECT_EQ(fermi.timing->core_khz, 700'500u);  // schedulers run at half the advertised clock
  EXPECT_EQ(fermi.timing->sms, 15u);
  EXPECT_EQ(fermi.timing->warp_size, 32u);
  EXPECT_EQ(fermi.timing->max_warps, 48u);
  EXPECT_EQ(fermi.timing->l2_bytes, 768u * 1024);
  EXPECT_EQ(fermi.timing->rules, fermi.machine.scratchpad);
  EXPECT_EQ(shipped("h100").timing->core_khz, 1'980'000u);  // no issue_khz: the same clock
  const Gpu barrel = shipped("cf11");
  EXPECT_EQ(barrel.timing->issue.policy, "barrel");
  EXPECT_EQ(barrel.timing->parameters[timing::kStages], 24u);
  EXPECT_EQ(barrel.timing->parameters[timing::kMemoryStages], 4u);
  EXPECT_EQ(barrel.timing->l1.bytes, 0u);
  EXPECT_FALSE(shipped("k20").timing->l1.global);
  EXPECT_EQ(shipped("v100").timing->units[static_cast<unsigned>(timing::UnitClass::sfu)].latency, 14u);
}

TEST(Gpu, a_bank_hash_of_the_hardware_is_of_its_banks) {
  const auto with = [](const std::string& text) {
    return parse_gpu(replaced(h100(), "hash_cycles = 1", "ports = 2\nhash = " + text + "\nhash_cycles = 1"), "x.toml");
  };
  const Result<Gpu> gpu = with("\"xor\"");
  ASSERT_TRUE(gpu) << gpu.error().message;
  ASSERT_TRUE(gpu->timing->rules.hash);
  EXPECT_EQ(gpu->timing->rules.hash->banks(), 32u);
  EXPECT_EQ(gpu->timing->rules.hash->bank(32), 1u);  // bits 5-9 go on top of bits 0-4
  EXPECT_EQ(gpu->timing->rules.ports, 2u);
  EXPECT_EQ(gpu->timing->scratchpad.hash_cycles, 1u);
  EXPECT_FALSE(with("\"none\"")->timing->rules.hash);
  const Result<Gpu> wrong = with("\"perm:12\"");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("scratchpad.hash is not a bank hash: hash 'perm:12'"), std::string::npos)
      << wrong.error().message;
}

/// Within a part in a hundred of what is published.
void is_close(double value, double published) { EXPECT_NEAR(value, published, published / 100); }

TEST(Gpu, bandwidth_of_memory_is_the_published_one) {
  const auto gb = [](const std::string& name) {
    const timing::DramConfig dram = shipped(name).timing->dram;
    return 1e-6 * dram.khz * dram.channels * dram.burst_bytes / dram.burst_cycles;
  };
  is_close(gb("gtx480"), 177.4);  // 6 channels, 64 bytes in 2 cycles of 924 MHz: 177.408
  is_close(gb("gtx580"), 192.4);
  is_close(gb("cf11"), 51.2);  // Table 3
  is_close(gb("k20"), 208);
  is_close(gb("v100"), 900);  // 32 channels, 32 bytes a cycle of 877 MHz: 898
  is_close(gb("t4"), 320);
  is_close(gb("a100"), 1555);
  is_close(gb("rtx3090"), 936);
  is_close(gb("rtx4090"), 1008);
  is_close(gb("h100"), 3350);
  is_close(gb("b200"), 8000);
  is_close(gb("b300"), 8000);
  is_close(gb("rtx5090"), 1792);
  for (const std::string name : {"gtx480", "gtx580", "cf11", "k20", "v100", "t4", "a100", "rtx3090", "rtx4090", "h100",
                                 "b200", "b300", "rtx5090"}) {
    const Gpu gpu = shipped(name);  // what CUDA tells: two transfers a cycle of its memory clock
    is_close(gb(name), 2e-6 * gpu.memory_khz * gpu.memory_bus_bits / 8);
    EXPECT_DOUBLE_EQ(gb(name) * 1e9, gpu.timing->dram_bytes_per_second());
  }
}

TEST(Gpu, peak_of_single_precision_is_the_published_one) {
  const auto gflops = [](const std::string& name) { return shipped(name).timing->fp32_per_second() / 1e9; };
  is_close(gflops("gtx480"), 1345);  // 480 cores, 2 operations, 1.401 GHz
  is_close(gflops("gtx580"), 1581);
  is_close(gflops("k20"), 3520);     // 2,496 cores, 0.7055 GHz
  is_close(gflops("v100"), 15'670);  // 5,120 cores, 1.53 GHz
  is_close(gflops("t4"), 8141);      // 2,560 cores, 1.59 GHz
  is_close(gflops("a100"), 19'500);
  is_close(gflops("rtx3090"), 35'580);
  is_close(gflops("rtx4090"), 82'580);
  is_close(gflops("b200"), 74'450);  // 18,944 cores, 1.965 GHz
  is_close(gflops("b300"), 76'990);  // the same, 2.032 GHz
  is_close(gflops("rtx5090"), 104'800);
  is_close(gflops("h100"), 66'900);  // 16,896 cores, 1.98 GHz
}

/// SM cycles of a load by one lane that hits in L2, and more if it comes from a closed row of DRAM: sums of the path's
/// parts, with a flit to ask and those of a sector to answer at either end.
double l2_hit(const timing::Config& t) {
  const double network = double(t.core_khz) / t.interconnect.khz;
  const unsigned answer =
      (t.interconnect.header_bytes + t.l1.sector_bytes + t.interconnect.flit_bytes - 1) / t.interconnect.flit_bytes;
  return 2.0 * t.interconnect.latency + network * (1 + 2 * answer) + t.l2.latency * double(t.core_khz) / t.l2.khz;
}
double dram_more(const timing::Config& t) {
  const unsigned bursts = t.l1.sector_bytes / t.dram.burst_bytes;
  return double(t.core_khz) / t.dram.khz * (t.dram.rcd + t.dram.cl + bursts * t.dram.burst_cycles + t.dram.latency);
}

TEST(Gpu, latencies_add_up_to_what_was_measured) {
  struct Case {
    std::string gpu;
    double l2, dram;
  };  // sources: the files
  for (const Case& c : {Case{"gtx480", 155, 342.5},
                        {"gtx580", 155, 342.5},
                        {"k20", 200, 325},
                        {"v100", 212, 425},
                        {"t4", 235, 455},
                        {"a100", 206, 552},
                        {"rtx3090", 250, 448},
                        {"rtx4090", 285, 607},
                        {"h100", 295, 643},
                        {"b200", 300, 608},
                        {"b300", 300, 609},
                        {"rtx5090", 285, 593}}) {
    const Gpu gpu = shipped(c.gpu);
    EXPECT_NEAR(l2_hit(*gpu.timing), c.l2, c.l2 * 0.02) << c.gpu;
    EXPECT_NEAR(l2_hit(*gpu.timing) + dram_more(*gpu.timing), c.dram, c.dram * 0.02) << c.gpu;
  }
  const timing::Config cf11 = *shipped("cf11").timing;  // no cache: 440 cycles of GT200
  EXPECT_NEAR(l2_hit(cf11) + dram_more(cf11), 440, 9);
}

}  // namespace
}  // namespace bankshot::gpu
