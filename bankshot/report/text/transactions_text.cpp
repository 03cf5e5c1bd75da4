#include "bankshot/report/text/transactions_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bankshot/report/text/text.hpp"

namespace bankshot::report {
namespace {

/// Where the time of warps goes: the four parts of GPU-LocalTM, section 5.1.4.
std::string cycles(const timing::Counters& c) {
  const uint64_t charged = c.tx_access_cycles + c.tx_mask_cycles, inside = std::max(c.tx_warp_cycles, charged);
  const uint64_t outside = c.warp_cycles - std::min(inside, c.warp_cycles);
  return fmt::format(
      "  cycles of warps   {:>16.1f} % outside of transactions; {:.1f} % in their code, {:.1f} % added to their "
      "accesses,\n"
      "                    {:>16.1f} % in begins and commits\n",
      percent(outside, c.warp_cycles), percent(inside - charged, c.warp_cycles),
      percent(c.tx_access_cycles, c.warp_cycles), percent(c.tx_mask_cycles, c.warp_cycles));
}

/// … and what of it is spent on what was done already.
std::string repeated(const timing::Counters& c) {
  const std::string question = "  do aborts cost anything? ";
  if (c.tx_retry_cycles == 0) return question + "No: no warp retries.\n";
  const double part = percent(c.tx_retry_cycles, c.warp_cycles);
  return question + fmt::format("{}: warps spend {:.1f} % of their cycles in attempts after the first.\n",
                                part < 1 ? "Hardly" : "Yes", part);
}

}  // namespace

std::string transactions_text(const Kernel& kernel) {
  const scratchpad::TxTotals& t = kernel.transactions;
  if (t.attempts == 0) return {};
  std::string text =
      fmt::format("  transactions      {:>16} of warps in {}, {} serialised in their warp, {} in their CTA\n",
                  grouped(t.transactions), counted(t.attempts, "attempt", "attempts"), grouped(t.warp_serialised),
                  grouped(t.cta_serialised));
  text += fmt::format("  commits           {:>16} by lanes, {} aborts: commit ratio {:.1f} %\n", grouped(t.commits),
                      grouped(t.aborts), 100 * commit_ratio(t));
  if (t.conflicts != 0) {
    text += fmt::format(
        "  aborting accesses {:>16} of {} by lanes: {} false conflicts, {} on words only read so far\n"
        "  … by warps        {:>16} at which one or more lanes met a conflict\n",
        grouped(t.conflicts), grouped(t.accesses), grouped(t.false_conflicts), grouped(t.read_conflicts),
        grouped(t.conflicting_accesses));
  }
  if (t.killed + t.invalid != 0) {
    text += fmt::format(
        "  other aborts      {:>16} for a warp that ran alone, {} because global memory that was read has changed\n",
        grouped(t.killed), grouped(t.invalid));
  }
  if (!kernel.timing) return text;
  return text + cycles(kernel.timing->counters) + repeated(kernel.timing->counters);
}

}  // namespace bankshot::report
