// What decides a result, as a key.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "bankshot/host/captured.hpp"
#include "bankshot/host/elf.hpp"
#include "bankshot/host/launch.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/support/installation.hpp"
#include "bankshot/support/mapped_file.hpp"
#include "bankshot/sweep/points/resolver.hpp"

namespace bankshot::sweep {
namespace {

namespace fs = std::filesystem;

bool is_of_system(const std::string& path) {
  constexpr std::array<std::string_view, 4> kFolders{"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
  return std::ranges::any_of(kFolders, [&](std::string_view folder) { return path.starts_with(folder); });
}

/// The libraries that the dynamic loader finds for a program, which does not run.
std::vector<std::string> loaded_libraries(const std::string& path) {
  const MappedFile file(path);
  std::vector<std::string> all;
  if (!file.readable() || !host::is_elf(file.bytes())) return all;
  const Result<host::Elf> elf = host::read_elf(file.bytes());
  if (!elf || !elf->has_loader) return all;
  const Result<host::Captured> said = host::Captured::make();
  if (!said) return all;
  host::Target target;
  target.path = path;
  target.arguments = {path};
  cuda::EnvironmentChanges environment{{"LD_TRACE_LOADED_OBJECTS", "1"}};
  host::add_libraries(environment, target, library_folder());
  if (!host::launch(target, environment, {.output = said->descriptor(), .error = said->descriptor()})) return all;
  const std::string text = said->text();
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const size_t arrow = line.find("=> /"), address = line.rfind(" (0x");
    if (arrow == line.npos || address == line.npos || address < arrow) continue;
    const std::string library = line.substr(arrow + 3, address - arrow - 3);
    if (!is_of_system(library) && !library.starts_with(library_folder() + "/")) all.push_back(library);
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace

std::vector<std::string> model_libraries() {
  std::vector<std::string> libraries;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(library_folder(), code)) {
    const std::string name = entry.path().filename().string();
    const bool is_ours = name == "libbankshot.so" || name == "libbankshot_jit.so" || name == "libbankshot_preload.so" ||
                         name.starts_with("libcuda");
    if (is_ours && entry.is_regular_file(code) && !entry.is_symlink(code)) libraries.push_back(entry.path().string());
  }
  std::ranges::sort(libraries);
  return libraries;
}

const std::string& model_digest() {
  static const std::string digest = [] {
    Digest all;
    for (const std::string& library : model_libraries()) {
      all.add_text(fs::path(library).filename().string());
      all.add_file(library);
    }
    return all.text();
  }();
  return digest;
}

std::string key_of(const RunIdentity& run) {
  Digest digest;
  const auto add_count = [&](uint64_t count) { digest.add(&count, sizeof count); };
  digest.add_text("bankshot point 1");
  digest.add_text(model_digest());
  digest.add_text(run.program);
  for (const std::vector<std::string>* list : {&run.arguments, &run.inputs}) {
    add_count(list->size());
    for (const std::string& one : *list) digest.add_text(one);
  }
  add_count(run.environment.size());
  for (const auto& [name, value] : run.environment) {
    digest.add_text(name);
    digest.add_text(value);
  }
  digest.add_text(run.machine);
  digest.add_text(run.mode);
  return digest.text();
}

std::string mode_text(cuda::Request request) {
  // The machine has a text of its own; of a file with hashes the caller adds the digest to the inputs.
  request.gpu.clear();
  request.bank_hash.clear();
  request.instruction_hashes.clear();
  request.threads = 0;
  request.progress = false;
  request.report_folder.clear();
  if (request.simulate) {
    cuda::SimulateRequest& simulate = *request.simulate;
    for (std::string* of_machine :
         {&simulate.scheduler, &simulate.pipeline, &simulate.atomics, &simulate.aware, &simulate.lock_hash})
      of_machine->clear();
    simulate.set.clear();
  }
  std::string text;
  for (const auto& [name, value] : cuda::to_environment(request)) {
    if (value) text += name + "=" + *value + "\n";
  }
  return text;
}

Result<std::string> machine_text(const gpu::Gpu& gpu, const std::optional<cuda::SimulateRequest>& request,
                                 const std::string& bank_hash) {
  gpu::Gpu changed = gpu;
  std::string hash = "none";
  std::string text;
  if (request) {
    const Result<timing::Config> config = cuda::simulated_config(gpu, *request, bank_hash);
    if (!config) return config.error();
    if (!bank_hash.empty()) changed.machine.scratchpad.hash.reset();
    if (auto error = gpu::change(changed, request->changes())) return *error;
    if (config->rules.hash) hash = scratchpad::spec(*config->rules.hash);
    text = fmt::format("lock_hash {}\nhash_cycles {}\n", request->lock_hash, config->scratchpad.hash_cycles);
  } else {
    scratchpad::Rules rules = gpu.machine.scratchpad;
    if (!bank_hash.empty()) {
      if (auto error = scratchpad::set_bank_hash(rules, bank_hash)) return Error{"--bank-hash: " + error->message};
    }
    if (rules.hash) hash = scratchpad::spec(*rules.hash);
  }
  return fmt::format("{}bank_hash {}\n{}", gpu::to_toml(changed), hash, text);
}

const std::string& FileDigests::program(const std::string& path) {
  const auto [known, is_new] = programs_.try_emplace(path);
  if (!is_new) return known->second;
  watch(path);
  Digest digest;
  digest.add_file(path);
  for (const std::string& library : program_libraries_[path] = loaded_libraries(path)) {
    watch(library);
    digest.add_text(fs::path(library).filename().string());
    digest.add_file(library);
  }
  return known->second = digest.text();
}

const std::string& FileDigests::file(const std::string& path) {
  const auto [known, is_new] = files_.try_emplace(path);
  if (!is_new) return known->second;
  watch(path);
  std::error_code code;
  Digest digest;
  if (fs::is_regular_file(path, code) && digest.add_file(path)) known->second = digest.text();
  return known->second;
}

FileDigests::State FileDigests::state_of(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return {};
  return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ino};
}

bool FileDigests::has_changed(const std::string& path) const {
  const auto known = states_.find(path);
  return known != states_.end() && known->second != state_of(path);
}

}  // namespace bankshot::sweep
