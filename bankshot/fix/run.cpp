#include "bankshot/fix/run.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "bankshot/host/captured.hpp"
#include "bankshot/host/write_file.hpp"

namespace bankshot::fix {
namespace {

constexpr unsigned kTraced = 4096;  // different accesses kept of each instruction

/// Each run reads the same: a file from where it was given to us, or nothing.
void rewind_input(off_t start) {
  struct stat status{};
  if (fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode)) {
    lseek(STDIN_FILENO, start, SEEK_SET);
    return;
  }
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
    close(nothing);
  }
}

}  // namespace

Result<RepeatedRuns> RepeatedRuns::make(host::Setup setup, const std::vector<std::string>& command) {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  return RepeatedRuns(std::move(setup), command, std::move(*folder));
}

Result<WitnessedRun> RepeatedRuns::run(const std::map<std::string, std::string>& patches) {
  cuda::Request request = setup_.request;
  request.witness = true;
  request.trace_accesses = kTraced;
  return run(request, patches);
}

Result<WitnessedRun> RepeatedRuns::simulate(const std::map<std::string, std::string>& patches) {
  cuda::Request request = setup_.request;
  request.simulate.emplace();
  return run(request, patches);
}

Result<WitnessedRun> RepeatedRuns::record(const std::vector<std::string>& kernels) {
  cuda::Request request = setup_.request;
  request.record = kernels;
  return run(request, {});
}

Result<WitnessedRun> RepeatedRuns::run(const cuda::Request& request,
                                       const std::map<std::string, std::string>& patches) {
  static const off_t start = std::max<off_t>(lseek(STDIN_FILENO, 0, SEEK_CUR), 0);
  // Names of one length: the environment lies on the stack, and addresses on it must be the same.
  const std::string folder = fmt::format("{}/patch{:04}", folder_.path(), count_++);
  if (mkdir(folder.c_str(), 0700) != 0)
    return Error{fmt::format("cannot make the folder {}: {}; {}", folder, std::strerror(errno), kNeedsRoom)};
  for (const auto& [digest, text] : patches) {
    if (const auto error = host::write_file(folder + "/" + digest + ".ptx", text))
      return Error{error->message + "; " + kNeedsRoom};
  }
  host::Setup setup = setup_;
  setup.request = request;
  setup.request.patch_folder = folder;
  if (std::getenv("PYTHONHASHSEED") == nullptr)
    setup.libraries["PYTHONHASHSEED"] = "0";   // Python must repeat itself, too
  setup.libraries["BANKSHOT_REPEATED"] = "1";  // and what python/bankshot puts in place
  const Result<host::Captured> output = host::Captured::make(), error = host::Captured::make();
  if (!output || !error) return output ? error.error() : output.error();
  rewind_input(start);
  Result<host::Observation> seen = host::observe(
      setup, command_, {.output = output->descriptor(), .error = error->descriptor(), .fixed_addresses = true});
  if (!seen) return seen.error();
  if (!seen->lost.empty()) return Error{seen->lost[0]};
  return WitnessedRun{std::move(*seen), output->text(), error->text()};
}

}  // namespace bankshot::fix
