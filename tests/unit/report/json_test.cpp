// The JSON form: what is in it, and that any bytes can be read back or refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json.hpp"
#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "fixture.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;

TEST(ReportJson, has_the_fields_of_the_contract) {
  const json root = json::parse(to_json(made_report({column(88, 3), row()})));
  EXPECT_EQ(root["schema"], "bankshot/explain/1");
  const json& kernel = root["kernels"][0];
  EXPECT_EQ(kernel["name"], "_Z5scalePfi");
  EXPECT_EQ(kernel["launches"], 1);
  EXPECT_EQ(kernel["grid"], json::array({4, 2, 1}));
  EXPECT_EQ(kernel["block"], json::array({32, 8, 1}));
  EXPECT_EQ(kernel["warp_instructions"], 1000);
  EXPECT_EQ(kernel["thread_instructions"], 32000);
  EXPECT_EQ(kernel["shared"], (json{{"accesses", 4}, {"wavefronts", 97}, {"ideal_wavefronts", 4}, {"conflicts", 93}}));
  const json& site = kernel["sites"][1];
  EXPECT_EQ(site["ptx_line"], 88);
  EXPECT_EQ(site["file"], "kernel.cu");
  EXPECT_EQ(site["line"], 8);
  EXPECT_EQ(site["op"], "ld.shared.f32");
  EXPECT_EQ(site["kind"], "load");
  EXPECT_EQ(site["matrix"], false);
  EXPECT_EQ(site["accesses"], 3);
  EXPECT_EQ(site["wavefronts"], 96);
  EXPECT_EQ(site["conflicts"], 93);
  EXPECT_EQ(site["degree_max"], 32);
  EXPECT_EQ(site["degree_mean"], 32.0);
  EXPECT_EQ(site["class"], "stride");
  EXPECT_EQ(site["stride"], 32);
}

TEST(ReportJson, keeps_source_lines_and_what_is_suppressed) {
  RunReport report = made_report({column(88, 3), row()});
  EXPECT_FALSE(json::parse(to_json(report)).contains("suppressed"));
  report.source_text[{"kernel.cu", 8}] = "y = tile[i][0];";
  report.project = "/a/bankshot.toml";
  report.suppressed = {{std::string(kBankConflict), "_Z5scalePfi", {"kernel.cu", 8, 88}, 93, "known"}};
  const json root = json::parse(to_json(report));
  EXPECT_EQ(root["kernels"][0]["lines"][0]["text"], "y = tile[i][0];");
  EXPECT_FALSE(root["kernels"][0]["lines"][1].contains("text"));
  EXPECT_EQ(root["suppressed"][0]["demangled"], "scale(float*, int)");
  const Result<RunReport> again = from_json(to_json(report));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_json(*again), to_json(report));
  EXPECT_EQ(again->judged(again->kernels[0]).conflicts(), 0u);
  EXPECT_EQ(again->kernels[0].shared().conflicts(), 93u);
}

/// A kernel of one name in two modules, each with 31 conflicts in one line and a store without.
TEST(ReportJson, has_the_suppressed_conflicts_of_kernels_and_lines) {
  RunReport report = made_report({column(), row()});
  report.kernels.push_back(report.kernels[0]);
  report.kernels[1].module.digest = "another";
  for (Site& site : report.kernels[1].sites) site.source.file = "other.cu";
  report.suppressed = {{std::string(kBankConflict), report.kernels[0].name, {"kernel.cu", 8, 88}, 31, "known"}};
  const json kernels = json::parse(to_json(report))["kernels"];
  EXPECT_EQ(kernels[0]["suppressed_conflicts"], 31);
  EXPECT_EQ(kernels[0]["lines"][0]["suppressed_conflicts"], 31);
  EXPECT_FALSE(kernels[0]["lines"][1].contains("suppressed_conflicts"));
  EXPECT_EQ(kernels[1]["shared"]["conflicts"], 31);
  EXPECT_FALSE(kernels[1].contains("suppressed_conflicts"));
  EXPECT_FALSE(kernels[1]["lines"][0].contains("suppressed_conflicts"));
}

TEST(ReportJson, tells_and_reads_back_changed_sources) {
  RunReport report = made_report({row()});
  EXPECT_FALSE(json::parse(to_json(report)).contains("changed_sources"));
  report.changed_sources = {"/a/k.cu", "/b/k.cu"};
  const Result<RunReport> again = from_json(to_json(report));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->changed_sources, report.changed_sources);
  json root = json::parse(to_json(report));
  root["changed_sources"] = {1};
  const Result<RunReport> wrong = from_json(root.dump());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "\"changed_sources\" must hold texts");
}

