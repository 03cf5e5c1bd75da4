#include "bankshot/optimise/join.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "bankshot/optimise/numbers.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::optimise {
namespace {

using ptx::Access;
using ptx::Operand;

/// ptxas makes vectors of up to four elements and 16 bytes. Bytes it leaves alone.
unsigned most_bytes(unsigned element) { return element == 1 ? 1 : std::min(16u, 4 * element); }

int64_t floor_to(int64_t value, int64_t unit) {
  const int64_t rest = value % unit;
  return value - (rest < 0 ? rest + unit : rest);
}

/// Slots of a window that become one access, by first slot and number of slots.
std::vector<std::pair<unsigned, unsigned>> pieces_of(const std::array<bool, 4>& used, unsigned slots, bool store) {
  const auto count = static_cast<unsigned>(std::count(used.begin(), used.begin() + slots, true));
  // A load may read unused values: three of four are enough.
  if (count == slots || (!store && slots == 4 && count == 3)) return {{0, slots}};
  std::vector<std::pair<unsigned, unsigned>> pieces;
  for (unsigned k = 0; k < slots; k += 2) {
    if (k + 1 < slots && used[k] && used[k + 1]) {
      pieces.emplace_back(k, 2);
      continue;
    }
    if (used[k]) pieces.emplace_back(k, 1);
    if (k + 1 < slots && used[k + 1]) pieces.emplace_back(k + 1, 1);
  }
  return pieces;
}

class Planner {
 public:
  Planner(const ptx::KernelCode& code, const Control& control, const Values& values, const SeenAccesses* seen)
      : code_(code),
        control_(control),
        values_(values),
        seen_(seen),
        accesses_(code.steps().size()),
        reads_(code.entities()) {
    plan_.removed.assign(code.steps().size(), 0);
    std::vector<Effect> effects(code.steps().size());
    for (size_t k = 0; k < code.steps().size(); ++k) {
      accesses_[k] = ptx::access_of(*code.steps()[k].instruction);
      effects[k] = effect_of(*code.steps()[k].instruction, accesses_[k]);
      for (const int entity : read_by(code, code.steps()[k])) ++reads_[static_cast<size_t>(entity)];
    }
    times_ = memory_times(code, control, effects);
    effects_ = std::move(effects);
  }

  JoinPlan plan() {
    const std::vector<uint32_t>& order = control_.dominators.order;
    for (auto block = order.rbegin(); block != order.rend(); ++block) {
      const size_t steps = code_.steps().size();
      const size_t end = *block + 1 < control_.blocks.first.size() ? control_.blocks.first[*block + 1] : steps;
      for (size_t k = control_.blocks.first[*block]; k < std::min(end, steps); ++k) visit(k);
      end_run();
    }
    for (const Group& group : groups_) place_loads(group);
    return std::move(plan_);
  }

 private:
  /// Loads of one window that see the same memory. The first is on every path to the others.
  struct Group {
    unsigned bytes = 4, slots = 4;
    int64_t start = 0;
    std::vector<Element> elements;
  };
  /// Stores of one window that follow each other.
  struct Run {
    int base = 0;
    unsigned bytes = 0, slots = 0;
    int64_t start = 0;
    std::vector<Element> elements;
  };
  /// Time, base, start, bytes of an element, slots, and the type if registers are wider than the elements.
  using Key = std::tuple<uint32_t, int, int64_t, unsigned, unsigned, int>;

  const ptx::Instruction& at(size_t step) const { return *code_.steps()[step].instruction; }

  void visit(size_t k) {
    const Access& access = accesses_[k];
    const bool plain = is_plain_shared(access) && !wide_byte_vector(access) && access.bytes() != 0;
    if (plain && access.kind == Access::Kind::store && !at(k).guard) {
      add_store(k, access);
      return;
    }
    if (effects_[k].writes || effects_[k].reads || splits_block(at(k))) end_run();
    // A register that a store of the run has yet to read must keep its value.
    for (const int entity : written_by(code_, code_.steps()[k])) {
      if (run_reads(entity)) end_run();
    }
    if (plain && access.kind == Access::Kind::load) add_load(k, access);
  }

