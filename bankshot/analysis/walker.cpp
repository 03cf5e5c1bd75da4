#include "bankshot/analysis/walker.hpp"

#include <algorithm>

#include "bankshot/ptx/lookup.hpp"

namespace bankshot::analysis {
namespace {

constexpr uint32_t kNever = ~0u;

}  // namespace

Walker::Walker(const Code& code, const Launch& launch, Walk& walk)
    : code_(code),
      launch_(launch),
      walk_(walk),
      forms_(walk.forms),
      lanes_(launch.warp_size),
      header_of_(code.steps.size(), -1),
      states_(code.loops.size(), LoopState::outside),
      iterations_(code.loops.size(), 0) {
  for (size_t k = 0; k < code.loops.size(); ++k) header_of_[code.loops[k].header] = static_cast<int32_t>(k);
}

bool Walker::run_warp(uint32_t warp, const std::optional<Extent>& cta, uint64_t cta_number) {
  warp_ = warp;
  cta_ = cta;
  cta_number_ = cta_number;
  registers_.assign(code_.register_bits.size() * lanes_, Value{});
  std::fill(states_.begin(), states_.end(), LoopState::outside);
  context_ = {};
  lasting_.clear();
  unwind_to_ = -1;
  const uint64_t first = uint64_t{warp} * lanes_;
  const uint64_t threads = std::min<uint64_t>(launch_.block.count() - first, lanes_);
  run(0, code_.end(), low_bits(static_cast<unsigned>(threads)));
  return !over_budget_;
}

void Walker::spend(uint64_t steps) {
  over_budget_ |= walk_.steps_left < steps;
  walk_.steps_left -= std::min(walk_.steps_left, steps);
}

/// Runs lanes from step `at` until all are at `stop`, have ended or have left the loop being walked.
/// @param entered  the loop whose header `at` is, if its entry has been dealt with
/// @return         the lanes that are at `stop`
uint64_t Walker::run(uint32_t at, uint32_t stop, uint64_t lanes, int32_t entered) {
  constexpr unsigned kDeepest = 400;  // branches in branches; some kilobytes of stack each
  if (depth_ == kDeepest) over_budget_ = true;
  if (gone()) return 0;
  ++depth_;
  const uint64_t there = go(at, stop, lanes, entered);
  --depth_;
  return there;
}

uint64_t Walker::go(uint32_t at, uint32_t stop, uint64_t lanes, int32_t entered) {
  while (lanes != 0 && at != stop && !gone()) {
    if (!rounds_.empty() && !code_.contains(rounds_.back()->loop, at)) {
      Round& round = *rounds_.back();
      const Loop& loop = code_.loops[static_cast<size_t>(round.loop)];
      round.exits.push_back({at, lanes, take(written_between(loop.header, loop.after))});
      return 0;
    }
    const int32_t loop = header_of_[at];
    if (loop >= 0 && loop != entered) {
      if (states_[static_cast<size_t>(loop)] == LoopState::outside) {
        lanes = enter(loop, lanes);
        at = code_.loops[static_cast<size_t>(loop)].after;
        continue;
      }
      if (states_[static_cast<size_t>(loop)] == LoopState::any_iteration) {
        rounds_.back()->ends.push_back({lanes, take(written_in(loop))});
        return 0;
      }
      constexpr uint32_t kMostIterations = 4096;
      if (++iterations_[static_cast<size_t>(loop)] > kMostIterations) {
        unwind_to_ = loop;
        return 0;
      }
    }
    entered = -1;
    spend(1);
    if (gone()) return 0;

    const Step& step = code_.steps[at];
    if (step.act == Step::Act::exit || step.instruction == nullptr) return 0;
    if (step.act != Step::Act::branch) {
      if (step.act == Step::Act::compute) compute(step, lanes);
      if (step.act == Step::Act::parameter) load_parameter(step, lanes);
      if (step.act == Step::Act::access) access(step, lanes);
      ++at;
      continue;
    }

    std::vector<Side> sides;
    uint64_t unsure = 0;
    bool uniform = false;
    if (!sides_of(step, at, lanes, sides, unsure, uniform)) return 0;
    const uint32_t join = code_.join[at] == ptx::kNoJoin ? code_.end() : code_.join[at];
    const bool walked = !rounds_.empty();
    if (unsure == 0 && sides.size() == 1) {
      at = sides[0].target;
      continue;
    }
    const auto is_out = [&](const Side& side) { return walked && !code_.contains(rounds_.back()->loop, side.target); };
    const bool out = std::any_of(sides.begin(), sides.end(), is_out);
    if (unsure == 0 && !out) {
      lanes = split(at, sides);
      at = join;
      continue;
    }
    const int32_t inner = code_.loop_of[at];
    if (inner >= 0 && states_[static_cast<size_t>(inner)] == LoopState::counted && leaves(inner, at, sides)) {
      unwind_to_ = inner;
      return 0;
    }
    if (out) {  // of a loop that is walked for any iteration: some lanes go, and all go on
      rounds_.back()->apart |= !uniform;
      const Loop& left = code_.loops[static_cast<size_t>(rounds_.back()->loop)];
      for (const Side& side : sides) {
        if (is_out(side))
          rounds_.back()->exits.push_back({side.target, lanes, take(written_between(left.header, left.after))});
      }
      std::erase_if(sides, is_out);
      if (sides.empty()) return 0;
      if (sides.size() == 1) {
        at = sides[0].target;
        continue;
      }
    }
    std::vector<uint32_t> targets;
    for (const Side& side : sides) targets.push_back(side.target);
    Row condition;
    if (step.guard >= 0)
      std::copy_n(row(static_cast<uint32_t>(step.guard)), lanes_, condition.begin());
    else
      read(step.sources[0], 32, lanes, condition);
    lanes = both_sides(at, targets, lanes, assumption(step, reason_of(condition, lanes), uniform));
    at = join;
  }
  return gone() ? 0 : lanes;
}

/// Which lanes go where. @param unsure  lanes of which it is not known; then every side is in `sides`
/// @param uniform  all lanes of the warp go the same way, though it is not known which
/// @return false if there is no way on
bool Walker::sides_of(const Step& step, uint32_t at, uint64_t lanes, std::vector<Side>& sides, uint64_t& unsure,
                      bool& uniform) {
  const auto add = [&](uint32_t target, uint64_t which) {
    for (Side& side : sides) {
      if (side.target == target) return void(side.lanes |= which);
    }
    sides.push_back({target, which});
  };
  Row condition;
  if (step.sources.empty()) {
    uint64_t taken = guarded(step, lanes, unsure);
    taken &= ~unsure;
    if (taken != 0 || unsure != 0) add(step.targets[0], taken);
    const uint64_t rest = lanes & ~taken & ~unsure;
    if (step.guard >= 0 && (rest != 0 || unsure != 0)) add(at + 1, rest);
    if (step.guard >= 0) std::copy_n(row(static_cast<uint32_t>(step.guard)), lanes_, condition.begin());
  } else {
    read(step.sources[0], 32, lanes, condition);
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      if (condition[lane].form != Forms::kKnown) {
        unsure |= uint64_t{1} << lane;
      } else if (condition[lane].bits < step.targets.size()) {
        add(step.targets[condition[lane].bits], uint64_t{1} << lane);
      }
    }
    if (unsure != 0) {
      for (const uint32_t target : step.targets) add(target, 0);
    }
  }
  uniform = unsure != 0 && is_uniform(condition, lanes);
  return !sides.empty();
}

