// bankshot explain --static: what a kernel's code alone says of its shared memory.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "bankshot/cli/base/described_launch.hpp"
#include "bankshot/host/overwrite.hpp"

namespace bankshot::cli {

/// The options of `--static`, and what they ask for.
class StaticExplain {
 public:
  void define(CLI::App& app);
  bool wanted() const { return !file_.empty(); }
  /// Options that mean nothing without --static were given.
  bool is_launch_given() const { return launch_.is_given(); }

  /// @param gpu      name or file    @param json  FILE, - or empty
  /// @param kernels  parts of names; all kernels if empty    @param inputs  further files that the command reads
  /// @return exit status
  int run(const std::string& gpu, const std::string& json, const std::vector<std::string>& kernels, bool joined,
          std::vector<host::Input> inputs) const;

 private:
  std::string file_;
  DescribedLaunch launch_;
};

}  // namespace bankshot::cli
