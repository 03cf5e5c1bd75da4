// The execution units of an SM, and its load/store unit: which one an instruction takes, and when that is free.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "bankshot/timing/base/clock.hpp"
#include "bankshot/timing/sm/operation.hpp"

namespace bankshot::timing {

/// A unit starts so many lanes a cycle. How far it is booked is counted in lanes, so that one may start more than a
/// warp a cycle.
class ExecutionUnits {
 public:
  explicit ExecutionUnits(const Config& config) : config_(config), schedulers_(config.issue.schedulers) {
    for (unsigned k = 0; k < kUnitClasses; ++k) units_[k].assign(std::max(1u, config.units[k].count), 0);
    const LoadStoreConfig& memory = config.load_store;
    const Queue queue = {.leaves = std::vector<Cycle>(memory.sub_core_queue, 0),
                         .operand_cycles = memory.operand_cycles,
                         .spacing = memory.sub_core_cycles};
    queues_.assign(memory.sub_core_queue == 0 ? 0 : schedulers_, queue);
  }
  void begin_launch() {
    for (auto& unit : units_) std::fill(unit.begin(), unit.end(), uint64_t{0});
    load_store_ = 0;
    for (Queue& queue : queues_) std::fill(queue.leaves.begin(), queue.leaves.end(), Cycle{0});
  }

  /// A scheduler's memory instructions that hold their operands: when the last ones give them back, a ring.
  struct Queue {
    std::vector<Cycle> leaves;
    size_t next = 0;
    unsigned operand_cycles = 0;  ///< from issue until it can give them back
    unsigned spacing = 0;         ///< cycles between two that do

    Cycle free() const { return leaves[next]; }
    void take(Cycle now) {
      const Cycle last = leaves[(next + leaves.size() - 1) % leaves.size()];
      leaves[next] = std::max(now + operand_cycles, last + spacing);
      next = (next + 1) % leaves.size();
    }
  };

  /// What instructions of a scheduler wait for together: a class of units, or, as the last, the load/store unit.
  using Place = uint8_t;
  static constexpr unsigned kPlaces = kUnitClasses + 1;
  static constexpr Place kLoadStore = kUnitClasses;

  /// The unit that an instruction of a scheduler takes.
  struct Choice {
    uint64_t* booked = nullptr;  ///< cycle * lanes
    unsigned lanes = 1;          ///< that it starts a cycle
    UnitClass unit = UnitClass::alu;
    unsigned work = 32;      ///< lanes that the instruction has for it
    Queue* queue = nullptr;  ///< of a memory instruction
    Place place = 0;

    Cycle free() const { return std::max(*booked / lanes, queue == nullptr ? 0 : queue->free()); }
    void take(Cycle now) const {
      *booked = std::max(*booked, now * lanes) + work;
      if (queue != nullptr) queue->take(now);
    }
    /// Once it is taken: when it is through with the instruction.
    Cycle end() const { return (*booked + lanes - 1) / lanes; }
  };
  Choice choose(const Operation& operation, unsigned scheduler) {
    Choice choice = at(place_of(operation), scheduler);
    if (choice.place == kLoadStore) return choice;
    if (operation.in_pieces()) choice.work *= operation.slots;
    // Half of a division's instructions are its unit's: the rest is of others. Of an approximation one is.
    if (operation.is_sequence() && operation.unit != UnitClass::sfu) choice.work *= (operation.slots + 1u) / 2;
    if (operation.work != 0) choice.work = operation.work;
    if (operation.kind == Operation::Kind::product && config_.warpgroup.lanes != 0)
      choice.work = static_cast<unsigned>(uint64_t{choice.work} * choice.lanes / config_.warpgroup.lanes);
    return choice;
  }
  Place place_of(const Operation& operation) const {
    if (operation.is_access() || operation.kind == Operation::Kind::constant) return kLoadStore;
    const auto unit = static_cast<unsigned>(operation.unit);
    return static_cast<Place>(config_.units[unit].count == 0 ? static_cast<unsigned>(UnitClass::fp32) : unit);
  }
  /// When the scheduler's next instruction for the place finds its unit free.
  Cycle free(Place place, unsigned scheduler) { return at(place, scheduler).free(); }

 private:
  /// The unit there that a scheduler would take now, for an instruction of all lanes.
  Choice at(Place place, unsigned scheduler) {
    Choice choice;
    choice.work = config_.warp_size;
    choice.place = place;
    if (place == kLoadStore) {
      choice.booked = &load_store_;
      choice.lanes = std::max(1u, config_.load_store.lanes);
      if (!queues_.empty()) choice.queue = &queues_[scheduler];
      return choice;
    }
    choice.unit = static_cast<UnitClass>(place);
    std::vector<uint64_t>& units = units_[static_cast<unsigned>(choice.unit)];
    choice.booked = &units[scheduler % units.size()];
    // Units beyond one per scheduler serve any scheduler.
    for (size_t k = schedulers_; k < units.size(); ++k) {
      if (units[k] < *choice.booked) choice.booked = &units[k];
    }
    choice.lanes = std::max(1u, config_.units[static_cast<unsigned>(choice.unit)].lanes);
    return choice;
  }

  const Config& config_;
  const size_t schedulers_;
  std::array<std::vector<uint64_t>, kUnitClasses> units_;
  uint64_t load_store_ = 0;
  std::vector<Queue> queues_;  ///< by scheduler, if they are limited
};

}  // namespace bankshot::timing
