// From a point of a plan to the run that it stands for, and to the key that its result has in a store.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/cuda/process/request.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/support/digest.hpp"
#include "bankshot/support/result.hpp"
#include "bankshot/sweep/plan/plan.hpp"
#include "bankshot/sweep/points/task.hpp"

namespace bankshot::sweep {

/// Digest of the libraries that run and simulate programs: results of another one may differ.
const std::string& model_digest();

/// What decides the result of a run besides the libraries. Two runs with the same key have the same result.
struct RunIdentity {
  std::string program;                 ///< digest of its bytes and of its own libraries
  std::vector<std::string> arguments;  ///< without the program
  std::vector<std::string> inputs;     ///< digests of files
  std::map<std::string, std::string> environment;
  std::string machine;  ///< digest of machine_text()
  std::string mode;     ///< mode_text(): what is measured, and how
};
/// What else of a request decides a result: all but the machine, the host's threads, and where reports go.
std::string mode_text(cuda::Request request);

/// 32 hexadecimal digits.
std::string key_of(const RunIdentity& run);

/// Every value of a machine that a result may depend on.
/// @param request  how it is simulated; none: accesses are counted
/// @return an error if that machine is impossible
Result<std::string> machine_text(const gpu::Gpu& gpu, const std::optional<cuda::SimulateRequest>& request,
                                 const std::string& bank_hash);

/// Digests of programs and files, each read once.
class FileDigests {
 public:
  /// Of an executable and the libraries that it needs beside those of the system and ours.
  const std::string& program(const std::string& path);
  /// "" if it is not a plain file that can be read.
  const std::string& file(const std::string& path);

 private:
  std::map<std::string, std::string> programs_, files_;
};

struct Point {
  Task task;
  std::string key;
};

class Resolver {
 public:
  /// Finds programs and GPUs. The error lists all that is wrong, also with single points, with places in the plan.
  static Result<Resolver> make(const Plan& plan);

  /// Must not fail for a point of a plan that make() accepted, unless a file has changed since.
  /// @param sampled  with --sample, whatever the plan says
  Result<Point> point(size_t index, bool sampled = false);
  /// "gpu=v100 bank_hash=xor": what a point sets, in words.
  std::string describe(size_t index) const;

 private:
  struct Machine {
    std::string digest;  ///< of machine_text()
    std::optional<cuda::SimulateRequest> request;
    std::string bank_hash, gpu_file;
    std::string problem;  ///< why it is impossible
    std::string blamed;   ///< the column that the problem is about
  };
  explicit Resolver(const Plan& plan) : plan_(&plan) {}
  void find_programs(Diagnostics& problems);
  void check_points(Diagnostics& problems);
  const Machine& machine(size_t index, const std::string& bank_hash, const std::string& lock_hash);
  Machine make_machine(size_t index, const std::string& bank_hash, const std::string& lock_hash);
  size_t program_of(size_t index) const;
  /// The text with {NAME} replaced; an error about a name that is not known.
  Result<std::string> filled(const std::string& text, size_t index) const;
  std::optional<std::string> variable(const std::string& name, size_t index) const;
  Position position_of(size_t index, const std::string& column) const;

  const Plan* plan_;
  std::vector<std::string> paths_;  ///< of the programs
  std::vector<size_t> program_of_value_;
  std::map<std::string, Machine> machines_;
  std::map<std::string, Result<gpu::Gpu>> gpus_;
  FileDigests digests_;
};

}  // namespace bankshot::sweep
