// The report as a person reads it.
#include <gtest/gtest.h>

#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bankshot/report/text/names.hpp"
#include "bankshot/report/text/picture.hpp"
#include "bankshot/report/text/source_lines.hpp"
#include "bankshot/report/text/text.hpp"
#include "fixture.hpp"

namespace bankshot::report {
namespace {

void contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "missing: " << part << "\nin:\n" << text;
}
void lacks(const std::string& text, const std::string& part) {
  EXPECT_EQ(text.find(part), std::string::npos) << "unexpected: " << part << "\nin:\n" << text;
}

TEST(ReportText, names_kernel_shape_and_totals) {
  const std::string text = to_text(made_report({column(88, 1000), row(70, 1000)}));
  contains(text, "bankshot: ./app on Test GPU, accesses as written in the PTX\n");
  contains(text, "\nscale(float*, int)\n  1 launch, grid (4,2), block (32,8)\n");
  contains(text, "2,000 accesses");
  contains(text, "33,000 needed");
  contains(text, "2,000 ideal");
  contains(text, "31,000 (93.9 % of the wavefronts are wasted)");
}

TEST(ReportText, says_in_a_line_that_machine_code_is_as_expected) {
  RunReport report = made_report({column()});
  report.machine_code = 90;
  report.add(made_launch({}), "other", {}, {});
  const auto all = [&](MachineCode code) {
    for (Kernel& kernel : report.kernels) kernel.facts.machine_code = code;
  };
  lacks(to_text(report), "machine code");
  report.checked = true;
  all({MachineCode::From::program, "", {}});
  contains(to_text(report), "sm_90\nmachine code of the program (sm_90): 2 of 2 kernels as expected\n\nscale(");
  all({MachineCode::From::ptxas, "no -lineinfo", {}});
  contains(to_text(report), "\nmachine code by ptxas for sm_90: 2 of 2 kernels as expected\n\n");
  all({MachineCode::From::ptxas, "no -lineinfo", {}, 5});
  contains(to_text(report),
           "\nmachine code by ptxas for sm_90: 2 of 2 kernels as expected; 10 accesses not compared (wmma, atomics, "
           "barrier objects)\n\n");
  all({MachineCode::From::model, "none", {}});
  contains(to_text(report), "\nno machine code for 2 kernels, counted by the model:\n  none\n\n");
}

TEST(ReportText, names_the_lines_where_machine_code_differs) {
  RunReport report = made_report({column()});
  report.machine_code = 90;
  report.checked = true;
  report.kernels[0].facts.machine_code = {MachineCode::From::program,
                                          "",
                                          {{"src/k.cu", 8, 88, "shared load", {16}, {4, 8}, {4, 8}},
                                           {"", 0, 90, "shared store", {4}, {16}, {4}},
                                           {"", 0, 95, "shared load", {16}, {4}, {8}},
                                           {"", 0, 0, "shared load", {}, {8}, {}}}};
  contains(to_text(report),
           "machine code of the program (sm_90): 0 of 1 kernel as expected\n"
           "  scale(float*, int)\n"
           "    src/k.cu:8: shared load, expected 16 bytes, machine code 4 and 8 bytes; counted as in machine code\n"
           "    PTX line 90: shared store, expected 4 bytes, machine code 16 bytes; counted as expected\n"
           "    PTX line 95: shared load, expected 16 bytes, machine code 4 bytes; counted: 8 bytes\n"
           "    unknown line: shared load, expected none, machine code 8 bytes; counted as expected\n");
}

TEST(ReportText, ranks_lines_by_wasted_wavefronts) {
  const std::string text = to_text(made_report({column(88, 2), one_word(120, 5), row()}));
  contains(text, "#1  kernel.cu:12  wastes 155 wavefronts");
  contains(text, "#2  kernel.cu:8  wastes 62 wavefronts");
  contains(text, "PTX line  instruction                accesses  wavefronts: mean  worst  ideal  pattern\n");
  contains(text, "      88  ld.shared.f32                     2             32.00     32      1  stride 32\n");
  contains(text, "1 line has no conflicts:\n      kernel.cu:7 ");
  contains(text, "1 access    linear\n");
}

TEST(ReportText, shows_a_line_once_with_the_sum_of_its_instructions_and_one_picture) {
  const auto twice = made_site(84, "ld.shared.f32", 4, [](uint32_t lane) { return 8 * lane; }, 100);
  const std::string text = to_text(made_report({column(81), column(82), column(83, 2), twice, row(85), column(99)}));
  contains(text, "#1  kernel.cu:8  wastes 224 wavefronts, 87.8 % of the kernel's\n");
  contains(text, "#2  kernel.cu:9  wastes 31 wavefronts");
  EXPECT_LT(text.find("      84  ld.shared.f32"), text.find("      83  ld.shared.f32"));
  lacks(text, "      82  ld.shared.f32");
  contains(text, "       …  and 2 more, which waste 31 wavefronts\n");
  contains(text, "worst access of ld.shared.f32 at PTX line 83, in CTA 0:\n");
  size_t pictures = 0;
  for (size_t at = 0; (at = text.find("worst access", at)) != std::string::npos; ++at) ++pictures;
  EXPECT_EQ(pictures, 2u);
}

TEST(ReportText, groups_lines_without_conflicts) {
  const std::string text = to_text(made_report({row(71), row(72, 4), one_word(120), row(75)}));
  contains(text, "1 line has no conflicts:\n      kernel.cu:7                          st.shared.f32 and 2 more ");
  contains(text, "6 accesses  linear\n");
}

TEST(ReportText, without_pictures_has_no_legend) {
  lacks(to_text(made_report({row()})), "Pictures:");
  lacks(to_text(made_report({row()})), "How well the rules are known");
  lacks(to_text(made_report({column()}), {.top = 0}), "Pictures:");
  contains(to_text(made_report({column()}), {.top = 0}), "1 line wastes 31 wavefronts (--top 1 shows all)");
  contains(to_text(made_report({column()})), "Pictures:");
}

TEST(ReportText, tells_all_phases_of_a_warp_that_are_not_neighbours) {
  RunReport report = made_report({column()});
  report.rules.tables[4] = *scratchpad::parse_phases("0-3 12-15, 4-11");  // loads of 128 bits
  const std::string text = to_text(report);
  contains(text, "at 128 bits a lane, loads: lanes 0-3 12-15, 4-11, 16-19 28-31, 20-27\n");
  contains(text, "at 128 bits a lane, stores: 8 neighbouring lanes\n");
  contains(text, "up to 32 bits a lane: 32 neighbouring lanes\n");
}

TEST(ReportText, counts_one_thing_in_the_singular) {
  const auto pair = made_site(88, "ld.shared.f32", 4, [](uint32_t lane) { return 128 * lane; }, 1, 3);
  const std::string text = to_text(made_report({pair}));
  contains(text, "  shared memory                    1 access\n");
  contains(text, "wastes 1 wavefront, 100.0 %");
  EXPECT_EQ(counted(1, "access", "accesses"), "1 access");
  EXPECT_EQ(counted(2000, "access", "accesses"), "2,000 accesses");
}

TEST(ReportText, prints_the_phases_of_the_gpu_that_was_used) {
  RunReport report = made_report({column()});
  contains(to_text(report), "a whole warp is served together up to 32 bits a lane, a half-warp at");
  report.rules.bank_bytes = 8;  // Kepler
  report.rules.lanes_b64 = 32;
  lacks(to_text(report), "a half-warp");
  contains(to_text(report), "     at 64 bits a lane: 32 neighbouring lanes\n");
  report.rules.tables[4] = *scratchpad::parse_phases("0-3 20-23, 4-7 16-19, 8-11 28-31, 12-15 24-27");
  contains(to_text(report),
           "     at 128 bits a lane, loads: lanes 0-3 20-23, 4-7 16-19, 8-11 28-31, 12-15 24-27\n"
           "     at 128 bits a lane, stores: 8 neighbouring lanes\n");
}

TEST(ReportText, tells_position_conflicts_of_atomics_apart_with_their_evidence) {
  const std::string text = to_text(made_report({one_word()}));
  contains(text, "of these 31 position conflicts (lanes on one word), 0 bank conflicts");
  contains(text, "M  counted on an H200: lanes of an atomic");
  contains(text, "bank 16 serves 32 lanes on 1 word, one after the other; 31 of 32 banks idle");
  lacks(to_text(made_report({column()})), "lanes of an atomic");
}

TEST(ReportText, shows_no_more_lines_than_asked_for) {
  const std::string text = to_text(made_report({column(88, 3), column(99, 2), column(111, 1)}), {.top = 1});
  contains(text, "#1 ");
  lacks(text, "#2 ");
  contains(text, "2 more lines waste 93 wavefronts (--top 3 shows all)");
}

TEST(ReportText, counts_clean_lines_when_they_are_many) {
  std::vector<simt::SiteReport> sites;
  for (uint32_t line = 10; line < 100; line += 10) sites.push_back(row(line));
  const std::string text = to_text(made_report(sites));
  contains(text, "9 lines have no conflicts\n");
  lacks(text, "wasted");
}

TEST(ReportText, says_so_when_nothing_was_launched_or_the_run_was_cut_short) {
  RunReport report;
  report.program = "./app";
  contains(to_text(report), "no kernel was launched");
  report.partial = true;
  lacks(to_text(report), "no kernel was launched");
  report = made_report({column()});
  report.partial = true;
  contains(to_text(report), "partial: the program did not finish");
  contains(to_text(made_report({})), "shared memory is not used");
}

TEST(ReportText, tells_of_a_launch_that_was_stopped) {
  simt::LaunchStats stats = made_launch({row()});
  stats.stopped = true;
  stats.ctas_ended = 5;
  RunReport report = made_report({row()});
  report.add(stats, "_Z5scalePfi", {4, 2, 1}, {32, 8, 1});
  contains(to_text(report),
           "  partial: 1 launch was stopped before its end: 5 of 8 CTAs ended; the numbers cover what ran\n");
}

TEST(ReportText, lists_launches_that_failed_and_what_still_ran) {
  RunReport report = made_report({column()});
  report.add_failed("_Z5scalePfi", "2000 threads a block", 3);
  report.add_failed("", "no fat binary of the program has it");
  report.add_failed("_Z5scalePfi", "bytes of shared memory " + std::string(90, 'x'));
  report.running = {"_Z5scalePfi"};
  const std::string text = to_text(report);
  contains(text,
           "partial: 5 launches failed and are not included in the figures below\n"
           "  scale(float*, int)\n"
           "      2000 threads a block (3 launches)\n"
           "      bytes of shared memory\n      xxx");
  contains(text, "  unknown kernels\n      no fat binary of the program has it\n");
  contains(text, "it ended while this kernel ran: scale(float*, int)\n");
  lacks(text, "did not finish");
  report.kernels.clear();
  lacks(to_text(report), "no kernel was launched");
}

TEST(ReportText, says_why_ctas_did_not_run_in_parallel) {
  RunReport report = made_report({});
  report.kernels[0].parallel = false;
  report.kernels[0].why_serial = "atom.global.cas (PTX line 9)";
  contains(to_text(report), "CTAs ran in one fixed order, not in parallel: atom.global.cas (PTX line 9)");
}

TEST(ReportText, asks_for_line_information_where_it_is_missing) {
  simt::SiteReport site = column();
  site.source.file.clear();
  site.source.line = 0;
  const std::string text = to_text(made_report({site}));
  contains(text, "#1  PTX line 88  wastes");
  simt::SiteReport other = column(89);
  other.source = {"", 0, 89};
  contains(to_text(made_report({site, other}), {.top = 1}), "1 more PTX instruction wastes 31 wavefronts");
  contains(text, "-lineinfo");
  lacks(to_text(made_report({site, column(89)})), "-lineinfo");  // one line is known
}

TEST(ReportText, shows_the_source_line_where_it_can_be_read) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("bankshot_source_" + std::to_string(getpid()) + ".cu");
  std::ofstream(path) << "first\n\t  x = tile[threadIdx.x]\x1b[31m;  \r\n";
  simt::SiteReport site = column();
  site.source.file = path;
  site.source.line = 2;
  contains(to_text(made_report({site})), "      | x = tile[threadIdx.x]?[31m;\n");
  lacks(to_text(made_report({site}), {.read_sources = false}), "| x");
  std::filesystem::remove(path);
}

