// Units of published measurements, and bringing what a benchmark gives into them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankshot::accuracy {

enum class Dimension : uint8_t {
  cycles,     ///< of an SM's clock
  time,       ///< nanoseconds
  per_cycle,  ///< bytes, instructions or operations a cycle, of whatever the row's unit names
  per_time,   ///< a nanosecond: GB/s
  ratio,
};

struct Unit {
  std::string_view name;  ///< as rows have it
  Dimension dimension;
  double factor = 1;  ///< of the dimension's own unit: 1e6 for ms
};

std::optional<Unit> find_unit(std::string_view name);
std::vector<std::string_view> unit_names();

/// What a benchmark gives.
struct Reading {
  double value = 0;
  Dimension dimension = Dimension::cycles;
};

/// Cycles become time, and what happens each cycle what happens each nanosecond, and back.
/// @param ghz  clock of an SM
/// @return nothing if the unit is one of another kind: a time for a rate
std::optional<double> in_unit(const Reading& reading, const Unit& unit, double ghz);

}  // namespace bankshot::accuracy
