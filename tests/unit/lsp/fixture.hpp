// A folder with a source, and reports of it.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "bankshot/lsp/document.hpp"
#include "bankshot/report/json/json.hpp"
#include "bankshot/support/temporary_folder.hpp"
#include "tests/unit/report/fixture.hpp"

namespace bankshot::lsp {

/// The array of line 2 is stored to in line 7 and loaded from in line 8.
inline const std::string kSource =
    "__global__ void scale(float* p, int n) {\n"
    "  __shared__ float tile[32][32];\n"
    "  int x = threadIdx.x;\n"
    "  int y = threadIdx.y;\n"
    "  // in\n"
    "  // out\n"
    "  tile[y][x] = p[x];\n"
    "  p[y] = tile[x][y];\n"
    "}\n";

/// The report of a run: line 8 of kernel.cu has 93 conflicts, line 7 has none.
inline report::RunReport made_run() {
  report::RunReport report = report::made_report({report::column(88, 3), report::row()});
  report.source_text = {{{"kernel.cu", 7}, "tile[y][x] = p[x];"}, {{"kernel.cu", 8}, "p[y] = tile[x][y];"}};
  return report;
}

/// What fix says of it: one word more in each row of the array.
inline nlohmann::ordered_json made_fix() {
  using json = nlohmann::ordered_json;
  const json padding = {{"row", 32}, {"words", 1}, {"excess", 0}, {"rewritten", nullptr}, {"cpp", "// row of 33\nx;"}};
  const json edit = {{"file", "kernel.cu"},
                     {"line", 2},
                     {"before", {"  __shared__ float tile[32][32];"}},
                     {"after", {"  __shared__ float tile[32][33];"}}};
  const json place = {{"file", "kernel.cu"}, {"line", 8}, {"ptx_line", 88}};
  const json array = {{"source_name", "tile"}, {"before", {{"conflicts", 93}}}, {"hash", nullptr},
                      {"padding", padding},    {"layouts", json::array()},      {"lines", {place}},
                      {"source_edits", {edit}}};
  const json kernel = {{"demangled", "scale(float*, int)"}, {"module", ""}, {"chosen", "padding"}, {"arrays", {array}}};
  return {{"schema", "bankshot/fix/2"}, {"status", "fixed-and-proved"}, {"kernels", {kernel}}};
}

/// A folder of a workspace, which is removed in the end.
class LspFolder {
 public:
  std::string path(const std::string& name) const { return folder_.path() + (name.empty() ? "" : "/" + name); }
  std::string uri(const std::string& name) const { return "file://" + path(name); }
  /// @param seconds  after a moment that is the same for all files
  void write(const std::string& name, const std::string& text, int seconds = 0) const {
    std::ofstream(path(name), std::ios::binary) << text;
    std::filesystem::last_write_time(path(name), start_ + std::chrono::seconds(seconds));
  }
  /// The source, a report that is younger, and what fix says of it then.
  void write_all() const {
    write("kernel.cu", kSource, 0);
    write("bankshot.json", report::to_json(made_run()), 1);
    write("bankshot-fix.json", made_fix().dump(), 2);
  }

 private:
  TemporaryFolder folder_ = std::move(*TemporaryFolder::make());
  std::filesystem::file_time_type start_ = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
};

/// An edit that puts a text in the place of a line, from 1.
inline Change instead_of(uint32_t line, const std::string& text) {
  return {{{TextPosition{line - 1, 0}, TextPosition{line - 1, UINT32_MAX}}}, text};
}

}  // namespace bankshot::lsp
