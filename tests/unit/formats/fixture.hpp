// Runs made up for the tests of formats.
#pragma once

#include <string>

#include "bankshot/formats/verdict.hpp"
#include "tests/unit/report/fixture.hpp"

namespace bankshot::formats {

/// A name that breaks what does not quote it: quotes, comma, tag, newline, carriage return, escape, a byte that is not
/// UTF-8, percent and colons.
inline const std::string kHostile = "k<\"a\", 'b'></script>\n::error::\r\x1b[31m\xff%0A]]>&";

/// Three loads of 32 wavefronts where 1 would do, at kernel.cu:8, and a store of one at kernel.cu:7.
inline report::RunReport with_conflicts() { return report::made_report({report::column(88, 3), report::row()}); }

inline report::RunReport hostile() {
  report::RunReport report = with_conflicts();
  report.program = report.gpu = kHostile;
  report.kernels[0].name = report.kernels[0].demangled = kHostile;
  for (report::Site& site : report.kernels[0].sites) site.source.file = kHostile + ".cu";
  report.add_failed(kHostile, kHostile);
  return report;
}

inline simt::Finding race(uint32_t line = 7) {
  simt::Finding finding;
  finding.kind = simt::Finding::Kind::read_after_write;
  finding.kernel = "k";
  finding.count = 5;
  finding.source = {"a.cu", line, 1};
  finding.op = "ld.shared.u32";
  finding.cta = {0, 0, 0};
  finding.thread = {33, 0, 0};
  finding.other = {"a.cu", 9, 2};
  finding.other_op = "st.shared.u32";
  finding.other_thread = {0, 0, 0};
  finding.detail = "no barrier in between";
  return finding;
}

inline report::RunReport with_race() {
  report::RunReport report = with_conflicts();
  report.kernels[0].name = report.kernels[0].demangled = "k";
  report.checks = {.memory = true, .race = true};
  report.findings = {race()};
  return report;
}

inline Surroundings surroundings(const std::string& line = "") {
  return {.version = "1.2.3", .root = "/home/me", .line_of = [line](const simt::Source&) { return line; }};
}

}  // namespace bankshot::formats
