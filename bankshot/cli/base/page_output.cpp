#include "bankshot/cli/base/page_output.hpp"

#include <cstdio>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/version.hpp"
#include "bankshot/host/overwrite.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/support/now.hpp"

namespace bankshot::cli {

void PageOutput::define(CLI::App& app) {
  app.add_option("--html", file,
                 "write the report as one HTML file that any browser shows without a network: sources, numbers, "
                 "pictures")
      ->type_name("FILE");
}

std::string PageOutput::problem(const std::string& command, const std::string& program, const std::string& json) const {
  if (file.empty()) return {};
  if (file == "-") return "--html needs the name of a file: standard output is used by the program and the report";
  if (const auto error = host::names_a_program("--html", file))
    return error->message + ": bankshot " + command + " --html report.html " + (program.empty() ? file : program);
  if (const auto error = host::cannot_write(file)) return error->message;
  return host::same_file(file, json) ? "--html and --json name the same file, " + file : "";
}

bool PageOutput::write(page::Contents contents) const {
  if (file.empty()) return true;
  contents.arguments = command_line();
  contents.version = kVersion;
  contents.date = now_in_utc();
  const auto error = host::write_file(file, page::to_html(contents));
  if (error) std::fprintf(stderr, "bankshot: %s\n", error->message.c_str());
  return !error;
}

}  // namespace bankshot::cli