TEST(ReportText, colours_only_when_asked) {
  lacks(to_text(made_report({column()})), "\x1b");
  contains(to_text(made_report({column()}), {.colour = true}), "\x1b[1m");
}

TEST(ReportText, never_passes_control_characters_on) {
  RunReport report = made_report({column()});
  report.program = "\x1b]0;title\a";
  lacks(to_text(report), "\x1b");
}

TEST(ReportText, fits_a_hundred_columns) {
  const auto wide = made_site(50, "ld.shared.v4.f32", 16, [](uint32_t lane) { return 32 * lane; }, 12);
  simt::SiteReport far = column(88, 1000000);
  far.source.file = "/a/rather/long/path/to/some/project/with/many/folders/kernel.cu";
  const std::string text = to_text(made_report({far, wide, one_word(120, 77), row()}));
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    size_t columns = 0;  // bytes that do not go on with a character
    for (size_t i = begin; i < end; ++i) columns += (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    EXPECT_LE(columns, 100u) << text.substr(begin, end - begin);
  }
}

TEST(Picture, draws_one_row_a_pass_and_collapses_the_rest) {
  const RunReport report = made_report({column()});
  const std::vector<std::string> lines = picture(report.kernels[0].sites[0], report.rules, 2);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "bank     0               8               16              24");
  EXPECT_EQ(lines[1], "pass 1   0 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .");
  EXPECT_EQ(lines[2], "pass 2   1 . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .");
  EXPECT_EQ(lines[3], "         … 30 more");
  EXPECT_EQ(lines[4], "bank 0 must deliver 32 different words; 31 of 32 banks idle");
}

