// Which kernel runs, for whoever looks after the process was killed.
#pragma once

#include <string>
#include <string_view>

namespace bankshot::cuda {

/// Keeps the name of the running kernel in a page that it shares with a file, so that the file has it whatever ends the
/// process: running-<pid> in the report folder, NUL-terminated and as in the PTX, empty while none runs.
class RunningKernel {
 public:
  /// A kernel begins; until the end of the object's life.
  class Scope {
   public:
    explicit Scope(RunningKernel& running) : running_(running) {}
    ~Scope() { running_.end(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    RunningKernel& running_;
  };

  /// Does nothing if no report is wanted or the file cannot be created. @param kernel  mangled; a long one is cut
  [[nodiscard]] Scope begin(std::string_view kernel);

 private:
  void map();
  void end();

  char* page_ = nullptr;
  int pid_ = 0;  ///< of the process whose page it is; a fork's child makes its own
};

}  // namespace bankshot::cuda
