#include "bankshot/report/transactions_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bankshot/report/text.hpp"

namespace bankshot::report {
namespace {

double percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// Where the time of warps goes: the four parts of GPU-LocalTM, section 5.1.4.
std::string cycles(const timing::Counters& c) {
  const uint64_t charged = c.tx_access_cycles + c.tx_mask_cycles;
  const uint64_t code = c.tx_warp_cycles - std::min(charged, c.tx_warp_cycles);
  return fmt::format(
      "                    {:>15.1f} % of the warps' cycles in their code; {:.1f} % by what transactions add to "
      "accesses,\n"
      "                    {:>15.1f} % by begins and commits\n",
      percent(code, c.warp_cycles), percent(c.tx_access_cycles, c.warp_cycles),
      percent(c.tx_mask_cycles, c.warp_cycles));
}

}  // namespace

std::string transactions_text(const Kernel& kernel) {
  const scratchpad::TxTotals& t = kernel.transactions;
  if (t.attempts == 0) return {};
  std::string text =
      fmt::format("  transactions      {:>16} of warps, {} in all: {} with one lane, {} with one lane of the CTA\n",
                  grouped(t.transactions), counted(t.attempts, "attempt", "attempts"), grouped(t.warp_serialised),
                  grouped(t.cta_serialised));
  text += fmt::format("  commits           {:>16} of lanes, {} aborted: {:.1f} % of what they tried\n",
                      grouped(t.commits), grouped(t.aborts), 100 * commit_ratio(t));
  if (t.conflicts != 0) {
    text +=
        fmt::format("  lanes in conflict {:>16} at {}; {} with a word of nobody's, {} with one that was only read\n",
                    grouped(t.conflicts), counted(t.accesses, "access", "accesses"), grouped(t.false_conflicts),
                    grouped(t.read_conflicts));
  }
  if (t.killed + t.invalid != 0) {
    text += fmt::format("  lanes given up    {:>16} for a warp that ran alone; {} as global memory changed that they had read\n",
                        grouped(t.killed), grouped(t.invalid));
  }
  return kernel.timing ? text + cycles(kernel.timing->counters) : text;
}

}  // namespace bankshot::report