TEST(Picture, marks_phases_of_wide_accesses) {
  const auto wide = made_site(50, "ld.shared.f64", 8, [](uint32_t lane) { return 16 * lane; });
  const RunReport report = made_report({wide});
  const std::vector<std::string> lines = picture(report.kernels[0].sites[0], report.rules);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[1], "pass 1   0 0 . . 1 1 . . 2 2 . . 3 3 . . 4 4 . . 5 5 . . 6 6 . . 7 7 . .  lanes 0-15");
  EXPECT_EQ(lines[2], "pass 2   8 8 . . 9 9 . . a a . . b b . . c c . . d d . . e e . . f f . .");
  EXPECT_EQ(lines[5], "lanes 0-15: bank 0 must deliver 2 different words; 16 of 32 banks idle");
}

TEST(Picture, marks_words_that_several_lanes_share) {
  const auto pairs = made_site(50, "ld.shared.f32", 4, [](uint32_t lane) { return lane / 2 * 128; });
  const RunReport report = made_report({pairs});
  EXPECT_EQ(picture(report.kernels[0].sites[0], report.rules)[1].substr(0, 13), "pass 1   * . ");
}

TEST(ReportText, shows_the_chain_of_inlined_calls) {
  simt::SiteReport site = column();
  site.source.frames = {{"/usr/include/lib.h", 31, "void lib::copy<lib::Tile<32>, 4>(lib::Tile<32> const&)"},
                        {"/home/me/tile.cuh", 20, "tile()"},
                        {"/home/me/app.cu", 9, ""}};
  const std::string text = to_text(made_report({site}));
  contains(text,
           "      inlined:   /usr/include/lib.h:31                     in void lib::copy<…>(…)\n"
           "      called at: /home/me/tile.cuh:20                      in tile()\n"
           "      called at: /home/me/app.cu:9                         in the kernel\n");
  contains(to_text(made_report({site}), {.whole_names = true}),
           "in void lib::copy<lib::Tile<32>, 4>(lib::Tile<32> const&)\n");
  for (uint32_t line = 40; line < 50; ++line) site.source.frames.push_back({"f.cuh", line, "f()"});
  contains(to_text(made_report({site})), "      … 8 more calls (--whole-names shows all)\n");
  lacks(to_text(made_report({site}), {.whole_names = true}), "more calls");
}