bool Walker::leaves(int32_t loop, uint32_t at, const std::vector<Side>& sides) const {
  if (code_.join[at] == ptx::kNoJoin || !code_.contains(loop, code_.join[at])) return true;
  return std::any_of(sides.begin(), sides.end(), [&](const Side& side) { return !code_.contains(loop, side.target); });
}

/// Known sides, one after the other. @return the lanes that meet
uint64_t Walker::split(uint32_t at, const std::vector<Side>& sides) {
  const uint32_t join = code_.join[at] == ptx::kNoJoin ? kNever : code_.join[at];
  const std::vector<uint32_t> iterations = iterations_;
  uint64_t together = 0;
  for (const Side& side : sides) {
    together |= run(side.target, join, side.lanes);
    iterations_ = iterations;
  }
  return together;
}

Assumption Walker::assumption(const Step& step, const std::string& why, bool uniform) const {
  const std::string what = ptx::mnemonic(*step.instruction) + " at " + place(step) + " " + why;
  return {step.ptx_line, (uniform ? "may not run at all: " : "all lanes are assumed to take part: ") + what, uniform};
}

/// All lanes take every side, each from the same state; what then differs is unknown.
uint64_t Walker::both_sides(uint32_t at, const std::vector<uint32_t>& targets, uint64_t lanes,
                            const Assumption& assumption) {
  const uint32_t join = code_.join[at] == ptx::kNoJoin ? kNever : code_.join[at];
  const std::vector<uint32_t> written = written_between(at, join);
  spend(10 + written.size());  // about what keeping and comparing registers costs
  const Snapshot before = take(written);
  const std::vector<uint32_t> iterations = iterations_;
  const uint32_t number = number_of(walk_.assumption_numbers, walk_.assumptions, assumption);
  context_.assumptions.push_back(number);
  std::vector<std::pair<uint64_t, Snapshot>> states;
  for (const uint32_t target : targets) {
    restore(written, before);
    const uint64_t arrived = run(target, join, lanes);
    iterations_ = iterations;
    if (gone()) break;
    states.push_back({arrived, take(written)});
  }
  context_.assumptions.pop_back();
  if (gone()) return 0;
  // Lanes that may have ended on one side are taken to go on.
  if (std::any_of(states.begin(), states.end(), [&](const auto& s) { return s.first != states[0].first; })) {
    if (std::find(lasting_.begin(), lasting_.end(), number) == lasting_.end()) lasting_.push_back(number);
  }
  return meet(written, states, assumption.uniform, "differs between paths that part at " + place(code_.steps[at]));
}