  static bool wide_byte_vector(const Access& access) { return ptx::bits(access.type) == 8 && access.elements > 1; }

  bool run_reads(int entity) const {
    return std::any_of(run_.elements.begin(), run_.elements.end(), [&](const Element& e) {
      const ptx::Step& step = code_.steps()[e.step];
      const std::vector<int> read = read_by(code_, step);
      return std::find(read.begin(), read.end(), entity) != read.end();
    });
  }

  /// Window of an element: its start and the number of its slots.
  std::pair<int64_t, unsigned> window(const Linear& address, unsigned bytes) const {
    const uint64_t aligned = uint64_t{1} << std::min(values_.zeros(address.base), 6u);
    const auto span = static_cast<int64_t>(std::max<uint64_t>(bytes, std::min<uint64_t>(aligned, most_bytes(bytes))));
    return {floor_to(address.offset, span), static_cast<unsigned>(span) / bytes};
  }

  std::vector<Element> elements_of(size_t k, const Access& access) const {
    std::vector<Element> elements;
    const unsigned bytes = access.bytes() / access.elements;
    const Linear start = values_.address(k, address_operand(at(k)));
    for (unsigned n = 0; n < access.elements; ++n) {
      Linear address = start;
      address.offset = plus(address.offset, n * bytes);
      elements.push_back({k, n, address});
    }
    return elements;
  }

  int register_of(const Element& element) const {
    const Operand& data = data_operand(at(element.step), element.index);
    return data.kind == Operand::Kind::identifier ? code_.entity(code_.steps()[element.step], data.name) : -1;
  }

  void add_load(size_t k, const Access& access) {
    const unsigned bytes = access.bytes() / access.elements;
    std::vector<Element> live;
    bool wider = false;
    for (const Element& element : elements_of(k, access)) {
      const int entity = register_of(element);
      if (entity < 0 || reads_[static_cast<size_t>(entity)] == 0) continue;
      wider |= ptx::bits(code_.variable(entity).type) > 8 * bytes;
      live.push_back(element);
    }
    const bool guarded = at(k).guard.has_value();
    if (guarded && access.elements > 1) return;
    if (live.empty()) {
      plan_.removed[k] = 1;
      return;
    }
    // A vector of the text is aligned to its size, whatever its address is made of.
    const bool in_its_own = access.elements > 1 && window(live[0].address, bytes).second < access.elements;
    for (const Element& element : live) {
      auto [start, slots] = window(element.address, bytes);
      if (in_its_own) {
        start = minus(element.address.offset, static_cast<int64_t>(element.index * bytes));
        slots = access.elements;
      }
      if (!guarded && !is_relaxed(k) && access.elements == 1 && forward(element, bytes)) return;
      const Key key{times_[k], element.address.base, start, bytes, slots, wider ? static_cast<int>(access.type) : -1};
      std::vector<size_t>& known = by_key_[key];
      const auto found = std::find_if(known.begin(), known.end(), [&](size_t g) {
        return control_.dominates(groups_[g].elements[0].step, k) && may_share(groups_[g], element);
      });
      if (found != known.end()) {
        groups_[*found].elements.push_back(element);
      } else {
        if (!guarded) known.push_back(groups_.size());  // what runs in some lanes only brings no others along
        groups_.push_back({bytes, slots, start, {element}});
      }
    }
  }

  bool is_relaxed(size_t step) const { return accesses_[step].order == Access::Order::relaxed; }

  /// A relaxed load is performed wherever it stands, as programs poll by it: it joins others of its block, and is
  /// neither moved further nor left out.
  bool may_share(const Group& group, const Element& element) const {
    return std::all_of(group.elements.begin(), group.elements.end(), [&](const Element& other) {
      if (!is_relaxed(element.step) && !is_relaxed(other.step)) return true;
      return control_.blocks.of[other.step] == control_.blocks.of[element.step] && !(other.address == element.address);
    });
  }

