// A launch that is only described: --block, --grid, --param; and what the code alone says of it.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "bankshot/analysis/analyse.hpp"
#include "bankshot/cli/embedded_ptx.hpp"
#include "bankshot/gpu/gpu.hpp"

namespace bankshot::cli {

class DescribedLaunch {
 public:
  /// @param use  "for --static: ", before each help text
  void define(CLI::App& app, const std::string& use);
  bool is_given() const { return !block_.empty(); }

  /// Analyses the kernels of some texts; messages go to standard error.
  /// @param file    what the texts are from, for messages
  /// @param wanted  parts of kernels' names; all kernels if empty
  /// @param kernels receives what could be analysed
  /// @return exit status: kDone, or kBadInput if nothing could be analysed
  int analyse(const std::string& file, const std::vector<PtxText>& texts, const gpu::Gpu& gpu,
              const std::vector<std::string>& wanted, std::vector<analysis::Kernel>& kernels) const;

 private:
  std::string block_, grid_;
  std::vector<std::string> parameters_;
};

}  // namespace bankshot::cli
