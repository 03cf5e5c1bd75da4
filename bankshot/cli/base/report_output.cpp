#include "bankshot/cli/base/report_output.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/output.hpp"
#include "bankshot/host/embedded_ptx.hpp"
#include "bankshot/host/overwrite.hpp"
#include "bankshot/host/signals.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/report/json/json.hpp"
#include "bankshot/report/text/comparison_text.hpp"
#include "bankshot/report/text/findings_text.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::cli {

bool colour_wanted() {
  const char* terminal = std::getenv("TERM");
  const char* refused = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (refused == nullptr || *refused == 0) &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

void say(const std::string& message) { std::fprintf(stderr, "bankshot: %s\n", message.c_str()); }

std::string whole_number(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? "" : "'" + text + "' is not a whole number from 0 to 999999999";
}

void ReportOutput::define(CLI::App& app, bool judged) {
  app.add_option("--json", json,
                 "write the report as JSON; - is standard output, and the program's output then goes to standard error")
      ->type_name("FILE|-");
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
  if (json.empty() || json == "-") return {};
  if (const auto error = host::names_a_program("--json", json)) {
    return error->message + ": bankshot " + name + " --json report.json " + (command.empty() ? json : command[0]);
  }
  const auto error = host::cannot_write(json);
  return error ? error->message : "";
}

bool ReportOutput::tell(const report::RunReport& report) const {
  return write(json.empty() ? "" : report::to_json(report), [&] {
    const report::TextOptions options{
        .colour = colour_wanted(), .top = top, .program = host::has_kernels(report.program) ? report.program : ""};
    return report.checks.any() ? report::findings_text(report, options) : report::to_text(report, options);
  });
}

bool ReportOutput::tell(const std::vector<std::string>& gpus, const std::vector<report::RunReport>& reports) const {
  return write(json.empty() ? "" : report::to_json(gpus, reports),
               [&] { return report::comparison_text(gpus, reports); });
}

bool ReportOutput::write(const std::string& json_text, const std::function<std::string()>& text) const {
  if (json == "-") {
    print(json_text);
  } else {
    if (!json.empty()) {
      const host::Signals held;  // or Ctrl-C would leave half a file beside it
      if (const auto error = host::write_file(json, json_text)) {
        say(error->message);
        return false;
      }
    }
    print("\n" + text());
  }
  flush_output();  // before what goes to standard error
  return true;
}

}  // namespace bankshot::cli