TEST(ReportJson, tells_and_reads_back_ports_and_the_bank_hash) {
  RunReport report = made_report({column(88, 3)});
  EXPECT_FALSE(json::parse(to_json(report))["scratchpad"].contains("hash"));
  report.rules.ports = 2;
  for (const char* spec : {"xor", "add", "rows:1,3,7,16,65535"}) {
    ASSERT_FALSE(scratchpad::set_bank_hash(report.rules, spec));
    const Result<RunReport> again = from_json(to_json(report));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->rules, report.rules) << spec;
  }
  json root = json::parse(to_json(report));
  EXPECT_EQ(root["scratchpad"]["hash"], (json{{"class", "gf2"}, {"rows", {1, 3, 7, 16, 65535}}, {"address_bits", 16}}));
  EXPECT_EQ(root["scratchpad"]["ports"], 2);
  root["scratchpad"].erase("ports");  // as reports were before
  EXPECT_EQ(from_json(root.dump())->rules.ports, 1u);
  root["scratchpad"]["hash"]["rows"] = {1, 2};
  EXPECT_EQ(from_json(root.dump()).error().message, "\"scratchpad\": hash: 2 rows, but 5 bank bits");
  root["scratchpad"]["hash"]["address_bits"] = 17;
  EXPECT_EQ(from_json(root.dump()).error().message, "\"scratchpad\": hash: address_bits must be from 5 to 16");
}

TEST(ReportJson, tells_registers_and_what_accesses_were_held_against) {
  RunReport report = made_report({column()});
  json kernel = json::parse(to_json(report))["kernels"][0];
  EXPECT_EQ(kernel["registers_from"], "estimate");
  EXPECT_FALSE(kernel.contains("machine_code"));
  report.machine_code = 90;
  report.checked = true;
  report.kernels[0].facts = {
      40, true,
      MachineCode{MachineCode::From::ptxas, "no -lineinfo", {{"k.cu", 8, 88, "shared load", {16}, {4}, {4}}}, 3}};
  const std::string text = to_json(report);
  json root = json::parse(text);
  EXPECT_EQ(root["accesses"], (json{{"as", "joined"}, {"machine_code", "sm_90"}, {"checked", true}}));
  kernel = root["kernels"][0];
  EXPECT_EQ(kernel["registers"], 40);
  EXPECT_EQ(kernel["registers_from"], "machine code");
  EXPECT_EQ(kernel["machine_code"],
            json::parse(R"({"from":"ptxas","reason":"no -lineinfo","differences":[{"file":"k.cu",
      "line":8,"ptx_line":88,"kind":"shared load","expected":[16],"machine_code":[4],"counted":[4]}],"not_compared":3})"));
  EXPECT_EQ(to_json(*from_json(text)), text);
  root["kernels"][0]["machine_code"]["from"] = "nvcc";
  EXPECT_EQ(from_json(root.dump()).error().message, "\"from\" must be \"program\", \"ptxas\" or \"model\"");
  root["kernels"][0]["machine_code"] = {{"from", "model"}, {"reason", ""}, {"differences", {{{"expected", 1}}}}};
  EXPECT_FALSE(from_json(root.dump()));
}

TEST(ReportJson, keeps_tables_of_phases) {
  RunReport report = made_report({column()});
  report.rules.tables[4] = *scratchpad::parse_phases("0-3 20-23, 4-7 16-19, 8-11 28-31, 12-15 24-27");
  const json root = json::parse(to_json(report));
  EXPECT_EQ(root["scratchpad"]["load_b128"], (json{"0-3 20-23", "4-7 16-19", "8-11 28-31", "12-15 24-27"}));
  EXPECT_EQ(from_json(root.dump())->rules, report.rules);
}

TEST(ReportJson, lists_source_lines_with_their_sites_most_conflicts_first) {
  simt::SiteReport nowhere = one_word(10);
  nowhere.source = {"", 0, 10};
  const json root = json::parse(to_json(made_report({row(71), column(81), column(82, 3), nowhere})));
  const json& lines = root["kernels"][0]["lines"];
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], (json{{"file", "kernel.cu"},
                            {"line", 8},
                            {"accesses", 4},
                            {"wavefronts", 128},
                            {"ideal_wavefronts", 4},
                            {"conflicts", 124},
                            {"sites", {3, 2}}}));
  EXPECT_EQ(lines[1]["line"], 0);
  EXPECT_EQ(lines[1]["sites"], json::array({0}));
  EXPECT_EQ(lines[2]["conflicts"], 0);
}

TEST(ReportJson, pattern_is_the_worst_access_in_words_with_null_for_lanes_that_are_off) {
  const auto site = made_site(88, "ld.shared.f32", 4, [](uint32_t lane) { return 128 * lane; }, 2, 0x5);
  const json root = json::parse(to_json(made_report({site})));
  const json& pattern = root["kernels"][0]["sites"][0]["pattern"];
  EXPECT_EQ(pattern["weight"], 2);
  EXPECT_EQ(pattern["width"], 4);
  ASSERT_EQ(pattern["addresses"].size(), 32u);
  EXPECT_EQ(pattern["addresses"][0], 0);
  EXPECT_TRUE(pattern["addresses"][1].is_null());
  EXPECT_EQ(pattern["addresses"][2], 64);
}

