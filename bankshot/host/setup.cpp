#include "bankshot/host/setup.hpp"

#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::host {

cuda::EnvironmentChanges Setup::environment() const {
  cuda::EnvironmentChanges all = cuda::to_environment(request);
  all.insert(libraries.begin(), libraries.end());
  return all;
}

Result<Setup> set_up(const SetupOptions& options, const std::vector<std::string>& command) {
  const std::string libraries = library_folder();
  const Result<Target> target = inspect_target(command, libraries);
  if (!target) return target.error();
  const Result<gpu::Gpu> gpu = gpu::find_gpu(options.gpu);
  if (!gpu) return gpu.error();
  Setup setup{*gpu, *target, {}, {}};
  if (!options.bank_hash.empty()) {
    if (const auto error = scratchpad::set_bank_hash(setup.gpu.machine.scratchpad, options.bank_hash)) {
      return Error{"--bank-hash: " + error->message};
    }
  }
  add_libraries(setup.libraries, *target, libraries);
  setup.request.gpu = gpu->file;
  setup.request.threads = options.threads;
  setup.request.bank_hash = options.bank_hash;
  return setup;
}

std::vector<Input> inputs_of(const Setup& setup) {
  return {{"the program that is to run", setup.target.path}, {"the file of --gpu", setup.gpu.file}};
}

}  // namespace bankshot::host
