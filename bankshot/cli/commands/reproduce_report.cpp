#include "bankshot/cli/commands/reproduce_report.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "bankshot/circuit/synthesis.hpp"
#include "bankshot/cli/commands/reproduce_runs.hpp"
#include "bankshot/cuda/process/witness.hpp"
#include "bankshot/host/observe.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/support/mapped_file.hpp"

namespace bankshot::cli {
namespace {

namespace fs = std::filesystem;

void add_file(cuda::Digest& digest, const std::string& path) {
  const MappedFile file(path);
  const uint64_t bytes = file.readable() ? file.bytes().size() : 0;
  digest.add(&bytes, sizeof bytes);
  digest.add(file.bytes().data(), bytes);
}

/// Of this program and the libraries that run programs for it.
std::string digest_of_program() {
  cuda::Digest digest;
  add_file(digest, "/proc/self/exe");
  std::vector<std::string> libraries;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(host::library_folder(), code)) {
    if (entry.is_regular_file(code) && !entry.is_symlink(code)) libraries.push_back(entry.path().string());
  }
  std::sort(libraries.begin(), libraries.end());
  for (const std::string& library : libraries) add_file(digest, library);
  return digest.text();
}

/// Whether a file has what the page shows; somebody may have written to it.
bool is_result(const nlohmann::ordered_json& json) {
  if (!json.is_object() || !json.contains("key") || !json.contains("title") || !json.contains("paper")) return false;
  for (const char* list : {"rows", "notes", "deviations"}) {
    if (!json.contains(list) || !json[list].is_array()) return false;
  }
  return json.contains("quick") && json["quick"].is_boolean() && json.contains("seconds") &&
         json["seconds"].is_number();
}

}  // namespace

Result<ReproduceReport> ReproduceReport::open(const std::string& folder, bool quick) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_directory(folder, code))
    return Error{"--report: " + folder + " is no folder"};
  fs::create_directories(folder, code);
  if (code) return Error{"--report: " + folder + " cannot be made: " + code.message()};
  ReproduceReport report;
  report.folder_ = folder;
  report.quick_ = quick;
  if (const auto error = host::cannot_write(report.page())) return *error;
  Result<std::vector<experiment::CoveredPaper>> papers = experiment::coverage();
  if (!papers) return papers.error();
  report.papers_ = std::move(*papers);
  report.program_ = digest_of_program();
  return report;
}

std::string ReproduceReport::key(const experiment::Experiment& experiment,
                                 const std::vector<std::string>& gpu_files) const {
  cuda::Digest digest;
  digest.add(program_.data(), program_.size());
  const uint8_t quick = quick_ ? 1 : 0;
  digest.add(&quick, 1);
  for (const std::string& file : gpu_files) add_file(digest, file);
  for (const std::string& file : experiment.files) add_file(digest, file);
  if (experiment::synthesises(experiment)) {
    if (const Result<circuit::Tools> tools = circuit::find_tools()) {
      for (const std::string& file : {tools->yosys, tools->sta, tools->liberty}) add_file(digest, file);
    }
  }
  for (const experiment::Benchmark& benchmark : experiment.benchmarks) add_file(digest, program_of(benchmark));
  return digest.text();
}

std::optional<ReportedExperiment> ReproduceReport::kept(const std::string& name, const std::string& key) const {
  const Result<std::string> text = host::read_text(stem(name) + ".json");
  if (!text) return std::nullopt;
  ReportedExperiment experiment{name, nlohmann::ordered_json::parse(*text, nullptr, false), {}, {}};
  if (!is_result(experiment.result) || experiment.result["key"] != key) return std::nullopt;
  if (experiment.result.contains("panels")) {
    Result<std::string> svg = host::read_text(stem(name) + ".svg");
    if (!svg) return std::nullopt;
    experiment.svg = std::move(*svg);
  }
  return experiment;
}

std::optional<Error> ReproduceReport::keep(ReportedExperiment& experiment, const std::string& key,
                                           double seconds) const {
  experiment.result["key"] = key;
  experiment.result["seconds"] = seconds;
  const std::string files = stem(experiment.name);
  if (!experiment.svg.empty()) {
    if (const auto error = host::write_file(files + ".svg", experiment.svg)) return error;
  }
  // Last: who finds it finds both.
  return host::write_file(files + ".json", experiment.result.dump(1) + "\n");
}

std::optional<Error> ReproduceReport::write_page(const std::vector<ReportedExperiment>& experiments) const {
  return host::write_file(page(), reproduce_page(experiments, papers_, quick_));
}

}  // namespace bankshot::cli
