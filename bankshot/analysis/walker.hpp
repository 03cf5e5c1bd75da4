// Takes one warp through a kernel, as far as its control flow and addresses are known without data.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bankshot/analysis/code.hpp"

namespace bankshot::analysis {

struct Extent {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Extent&) const = default;
};

/// What is known of a launch.
struct Launch {
  Extent block;
  std::optional<Extent> grid;
  unsigned warp_size = 32;
  std::map<std::pair<std::string, int64_t>, uint64_t> parameters;  ///< (name, byte offset) -> bits
};

/// Something that is taken for granted, since it is not known.
struct Assumption {
  uint32_t ptx_line = 0;
  std::string text;
  bool uniform = false;  ///< it is the same for all lanes of a warp: only how often is not known, not by which lanes
  auto operator<=>(const Assumption&) const = default;
};

/// Under which circumstances an access happens: indices into Walk::assumptions, and loops that go round unknown times.
struct Context {
  std::vector<uint32_t> assumptions;
  std::vector<uint32_t> loops;
  auto operator<=>(const Context&) const = default;
};

/// The addresses of one warp access.
struct Access {
  uint64_t mask = 0;
  std::array<uint32_t, scratchpad::kMaxLanes> address{};  ///< bytes in shared memory; 0 of lanes that are off
  uint32_t form = 0;                                      ///< what is to be added to all of them (Forms)
  std::string reason;                                     ///< why the addresses are not known; empty if they are
  uint32_t arrays = 0;                                    ///< as Value::arrays
  auto operator<=>(const Access&) const = default;
};

struct Event {
  uint32_t step = 0, access = 0, context = 0;  ///< step of the code; indices into the Walk
  uint32_t iterations = 0;                     ///< index: of the loops around it, outer first
  uint32_t warp = 0;
  uint64_t cta = 0;
};

/// What the warps of a launch did. Filled by walkers; everything is kept once.
struct Walk {
  Forms forms;
  std::vector<Event> events;
  std::vector<Assumption> assumptions;
  std::vector<Context> contexts;
  std::vector<Access> accesses;
  std::vector<std::vector<uint32_t>> iterations;
  std::map<Assumption, uint32_t> assumption_numbers;
  std::map<Context, uint32_t> context_numbers;
  std::map<Access, uint32_t> access_numbers;
  std::map<std::vector<uint32_t>, uint32_t> iteration_numbers;
  uint64_t steps_left = 0;  ///< budget in warp instructions
};

/// Executes like the engine: lanes that part at a branch meet where its sides do. Where a condition is not known, both
/// sides are taken by all lanes and what differs between them is unknown afterwards. A loop that is left on a condition
/// that is not known is walked once, for any iteration: registers that change by the same amount each time are that
/// amount times the iteration's number.
class Walker {
 public:
  Walker(const Code& code, const Launch& launch, Walk& walk);

  /// @param cta  index of the CTA, or nothing: its indices stay symbols
  /// @return     false if the budget ran out
  bool run_warp(uint32_t warp, const std::optional<Extent>& cta, uint64_t cta_number);

 private:
  using Row = std::array<Value, scratchpad::kMaxLanes>;
  /// Rows of registers at some place, in the order of a list of registers.
  using Snapshot = std::vector<Value>;
  enum class LoopState : uint8_t { outside, counted, any_iteration };

  struct Side {
    uint32_t target = 0;
    uint64_t lanes = 0;  ///< that take it for sure
  };
  struct Exit {
    uint32_t target = 0;
    uint64_t lanes = 0;
    Snapshot state;
  };
  /// A loop that is walked for any iteration.
  struct Round {
    int32_t loop = -1;
    uint64_t lanes = 0;
    bool apart = false;  ///< lanes may leave it in different iterations
    std::vector<Exit> exits;
    std::vector<std::pair<uint64_t, Snapshot>> ends;  ///< of an iteration: lanes, registers written in the loop
  };
  /// How a register changes from one iteration to the next.
  struct Change {
    enum class Kind : uint8_t { none, steps, uniform, unknown } kind = Kind::none;
    std::vector<uint64_t> step;  ///< one a lane
    uint32_t symbol = 0;
  };

