#include "bankshot/sweep/points/resolver.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "bankshot/host/target.hpp"
#include "bankshot/support/installation.hpp"
#include "bankshot/sweep/plan/settings.hpp"

namespace bankshot::sweep {
namespace {

namespace fs = std::filesystem;

/// A path from the plan's folder; of a name without a slash a program there, then one of Bankshot's kernels, then PATH.
std::string program_path(const std::string& run, const std::string& folder) {
  const std::string here = (fs::path(folder) / run).lexically_normal().string();
  if (run.find('/') != run.npos || access(here.c_str(), F_OK) == 0) return here;
  const std::string kernel = kernel_folder() + "/" + run;
  return access(kernel.c_str(), X_OK) == 0 ? kernel : run;
}

/// Tasks go to workers as JSON.
bool is_utf8(const std::string& text) {
  try {
    return !nlohmann::json(text).dump().empty();
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

/// "l1.bytes" of "l1.bytes = 7 is impossible: …"; "" of a sentence that begins with no key.
std::string key_at_start(const std::string& message) {
  const size_t end = message.find_first_of(" :=");
  const std::string word = message.substr(0, end);
  return kind_of(word) == SettingKind::key ? word : "";
}

/// The value of {NAME} at a point.
std::optional<std::string> variable(const Plan& plan, size_t row, const std::string& name) {
  const Program& program = plan.program(row);
  if (const auto own = program.let.find(name); own != program.let.end()) return text_of(own->second);
  for (size_t c = 0; c < plan.columns.size(); ++c) {
    if (column_of(plan.columns[c].name) == name && is_set(plan.value(row, c))) return text_of(plan.value(row, c));
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> filled(const Plan& plan, size_t row, const std::string& text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    while (end < text.size() && is_letter(text[end])) ++end;
    const bool is_name = text[at] == '{' && end > at + 1 && end < text.size() && text[end] == '}';
    const std::string name = text.substr(at + 1, end - at - 1);
    if (!is_name) {
      out += text[at++];
    } else if (at > 0 && text[at - 1] == '{' && end + 1 < text.size() && text[end + 1] == '}') {
      out += name;  // {{NAME}} is {NAME}: the first brace is there
      out += '}';
      at = end + 2;
    } else {
      const std::optional<std::string> value = variable(plan, row, name);
      if (!value)
        return Error{
            fmt::format("\"{}\": nothing is called {{{}}} here; a variable is an axis let.{}, or in the `let` of the "
                        "program \"{}\"; {{{{{}}}}} stands for {{{}}} itself",
                        text, name, name, plan.program(row).name, name, name)};
      out += *value;
      at = end + 1;
    }
  }
  return out;
}

std::string gpu_place(const Plan& plan, const std::string& gpu) {
  const bool is_file = gpu.find('/') != gpu.npos || gpu.ends_with(".toml");
  return is_file ? (fs::path(plan.folder) / gpu).lexically_normal().string() : gpu;
}

Result<Resolver> Resolver::make(const Plan& plan) {
  Resolver resolver(plan);
  for (const std::string& library : resolver.libraries_) resolver.digests_.watch(library);
  Diagnostics problems;
  resolver.find_programs(problems);
  if (problems.empty()) resolver.check_points(problems);
  if (problems.empty()) return resolver;
  return Error{format_diagnostics(problems, plan.file, plan.text)};
}

void Resolver::find_programs(Diagnostics& problems) {
  std::vector<bool> is_used(plan_->programs.size(), false);
  for (const Value& value : plan_->columns[0].values) {
    const auto at = std::ranges::find(plan_->programs, text_of(value), &Program::name) - plan_->programs.begin();
    program_of_value_.push_back(static_cast<size_t>(at));
  }
  for (size_t k = 0; k < plan_->points(); ++k) is_used[program_of(k)] = true;
  for (size_t p = 0; p < plan_->programs.size(); ++p) {
    const Program& program = plan_->programs[p];
    paths_.push_back(program_path(program.run, plan_->folder));
    if (!is_used[p]) {
      problems.push_back({program.position, fmt::format("no point runs the program \"{}\"", program.name), {}});
      continue;
    }
    const Result<host::Target> target = host::inspect_target({paths_.back()}, library_folder());
    if (!target) {
      problems.push_back({program.position, target.error().message, {}});
      continue;
    }
    paths_.back() = fs::absolute(target->path).lexically_normal().string();
    if (!is_utf8(paths_.back()) || !is_utf8(plan_->folder))
      problems.push_back({program.position, "the path of the program or of the plan is not UTF-8: rename it", {}});
    for (const std::string& input : program.inputs) {
      const std::string path = (fs::path(plan_->folder) / input).string();
      if (input.find('{') == input.npos && digests_.file(path).empty())
        problems.push_back({program.position, fmt::format("inputs: {} is not a file that can be read", path), {}});
    }
  }
}

/// Each problem is told once, at the value that it is about, however many points have it.
void Resolver::check_points(Diagnostics& problems) {
  struct Seen {
    size_t problem = 0, points = 0;
  };
  std::map<std::pair<std::string, std::pair<uint32_t, uint32_t>>, Seen> seen;
  for (size_t k = 0; k < plan_->points(); ++k) {
    const Result<Point> one = point(k);
    if (one) continue;
    const Position position = position_of(k, blamed_);
    Seen& same = seen[{one.error().message, {position.line, position.column}}];
    if (same.points++ != 0) continue;
    same.problem = problems.size();
    problems.push_back({position, fmt::format("{} (with {})", one.error().message, describe(k)), {}});
    if (problems.size() > 1000) break;
  }
  for (const auto& [key, same] : seen) {
    if (same.points > 1)
      problems[same.problem].remedy =
          fmt::format("{} points have this problem; [[exclude]] leaves points out", same.points);
  }
}

size_t Resolver::program_of(size_t index) const { return program_of_value_[plan_->point(index)[0]]; }

Position Resolver::position_of(size_t index, const std::string& column) const {
  const size_t c = std::min(plan_->find(column), plan_->columns.size() - 1);
  const Position position = plan_->columns[c].positions[plan_->point(index)[c]];
  return position.line != 0 ? position : Position{1, 1};
}

std::string Resolver::changed_since(const std::vector<std::string>& files) const {
  for (const std::string& file : files) {
    if (digests_.has_changed(file)) return file;
  }
  for (const std::string& library : libraries_) {
    if (digests_.has_changed(library)) return library;
  }
  return {};
}

std::vector<std::string> Resolver::scripts() const {
  std::vector<std::string> all;
  for (size_t p = 0; p < plan_->programs.size(); ++p) {
    std::string begin(2, ' ');
    std::ifstream(paths_[p]).read(begin.data(), 2);
    if (begin == "#!" && plan_->programs[p].inputs.empty()) all.push_back(plan_->programs[p].name);
  }
  return all;
}

std::string Resolver::describe(size_t index) const {
  std::string text;
  for (size_t c = 0; c < plan_->columns.size(); ++c) {
    const Value& value = plan_->value(index, c);
    if (is_set(value))
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", column_of(plan_->columns[c].name), text_of(value));
  }
  return text;
}

Resolver::Machine Resolver::make_machine(size_t index, const std::string& bank_hash, const std::string& lock_hash) {
  Machine machine;
  machine.blamed = "gpu";
  const std::string name = text_of(plan_->value(index, 1));
  const std::string place = gpu_place(*plan_, name);
  if (!gpus_.contains(place)) {
    if (const Result<std::string> file = gpu::find_gpu_file(place)) digests_.watch(*file);
    gpus_.emplace(place, gpu::find_gpu(place));
  }
  const Result<gpu::Gpu>& gpu = gpus_.at(place);
  if (!gpu) {
    machine.problem = gpu.error().message;
    return machine;
  }
  machine.gpu_file = gpu->file;
  cuda::SimulateRequest request;
  request.lock_hash = lock_hash;
  for (size_t c = 2; c < plan_->columns.size(); ++c) {
    const Value& value = plan_->value(index, c);
    if (!is_set(value)) continue;
    const std::string& setting = plan_->columns[c].name;
    const SettingKind kind = kind_of(setting);
    const bool is_simulated = kind == SettingKind::component || kind == SettingKind::sample ||
                              kind == SettingKind::key || kind == SettingKind::lock_hash;
    if (is_simulated && !plan_->simulates) {
      machine.problem = fmt::format("{} changes nothing: measure = \"conflicts\" does not simulate", setting);
      machine.blamed = setting;
      return machine;
    }
    if (kind == SettingKind::key) request.set.push_back(setting + "=" + text_of(value));
    if (kind == SettingKind::sample) request.sample = std::get<bool>(value);
    if (setting == "scheduler") request.scheduler = text_of(value);
    if (setting == "pipeline") request.pipeline = text_of(value);
    if (setting == "atomics") request.atomics = text_of(value);
    if (setting == "aware") request.aware = text_of(value);
  }
  if (plan_->simulates) machine.request = request;
  const Result<std::string> text = machine_text(*gpu, machine.request, bank_hash);
  if (text) {
    Digest digest;
    digest.add_text(*text);
    machine.digest = digest.text();
    return machine;
  }
  std::string problem = text.error().message;
  for (const auto& [option, column] :
       {std::pair{"--bank-hash: ", "bank_hash"}, {"--lock-hash: ", "lock_hash"}, {"--lock-hash ", "lock_hash"}}) {
    if (problem.starts_with(option)) {
      machine.blamed = column;
      problem.erase(0, std::string_view(option).size());
    }
  }
  if (problem.starts_with("--set: ")) problem.erase(0, 7);
  if (const std::string key = key_at_start(problem); !key.empty() && plan_->find(key) != plan_->columns.size())
    machine.blamed = key;
  if (problem.starts_with("pipeline ") && plan_->find("pipeline") != plan_->columns.size()) machine.blamed = "pipeline";
  if (problem.starts_with("atomics ") && plan_->find("atomics") != plan_->columns.size()) machine.blamed = "atomics";
  machine.problem = problem;
  return machine;
}

const Resolver::Machine& Resolver::machine(size_t index, const std::string& bank_hash, const std::string& lock_hash) {
  std::string key = bank_hash + '\n' + lock_hash;
  for (size_t c = 1; c < plan_->columns.size(); ++c) {
    const SettingKind kind = kind_of(plan_->columns[c].name);
    if (kind == SettingKind::gpu || kind == SettingKind::component || kind == SettingKind::sample ||
        kind == SettingKind::key)
      key += fmt::format("\n{}", plan_->point(index)[c]);
  }
  const auto known = machines_.find(key);
  if (known != machines_.end()) return known->second;
  return machines_.emplace(std::move(key), make_machine(index, bank_hash, lock_hash)).first->second;
}

Result<Point> Resolver::point(size_t index, bool sampled) {
  blamed_ = "program";
  const Program& program = plan_->programs[program_of(index)];
  Point point;
  Task& task = point.task;
  task.folder = plan_->folder;
  task.command = {paths_[program_of(index)]};
  std::string bank_hash, lock_hash;
  std::vector<std::string> arguments = program.arguments;
  for (size_t c = 2; c < plan_->columns.size(); ++c) {
    const Value& value = plan_->value(index, c);
    if (!is_set(value)) continue;
    const SettingKind kind = kind_of(plan_->columns[c].name);
    if (kind == SettingKind::arguments) arguments = std::get<std::vector<std::string>>(value);
    if (kind == SettingKind::bank_hash) bank_hash = std::get<std::string>(value);
    if (kind == SettingKind::lock_hash) lock_hash = std::get<std::string>(value);
  }
  RunIdentity run;
  run.program = digests_.program(task.command[0]);
  point.files = {task.command[0]};
  for (const std::string& library : digests_.libraries(task.command[0])) point.files.push_back(library);
  const auto add_input = [&](const std::string& name) {
    const std::string path = (fs::path(plan_->folder) / name).string();
    const std::string& digest = digests_.file(path);
    run.inputs.push_back(digest);  // of what is no file as well, so that places count
    if (!digest.empty()) point.files.push_back(path);
    return !digest.empty();
  };
  for (const std::string& one : arguments) {
    const Result<std::string> text = filled(*plan_, index, one);
    if (!text) return text.error();
    task.command.push_back(*text);
    run.arguments.push_back(*text);
    if (!text->empty() && std::ranges::find(program.outputs, one) == program.outputs.end()) add_input(*text);
  }
  for (const std::string& one : program.inputs) {
    const Result<std::string> text = filled(*plan_, index, one);
    if (!text) return text.error();
    if (!add_input(*text)) return Error{fmt::format("inputs: {} is not a file that can be read", *text)};
  }
  for (const auto& [name, value] : program.environment) {
    const Result<std::string> text = filled(*plan_, index, value);
    if (!text) return text.error();
    task.environment[name] = *text;
  }
  for (std::string* hash : {&bank_hash, &lock_hash}) {
    const Result<std::string> text = filled(*plan_, index, *hash);
    if (!text) return text.error();
    *hash = *text;
  }
  const Machine& made = machine(index, bank_hash, lock_hash);
  if (!made.problem.empty()) {
    blamed_ = made.blamed;
    return Error{made.problem};
  }
  task.gpu = made.gpu_file;
  point.files.push_back(made.gpu_file);
  task.bank_hash = bank_hash;
  task.simulate = made.request;
  run.environment = task.environment;
  run.machine = made.digest;
  if (sampled && task.simulate) task.simulate->sample = true;
  run.mode = mode_text(request_of(task));
  point.key = key_of(run);
  return point;
}

}  // namespace bankshot::sweep
