// What accesses of global memory cost in the first-level cache, as reports tell it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json.hpp"
#include "bankshot/report/run/l1_lines.hpp"
#include "bankshot/report/text/text.hpp"
#include "fixture.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;

const scratchpad::L1Rules kCache{scratchpad::l1_bank_rules({}, 32), 128, 32, 4};

/// Accesses of 32 lanes that are so many words apart, from CTA 0 on.
simt::L1SiteReport apart(uint32_t ptx_line, uint64_t words, unsigned accesses,
                         const std::string& op = "ld.global.f32") {
  simt::L1SiteReport site;
  site.source = {"kernel.cu", ptx_line / 10, ptx_line};
  site.op = op;
  site.width = 4;
  site.reads = op.starts_with("ld");
  site.kind = site.reads ? scratchpad::AccessKind::load : scratchpad::AccessKind::store;
  std::array<uint64_t, scratchpad::kMaxLanes> address{};
  for (uint64_t lane = 0; lane < address.size(); ++lane) address[lane] = 1024 + lane * words * 4;
  scratchpad::L1Counter counter;
  for (unsigned cta = 0; cta < accesses; ++cta) {
    counter.record(kCache, site.reads, 4, address.data(), 0, 0xffffffff, cta);
  }
  site.totals = counter.totals(kCache, 4);
  return site;
}

RunReport report_of(std::vector<simt::L1SiteReport> sites) {
  RunReport report;
  report.program = "./app";
  report.gpu = "Test GPU";
  report.l1 = kCache;
  simt::LaunchStats stats;
  stats.l1_sites = std::move(sites);
  report.add(stats, "k", {4, 1, 1}, {32, 1, 1});
  return report;
}

std::string text_of(const RunReport& report) { return to_text(report, {.read_sources = false}); }

// 100 of stride 33: 8 cycles each where 1 would do; 50 of stride 2 on the same line: 2 each.
TEST(ReportL1, lines_are_told_by_the_cycles_that_they_lose) {
  const RunReport report = report_of({apart(70, 1, 1000), apart(80, 2, 50), apart(85, 33, 100)});
  const std::vector<L1Line> lines = l1_lines(report.kernels[0]);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].sites, (std::vector<size_t>{2, 1}));
  EXPECT_EQ(lines[0].sums.cycles, 100u * 8 + 50 * 2);
  EXPECT_EQ(lines[0].sums.ideal_cycles, 150u);
  EXPECT_EQ(lines[1].sums.lost(), 0u);
  const std::string text = text_of(report);
  EXPECT_NE(text.find("\n  global accesses in L1, if loads hit: 1,900 cycles needed, 1,150 ideal (39.5 % are wasted)\n"
                      "          cycles          ideal  worst access                                   source line\n"
                      "             900            150  8 cycles: stride 33, 32 lines, 1 wavefront     kernel.cu:8\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("kernel.cu:7"), std::string::npos) << text;
}

TEST(ReportL1, a_store_has_no_wavefronts) {
  const std::string text = text_of(report_of({apart(80, 32, 2, "st.global.f32")}));
  EXPECT_NE(text.find("16              2  8 cycles: stride 32, 32 lines                  kernel.cu:8\n"),
            std::string::npos)
      << text;
}

TEST(ReportL1, five_lines_are_told) {
  std::vector<simt::L1SiteReport> sites;
  for (uint32_t line = 1; line <= 7; ++line) sites.push_back(apart(10 * line, 2, 100 - line));
  const std::string text = text_of(report_of(sites));
  EXPECT_NE(text.find("kernel.cu:5\n  2 more lose 187 cycles (--json lists all)\n"), std::string::npos) << text;
}

TEST(ReportL1, nothing_is_told_where_nothing_is_lost_or_counted) {
  RunReport report = report_of({apart(80, 1, 9)});
  EXPECT_EQ(text_of(report).find("L1"), std::string::npos);
  report.l1.reset();
  EXPECT_FALSE(json::parse(to_json(report)).contains("l1"));
  EXPECT_FALSE(json::parse(to_json(report))["kernels"][0].contains("l1"));
}

TEST(ReportL1, json_is_read_as_it_was_written) {
  RunReport report = report_of({apart(80, 33, 3), apart(90, 1, 2, "st.global.f32")});
  const std::string written = to_json(report);
  const json root = json::parse(written);
  EXPECT_EQ(root["l1"], (json{{"banks", 32}, {"line_bytes", 128}, {"sector_bytes", 32}, {"tags", 4}}));
  const json& site = root["kernels"][0]["l1"][0];
  EXPECT_EQ(site["op"], "ld.global.f32");
  EXPECT_EQ(site["reads"], true);
  EXPECT_EQ(site["accesses"], 3);
  EXPECT_EQ(site["sectors"], 96);
  EXPECT_EQ(site["ideal_sectors"], 12);
  EXPECT_EQ(site["tags"], 96);
  EXPECT_EQ(site["wavefronts"], 3);
  EXPECT_EQ(site["cycles"], 24);
  EXPECT_EQ(site["ideal_cycles"], 3);
  EXPECT_EQ(site["worst"]["class"], "stride");
  EXPECT_EQ(site["worst"]["stride_bytes"], 132);
  EXPECT_EQ(site["worst"]["cycles"], 8);
  const auto read = from_json(written);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), written);
  EXPECT_EQ(text_of(*read), text_of(report));
}

TEST(ReportL1, rejects_json_that_contradicts_itself) {
  const json good = json::parse(to_json(report_of({apart(80, 33, 3)})));
  const auto message = [&](const char* pointer, const json& value) {
    json changed = good;
    changed[json::json_pointer(pointer)] = value;
    const auto read = from_json(changed.dump());
    return read ? "" : read.error().message;
  };
  EXPECT_EQ(message("/kernels/0/l1/0/ideal_cycles", 25), "\"ideal_cycles\" exceeds \"cycles\"");
  EXPECT_EQ(message("/kernels/0/l1/0/kind", "loads"), "\"kind\" must be \"load\", \"store\" or \"atomic\"");
  EXPECT_EQ(message("/kernels/0/l1/0/worst/class", "zigzag"), "\"class\" is not a class of patterns: zigzag");
  EXPECT_EQ(message("/kernels/0/l1/0/worst/lanes", 0), "\"lanes\" must be at least 1");
  EXPECT_EQ(message("/l1/line_bytes", 100),
            "\"l1\" does not describe a cache: banks and bytes must be powers of two, tags at least 1");
  EXPECT_EQ(message("/kernels/0/l1", "none"), "\"l1\" must be a list");
}

TEST(ReportL1, launches_of_one_kernel_are_added_up) {
  RunReport report = report_of({apart(80, 33, 3)});
  report.merge(report_of({apart(80, 33, 4), apart(70, 1, 1)}));
  ASSERT_EQ(report.kernels.size(), 1u);
  ASSERT_EQ(report.kernels[0].l1_sites.size(), 2u);
  EXPECT_EQ(report.kernels[0].l1_sites[0].source.ptx_line, 70u);
  EXPECT_EQ(report.kernels[0].l1_sites[1].totals.accesses, 7u);
  EXPECT_EQ(report.kernels[0].l1().cycles, 7u * 8 + 1);
}

}  // namespace
}  // namespace bankshot::report