TEST(ReportText, leaves_the_legend_out_when_asked) {
  contains(to_text(made_report({column()})), "How well the rules are known");
  lacks(to_text(made_report({column()}), {.legend = false}), "How well the rules are known");
}

TEST(ReportText, folds_the_legend_to_the_width) {
  const std::string text = to_text(made_report({column()}), {.width = 60});
  const size_t begin = text.find("\nPictures:");
  ASSERT_NE(begin, std::string::npos);
  std::istringstream lines(text.substr(begin));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60u) << line;
  EXPECT_EQ(folded("  one two three\n    four\n", 10), "  one two\n  three\n    four\n");
  EXPECT_EQ(folded("unbreakable\n", 4), "unbreakable\n");
}

TEST(Names, template_arguments_are_left_out) {
  EXPECT_EQ(without_template_arguments("void f<g<1, 2> >(h<3> const*)"), "void f<…>(h<…> const*)");
  EXPECT_EQ(without_template_arguments("a::operator<< <int>(b<c>)"), "a::operator<< <…>(b<…>)");
  EXPECT_EQ(without_template_arguments("bool operator< <int>(X<int>, X<int>)"), "bool operator< <…>(X<…>, X<…>)");
  EXPECT_EQ(without_template_arguments("a<b>::operator->()"), "a<…>::operator->()");
  EXPECT_EQ(without_template_arguments("f<a>::my_operator<b>()"), "f<…>::my_operator<…>()");
  EXPECT_EQ(without_template_arguments("f<(a)0>::g"), "f<…>::g");
  EXPECT_EQ(without_template_arguments("f<g"), "f<g");
  EXPECT_EQ(without_template_arguments("f>g"), "f>g");
  EXPECT_EQ(without_parameters("void f<…>(int, void (*)(int)) const"), "void f<…>(…) const");
  EXPECT_EQ(without_parameters("f()"), "f()");
  EXPECT_EQ(without_parameters("f"), "f");
}

