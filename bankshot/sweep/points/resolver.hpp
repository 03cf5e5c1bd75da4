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

/// The libraries that run and simulate programs, and their digest: results of others may differ.
std::vector<std::string> model_libraries();
const std::string& model_digest();

/// What decides the result of a run besides the libraries. Two runs with the same key have the same result.
struct RunIdentity {
  std::string program;                 ///< digest of its bytes and of its own libraries
  std::vector<std::string> arguments;  ///< without the program
  std::vector<std::string> inputs;     ///< digests of files
  std::map<std::string, std::string> environment;
  std::string machine;  ///< machine_text(), or its digest
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
  /// These libraries, of a program that was digested.
  const std::vector<std::string>& libraries(const std::string& path) const { return program_libraries_.at(path); }
  /// "" if it is not a plain file that can be read.
  const std::string& file(const std::string& path);
  /// For has_changed(), without a digest.
  void watch(const std::string& path) { states_[path] = state_of(path); }
  /// Whether a file that was digested or watched has changed since: its size, time or inode differ.
  bool has_changed(const std::string& path) const;

 private:
  struct State {
    int64_t size = -1, seconds = 0, nanoseconds = 0;
    uint64_t inode = 0;
    bool operator==(const State&) const = default;
  };
  static State state_of(const std::string& path);
  std::map<std::string, std::string> programs_, files_;
  std::map<std::string, State> states_;
  std::map<std::string, std::vector<std::string>> program_libraries_;
};

struct Point {
  Task task;
  std::string key;
  std::vector<std::string> files;  ///< that decide the result: the program, its libraries, the GPU's file, inputs
};

/// A text of a plan with {NAME} replaced by the variables of a point; an error about a name that is not known.
Result<std::string> filled(const Plan& plan, size_t row, const std::string& text);
/// The name of a GPU, or the path of a file beside the plan: what gpu::find_gpu takes.
std::string gpu_place(const Plan& plan, const std::string& gpu);

class Resolver {
 public:
  /// Finds programs and GPUs. The error lists all that is wrong, also with single points, with places in the plan.
  static Result<Resolver> make(const Plan& plan);

  /// Must not fail for a point of a plan that make() accepted, unless a file has changed since.
  /// @param sampled  with --sample, whatever the plan says
  Result<Point> point(size_t index, bool sampled = false);
  /// The first of these files, or of Bankshot's own libraries, that is no longer what the keys say; "" if none is.
  std::string changed_since(const std::vector<std::string>& files) const;
  /// Programs without `inputs` that are scripts, by name.
  std::vector<std::string> scripts() const;
  /// "gpu=v100 bank_hash=xor": what a point sets, in words.
  std::string describe(size_t index) const;

 private:
  struct Machine {
    std::string digest;  ///< of machine_text()
    std::optional<cuda::SimulateRequest> request;
    std::string gpu_file;
    std::string problem;  ///< why it is impossible
    std::string blamed;   ///< the column that the problem is about
  };
  explicit Resolver(const Plan& plan) : plan_(&plan) {}
  void find_programs(Diagnostics& problems);
  void check_points(Diagnostics& problems);
  const Machine& machine(size_t index, const std::string& bank_hash, const std::string& lock_hash);
  Machine make_machine(size_t index, const std::string& bank_hash, const std::string& lock_hash);
  size_t program_of(size_t index) const;
  Position position_of(size_t index, const std::string& column) const;

  const Plan* plan_;
  std::vector<std::string> paths_;  ///< of the programs
  std::vector<size_t> program_of_value_;
  std::map<std::string, Machine> machines_;
  std::map<std::string, Result<gpu::Gpu>> gpus_;
  FileDigests digests_;
  std::string blamed_;  ///< the column that the last error of point() is about
  std::vector<std::string> libraries_ = model_libraries();
};

}  // namespace bankshot::sweep
