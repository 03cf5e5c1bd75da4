// Loops: iteration by iteration while it is known when they end, else once for any iteration.
#include <algorithm>

#include "bankshot/analysis/walker.hpp"

namespace bankshot::analysis {

const std::vector<uint32_t>& Walker::written_in(int32_t loop) {
  const auto [entry, added] = written_in_loop_.try_emplace(loop);
  if (!added) return entry->second;
  std::vector<char> written(code_.register_bits.size(), 0);
  for (uint32_t step = 0; step < code_.steps.size(); ++step) {
    if (!code_.contains(loop, step)) continue;
    for (const uint32_t reg : code_.steps[step].destinations) written[reg] = 1;
  }
  for (uint32_t reg = 0; reg < written.size(); ++reg) {
    if (written[reg] != 0) entry->second.push_back(reg);
  }
  return entry->second;
}

/// From the header to where all lanes that leave the loop meet. @return the lanes there
uint64_t Walker::enter(int32_t loop, uint64_t lanes) {
  const auto index = static_cast<size_t>(loop);
  const Loop& l = code_.loops[index];
  const std::vector<uint32_t>& region = written_between(l.header, l.after);
  const Snapshot before = take(region);
  const std::vector<uint32_t> iterations = iterations_, lasting = lasting_;
  const Context context = context_;
  const size_t events = walk_.events.size(), rounds = rounds_.size();

  states_[index] = LoopState::counted;
  iterations_[index] = 0;
  const uint64_t left = run(l.header, l.after, lanes, loop);
  states_[index] = LoopState::outside;
  iterations_ = iterations;
  if (unwind_to_ != loop) return left;

  unwind_to_ = -1;
  restore(region, before);
  lasting_ = lasting;
  context_ = context;
  walk_.events.resize(events);
  rounds_.resize(rounds);
  return any_iteration(loop, lanes);
}

/// Finds by trial how each register changes in an iteration: it is taken not to change, or to grow by the same amount
/// each time, until an iteration that starts so ends so. What is left is an invariant of the loop.
uint64_t Walker::any_iteration(int32_t loop, uint64_t lanes) {
  const auto index = static_cast<size_t>(loop);
  const Loop& l = code_.loops[index];
  const std::vector<uint32_t> region = written_between(l.header, l.after), written = written_in(loop);
  const Snapshot outside = take(region), before = take(written);
  const std::vector<uint32_t> lasting = lasting_, iterations = iterations_;
  const size_t events = walk_.events.size();
  const uint32_t first_symbol = forms_.symbols();
  const uint32_t counter = forms_.fresh_symbol("k" + std::to_string(code_.steps[l.header].ptx_line));
  std::vector<Change> changes(written.size());

  Round round;
  round.loop = loop;
  round.lanes = lanes;
  states_[index] = LoopState::any_iteration;
  bool apart = false;
  for (unsigned trial = 0;; ++trial) {
    constexpr unsigned kMostTrials = 16;
    if (trial >= kMostTrials) {
      for (Change& change : changes) change.kind = Change::Kind::unknown;
    }
    restore(region, outside);
    lasting_ = lasting;
    iterations_ = iterations;
    walk_.events.resize(events);
    Snapshot begin;
    walk_round(round, written, changes, before, counter, apart, begin);
    if (gone()) break;
    const bool revised = revise(round, written, changes, begin);
    if ((!revised || trial > kMostTrials) && round.apart <= apart) break;
    apart |= round.apart;
  }
  states_[index] = LoopState::outside;
  iterations_ = iterations;
  if (gone()) return 0;
  restore(region, outside);  // lanes that are in no exit
  round.apart = apart;
  return leave(round, region, first_symbol);
}

/// One trial: an iteration that begins with registers changed as `changes` has it, left in `begin`.
void Walker::walk_round(Round& round, const std::vector<uint32_t>& written, std::vector<Change>& changes,
                        const Snapshot& before, uint32_t counter, bool apart, Snapshot& begin) {
  const Loop& loop = code_.loops[static_cast<size_t>(round.loop)];
  const Step& header = code_.steps[loop.header];
  spend(100 + 4 * written.size());  // about what this and revise() cost
  for (size_t k = 0; k < written.size(); ++k) {
    const unsigned width = code_.register_bits[written[k]];
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      Value value = before[k * lanes_ + lane];
      if (changes[k].kind == Change::Kind::steps) {
        value = forms_.add(value, forms_.scale(forms_.of_symbol(counter, width), changes[k].step[lane], width), width);
      } else if (changes[k].kind == Change::Kind::uniform) {
        value = forms_.add(value, forms_.of_symbol(changes[k].symbol, width), width);
      } else if (changes[k].kind == Change::Kind::unknown) {
        value = forms_.unknown("changes from iteration to iteration of the loop at " + place(header), value.arrays);
      }
      row(written[k])[lane] = value;
    }
  }
  begin = take(written);
  round.exits.clear();
  round.ends.clear();
  round.apart = false;
  rounds_.push_back(&round);
  context_.loops.push_back(header.ptx_line);
  if (apart) {
    const Assumption together{
        header.ptx_line, "all lanes are assumed to execute the loop at " + place(header) + " equally often", false};
    context_.assumptions.push_back(number_of(walk_.assumption_numbers, walk_.assumptions, together));
  }
  run(loop.header, ~0u, round.lanes, round.loop);
  if (gone()) return;  // whoever catches it has the old context
  if (apart) context_.assumptions.pop_back();
  context_.loops.pop_back();
  rounds_.pop_back();
}

