// What a GPU's shared memory costs, found by measuring it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bankshot/measure/fit.hpp"
#include "bankshot/measure/latency.hpp"
#include "bankshot/scratchpad/access/access.hpp"

namespace bankshot::measure {

/// Latencies of one kind of access under conflicts of degree 1, 2, 3 …
struct Series {
  Access access = Access::load;
  std::string conflicts;         ///< "position", "bank", "lock", or "mixed": what a larger degree has more of
  uint32_t stride = 0;           ///< words, of conflict_pattern
  std::vector<Samples> latency;  ///< ticks, by degree from 1 on
  Line line;                     ///< through the medians, as far as no word shares a lock with another
  double spread = 0;             ///< the largest of the points
};

/// Ticks an access takes when many warps make them at once.
struct Rate {
  Access access = Access::load;
  std::string conflicts;  ///< as in a series; "warps": so many warps on the same words
  std::vector<unsigned> degrees;
  std::vector<Samples> ticks;  ///< by degree
};

/// Whether words share lock bits. Source: TPDS'13, section 2.1.2: distances that are multiples of the number of locks
/// cost t_position + t_bank more, others 2 t_bank.
struct Locks {
  double spread = 0;                ///< the largest of the points
  std::vector<uint32_t> distances;  ///< words between two words of one bank; else the pattern has no conflict
  std::vector<Samples> latency;     ///< of an atomic add, by distance
  std::optional<uint32_t>
      number;              ///< the least distance from which on it costs a lock conflict; none: no two words share one
  double pair = 0;         ///< ticks that such a pair costs more than no conflict
  double read_level = 0;   ///< … of them for reading: the pair less a position conflict
  double write_level = 0;  ///< a bank conflict less that: what writing takes
};

struct Calibration {
  Device device;
  std::string date;      ///< "2026-11-22"
  unsigned samples = 0;  ///< of each point
  unsigned warps = 0;    ///< of the rates
  std::vector<Series> series;
  std::vector<Rate> rates;
  Locks locks;

  /// That was measured, or null.
  const Series* find(Access access, std::string_view conflicts) const;
};

struct CalibrateOptions {
  unsigned samples = 9;   ///< of each pattern
  unsigned warps = 32;    ///< of a block for the rates
  unsigned repeats = 64;  ///< accesses of each of them
};

/// Measures. @param rules  the banks there are: bank conflicts are between words that far apart
Result<Calibration> calibrate(Runner& runner, const scratchpad::Rules& rules, const CalibrateOptions& options = {});

/// The unit of the timing model that costs what was measured: "lock" where words share locks; else "native" where lanes
/// on one word take turns, and "loadlike" where they cost nothing more.
std::string atomics_unit(const Calibration& calibration);

/// Whether additions of 1 that want no result cost nothing more for lanes on one word, as others do.
bool combines_increments(const Calibration& calibration);

}  // namespace bankshot::measure
