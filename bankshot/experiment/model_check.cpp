// The closed model against the loop that it stands for, over a factorial design of conflicts.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bankshot/experiment/atomics_machine.hpp"
#include "bankshot/experiment/atomics_paper.hpp"
#include "bankshot/experiment/hash_functions.hpp"
#include "bankshot/experiment/rows.hpp"
#include "bankshot/scratchpad/atomics/lock_unit.hpp"

namespace bankshot::experiment {
namespace {

using Words = std::array<uint32_t, kLanes>;

/// One pattern of the design: conflicts of every kind at once, in two banks.
struct Design {
  unsigned same = 1;     ///< lanes on word 0: position conflicts
  unsigned aliased = 0;  ///< words 1024, 2048 …: lock conflicts with word 0
  unsigned banked = 0;   ///< words 32, 64 …: bank conflicts with word 0
  unsigned other = 1;    ///< words 1, 33 …: bank conflicts in another bank
  unsigned order = 0;    ///< of the lanes
};

constexpr unsigned kSame[] = {1, 2, 3, 4, 6, 8}, kAliased[] = {0, 1, 2, 3, 5, 7}, kBanked[] = {0, 1, 2, 3, 5, 8},
                   kOther[] = {1, 2, 3, 4, 6, 8};
/// Lane k of the design is lane (k * step + start) mod 32: as listed, backwards, and twice spread over the warp.
constexpr std::array<unsigned, 2> kOrders[] = {{1, 0}, {31, 31}, {5, 0}, {13, 7}};
static_assert(8 + 7 + 8 + 8 <= kLanes);

std::vector<Design> designs() {
  std::vector<Design> all;
  for (const unsigned same : kSame) {
    for (const unsigned aliased : kAliased) {
      for (const unsigned banked : kBanked) {
        for (const unsigned other : kOther) {
          for (unsigned order = 0; order < std::size(kOrders); ++order)
            all.push_back({same, aliased, banked, other, order});
        }
      }
    }
  }
  return all;
}

Words words_of(const Design& design) {
  Words words{};
  unsigned k = 0;
  const auto put = [&](uint32_t word) {
    const auto& [step, start] = kOrders[design.order];
    words[(k++ * step + start) % kLanes] = word;
  };
  for (unsigned i = 0; i < design.same; ++i) put(0);
  for (unsigned i = 1; i <= design.aliased; ++i) put(1024 * i);
  for (unsigned i = 1; i <= design.banked; ++i) put(32 * i);
  for (unsigned i = 0; i < design.other; ++i) put(1 + 32 * i);
  for (uint32_t bank = 2; k < kLanes; ++bank) put(bank);  // the rest have a bank each
  return words;
}

/// The loop as ICCD'13, section III has it: Read, Update, Write, Branch, until every lane has had its lock.
/// @param times  base and round: a pass without conflicts
uint64_t loop_cycles(const scratchpad::LockTable& locks, const scratchpad::AtomicsTimes& times, const Words& words) {
  scratchpad::Rules rules;
  std::array<uint32_t, scratchpad::kMaxLanes> bytes{};
  for (size_t k = 0; k < kLanes; ++k) bytes[k] = words[k] * 4;
  scratchpad::Locks held;
  uint64_t cycles = 0;
  for (uint64_t pending = 0xffffffff; pending != 0;) {
    const uint64_t winners = scratchpad::acquire(locks, bytes.data(), pending, held);
    cycles += cycles == 0 ? times.base : times.round;
    cycles += uint64_t{times.read_level} * (scratchpad::read_level(rules, 4, bytes.data(), pending) - 1);
    cycles += uint64_t{times.write_level} * (scratchpad::write_level(rules, 4, bytes.data(), winners) - 1);
    scratchpad::release(locks, bytes.data(), winners, held);
    pending &= ~winners;
  }
  return cycles;
}

/// The value below which a part of the sorted numbers lies.
double quantile(const std::vector<double>& sorted, double part) {
  return sorted[std::min(sorted.size() - 1, static_cast<size_t>(part * static_cast<double>(sorted.size())))];
}

/// How many patterns differ by 0 to 1 %, 1 to 2 %, …
report::PlotPanel panel(const std::vector<double>& sorted) {
  report::PlotPanel panel{
      "model against loop", "difference, % (rounded down)", "patterns", report::PlotKind::bars, false, {}, {}};
  report::PlotSeries& series = panel.series.emplace_back();
  series.label = "patterns";
  for (double percent = 0; percent <= std::floor(sorted.back()); ++percent) {
    const auto n = std::count_if(sorted.begin(), sorted.end(), [&](double d) { return std::floor(d) == percent; });
    series.points.push_back({percent, static_cast<double>(n)});
  }
  return panel;
}

}  // namespace

Result<Outcome> model_against_loop(const Experiment& experiment, const Settings&) {
  Parameters parameters(experiment);
  const scratchpad::AtomicsTimes times = atomics_times(parameters);
  const std::vector<unsigned> loop = parameters.numbers("loop", 0, 1'000'000);
  if (loop.size() != 4) parameters.fail("loop", "must be the loop's base, round, read_level and write_level");
  if (parameters.error()) return *parameters.error();
  const scratchpad::AtomicsTimes loop_times{loop[0], loop[1], loop[2], loop[3]};
  const scratchpad::LockGeometry geometry = *atomics_geometry("none");
  const scratchpad::LockTable locks(geometry.locks);
  scratchpad::LockWalker walker(geometry);

  std::vector<double> differences;
  std::vector<uint64_t> latencies;
  size_t low = 0;
  for (const Design& design : designs()) {
    const Words words = words_of(design);
    const auto model = static_cast<double>(scratchpad::latency(walker.walk(words.data(), kLanes), times).total());
    latencies.push_back(loop_cycles(locks, loop_times, words));
    const auto measured = static_cast<double>(latencies.back());
    differences.push_back(100 * std::abs(model - measured) / measured);
    low += model < measured ? 1 : 0;
  }
  std::sort(differences.begin(), differences.end());
  Outcome outcome;
  Rows rows(experiment, outcome);
  const auto [least, most] = std::minmax_element(latencies.begin(), latencies.end());
  rows.add("patterns", static_cast<double>(differences.size()), "access patterns of a warp");
  rows.add("median relative difference", rounded(quantile(differences, 0.5), 2), "% of the loop's latency");
  rows.add("nine tenths of the patterns differ by at most", rounded(quantile(differences, 0.9), 2), "%");
  rows.add("largest relative difference", rounded(differences.back(), 2), "%");
  rows.add("patterns that the model takes for faster", static_cast<double>(low), "access patterns of a warp");
  outcome.notes.push_back(fmt::format("latencies of the loop from {} to {} cycles", *least, *most));
  outcome.panels.push_back(panel(differences));
  return outcome;
}

}  // namespace bankshot::experiment
