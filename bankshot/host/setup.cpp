#include "bankshot/host/setup.hpp"

#include <unistd.h>

#include <filesystem>

#include "bankshot/host/read_text.hpp"
#include "bankshot/report/json/instruction_hashes_json.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/support/find_program.hpp"
#include "bankshot/support/installation.hpp"

namespace bankshot::host {
namespace {

Result<report::InstructionHashes> read_instruction_hashes(const std::string& path) {
  const Result<std::string> text = read_text(path);
  if (!text) return text.error();
  Result<report::InstructionHashes> hashes = report::instruction_hashes_from_json(*text);
  if (!hashes) return Error{path + ": " + hashes.error().message};
  return hashes;
}

/// The end of a message about a GPU that does not exist: its name may have been forgotten.
std::string if_program(const std::string& gpu) {
  if (gpu.ends_with(".toml")) return {};
  std::error_code code;
  const bool is_here = std::filesystem::is_regular_file(gpu, code) && access(gpu.c_str(), X_OK) == 0;
  if (!is_here && find_in_path(gpu).empty()) return {};
  return "; " + gpu + " is a program: the name of a GPU is missing after --gpu";
}

}  // namespace

cuda::EnvironmentChanges Setup::environment() const {
  cuda::EnvironmentChanges all = cuda::to_environment(request);
  all.insert(libraries.begin(), libraries.end());
  return all;
}

Result<Setup> set_up(const SetupOptions& options, const std::vector<std::string>& command) {
  const Result<gpu::Gpu> gpu = gpu::find_gpu(options.gpu);
  if (!gpu) return Error{gpu.error().message + if_program(options.gpu)};
  const std::string libraries = library_folder();
  const Result<Target> target = inspect_target(command, libraries);
  if (!target) return target.error();
  Setup setup{*gpu, *target, {}, {}, {}};
  if (!options.bank_hash.empty()) {
    if (const auto error = scratchpad::set_bank_hash(setup.gpu.machine.scratchpad, options.bank_hash)) {
      return Error{"--bank-hash: " + error->message};
    }
  }
  if (!options.instruction_hashes.empty()) {
    if (!options.bank_hash.empty())
      return Error{
          "--bank-hash and --instruction-hashes exclude each other: use one hash for all accesses, or one for each "
          "instruction"};
    if (options.instruction_hashes == "-")
      return Error{"--instruction-hashes: give the name of a file, because the processes of the program read it too"};
    const Result<report::InstructionHashes> hashes = read_instruction_hashes(options.instruction_hashes);
    if (!hashes) return Error{"--instruction-hashes: " + hashes.error().message};
    if (const auto error = report::unfit(*hashes, setup.gpu.machine.scratchpad))
      return Error{"--instruction-hashes: " + options.instruction_hashes + ": " + error->message};
    setup.hashes = *hashes;
    setup.request.instruction_hashes = std::filesystem::absolute(options.instruction_hashes).string();
  }
  add_libraries(setup.libraries, *target, libraries);
  add_python(setup.libraries);
  setup.request.gpu = gpu->file;
  setup.request.threads = options.threads;
  setup.request.pageable_memory = options.pageable_memory;
  setup.request.bank_hash = options.bank_hash;
  return setup;
}

std::vector<Input> inputs_of(const Setup& setup) {
  return {{"the program to run", setup.target.path},
          {"the file of --gpu", setup.gpu.file},
          {"the file of --instruction-hashes", setup.request.instruction_hashes}};
}

}  // namespace bankshot::host
