#include "bankshot/scratchpad/access/phases.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace bankshot::scratchpad {
namespace {

/// The part of a text before a separator, which is taken off together with it.
std::string_view take(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

std::optional<unsigned> lane_of(std::string_view text) {
  unsigned lane = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, lane);
  if (error != std::errc{} || stop != end || lane >= kMaxLanes) return std::nullopt;
  return lane;
}

/// "0-3 20-23"
Result<LaneMask> parse_lanes(std::string_view text) {
  LaneMask lanes;
  while (!text.empty()) {
    const std::string_view range = take(text, ' ');
    if (range.empty()) continue;
    std::string_view ends = range;
    const auto low = lane_of(take(ends, '-'));
    const auto high = range.find('-') == std::string_view::npos ? low : lane_of(ends);
    if (!low || !high || *high < *low) {
      return Error{"'" + std::string(range) + "' is not a lane or range of lanes; lanes are 0 to " +
                   std::to_string(kMaxLanes - 1)};
    }
    for (unsigned lane = *low; lane <= *high; ++lane) {
      if (lanes.has(lane)) return Error{"lane " + std::to_string(lane) + " is in its phase twice"};
      lanes.add(lane);
    }
  }
  if (lanes.empty()) return Error{"a phase has no lanes"};
  return lanes;
}

/// Whether the table is its phases of the first lanes, repeated.
bool repeats(const PhaseTable& table, unsigned lanes) {
  const LaneMask part = LaneMask::first(lanes);
  PhaseTable first;
  std::copy_if(table.begin(), table.end(), std::back_inserter(first),
               [&](LaneMask phase) { return phase.without(part).empty(); });
  if (first.size() * (kMaxLanes / lanes) != table.size()) return false;
  for (size_t k = 0; k < table.size(); ++k) {
    if (table[k] != first[k % first.size()].shifted(static_cast<unsigned>(k / first.size()) * lanes)) return false;
  }
  return true;
}

}  // namespace

Result<PhaseTable> parse_phases(std::string_view text) {
  PhaseTable table;
  LaneMask all;
  while (!text.empty()) {
    const Result<LaneMask> phase = parse_lanes(take(text, ','));
    if (!phase) return phase.error();
    if (const LaneMask twice = all & *phase; !twice.empty()) {
      return Error{"lane " + std::to_string(twice.lowest()) + " is in two phases"};
    }
    all = all | *phase;
    table.push_back(*phase);
  }
  if (table.empty()) return Error{"there are no phases"};
  const unsigned lanes = std::bit_ceil(all.highest() + 1);
  if (const LaneMask missing = LaneMask::first(lanes).without(all); !missing.empty()) {
    return Error{"lane " + std::to_string(missing.lowest()) + " is in no phase"};
  }
  const size_t phases = table.size();
  for (unsigned lane = lanes; lane < kMaxLanes; lane += lanes) {
    for (size_t k = 0; k < phases; ++k) table.push_back(table[k].shifted(lane));
  }
  return table;
}

std::string lanes_text(LaneMask lanes) {
  std::string text;
  while (!lanes.empty()) {
    const unsigned low = lanes.lowest(), count = static_cast<unsigned>(std::countr_one(lanes.bits() >> low));
    text += (text.empty() ? "" : " ") + std::to_string(low);
    if (count > 1) text += "-" + std::to_string(low + count - 1);
    lanes = lanes.without(LaneMask::first(count).shifted(low));
  }
  return text;
}

std::string phases_text(const PhaseTable& table) {
  unsigned lanes = 1;
  while (lanes < kMaxLanes && !repeats(table, lanes)) lanes *= 2;
  std::string text;
  for (const LaneMask phase : table) {
    if (phase.without(LaneMask::first(lanes)).empty()) text += (text.empty() ? "" : ", ") + lanes_text(phase);
  }
  return text;
}

}  // namespace bankshot::scratchpad