/// Puts states together. @param uniform  all lanes of the warp have come the same way
uint64_t Walker::meet(const std::vector<uint32_t>& written, const std::vector<std::pair<uint64_t, Snapshot>>& states,
                      bool uniform, const std::string& reason) {
  uint64_t all = 0;
  for (const auto& [lanes, state] : states) all |= lanes;
  for (size_t k = 0; k < written.size(); ++k) {
    Value* out = row(written[k]);
    const unsigned width = code_.register_bits[written[k]];
    uint64_t differ = 0;
    bool shifted = uniform;  // every state is the first plus something that is the same for all lanes
    for (size_t s = 1; s < states.size(); ++s) shifted &= states[s].first == states[0].first;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      if ((all >> lane & 1) == 0) continue;
      const Value* first = nullptr;
      for (const auto& [lanes, state] : states) {
        if ((lanes >> lane & 1) == 0) continue;
        const Value& value = state[k * lanes_ + lane];
        if (first == nullptr) first = &value;
        if (value != *first) differ |= uint64_t{1} << lane;
      }
      out[lane] = *first;
    }
    if (differ == 0) continue;
    for (size_t s = 1; s < states.size() && shifted; ++s) {
      std::optional<Value> distance;
      for (unsigned lane = 0; lane < lanes_ && shifted; ++lane) {
        if ((all >> lane & 1) == 0) continue;
        Value d = forms_.subtract(states[s].second[k * lanes_ + lane], states[0].second[k * lanes_ + lane], width);
        d.arrays = 0;
        shifted = !forms_.is_unknown(d) && (!distance || *distance == d);
        distance = d;
      }
    }
    const uint32_t shift = shifted ? forms_.fresh_symbol("what " + reason) : 0;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      if ((all >> lane & 1) == 0) continue;
      uint32_t arrays = 0;
      for (const auto& [lanes, state] : states) arrays |= state[k * lanes_ + lane].arrays;
      if (shifted) {
        out[lane] = forms_.add(out[lane], forms_.of_symbol(shift, width), width);
        out[lane].arrays = arrays;
      } else if ((differ >> lane & 1) != 0) {
        out[lane] = forms_.unknown(reason, arrays);
      }
    }
  }
  return all;
}

Walker::Snapshot Walker::take(const std::vector<uint32_t>& registers) {
  Snapshot state;
  state.reserve(registers.size() * lanes_);
  for (const uint32_t reg : registers) state.insert(state.end(), row(reg), row(reg) + lanes_);
  return state;
}

void Walker::restore(const std::vector<uint32_t>& registers, const Snapshot& state) {
  for (size_t k = 0; k < registers.size(); ++k) std::copy_n(state.data() + k * lanes_, lanes_, row(registers[k]));
}

/// Registers written by step `at` or by anything that can follow before `stop`.
const std::vector<uint32_t>& Walker::written_between(uint32_t at, uint32_t stop) {
  const auto [entry, added] = written_.try_emplace({at, stop});
  if (!added) return entry->second;
  std::vector<char> seen(code_.steps.size(), 0), written(code_.register_bits.size(), 0);
  std::vector<uint32_t> open{at};
  seen[at] = 1;
  while (!open.empty()) {
    const uint32_t step = open.back();
    open.pop_back();
    for (const uint32_t reg : code_.steps[step].destinations) written[reg] = 1;
    for (const uint32_t next : code_.next[step]) {
      if (next != stop && seen[next] == 0) seen[next] = 1, open.push_back(next);
    }
  }
  for (uint32_t reg = 0; reg < written.size(); ++reg) {
    if (written[reg] != 0) entry->second.push_back(reg);
  }
  return entry->second;
}

}  // namespace bankshot::analysis
