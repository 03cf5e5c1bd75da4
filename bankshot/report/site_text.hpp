// One site of the text report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bankshot/report/run_report.hpp"
#include "bankshot/report/source_lines.hpp"
#include "bankshot/report/text.hpp"

namespace bankshot::report {

/// Colours, or none.
struct Paint {
  bool on = false;
  std::string strong(std::string_view text) const { return wrap("1", text); }
  std::string bad(std::string_view text) const { return wrap("31", text); }
  std::string faint(std::string_view text) const { return wrap("2", text); }

 private:
  std::string wrap(std::string_view code, std::string_view text) const {
    if (!on) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
  }
};

/// A site with conflicts. @param rank  from 1; @param kernel_conflicts  of all sites of its kernel
std::string site_text(const Site& site, size_t rank, uint64_t kernel_conflicts, const scratchpad::Rules& rules,
                      const TextOptions& options, SourceLines& sources);

/// The sites without conflicts: a line each while they are few.
std::string clean_sites_text(const std::vector<const Site*>& sites);

/// "stride 32", "stride -1", "stride 2 bytes"; for other classes their names.
std::string class_text(const scratchpad::SiteTotals& totals);

/// "transpose.cu:42", or "PTX line 88" without line information.
std::string place_text(const Site& site);

}  // namespace bankshot::report
