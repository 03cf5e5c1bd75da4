// Analyses a kernel given as PTX text, and compares what the analysis says with what the engine counts.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "bankshot/analysis/analyse.hpp"
#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/simt/run/engine.hpp"

namespace bankshot::analysis {

/// A module of one kernel `k` with a pointer `data` (%rd1) and a number `n` (%r1), 16 KiB of words at `tile`, and this
/// body. %r2, %r3: tid.x, tid.y; %r4: tile.
inline std::string kernel(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 data, .param .u32 n) {\n"
         ".reg .b32 %r<64>; .reg .b64 %rd<32>; .reg .pred %p<16>; .reg .f32 %f<16>; .reg .b16 %h<8>; .reg .f64 %d<4>;\n"
         ".shared .align 16 .b8 tile[16384];\n"
         "ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, "
         "tile;\n" +
         body + "\nret;\n}\n";
}

inline Result<Kernel> analysed(const std::string& text, const Launch& launch, const scratchpad::Rules& rules = {}) {
  const auto module = ptx::parse(text);
  if (!module) {
    ADD_FAILURE() << format_diagnostics(module.error(), "test.ptx", text);
    return Error{"not PTX"};
  }
  EXPECT_TRUE(ptx::check(*module).empty()) << format_diagnostics(ptx::check(*module), "test.ptx", text);
  return analyse(*module, "k", launch, rules);
}

inline Launch launch(Extent block, std::optional<Extent> grid = std::nullopt) {
  Launch l;
  l.block = block;
  l.grid = grid;
  return l;
}

/// The sites of a kernel, empty after a failure.
inline std::vector<Site> sites(const std::string& text, const Launch& launch, const scratchpad::Rules& rules = {}) {
  const Result<Kernel> kernel = analysed(text, launch, rules);
  EXPECT_TRUE(kernel) << kernel.error().message;
  return kernel ? kernel->sites : std::vector<Site>{};
}

inline std::string formula(const Site& site, size_t instance = 0) {
  if (site.instances.size() <= instance) return "none";
  const Formula& f = site.instances[instance].formula;
  return text_of(f, 0) + (f.unknown.empty() ? "" : " + " + f.unknown);
}

/// Runs the kernel on the engine, with a buffer of zeros as its data, and requires that every site of which the
/// analysis is sure counts the same. @return how many sites it was sure of
inline size_t agreement(const std::string& text, const Launch& l, uint32_t n, const scratchpad::Rules& rules = {}) {
  const Result<Kernel> kernel = analysed(text, l, rules);
  if (!kernel) {
    ADD_FAILURE() << kernel.error().message << "\n" << text;
    return 0;
  }
  simt::EngineOptions options;
  options.machine.scratchpad = rules;
  options.threads = 1;
  simt::Engine engine(options);
  auto program = engine.load(text, "test.ptx");
  if (!program) {
    ADD_FAILURE() << format_diagnostics(program.error(), "test.ptx", text);
    return 0;
  }
  const uint64_t buffer = *engine.memory().allocate(1 << 20, simt::MemoryKind::device);
  std::vector<std::byte> params(12);
  std::memcpy(params.data(), &buffer, 8);
  std::memcpy(params.data() + 8, &n, 4);
  simt::LaunchConfig config;
  config.grid = {l.grid->x, l.grid->y, l.grid->z};
  config.block = {l.block.x, l.block.y, l.block.z};
  config.params = params;
  const auto run = engine.launch(**program, "k", config);
  engine.memory().free(buffer);
  if (!run) {
    ADD_FAILURE() << run.error().message << "\n" << text;
    return 0;
  }
  size_t sure = 0;
  for (const Site& site : kernel->sites) {
    if (site.certainty != Certainty::exact && site.certainty != Certainty::unreached) continue;
    ++sure;
    scratchpad::SiteTotals counted;
    for (const simt::SiteReport& r : run->sites) {
      if (r.source.ptx_line == site.ptx_line && r.op == site.op) counted.merge(r.counter);
    }
    const std::string where = site.op + " at PTX line " + std::to_string(site.ptx_line) + " of\n" + text;
    EXPECT_EQ(site.totals.accesses, counted.accesses) << where;
    EXPECT_EQ(site.totals.lanes, counted.lanes) << where;
    EXPECT_EQ(site.totals.wavefronts, counted.wavefronts) << where;
    EXPECT_EQ(site.totals.ideal, counted.ideal) << where;
    EXPECT_EQ(site.totals.position, counted.position) << where;
    EXPECT_EQ(site.totals.degree_max, counted.degree_max) << where;
    EXPECT_EQ(site.totals.classes, counted.classes) << where;
    if (!site.shifted) {
      EXPECT_EQ(site.totals.worst.mask, counted.worst.mask) << where;
      EXPECT_EQ(site.totals.worst.addresses, counted.worst.addresses) << where;
    }
  }
  return sure;
}

}  // namespace bankshot::analysis
