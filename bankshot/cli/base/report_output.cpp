#include "bankshot/cli/base/report_output.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/outcome.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/cli/base/version.hpp"
#include "bankshot/host/embedded_ptx.hpp"
#include "bankshot/host/signals.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/page/page.hpp"
#include "bankshot/report/json/json.hpp"
#include "bankshot/report/text/comparison_text.hpp"
#include "bankshot/report/text/findings_text.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/support/now.hpp"

namespace bankshot::cli {
namespace {

bool colour_wanted() {
  const char* terminal = std::getenv("TERM");
  const char* refused = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (refused == nullptr || *refused == 0) &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

}  // namespace

void say(const std::string& message) { std::fprintf(stderr, "bankshot: %s\n", message.c_str()); }

std::string whole_number(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? "" : "'" + text + "' is not a whole number from 0 to 999999999";
}

void ReportOutput::define(CLI::App& app, bool judged) {
  app.add_option("--json", json,
                 "write the report as JSON; - is standard output, and the program's output then goes to standard error")
      ->type_name("FILE|-");
  app.add_option("--html", html,
                 "write the report as one HTML file that any browser shows without a network: sources, sites, pictures")
      ->type_name("FILE");
  app.add_option("--kernel", kernels,
                 std::string("report ") + (judged ? "and judge " : "") +
                     "only kernels with this in their name; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--top", top, "source lines shown for each kernel")
      ->check(whole_number)
      ->capture_default_str()
      ->type_name("N");
}

int ReportOutput::program_output() const { return json == "-" ? STDERR_FILENO : STDOUT_FILENO; }

std::string ReportOutput::problem(const std::string& name, const std::vector<std::string>& command) const {
  const auto problem_of = [&](const std::string& option, const std::string& file) -> std::string {
    if (file.empty() || (file == "-" && option == "--json")) return {};
    if (file == "-") return option + " needs the name of a file: standard output is used by the program and the report";
    if (const auto error = host::names_a_program(option, file)) {
      const std::string example = option == "--json" ? "report.json" : "report.html";
      return error->message + ": bankshot " + name + " " + option + " " + example + " " +
             (command.empty() ? file : command[0]);
    }
    const auto error = host::cannot_write(file);
    return error ? error->message : "";
  };
  if (std::string reason = problem_of("--json", json); !reason.empty()) return reason;
  if (std::string reason = problem_of("--html", html); !reason.empty()) return reason;
  return host::same_file(html, json) ? "--html and --json name the same file, " + html : "";
}

std::optional<Error> ReportOutput::overwrites(const std::vector<host::Input>& inputs) const {
  if (auto error = host::overwrites("--json", json, inputs)) return error;
  return host::overwrites("--html", html, inputs);
}

void ReportOutput::request(cuda::Request& request) const {
  const char* patches = std::getenv(cuda::kPatchFolderVariable);
  // Where modules are replaced, the lines of the report are not those of the PTX that is handed in.
  request.modules |= !html.empty() && request.patch_folder.empty() && (patches == nullptr || *patches == 0);
}

/// What an HTML page has beside the JSON form.
struct ReportOutput::Page {
  std::string command;
  const host::Target& target;
  std::vector<std::string> gpus;  ///< of a comparison
  std::vector<const host::Observation*> runs;
};

bool ReportOutput::tell(const std::string& name, const host::Target& target, const host::Observation& seen) const {
  const report::RunReport& report = seen.report;
  return write(json.empty() && html.empty() ? "" : report::to_json(report), {name, target, {}, {&seen}}, [&] {
    const report::TextOptions options{
        .colour = colour_wanted(), .top = top, .program = host::has_kernels(report.program) ? report.program : ""};
    return report.checks.any() ? report::findings_text(report, options) : report::to_text(report, options);
  });
}

bool ReportOutput::tell(const std::vector<std::string>& gpus, const host::Target& target,
                        const std::vector<host::Observation>& runs) const {
  std::vector<report::RunReport> reports;
  Page page{"simulate", target, gpus, {}};
  for (const host::Observation& run : runs) {
    reports.push_back(run.report);
    page.runs.push_back(&run);
  }
  return write(json.empty() && html.empty() ? "" : report::to_json(gpus, reports), page,
               [&] { return report::comparison_text(gpus, reports); });
}

bool ReportOutput::write_html(const std::string& json_text, const Page& page) const {
  page::Contents contents{.command = page.command,
                          .version = kVersion,
                          .date = now_in_utc(),
                          .program = {},
                          .notes = {},
                          .json = json_text,
                          .reports = {},
                          .ptx = {}};
  for (size_t k = 0; k < page.runs.size(); ++k) {
    const host::Observation& run = *page.runs[k];
    if (host::has_kernels(run.report.program)) contents.program = run.report.program;
    for (std::string& sentence : incomplete(page.target, run))
      contents.notes.push_back(page.gpus.empty() ? std::move(sentence) : page.gpus[k] + ": " + sentence);
    contents.reports.push_back(&run.report);
    contents.ptx.insert(run.ptx.begin(), run.ptx.end());
  }
  if (const auto error = host::write_file(html, page::to_html(contents))) {
    say(error->message);
    return false;
  }
  return true;
}

bool ReportOutput::write(const std::string& json_text, const Page& page,
                         const std::function<std::string()>& text) const {
  {
    const host::Signals held;  // or Ctrl-C would leave half a file beside one of them
    if (!html.empty() && !write_html(json_text, page)) return false;
    if (!json.empty() && json != "-") {
      if (const auto error = host::write_file(json, json_text)) {
        say(error->message);
        return false;
      }
    }
  }
  print(json == "-" ? json_text : "\n" + text());
  flush_output();  // before what goes to standard error
  return true;
}

}  // namespace bankshot::cli
