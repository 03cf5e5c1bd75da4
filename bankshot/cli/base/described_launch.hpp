// A launch that is only described (--block, --grid, --param), and its analysis from the code alone.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "bankshot/analysis/analyse.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/host/embedded_ptx.hpp"
#include "bankshot/library/described_launch.hpp"

namespace bankshot::cli {

class DescribedLaunch {
 public:
  /// @param use  "for --static: ", before each help text
  void define(CLI::App& app, const std::string& use);
  /// Whether any of the options was given.
  bool is_given() const { return has_block() || !launch_.grid.empty() || !launch_.parameters.empty(); }
  bool has_block() const { return !launch_.block.empty(); }

  /// Analyses the kernels of some texts; messages go to standard error.
  /// @param file    what the texts are from, for messages
  /// @param wanted  kernels to analyse, as library::is_wanted() has it
  /// @param joined  accesses are joined as machine code for the GPU has them
  /// @param analysed receives what could be analysed, and what could not
  /// @return exit status: kDone, or kBadInput if nothing could be analysed
  int analyse(const std::string& file, const std::vector<host::PtxText>& texts, const gpu::Gpu& gpu,
              const std::vector<std::string>& wanted, bool joined, library::Analysed& analysed) const;

 private:
  library::DescribedLaunch launch_;
};

}  // namespace bankshot::cli