  /// The load reads what the last store wrote.
  bool forward(const Element& load, unsigned bytes) {
    const uint32_t time = times_[load.step];
    if (time == 0 || time > code_.steps().size()) return false;
    const size_t store = time - 1;
    const Access& access = accesses_[store];
    if (access.kind != Access::Kind::store || !is_plain_shared(access) || is_relaxed(store) || at(store).guard ||
        access.bytes() / access.elements != bytes || bytes < 4 || !control_.dominates(store, load.step))
      return false;
    for (const Element& element : elements_of(store, access)) {
      if (!(element.address == load.address)) continue;
      const Operand& data = data_operand(at(store), element.index);
      const int entity = register_of(element);
      const bool constant =
          data.kind == Operand::Kind::integer || data.kind == Operand::Kind::f32 || data.kind == Operand::Kind::f64;
      const ptx::Step& step = code_.steps()[load.step];
      const bool visible = entity >= 0 && values_.writes(entity) == 1 && code_.entity(step, data.name) == entity &&
                           ptx::bits(code_.variable(entity).type) == 8 * bytes;
      if ((!constant && !visible) || ptx::bits(code_.variable(register_of(load)).type) != 8 * bytes) return false;
      plan_.removed[load.step] = 1;
      plan_.forwards.push_back({load, element});
      return true;
    }
    return false;
  }

  void add_store(size_t k, const Access& access) {
    const unsigned bytes = access.bytes() / access.elements;
    const std::vector<Element> elements = elements_of(k, access);
    auto [start, slots] = window(elements[0].address, bytes);
    if (slots < access.elements) start = elements[0].address.offset, slots = access.elements;
    const bool goes_on = !run_.elements.empty() && run_.base == elements[0].address.base && run_.bytes == bytes &&
                         run_.slots == slots && run_.start == start &&
                         code_.steps()[run_.elements[0].step].scope == code_.steps()[k].scope;
    if (!goes_on) {
      end_run();
      run_ = {elements[0].address.base, bytes, slots, start, {}};
    }
    run_.elements.insert(run_.elements.end(), elements.begin(), elements.end());
  }

  void end_run() {
    const Run run = std::move(run_);
    run_ = {};
    if (run.elements.empty() || run.elements.front().step == run.elements.back().step) return;
    std::array<const Element*, 4> last{};
    for (const Element& element : run.elements) {
      const auto slot = static_cast<size_t>(element.address.offset - run.start) / run.bytes;
      last[slot] = &element;
    }
    std::array<bool, 4> used{};
    for (size_t k = 0; k < 4; ++k) used[k] = last[k] != nullptr;
    for (const Element& element : run.elements) plan_.removed[element.step] = 1;
    const auto piece_of = [&](unsigned first, unsigned slots) {
      Piece piece{0, run.start + first * run.bytes, run.bytes, slots, {}};
      for (unsigned k = first; k < first + slots; ++k) {
        piece.elements.push_back(*last[k]);
        piece.at = std::max(piece.at, last[k]->step);
      }
      return piece;
    };
    for (Piece& piece : as_seen(pieces_of(used, run.slots, true), used, piece_of)) {
      if (is_as_written(piece)) {
        plan_.removed[piece.at] = 0;
        continue;
      }
      plan_.stores.push_back(std::move(piece));
    }
  }

