// What transactions did. One table names every counter: sums, JSON and tests follow from it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace bankshot::scratchpad {

/// Plain sums. An attempt is what a warp executes from a begin to a commit; commits, aborts and conflicts are of lanes.
struct TxTotals {
  uint64_t transactions = 0;     ///< that warps entered
  uint64_t attempts = 0;         ///< at them; those beyond the first of each are repetitions
  uint64_t warp_serialised = 0;  ///< attempts with one lane of the warp
  uint64_t cta_serialised = 0;   ///< attempts with one lane of the CTA
  uint64_t lanes = 0;            ///< that executed, summed over attempts; = commits + aborts when all have ended
  uint64_t commits = 0;
  uint64_t aborts = 0;                ///< = conflicts + killed + invalid
  uint64_t conflicts = 0;             ///< lanes that met a conflict at an access to shared memory
  uint64_t conflicting_accesses = 0;  ///< of warps: those at which a lane met a conflict, or several did
  uint64_t false_conflicts = 0;       ///< … with a word that no other thread had: the filter could not distinguish it
  uint64_t read_conflicts = 0;        ///< … with a word that was not written
  uint64_t killed = 0;                ///< lanes aborted for another warp that runs alone
  uint64_t invalid = 0;               ///< lanes aborted as others committed to global memory that they had read
  uint64_t accesses = 0;              ///< words of shared memory that lanes asked for
};

struct TxCounterName {
  std::string_view name;
  uint64_t TxTotals::* value;
};
std::span<const TxCounterName> tx_counter_names();
void add(TxTotals& to, const TxTotals& from);

/// Commits of all that lanes tried; 0 if they tried nothing. What the paper calls commit/abort (it is 100 % without
/// aborts).
double commit_ratio(const TxTotals& totals);

}  // namespace bankshot::scratchpad