TEST(ReportJson, reads_back_what_it_wrote) {
  RunReport report = made_report({column(88, 3), row(), one_word()});
  report.partial = true;
  report.program = "./a \"quoted\"\n name";
  const std::string written = to_json(report);
  const Result<RunReport> read = from_json(written);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), written);
}

TEST(ReportJson, has_what_did_not_come_to_its_end) {
  RunReport report = made_report({column()});
  report.add_failed("_Z5scalePfi", "2000 threads a block", 3);
  report.running = {"_Z5scalePfi"};
  const std::string written = to_json(report);
  const json root = json::parse(written);
  EXPECT_EQ(root["partial"], true);
  EXPECT_EQ(root["ended"], true);
  EXPECT_EQ(root["failed_launches"], json::array({{{"kernel", "_Z5scalePfi"},
                                                   {"demangled", "scale(float*, int)"},
                                                   {"launches", 3},
                                                   {"reason", "2000 threads a block"}}}));
  const Result<RunReport> read = from_json(written);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), written);
  EXPECT_FALSE(read->partial);
}

TEST(ReportJson, has_launches_that_were_stopped) {
  simt::LaunchStats stats = made_launch({column(88, 3)});
  stats.stopped = true;
  stats.ctas_ended = 5;
  RunReport report = made_report({column(88, 3)});
  EXPECT_FALSE(report.is_partial());
  report.add(stats, "_Z5scalePfi", {4, 2, 1}, {32, 8, 1});
  json root = json::parse(to_json(report));
  EXPECT_EQ(root["partial"], true);
  EXPECT_EQ(root["kernels"][0]["stopped"], (json{{"launches", 1}, {"ctas_ended", 5}, {"ctas", 8}}));
  EXPECT_EQ(root["kernels"][0]["launches"], 2);
  const Result<RunReport> read = from_json(to_json(report));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(report));
  root["kernels"][0]["stopped"]["launches"] = 3;
  EXPECT_EQ(from_json(root.dump()).error().message, "\"stopped\" must have at least 1 and at most all \"launches\"");
  root["kernels"][0]["stopped"] = {{"launches", 1}, {"ctas_ended", 8}, {"ctas", 8}};
  EXPECT_EQ(from_json(root.dump()).error().message, "\"ctas_ended\" must be less than \"ctas\"");
}

TEST(ReportJson, writes_names_that_are_not_utf8) {
  RunReport report = made_report({});
  report.program = "\xff\xfe";
  EXPECT_TRUE(from_json(to_json(report)));
}

TEST(ReportJson, rejects_what_is_not_a_report) {
  for (const char* text : {"", "{", "[]", "null", "{\"schema\":3}", "{\"schema\":\"bankshot/hash/1\"}", "\xff",
                           "{\"schema\":\"bankshot/explain/1\"}"}) {
    EXPECT_FALSE(from_json(text)) << text;
  }
}

TEST(ReportJson, rejects_every_truncation_of_a_report) {
  const std::string written = to_json(made_report({column(), one_word()}));
  for (size_t size = 0; size + 2 < written.size(); ++size) EXPECT_FALSE(from_json(written.substr(0, size)));
}

TEST(ReportJson, rejects_every_member_of_a_wrong_type_or_missing) {
  const json good = json::parse(to_json(made_report({column()})));
  const json flat = good.flatten();
  int accepted = 0;
  for (const auto& [path, value] : flat.items()) {
    json changed = good;
    changed[json::json_pointer(path)] = json::object();
    EXPECT_TRUE(!from_json(changed.dump()) || path.find("conflicts") != std::string::npos ||
                path.find("/shared/") != std::string::npos || path.find("/lines/") != std::string::npos ||
                path.find("degree_mean") != std::string::npos || path.ends_with("/class") ||
                path.ends_with("/weight") || path.ends_with("/pattern/width"))
        << path;
    changed[json::json_pointer(path)] = -1;
    accepted += static_cast<bool>(from_json(changed.dump()));  // must not crash
  }
  EXPECT_LT(accepted, 40);
}

TEST(ReportJson, rejects_impossible_numbers) {
  json root = json::parse(to_json(made_report({column()})));
  root["kernels"][0]["sites"][0]["width"] = 3;
  EXPECT_FALSE(from_json(root.dump()));
  root = json::parse(to_json(made_report({column()})));
  root["scratchpad"]["banks"] = 0;
  EXPECT_FALSE(from_json(root.dump()));
  root = json::parse(to_json(made_report({column()})));
  root["kernels"][0]["sites"][0]["stride"] = 1e300;
  EXPECT_FALSE(from_json(root.dump()));
}

}  // namespace
}  // namespace bankshot::report
