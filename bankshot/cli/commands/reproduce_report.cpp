#include "bankshot/cli/commands/reproduce_report.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bankshot/circuit/synthesis.hpp"
#include "bankshot/cli/base/version.hpp"
#include "bankshot/cli/commands/reproduce_runs.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/host/observe.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/support/digest.hpp"
#include "bankshot/support/installation.hpp"
#include "bankshot/support/now.hpp"

namespace bankshot::cli {
namespace {

namespace fs = std::filesystem;

/// Of this program and the libraries that run programs for it.
std::string digest_of_program() {
  Digest digest;
  digest.add_file("/proc/self/exe");
  std::vector<std::string> libraries;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(library_folder(), code)) {
    if (entry.is_regular_file(code) && !entry.is_symlink(code)) libraries.push_back(entry.path().string());
  }
  std::sort(libraries.begin(), libraries.end());
  for (const std::string& library : libraries) digest.add_file(library);
  return digest.text();
}

/// Whether a file has what the page shows; it may have been changed.
bool is_result(const nlohmann::ordered_json& json) {
  for (const char* text : {"name", "title", "paper", "gpu", "date", "version", "key"}) {
    if (!json.contains(text) || !json[text].is_string()) return false;
  }
  for (const char* list : {"rows", "notes", "deviations"}) {
    if (!json.contains(list) || !json[list].is_array()) return false;
  }
  return json.contains("quick") && json["quick"].is_boolean() && json.contains("seconds") &&
         json["seconds"].is_number();
}

/// Its name; of a file also the start of its digest, since files of one name may differ.
std::string gpu_word(const std::string& gpu) {
  const std::vector<std::string> names = gpu::gpu_names();
  if (std::ranges::find(names, gpu) != names.end()) return gpu;
  Digest digest;
  if (const Result<std::string> file = gpu::find_gpu_file(gpu)) digest.add_file(*file);
  return fs::path(gpu).stem().string() + "-" + digest.text().substr(0, 8);
}

/// Files of results that can lie in one folder have different names.
std::string stem_of(const experiment::Experiment& experiment, const std::string& gpu, bool quick) {
  const bool chosen = experiment::gpus_of(experiment).empty() && gpu != gpu::kDefaultGpu;
  return experiment.name + (chosen ? "-" + gpu_word(gpu) : "") + (quick ? "-quick" : "");
}

}  // namespace

Result<ReproduceReport> ReproduceReport::open(const std::string& folder, bool quick) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_directory(folder, code))
    return Error{"--report: " + folder + " is not a folder"};
  fs::create_directories(folder, code);
  if (code) return Error{"--report: " + folder + " cannot be created: " + code.message()};
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

/// What makes a result good for later runs: this program and its libraries, the experiment, what it runs and on what.
std::string ReproduceReport::key(const experiment::Experiment& experiment, const std::string& gpu, bool quick) const {
  Digest digest;
  digest.add(program_.data(), program_.size());
  const uint8_t is_quick = quick ? 1 : 0;
  digest.add(&is_quick, 1);
  std::vector<std::string> gpus = experiment::gpus_of(experiment);
  if (gpus.empty()) gpus.push_back(gpu);
  for (const std::string& name : gpus) {
    if (const Result<std::string> file = gpu::find_gpu_file(name)) digest.add_file(*file);
  }
  for (const std::string& file : experiment.files) digest.add_file(file);
  if (experiment::synthesises(experiment)) {
    if (const Result<circuit::Tools> tools = circuit::find_tools()) {
      for (const std::string& file : {tools->yosys, tools->sta, tools->liberty}) digest.add_file(file);
    }
  }
  for (const experiment::Benchmark& benchmark : experiment.benchmarks) digest.add_file(program_of(benchmark));
  return digest.text();
}

ReportedExperiment ReproduceReport::planned(const experiment::Experiment& experiment, const std::string& gpu) const {
  return {experiment.name, stem_of(experiment, gpu, quick_), {}, {}, "It was not reached."};
}

/// A file of ours, whoever computed it.
std::optional<ReportedExperiment> ReproduceReport::read(const std::string& stem) const {
  const Result<std::string> text = host::read_text(path(stem) + ".json");
  if (!text) return std::nullopt;
  ReportedExperiment one{{}, stem, nlohmann::ordered_json::parse(*text, nullptr, false), {}, {}};
  if (!one.result.is_object() || one.result.value("schema", nlohmann::ordered_json()) != "bankshot/reproduce/1")
    return std::nullopt;
  if (one.result.contains("name") && one.result["name"].is_string()) one.name = one.result["name"];
  if (one.result.contains("panels")) {
    if (Result<std::string> svg = host::read_text(path(stem) + ".svg")) one.svg = std::move(*svg);
  }
  return one;
}

/// Whether the same result would be computed again.
bool ReproduceReport::is_current(const ReportedExperiment& one) const {
  if (!is_result(one.result) || one.result.contains("panels") == one.svg.empty()) return false;
  const Result<experiment::Experiment> experiment = experiment::load(one.name);
  if (!experiment) return false;
  const std::string gpu = one.result["gpu"];
  const bool quick = one.result["quick"];
  return one.stem == stem_of(*experiment, gpu, quick) && one.result["key"] == key(*experiment, gpu, quick);
}

std::optional<ReportedExperiment> ReproduceReport::kept(const experiment::Experiment& experiment,
                                                        const std::string& gpu) const {
  std::optional<ReportedExperiment> one = read(stem_of(experiment, gpu, quick_));
  return one && is_current(*one) ? one : std::nullopt;
}

std::optional<Error> ReproduceReport::keep(ReportedExperiment& one, const experiment::Experiment& experiment,
                                           const std::string& gpu, double seconds) const {
  const std::vector<std::string> own = experiment::gpus_of(experiment);
  one.result["gpu"] = own.empty() ? gpu : fmt::format("{}", fmt::join(own, ", "));
  one.result["date"] = now_in_utc();
  one.result["version"] = kVersion;
  one.result["key"] = key(experiment, gpu, quick_);
  one.result["seconds"] = seconds;
  if (!one.svg.empty()) {
    if (const auto error = host::write_file(path(one.stem) + ".svg", one.svg)) return error;
  }
  // Last: who finds it finds both.
  return host::write_file(path(one.stem) + ".json", report::json_text(one.result));
}

std::optional<Error> ReproduceReport::write_page(const std::vector<ReportedExperiment>& asked) const {
  std::vector<ReportedExperiment> results, older;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder_, code)) {
    if (entry.path().extension() != ".json") continue;
    std::optional<ReportedExperiment> one = read(entry.path().stem().string());
    if (one) (is_current(*one) ? results : older).push_back(std::move(*one));
  }
  for (const ReportedExperiment& one : asked) {
    if (one.result.is_null()) results.push_back(one);
  }
  // Full runs before quick ones, the GPU that is taken by default before others.
  const auto order = [](const ReportedExperiment& one) {
    const bool quick = one.stem.ends_with("-quick");
    return std::tuple(one.name, quick, one.stem != one.name + (quick ? "-quick" : ""), one.stem);
  };
  std::ranges::sort(results, {}, order);
  std::ranges::sort(older, {}, order);
  return host::write_file(page(), reproduce_page(results, older, papers_));
}

}  // namespace bankshot::cli
