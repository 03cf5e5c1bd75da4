#include "bankshot/cli/base/format_output.hpp"

#include <filesystem>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/output.hpp"
#include "bankshot/cli/base/report_output.hpp"
#include "bankshot/formats/code_quality.hpp"
#include "bankshot/formats/github.hpp"
#include "bankshot/formats/junit.hpp"
#include "bankshot/formats/ncu_csv.hpp"
#include "bankshot/formats/sarif.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/report/text/source_lines.hpp"
#include "include/bankshot/bankshot.h"

namespace bankshot::cli {
namespace {

/// "ncu=FILE": the part before "=", and the file, which is standard output if there is none.
std::string page_of(const std::string& csv) { return csv.substr(0, csv.find('=')); }
std::string file_of_csv(const std::string& csv) {
  const size_t equals = csv.find('=');
  return equals == csv.npos ? "-" : csv.substr(equals + 1);
}

std::string csv_check(const std::string& csv) {
  const std::string page = page_of(csv);
  if ((page == "ncu" || page == "ncu-raw") && !file_of_csv(csv).empty()) return {};
  return "'" + csv + "' must be ncu or ncu-raw, or one of these with a file: ncu=FILE";
}

}  // namespace

void FormatOutput::define(CLI::App& app, bool judged, bool counted) {
  const auto add = [&](const char* option, std::string& file, const char* what) {
    app.add_option(option, file, what)->type_name("FILE|-");
  };
  add("--sarif", sarif, "write the lines that are reported as SARIF 2.1.0, for code scanning and editors");
  if (judged) add("--junit", junit, "write the verdict as JUnit XML, a test case for each kernel and limit or check");
  add("--code-quality", code_quality, "write the lines that are reported as a report of code quality for GitLab");
  if (counted) {
    app.add_option(
           "--csv", csv,
           "write metrics with the columns of Nsight Compute's CSV: its page 'details' (ncu) or 'raw' (ncu-raw); "
           "without a file on standard output; may be repeated")
        ->check(csv_check)
        ->allow_extra_args(false)
        ->type_name("ncu[=FILE]|ncu-raw[=FILE]");
  }
  add("--github", github,
      "write annotations of source lines as workflow commands of GitHub Actions; - prints them after the report");
}

std::vector<FormatOutput::Document> FormatOutput::files() const {
  std::vector<Document> all{{{"--sarif", sarif}, formats::to_sarif},
                            {{"--junit", junit}, formats::to_junit},
                            {{"--code-quality", code_quality}, formats::to_code_quality},
                            {{"--github", github == "-" ? "" : github}, formats::to_github}};
  for (const std::string& page : csv) {
    const auto to_csv = page_of(page) == "ncu-raw" ? formats::to_ncu_raw : formats::to_ncu_details;
    all.push_back(
        {{"--csv", file_of_csv(page)},
         [to_csv](const std::vector<formats::Run>& runs, const formats::Surroundings&) { return to_csv(runs); }});
  }
  std::erase_if(all, [](const Document& document) { return document.file.empty(); });
  return all;
}

std::string FormatOutput::first_option() const {
  const std::vector<Document> all = files();
  return !all.empty() ? all[0].option : github.empty() ? "" : "--github";
}

bool FormatOutput::takes_standard_output() const {
  for (const OutputFile& file : files())
    if (file.file == "-") return true;
  return false;
}

std::string FormatOutput::problem(const std::vector<OutputFile>& others) const {
  std::vector<OutputFile> before = others;
  for (const Document& file : files()) {
    for (const OutputFile& other : before) {
      if (file.file == "-" && other.file == "-")
        return file.option + " and " + other.option + " both want standard output; name a file for one of them";
      if (host::same_file(file.file, other.file))
        return file.option + " and " + other.option + " name the same file, " + file.file;
    }
    before.push_back(file);
    if (const auto error = host::names_a_program(file.option, file.file)) return error->message;
    if (file.file == "-") continue;
    if (const auto error = host::cannot_write(file.file)) return error->message;
  }
  if (github != "-") return {};
  for (const OutputFile& file : before) {
    if (file.file == "-") return "--github - prints to standard output, which " + file.option + " needs; name a file";
  }
  return {};
}

std::optional<Error> FormatOutput::overwrites(const std::vector<host::Input>& inputs) const {
  for (const Document& file : files()) {
    if (auto error = host::overwrites(file.option, file.file, inputs)) return error;
  }
  return std::nullopt;
}

bool FormatOutput::tell(const std::vector<formats::Run>& runs, const report::SourcePolicy& sources) const {
  if (runs.empty() || first_option().empty()) return true;
  std::error_code unknown;
  report::SourceLines lines(sources);
  const formats::Surroundings around{
      .version = BANKSHOT_VERSION,
      .root = std::filesystem::current_path(unknown).string(),
      .line_of = [&](const simt::Source& source) { return lines.get(source.file, source.line); }};
  for (const Document& file : files()) {
    const std::string text = file.write(runs, around);
    if (file.file == "-") {
      print(text);
      continue;
    }
    if (const auto error = host::write_file(file.file, text)) {
      say(error->message);
      return false;
    }
  }
  if (github == "-") print(to_github(runs, around));
  flush_output();
  return true;
}

}  // namespace bankshot::cli
