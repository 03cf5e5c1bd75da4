// A launch that is only described: --block, --grid, --param; and what the code alone says of it.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "bankshot/analysis/analyse.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/host/embedded_ptx.hpp"

namespace bankshot::cli {

/// Whether a kernel's name, as in the PTX or as in the source, contains one of some parts; every kernel if there are
/// none.
bool is_wanted(const std::string& kernel, const std::vector<std::string>& parts);

class DescribedLaunch {
 public:
  /// @param use  "for --static: ", before each help text
  void define(CLI::App& app, const std::string& use);
  /// Whether any of the options was.
  bool is_given() const { return !block_.empty() || !grid_.empty() || !parameters_.empty(); }
  bool has_block() const { return !block_.empty(); }

  /// Analyses the kernels of some texts; messages go to standard error.
  /// @param file    what the texts are from, for messages
  /// @param wanted  kernels to analyse, as is_wanted() has it
  /// @param joined  accesses are joined as machine code for the GPU has them
  /// @param kernels receives what could be analysed
  /// @return exit status: kDone, or kBadInput if nothing could be analysed
  int analyse(const std::string& file, const std::vector<host::PtxText>& texts, const gpu::Gpu& gpu,
              const std::vector<std::string>& wanted, bool joined, std::vector<analysis::Kernel>& kernels) const;

 private:
  std::string block_, grid_;
  std::vector<std::string> parameters_;
};

}  // namespace bankshot::cli