TEST(Names, are_shortened_only_where_they_are_too_long) {
  const std::string name = "void gemm<Tile<128, 128>, Stages<4>>(Params<Tile<128, 128>, Stages<4>>)";
  EXPECT_EQ(shown_name(name, {}), name);
  EXPECT_EQ(shown_name(name, {.width = 60}), "void gemm<…>(Params<…>)");
  EXPECT_EQ(shown_name(name, {.width = 20}), "void gemm<…>(…)");
  EXPECT_EQ(shown_name(name, {.whole_names = true, .width = 20}), name);
}

/// A program names its sources itself: "/etc/passwd" is none.
TEST(SourceLines, only_files_with_the_ending_of_a_source_are_read) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("lines-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  SourceLines lines;
  for (const char* name : {"a.cu", "a.txt", "a"}) std::ofstream(folder / name) << "first\n  second\x1b[31m \n";
  EXPECT_EQ(lines.get(folder / "a.cu", 2), "second?[31m");
  EXPECT_EQ(lines.get(folder / "a.cu", 3), "");
  EXPECT_EQ(lines.get(folder / "a.txt", 2), "");
  EXPECT_EQ(lines.get(folder / "a", 2), "");
  EXPECT_TRUE(lines.notes().empty());
  std::filesystem::remove_all(folder);
}

TEST(SourceLines, files_that_were_read_and_are_newer_than_the_program_have_changed) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("changed-" + std::to_string(getpid()));
  fs::create_directory(folder);
  for (const char* name : {"app", "new.cu", "unread.cu", "old.cu", "same.cu"}) std::ofstream(folder / name) << "x\n";
  const fs::file_time_type built = fs::last_write_time(folder / "app");
  for (const char* name : {"new.cu", "unread.cu"}) fs::last_write_time(folder / name, built + std::chrono::seconds(1));
  fs::last_write_time(folder / "old.cu", built - std::chrono::seconds(1));
  fs::last_write_time(folder / "same.cu", built);
  const auto changed = [&](const std::string& program) {
    SourceLines lines({.program = program});
    for (const char* name : {"new.cu", "old.cu", "same.cu", "none.cu"}) lines.get(folder / name, 1);
    return lines.changed_files();
  };
  EXPECT_EQ(changed(folder / "app"), std::vector<std::string>{folder / "new.cu"});
  EXPECT_EQ(changed(""), std::vector<std::string>{}) << "of which program is not known";
  EXPECT_EQ(changed(folder / "none"), std::vector<std::string>{});
  fs::remove_all(folder);
}

TEST(Grouped, puts_commas_between_thousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567890), "1,234,567,890");
}

TEST(SourceLines, only_files_below_the_roots_are_read) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("roots-" + std::to_string(getpid()));
  fs::create_directories(folder / "project/src");
  fs::create_directories(folder / "projects");
  for (const char* name : {"project/src/a.cu", "projects/b.cu", "c.cu"}) std::ofstream(folder / name) << "first\n";
  fs::create_symlink(folder / "c.cu", folder / "project/link.cu");
  for (const std::string& root : {(folder / "project").string(), (folder / "project").string() + "/"}) {
    SourceLines lines({.roots = std::vector<std::string>{root}});
    EXPECT_EQ(lines.get(folder / "project/src/a.cu", 1), "first");
    EXPECT_EQ(lines.get(folder / "project/src/../../project/src/a.cu", 1), "first");
    EXPECT_TRUE(lines.notes().empty());
    EXPECT_EQ(lines.get(folder / "projects/b.cu", 1), "");
    EXPECT_EQ(lines.get(folder / "project/../c.cu", 1), "");
    EXPECT_EQ(lines.get(folder / "project/link.cu", 1), "");  // leads out of the root
    ASSERT_EQ(lines.notes().size(), 1u);
    contains(lines.notes()[0], "note: source lines outside the project are not quoted; to see them: --source-root ");
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace bankshot::report
