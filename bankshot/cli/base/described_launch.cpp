#include "bankshot/cli/base/described_launch.hpp"

#include <cstdio>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"

namespace bankshot::cli {

void DescribedLaunch::define(CLI::App& app, const std::string& use) {
  app.add_option("--block", launch_.block, use + "threads per block")->type_name("X[,Y[,Z]]");
  app.add_option("--grid", launch_.grid, use + "blocks of the grid; without this option block indices are unknown")
      ->type_name("X[,Y[,Z]]");
  app.add_option("--param", launch_.parameters,
                 use + "the value of a kernel parameter, given by its name or its position from 0; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

int DescribedLaunch::analyse(const std::string& file, const std::vector<host::PtxText>& texts, const gpu::Gpu& gpu,
                             const std::vector<std::string>& wanted, bool joined, library::Analysed& analysed) const {
  std::vector<library::NamedText> named;
  for (const host::PtxText& text : texts) named.push_back({text.name, text.text});
  auto found = library::analyse(launch_, file, named, gpu, wanted, joined);
  if (!found) {
    if (!found.error().has_places) return refuse(found.error().message);
    std::fputs(found.error().message.c_str(), stderr);
    return kBadInput;
  }
  analysed = std::move(*found);
  for (const std::string& failure : analysed.failures) refuse(failure);
  return analysed.kernels.empty() ? kBadInput : kDone;
}

}  // namespace bankshot::cli