  // walker.cpp: control flow
  uint64_t run(uint32_t at, uint32_t stop, uint64_t lanes, int32_t entered = -1);
  uint64_t go(uint32_t at, uint32_t stop, uint64_t lanes, int32_t entered);
  bool sides_of(const Step& step, uint32_t at, uint64_t lanes, std::vector<Side>& sides, uint64_t& unsure,
                bool& uniform);
  uint64_t split(uint32_t at, const std::vector<Side>& sides);
  uint64_t both_sides(uint32_t at, const std::vector<uint32_t>& targets, uint64_t lanes, const Assumption& assumption);
  bool leaves(int32_t loop, uint32_t at, const std::vector<Side>& sides) const;
  void spend(uint64_t steps);
  bool gone() const { return unwind_to_ >= 0 || over_budget_; }
  Assumption assumption(const Step& step, const std::string& why, bool uniform) const;
  uint64_t meet(const std::vector<uint32_t>& written, const std::vector<std::pair<uint64_t, Snapshot>>& states,
                bool uniform, const std::string& reason);

  // walker_loops.cpp
  uint64_t enter(int32_t loop, uint64_t lanes);
  uint64_t any_iteration(int32_t loop, uint64_t lanes);
  void walk_round(Round& round, const std::vector<uint32_t>& written, std::vector<Change>& changes,
                  const Snapshot& before, uint32_t counter, bool apart, Snapshot& begin);
  bool revise(Round& round, const std::vector<uint32_t>& written, std::vector<Change>& changes, const Snapshot& begin);
  uint64_t leave(Round& round, const std::vector<uint32_t>& region, uint32_t first_symbol);

  // walker_steps.cpp: what one instruction does
  void compute(const Step& step, uint64_t lanes);
  void load_parameter(const Step& step, uint64_t lanes);
  void access(const Step& step, uint64_t lanes);
  void record(const Step& step, uint64_t lanes, const Row& address, bool unsure_guard);
  void read(const Source& source, unsigned width, uint64_t lanes, Row& row);
  Value special(const std::string& name, unsigned lane);
  void write(const Step& step, uint32_t reg, const Row& row, uint64_t lanes, uint64_t unsure);
  uint64_t guarded(const Step& step, uint64_t lanes, uint64_t& unsure);
  bool is_uniform(const Row& row, uint64_t lanes) const;
  std::string unknown_parts(const Value* values, size_t count) const;
  std::string reason_of(const Row& condition, uint64_t lanes) const;
  std::string place(const Step& step) const;

  Value* row(uint32_t reg) { return registers_.data() + size_t{reg} * lanes_; }
  Snapshot take(const std::vector<uint32_t>& registers);
  void restore(const std::vector<uint32_t>& registers, const Snapshot& state);
  const std::vector<uint32_t>& written_between(uint32_t at, uint32_t stop);
  const std::vector<uint32_t>& written_in(int32_t loop);
  template <class T>
  static uint32_t number_of(std::map<T, uint32_t>& numbers, std::vector<T>& all, const T& value);

  const Code& code_;
  const Launch& launch_;
  Walk& walk_;
  Forms& forms_;
  unsigned lanes_;
  std::vector<Value> registers_;
  std::vector<int32_t> header_of_;    ///< loop whose header a step is, or -1
  std::vector<LoopState> states_;     ///< of the loops
  std::vector<uint32_t> iterations_;  ///< of the loops
  std::vector<Round*> rounds_;        ///< innermost last
  Context context_;
  std::vector<uint32_t> lasting_;  ///< assumptions that hold to the end of the kernel
  int32_t unwind_to_ = -1;         ///< loop that must be walked for any iteration
  bool over_budget_ = false;
  unsigned depth_ = 0;  ///< of run() in itself
  uint32_t warp_ = 0;
  std::optional<Extent> cta_;
  uint64_t cta_number_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> written_;  ///< results of written_between()
  std::map<int32_t, std::vector<uint32_t>> written_in_loop_;
};

template <class T>
uint32_t Walker::number_of(std::map<T, uint32_t>& numbers, std::vector<T>& all, const T& value) {
  const auto [at, added] = numbers.try_emplace(value, static_cast<uint32_t>(all.size()));
  if (added) all.push_back(value);
  return at->second;
}

}  // namespace bankshot::analysis