  void place_loads(const Group& group) {
    std::array<bool, 4> used{};
    const auto slot = [&](const Element& e) {
      return static_cast<unsigned>((e.address.offset - group.start) / group.bytes);
    };
    for (const Element& element : group.elements) used[slot(element)] = true;
    const auto piece_of = [&](unsigned first, unsigned slots) {
      Piece piece{0, group.start + first * group.bytes, group.bytes, slots, {}};
      for (const Element& element : group.elements) {
        if (slot(element) >= first && slot(element) < first + slots) piece.elements.push_back(element);
      }
      return piece;
    };
    for (Piece& piece : as_seen(pieces_of(used, group.slots, false), used, piece_of)) {
      piece.at = piece.elements[0].step;
      const bool leads = !at(piece.at).guard && std::all_of(piece.elements.begin(), piece.elements.end(), [&](auto& e) {
        return control_.dominates(piece.at, e.step);
      });
      if (!leads) piece.at = group.elements[0].step;
      if (is_as_written(piece)) continue;
      for (const Element& element : piece.elements) plan_.removed[element.step] = 1;
      plan_.loads.push_back(std::move(piece));
    }
  }

  /// The pieces as machine code has them, as far as it was seen: each is halved until it is no wider than the widest
  /// access at its lines. Where machine code has none, ptxas moved it to another line, and the model's word counts;
  /// likewise where it has wider ones, as it knows more (a loop that it unrolled).
  template <class PieceOf>
  std::vector<Piece> as_seen(const std::vector<std::pair<unsigned, unsigned>>& ranges, const std::array<bool, 4>& used,
                             const PieceOf& piece_of) const {
    std::vector<Piece> pieces;
    for (const auto& [first, slots] : ranges) {
      Piece piece = piece_of(first, slots);
      if (slots == 1 || !is_too_wide(piece)) {
        pieces.push_back(std::move(piece));
        continue;
      }
      std::vector<std::pair<unsigned, unsigned>> halves;
      for (const unsigned half : {first, first + slots / 2}) {
        std::array<bool, 4> own{};
        for (unsigned k = 0; k < slots / 2; ++k) own[k] = used[half + k];
        for (const auto& [at, count] : pieces_of(own, slots / 2, true)) halves.emplace_back(half + at, count);
      }
      for (Piece& half : as_seen(halves, used, piece_of)) pieces.push_back(std::move(half));
    }
    return pieces;
  }

  bool is_too_wide(const Piece& piece) const {
    if (seen_ == nullptr) return false;
    unsigned widest = 0;
    for (const Element& element : piece.elements) {
      const auto line = seen_->lines.find(at(element.step).position.line);
      if (line == seen_->lines.end()) continue;
      const bool store = accesses_[element.step].kind == Access::Kind::store;
      const std::set<unsigned>& widths = store ? line->second.stores : line->second.loads;
      if (!widths.empty()) widest = std::max(widest, *widths.rbegin());
    }
    return widest != 0 && piece.bytes * piece.slots > widest;
  }

  /// It is just one access of the text.
  bool is_as_written(const Piece& piece) const {
    const size_t step = piece.elements[0].step;
    return accesses_[step].elements == piece.slots && piece.elements.size() == piece.slots &&
           std::all_of(piece.elements.begin(), piece.elements.end(), [&](auto& e) { return e.step == step; });
  }

  const ptx::KernelCode& code_;
  const Control& control_;
  const Values& values_;
  const SeenAccesses* seen_;
  std::vector<Access> accesses_;
  std::vector<Effect> effects_;
  std::vector<uint32_t> times_;
  std::vector<uint32_t> reads_;  ///< by entity
  std::vector<Group> groups_;
  std::map<Key, std::vector<size_t>> by_key_;
  Run run_;
  JoinPlan plan_;
};

}  // namespace

const Operand& address_operand(const ptx::Instruction& instruction) {
  return instruction.operands[ptx::access_of(instruction).kind == Access::Kind::store ? 0 : 1];
}

const Operand& data_operand(const ptx::Instruction& instruction, size_t index) {
  const Operand& data = instruction.operands[ptx::access_of(instruction).kind == Access::Kind::store ? 1 : 0];
  return data.kind == Operand::Kind::vector ? data.elements[index] : data;
}

JoinPlan plan_joins(const ptx::KernelCode& code, const Control& control, const Values& values,
                    const SeenAccesses* seen) {
  return Planner(code, control, values, seen).plan();
}

}  // namespace bankshot::optimise
