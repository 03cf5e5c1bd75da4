#include "bankshot/cli/commands/calibrate_from.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "bankshot/accuracy/fit/fit.hpp"
#include "bankshot/accuracy/fit/report.hpp"
#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/progress_line.hpp"
#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/host/write_file.hpp"

namespace bankshot::cli {
namespace {

/// Why the base cannot be fitted, or nothing.
std::optional<Error> problem_of(const std::string& base) {
  const Result<gpu::Gpu> gpu = gpu::find_gpu(base);
  if (!gpu) return gpu.error();
  const Result<timing::Config> config = cuda::simulated_config(*gpu, {}, {});  // it knows what to say without timing
  return config ? std::nullopt : std::optional(config.error());
}

/// Why the first row was not run, if one was not.
std::string why(const accuracy::Fit& fit, const std::string& from) {
  if (fit.after.unanswered.empty()) return "";
  const accuracy::Unanswered& one = fit.after.unanswered.front();
  return "; " + from + ":" + std::to_string(one.row.line) + ": " + one.reason;
}

}  // namespace

int calibrate_from(const CalibrateFrom& request) {
  if (const auto error = problem_of(request.gpu)) return refuse(error->message);
  const Result<std::vector<accuracy::Row>> rows = accuracy::load_rows(request.from);
  if (!rows) return refuse(rows.error().message);
  accuracy::FitRequest wanted{.base = request.gpu,
                              .devices = request.devices,
                              .file = request.from,
                              .threads = request.threads,
                              .progress = {}};
  if (isatty(STDERR_FILENO) != 0) wanted.progress = ProgressLine();
  const Result<accuracy::Fit> fit = accuracy::fit(*rows, wanted);
  if (wanted.progress) ProgressLine::erase();
  if (!fit) return refuse(fit.error().message);
  if (std::ranges::none_of(fit->parameters, [](const auto& one) { return one.not_determined.empty(); }))
    return refuse(request.from + ": no row determines a parameter of " + request.gpu + why(*fit, request.from));
  if (!request.output.empty()) {
    if (const auto error = host::write_file(request.output, accuracy::to_toml(*fit, request.from)))
      return refuse(error->message);
  }
  return deliver(request.json, accuracy::to_json(*fit, request.from), accuracy::to_text(*fit, request.from));
}

}  // namespace bankshot::cli
