#include "bankshot/cli/base/report_output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "bankshot/cli/base/folder.hpp"
#include "bankshot/cli/base/outcome.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/formats/verdict_json.hpp"
#include "bankshot/host/embedded_ptx.hpp"
#include "bankshot/host/signals.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/report/json/json.hpp"
#include "bankshot/report/text/comparison_text.hpp"
#include "bankshot/report/text/findings_text.hpp"
#include "bankshot/report/text/kernel_title.hpp"
#include "bankshot/report/text/names.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::cli {

void say(const std::string& message) { std::fprintf(stderr, "bankshot: %s\n", message.c_str()); }

std::string whole_number(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? "" : "'" + text + "' is not a whole number from 0 to 999999999";
}

namespace {

bool replaces_modules() {
  const char* patches = std::getenv(cuda::kPatchFolderVariable);
  return patches != nullptr && *patches != 0;
}

}  // namespace

void ReportOutput::define(CLI::App& app, bool judged) {
  app.add_option("--json", json,
                 "write the report as JSON; - is standard output, and the program's output then goes to standard error")
      ->type_name("FILE|-");
  html.define(app);
  app.add_option(
         "--ptx", ptx,
         "write the PTX of each module to DIR/MODULE.ptx, with `module` of the report as JSON. Its lines are the "
         "report's PTX lines, and compilers such as Triton keep no other copy")
      ->type_name("DIR");
  app.add_option("--kernel", kernels,
                 std::string("report ") + (judged ? "and judge " : "") +
                     "only kernels with this in their name; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  of_runs_ = look.define(app, "the legend");
  of_runs_.insert(of_runs_.begin(), {app.add_option("--top", top, "source lines shown for each kernel")
                                         ->check(whole_number)
                                         ->capture_default_str()
                                         ->type_name("N"),
                                     source_roots.define(app)});
}

std::string ReportOutput::first_run_option() const {
  const auto given = std::ranges::find_if(of_runs_, [](const CLI::Option* option) { return option->count() != 0; });
  return given == of_runs_.end() ? "" : (*given)->get_name();
}

int ReportOutput::program_output() const { return json == "-" || without_text ? STDERR_FILENO : STDOUT_FILENO; }

std::string ReportOutput::problem(const std::string& name, const std::vector<std::string>& command) const {
  if (std::string reason = html.problem(name, command.empty() ? "" : command[0], json); !reason.empty()) return reason;
  if (!ptx.empty()) {
    if (replaces_modules())
      return fmt::format("--ptx is for the program's own modules: unset {}", cuda::kPatchFolderVariable);
    if (const auto error = cannot_use_folder(ptx, "module.ptx")) return error->message;
  }
  if (json.empty() || json == "-") return {};
  if (const auto error = host::names_a_program("--json", json)) {
    return error->message + ": bankshot " + name + " --json report.json " + (command.empty() ? json : command[0]);
  }
  const auto error = host::cannot_write(json);
  return error ? error->message : "";
}

std::optional<Error> ReportOutput::overwrites(const std::vector<host::Input>& inputs) const {
  if (auto error = host::overwrites("--json", json, inputs)) return error;
  return host::overwrites("--html", html.file, inputs);
}

void ReportOutput::request(cuda::Request& request) const {
  // Where modules are replaced, the lines of the report are not those of the PTX that is handed in.
  request.modules |= (!html.file.empty() || !ptx.empty()) && request.patch_folder.empty() && !replaces_modules();
}

/// What an HTML page has beside the JSON form.
struct ReportOutput::Page {
  std::string command;
  const host::Target& target;
  std::vector<std::string> gpus;  ///< of a comparison
  std::vector<const host::Observation*> runs;
  std::string note = {};
};

bool ReportOutput::tell(const std::string& name, const host::Target& target, const host::Observation& seen,
                        const formats::Verdict& verdict) const {
  const report::RunReport& report = seen.report;
  const std::string json_text = json.empty() && html.file.empty() ? "" : formats::to_json({report, verdict});
  return write(json_text, {name, target, {}, {&seen}}, [&] {
    const report::TextOptions options = text_options(report.program);
    return report.checks.any() ? report::findings_text(report, options) : report::to_text(report, options);
  });
}

report::TextOptions ReportOutput::text_options(const std::string& program) const {
  report::TextOptions options = look.options();
  options.top = top;
  options.sources = sources_of(program);
  return options;
}

report::SourcePolicy ReportOutput::sources_of(const std::string& program) const {
  return {.roots = source_roots.of(program), .program = host::has_kernels(program) ? program : ""};
}

bool ReportOutput::tell(const std::vector<std::string>& gpus, const host::Target& target,
                        const std::vector<host::Observation>& runs, const std::vector<formats::Run>& judged,
                        const std::string& note) const {
  const bool as_json = !json.empty() || !html.file.empty();
  std::vector<report::RunReport> reports;
  std::vector<std::string> texts;
  Page page{.command = "simulate", .target = target, .gpus = gpus, .runs = {}, .note = note};
  for (size_t k = 0; k < runs.size(); ++k) {
    reports.push_back(runs[k].report);
    page.runs.push_back(&runs[k]);
    if (as_json) texts.push_back(formats::to_json(judged[k]));
  }
  return write(as_json ? report::comparison_json(gpus, std::move(texts)) : "", page,
               [&] { return report::comparison_text(gpus, reports, text_options(reports[0].program)); });
}

bool ReportOutput::keep_ptx(const Page& page) const {
  if (ptx.empty()) return true;
  const host::Signals held;
  if (const auto error = make_folder(ptx)) {
    say(error->message);
    return false;
  }
  for (const host::Observation* run : page.runs) {
    for (const auto& [digest, text] : run->ptx) {
      if (const auto error = host::write_file(ptx + "/" + digest + ".ptx", text)) {
        say(error->message);
        return false;
      }
    }
  }
  return true;
}

std::string ReportOutput::kept_ptx_text(const Page& page) const {
  if (ptx.empty()) return {};
  std::map<std::string, std::set<std::string>> kernels;  // by module
  for (const host::Observation* run : page.runs) {
    for (const auto& [digest, text] : run->ptx) kernels[digest];
    for (const report::Kernel& kernel : run->report.kernels) {
      const auto module = kernels.find(kernel.module.digest);
      if (module != kernels.end()) {
        const std::string title = report::kernel_title(kernel, run->report);
        module->second.insert(report::shown_name(title, look.options()));
      }
    }
  }
  std::string list = kernels.empty() ? "\nno PTX was loaded\n" : "\nPTX by module\n";
  for (const auto& [digest, names] : kernels) {
    list +=
        fmt::format("  {}/{}.ptx  {}\n", ptx, digest,
                    names.empty() ? "none of its kernels is in the report" : fmt::format("{}", fmt::join(names, ", ")));
  }
  return list;
}

bool ReportOutput::write(const std::string& json_text, const Page& page,
                         const std::function<std::string()>& text) const {
  page::Contents contents{.command = page.command, .json = json_text};
  if (!page.note.empty()) contents.notes.push_back("note: " + page.note);
  for (size_t k = 0; k < page.runs.size() && !html.file.empty(); ++k) {
    const host::Observation& run = *page.runs[k];
    contents.sources = sources_of(run.report.program);
    for (const std::string& sentence : incomplete(page.target, run))
      contents.notes.push_back(page.gpus.empty() ? sentence : page.gpus[k] + ": " + sentence);
    contents.reports.push_back(&run.report);
    contents.ptx.insert(run.ptx.begin(), run.ptx.end());
  }
  if (!html.write(std::move(contents)) || !keep_ptx(page)) return false;
  if (json == "-") {
    print(json_text);
  } else {
    if (!json.empty()) {
      if (const auto error = host::write_file(json, json_text)) {
        say(error->message);
        return false;
      }
    }
    if (!without_text) print("\n" + text() + kept_ptx_text(page));
  }
  flush_output();  // before what goes to standard error
  return true;
}

}  // namespace bankshot::cli
