// A timeline of simulated launches as Perfetto and chrome://tracing open it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bankshot/timing/chip/launch_timing.hpp"

namespace bankshot::report {

/// Trace Event Format, JSON object form: complete events and metadata. One process an SM, one more for the kernels; in
/// an SM a thread for each warp slot, class of units and the scratchpad. Times are in microseconds there, and one
/// microsecond stands for one core cycle. Spans of one thread must not overlap in the format, so what overlaps (the
/// accesses of a warp that does not wait, units that take an instruction before the last has ended) gets further
/// threads beside. Source: "Trace Event Format", Google, sections on the JSON object format, complete events and
/// metadata events.
class TimelineJson {
 public:
  /// Adds a launch after those before. @param kernel  mangled @param start  core cycles of the chip when it began
  void add(std::string_view kernel, const timing::LaunchTiming& launch, timing::Cycle start);

  bool empty() const { return events_.empty(); }
  /// The whole file.
  std::string text() const;

 private:
  /// One row of the picture, made of threads that hold spans one after the other.
  struct Row {
    std::vector<timing::Cycle> ends;  ///< of the last span of each thread
  };
  unsigned thread_of(const timing::Span& span, timing::Cycle begin, timing::Cycle end);

  std::string events_;  ///< JSON objects, each with a comma and a newline before it
  std::map<std::tuple<unsigned, timing::Track, unsigned>, Row> rows_;  ///< by SM, track and index
};

}  // namespace bankshot::report
