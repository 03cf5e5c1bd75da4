// Where lanes meet: atomics, barriers of the CTA and instructions of a whole warp.
// Source: PTX ISA 9.0, sections 9.7.13 (parallel synchronisation) and 9.7.9.6 (shfl.sync).
#include <algorithm>
#include <cstring>

#include "tests/differential/formats.hpp"
#include "tests/differential/machine.hpp"

namespace bankshot::differential {
namespace {

uint64_t changed(const Step& step, uint64_t old, uint64_t b, uint64_t c) {
  const std::string& op = step.op;
  if (op == "exch") return b;
  if (op == "cas") return old == b ? c : old;
  if (op == "and") return old & b;
  if (op == "or") return old | b;
  if (op == "xor") return old ^ b;
  if (op == "inc") return old >= b ? 0 : old + 1;
  if (op == "dec") return old == 0 || old > b ? b : old - 1;
  std::vector<std::string> modifiers;
  if (ptx::is_float(element_of(step.type))) modifiers.push_back("rn");
  modifiers.emplace_back(ptx::name(step.type));
  Values values;
  values.s = {old, b};
  const Meaning meaning = meaning_of(op, modifiers, 2);
  if (meaning) meaning(values);
  return values.d;
}

/// The lane from which shfl takes, and whether it is within bounds. @param b, c  the operands
std::pair<uint32_t, bool> chosen_lane(const std::string& mode, uint32_t lane, uint64_t b_, uint64_t c) {
  const int b = static_cast<int>(b_ & 31), clamp = static_cast<int>(c & 31), segment = static_cast<int>(c >> 8 & 31);
  const int self = static_cast<int>(lane), most = (self & segment) | (clamp & ~segment), fewest = self & segment;
  const int from = mode == "up"     ? self - b
                   : mode == "down" ? self + b
                   : mode == "bfly" ? self ^ b
                                    : fewest | (b & ~segment);
  const bool inside = mode == "up" ? from >= most : from <= most;
  return {static_cast<uint32_t>(inside ? from : self), inside};
}

uint64_t smallest_or_greatest(const Step& step, const std::vector<uint64_t>& values) {
  std::vector<std::string> modifiers;
  if (step.has("NaN")) modifiers.push_back("NaN");
  modifiers.emplace_back(ptx::name(step.type));
  const Meaning meaning = meaning_of(step.has("min") ? "min" : "max", modifiers, 2);
  const auto magnitude = [&](uint64_t x) { return step.has("abs") ? x & 0x7fffffff : x; };
  uint64_t result = magnitude(values[0]);
  if (step.type == Type::f32 && is_nan(result, kF32)) result = kNan32;
  for (size_t k = 1; k < values.size(); ++k) {
    Values pair;
    pair.s = {result, magnitude(values[k])};
    meaning(pair);
    result = pair.d;
  }
  return result;
}

uint64_t reduced_values(const Step& step, const std::vector<uint64_t>& values) {
  if (step.has("min") || step.has("max")) return smallest_or_greatest(step, values);
  uint64_t result = values[0];
  for (size_t k = 1; k < values.size(); ++k) {
    if (step.has("add")) result += values[k];
    if (step.has("and")) result &= values[k];
    if (step.has("or")) result |= values[k];
    if (step.has("xor")) result ^= values[k];
  }
  return low(result, 32);
}

uint64_t voted(const Step& step, const std::vector<uint64_t>& votes, uint64_t ballot) {
  const bool all = std::all_of(votes.begin(), votes.end(), [](uint64_t v) { return v != 0; });
  const bool any = std::any_of(votes.begin(), votes.end(), [](uint64_t v) { return v != 0; });
  if (step.has("ballot")) return ballot;
  return step.has("all") ? all : step.has("any") ? any : all || !any;
}

}  // namespace

void exchange(Cta& cta, const Step& step, const std::vector<uint32_t>& group, uint32_t first_lane) {
  if (step.op.size() > 6) return exchange_matrix(cta, step, first_lane);  // ldmatrix …
  std::vector<uint64_t> values;                                           // the first operand of each lane
  uint64_t ballot = 0, members = 0;
  for (const uint32_t k : group) {
    values.push_back(low(cta.lanes[k].brought[0], std::max(ptx::bits(step.type), 1u)));
    members |= uint64_t{1} << (k - first_lane);
    if (values.back() != 0) ballot |= uint64_t{1} << (k - first_lane);
  }
  struct Result {
    uint64_t d = 0, p = 0;
  };
  std::vector<Result> results(group.size());
  for (size_t n = 0; n < group.size(); ++n) {
    const uint32_t in_warp = group[n] - first_lane;
    Result& out = results[n];
    if (step.op == "shfl") {
      const auto& brought = cta.lanes[group[n]].brought;
      const std::string mode = step.has("up") ? "up" : step.has("down") ? "down" : step.has("bfly") ? "bfly" : "idx";
      const auto [from, inside] = chosen_lane(mode, in_warp, brought[1], brought[2]);
      const auto member = std::find(group.begin(), group.end(), first_lane + from);
      if (member == group.end()) return cta.fail(step, "shfl from a lane that is not there");
      out = {values[static_cast<size_t>(member - group.begin())], inside};
    } else if (step.op == "vote") {
      out.d = voted(step, values, ballot);
    } else if (step.op == "match") {
      uint64_t same = 0;
      for (size_t k = 0; k < group.size(); ++k) {
        if (values[k] == values[n]) same |= uint64_t{1} << (group[k] - first_lane);
      }
      out = step.has("any") || same == members ? Result{same, 1} : Result{0, 0};
    } else if (step.op == "redux") {
      out.d = reduced_values(step, values);
    } else if (step.op == "elect") {
      out = {group[0] - first_lane, n == 0};
    }
  }
  for (size_t n = 0; n < group.size(); ++n) {
    Lane& lane = cta.lanes[group[n]];
    if (!step.targets.empty()) cta.write(lane, step, 0, results[n].d);
    if (step.targets.size() > 1) cta.write(lane, step, 1, results[n].p);
    lane.state = Lane::State::runs;
    ++lane.frame().next;
  }
}

bool Cta::meet() {
  bool any = false;
  for (uint32_t first = 0; first < lanes.size(); first += shape.warp_size) any |= meet_in_warp(first);
  return any || meet_at_barriers();
}

/// Lanes wait for all that their mask, the last operand, names, at the same instruction.
bool Cta::meet_in_warp(uint32_t first_lane) {
  bool any = false;
  const uint32_t end = std::min<uint32_t>(first_lane + shape.warp_size, static_cast<uint32_t>(lanes.size()));
  for (uint32_t k = first_lane; k < end; ++k) {
    if (lanes[k].state != Lane::State::waits_for_warp) continue;
    const Step& step = lanes[k].at();
    const uint64_t mask = low(lanes[k].brought.back(), 32);
    if ((mask >> (k - first_lane) & 1) == 0) return fail(step, "a lane that its own mask does not name"), false;
    std::vector<uint32_t> group;
    for (uint32_t other = first_lane; other < end; ++other) {
      const Lane& lane = lanes[other];
      if ((mask >> (other - first_lane) & 1) == 0) continue;
      if (lane.state == Lane::State::waits_for_warp && &lane.at() == &step && low(lane.brought.back(), 32) == mask) {
        group.push_back(other);
      }
    }
    if (group.size() != static_cast<size_t>(__builtin_popcountll(mask))) continue;
    exchange(*this, step, group, first_lane);
    if (!error.empty()) return false;
    any = true;
  }
  return any;
}

/// A barrier opens when as many threads came as it says, or else all that have not ended.
bool Cta::meet_at_barriers() {
  const auto there = static_cast<uint64_t>(
      std::count_if(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.state != Lane::State::ended; }));
  for (uint64_t barrier = 0; barrier < 16; ++barrier) {
    std::vector<uint32_t> group;
    for (uint32_t k = 0; k < lanes.size(); ++k) {
      if (lanes[k].state == Lane::State::waits_at_barrier && lanes[k].brought[0] == barrier) group.push_back(k);
    }
    if (group.empty()) continue;
    const Lane& first = lanes[group[0]];
    const size_t has_count = first.at().op == "red" ? 3 : 2;
    const uint64_t needed = first.brought.size() >= has_count ? low(first.brought[1], 32) : there;
    if (group.size() + arrived[barrier] != needed) continue;
    uint64_t yes = 0;
    for (const uint32_t k : group) yes += lanes[k].brought.back() != 0 ? 1 : 0;
    for (const uint32_t k : group) {
      Lane& lane = lanes[k];
      const Step& step = lane.at();
      if (step.op == "red")
        write(lane, step, 0, step.has("popc") ? yes : step.has("and") ? yes == group.size() : yes != 0);
      lane.state = Lane::State::runs;
      ++lane.frame().next;
    }
    arrived[barrier] = 0;
    return true;
  }
  return false;
}

void Cta::atomic(Lane& lane, const Step& step) {
  const unsigned bytes = ptx::bits(step.type) / 8;
  uint8_t* const at = bytes_at(lane, step.space, read(lane, step.address), bytes);
  if (at == nullptr) return;
  uint64_t old = 0;
  std::memcpy(&old, at, bytes);
  const uint64_t b = low(read(lane, step.sources[0]), 8 * bytes);
  const uint64_t c = step.sources.size() > 1 ? low(read(lane, step.sources[1]), 8 * bytes) : 0;
  uint64_t after = changed(step, old, b, c);
  // In global memory, but not in shared memory, sums of f32 take subnormal numbers as zeros. Source: PTX ISA 9.0, atom.
  if (step.op == "add" && step.type == Type::f32 && (at < shared.data() || at >= shared.data() + shared.size())) {
    after = changed(step, flushed(old, kF32), flushed(b, kF32), c);
    after = flushed(after, kF32);
  }
  std::memcpy(at, &after, bytes);
  if (!step.targets.empty()) write(lane, step, 0, old);
}

}  // namespace bankshot::differential
