// Launches made up for the tests of the report.
#pragma once

#include <array>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "bankshot/ptx/access.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::report {

using Address = std::function<uint32_t(uint32_t)>;  // lane -> byte address

inline simt::SiteReport made_site(uint32_t ptx_line, const std::string& op, unsigned width, Address address,
                                  unsigned accesses = 1, uint64_t mask = 0xffffffff) {
  simt::SiteReport site;
  site.source = {"kernel.cu", ptx_line / 10, ptx_line};
  site.op = op;
  site.width = width;
  std::vector<std::string> parts;
  for (std::istringstream words(op); std::getline(words, parts.emplace_back(), '.');) {
  }
  parts.pop_back();
  const ptx::Access access = ptx::access_of(parts[0], {parts.begin() + 1, parts.end()});
  site.kind = simt::site_kind(access, false);
  site.matrix = access.layout == ptx::Access::Layout::matrix;
  std::array<uint32_t, scratchpad::kMaxLanes> addresses{};
  for (uint32_t lane = 0; lane < scratchpad::kMaxLanes; ++lane) addresses[lane] = address(lane);
  for (unsigned i = 0; i < accesses; ++i) {
    site.counter.record({}, site.kind, width, addresses.data(), mask, i);
  }
  return site;
}
inline simt::SiteReport column(uint32_t ptx_line = 88, unsigned accesses = 1) {
  return made_site(ptx_line, "ld.shared.f32", 4, [](uint32_t lane) { return 128 * lane; }, accesses);
}
inline simt::SiteReport row(uint32_t ptx_line = 70, unsigned accesses = 1) {
  return made_site(ptx_line, "st.shared.f32", 4, [](uint32_t lane) { return 4 * lane; }, accesses);
}
inline simt::SiteReport one_word(uint32_t ptx_line = 120, unsigned accesses = 1) {
  return made_site(ptx_line, "atom.shared.add.u32", 4, [](uint32_t) { return 64u; }, accesses);
}

inline simt::LaunchStats made_launch(std::vector<simt::SiteReport> sites) {
  simt::LaunchStats stats;
  stats.warp_instructions = 1000;
  stats.thread_instructions = 32000;
  stats.sites = std::move(sites);
  return stats;
}

inline RunReport made_report(std::vector<simt::SiteReport> sites) {
  RunReport report;
  report.program = "./app";
  report.gpu = "Test GPU";
  report.add(made_launch(std::move(sites)), "_Z5scalePfi", {4, 2, 1}, {32, 8, 1});
  return report;
}

}  // namespace bankshot::report
