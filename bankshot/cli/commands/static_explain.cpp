#include "bankshot/cli/commands/static_explain.hpp"

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/library/static_report.hpp"

namespace bankshot::cli {

void StaticExplain::define(CLI::App& app) {
  app.add_option("--static", file_,
                 "run nothing; analyse the code alone: PTX text (- is standard input) or the PTX embedded in a program")
      ->type_name("FILE");
  launch_.define(app, "for --static: ");
}

int StaticExplain::run(const std::string& gpu_name, const std::string& json, const std::vector<std::string>& wanted,
                       bool joined, std::vector<host::Input> inputs) const {
  const auto texts = host::ptx_texts(file_);
  if (!texts) return refuse(texts.error().message);
  if (!launch_.has_block())
    return refuse("--static needs the threads per block: bankshot explain --static " + file_ + " --block 256");
  const Result<gpu::Gpu> gpu = gpu::find_gpu(gpu_name);
  if (!gpu) return refuse(gpu.error().message);
  inputs.insert(inputs.end(), {{"the file of --static", file_}, {"the file of --gpu", gpu->file}});
  if (const auto error = cannot_deliver(json, inputs)) return refuse(error->message);
  library::Analysed analysed;
  if (const int status = launch_.analyse(file_, *texts, *gpu, wanted, joined, analysed); status != kDone) return status;
  const int status =
      deliver(json, library::static_json(analysed, file_, *gpu, joined), library::static_text(analysed.kernels));
  return status == kDone && !analysed.failures.empty() ? kProgramFailed : status;
}

}  // namespace bankshot::cli