/// Compares the end of the iteration with its begin. @return whether a change was not as it was taken to be
bool Walker::revise(Round& round, const std::vector<uint32_t>& written, std::vector<Change>& changes,
                    const Snapshot& begin) {
  if (round.ends.empty()) return false;
  for (const auto& [lanes, state] : round.ends) round.apart |= lanes != round.lanes;
  const uint64_t lanes = meet(written, round.ends, false, "differs between paths of the loop");
  bool revised = false;
  for (size_t k = 0; k < written.size(); ++k) {
    Change& change = changes[k];
    if (change.kind == Change::Kind::unknown) continue;
    const unsigned width = code_.register_bits[written[k]];
    bool as_taken = true, known = true, same = true;
    std::optional<Value> first;
    std::vector<uint64_t> steps(lanes_);
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      const Value now = row(written[k])[lane], then = begin[k * lanes_ + lane];
      Value grown = forms_.subtract(now, then, width);
      as_taken &= now.arrays == then.arrays;
      grown.arrays = 0;
      known &= grown.form == Forms::kKnown;
      same &= !forms_.is_unknown(grown) && (!first || *first == grown);
      first = grown;
      steps[lane] = grown.bits;
      const uint64_t wanted = change.kind == Change::Kind::steps ? change.step[lane] : 0;
      as_taken &= grown == Value{wanted & low_bits(width), Forms::kKnown, 0};
    }
    if (as_taken || (change.kind == Change::Kind::uniform && same)) continue;
    revised = true;
    if (change.kind == Change::Kind::none && known) {
      change.kind = Change::Kind::steps;
      change.step = steps;
    } else if (change.kind != Change::Kind::uniform && same) {
      change.kind = Change::Kind::uniform;
      change.symbol = forms_.fresh_symbol(
          "what the loop at PTX line " +
          std::to_string(code_.steps[code_.loops[static_cast<size_t>(round.loop)].header].ptx_line) + " adds");
    } else {
      change.kind = Change::Kind::unknown;
    }
  }
  return revised;
}

/// From the loop's exits to where they meet. @param first_symbol  symbols from here on were made in the loop
uint64_t Walker::leave(Round& round, const std::vector<uint32_t>& region, uint32_t first_symbol) {
  const Loop& loop = code_.loops[static_cast<size_t>(round.loop)];
  const Step& header = code_.steps[loop.header];
  const std::string reason =
      "differs between lanes that left the loop at " + place(header) + " in different iterations";
  std::map<uint32_t, std::vector<std::pair<uint64_t, Snapshot>>> exits;
  for (Exit& exit : round.exits) {
    if (round.apart) {  // then every lane may leave here
      for (size_t k = 0; k < exit.state.size(); ++k) {
        const bool there = (exit.lanes >> (k % lanes_) & 1) != 0;
        if (!there || forms_.mentions(exit.state[k], first_symbol))
          exit.state[k] = forms_.unknown(reason, exit.state[k].arrays);
      }
      exit.lanes = round.lanes;
    }
    exits[exit.target].push_back({exit.lanes, std::move(exit.state)});
  }
  if (exits.size() > 1) {
    for (int32_t around = loop.parent; around >= 0; around = code_.loops[static_cast<size_t>(around)].parent) {
      const bool counted = states_[static_cast<size_t>(around)] == LoopState::counted;
      if (counted && !code_.contains(around, loop.after)) {  // this way out may be one of that loop as well
        unwind_to_ = around;
        return 0;
      }
    }
  }
  const Assumption way{header.ptx_line, "the exit taken from the loop at " + place(header) + " is unknown",
                       !round.apart};
  std::vector<std::pair<uint64_t, Snapshot>> arrived;
  for (const auto& [target, states] : exits) {
    const uint64_t lanes = meet(region, states, !round.apart, reason);
    if (exits.size() > 1) context_.assumptions.push_back(number_of(walk_.assumption_numbers, walk_.assumptions, way));
    const uint64_t there = run(target, loop.after, lanes);
    if (gone()) return 0;
    if (exits.size() > 1) context_.assumptions.pop_back();
    arrived.push_back({there, take(region)});
  }
  if (std::any_of(arrived.begin(), arrived.end(), [&](const auto& a) { return a.first != arrived[0].first; })) {
    lasting_.push_back(number_of(walk_.assumption_numbers, walk_.assumptions, way));
  }
  return arrived.empty() ? 0 : meet(region, arrived, !round.apart, reason);
}

}  // namespace bankshot::analysis
