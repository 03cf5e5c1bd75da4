#include "tests/property/tx_program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <utility>

namespace bankshot::simt::tx {
namespace {

class Writer {
 public:
  Writer(uint64_t seed, uint32_t threads, uint32_t ctas, bool global) : random_(seed) {
    program_.threads = threads;
    program_.ctas = ctas;
    global_ = global;
    program_.zone = std::array{16u, 32u, 64u, 64u, 128u, 1024u, 4096u}[pick(7)];
    most_calls_ = pick(4) == 0 ? 3 : 0;
    program_.call_begins = pick(2) != 0;
    polls_ = pick(8) == 0;
    if (global_) program_.global_zone = std::array{16u, 16u, 32u, 64u, 256u, kMostGlobal}[pick(6)];
  }

  Program write() {
    const unsigned parts = 1 + pick(3);
    for (unsigned k = 0; k < parts; ++k) {
      if (k != 0 && pick(2) != 0) add({.what = Do::barrier});
      statements(pick(3), 2, false);
      transaction(pick(3) == 0 ? 2 : 1);
    }
    if (global_) always_global();
    statements(pick(3), 2, false);
    checksum();
    return std::move(program_);
  }

 private:
  struct Loop {
    uint32_t again, out;
  };

  uint32_t pick(uint32_t below) { return static_cast<uint32_t>(random_() % below); }
  uint8_t pick8(uint32_t below) { return static_cast<uint8_t>(pick(below)); }
  void add(const Op& op) { program_.code.push_back(op); }
  uint32_t new_label() { return program_.labels++; }
  void label(uint32_t number) { add({.what = Do::label, .target = number}); }
  void go(uint32_t to, int predicate = -1, bool negated = false) {
    add({.what = Do::branch, .target = to, .guard = static_cast<int8_t>(predicate), .negated = negated});
  }
  void go_if_any(uint32_t to) {
    const auto predicate = static_cast<int>(pick(kPredicates));
    go(to, predicate, pick(2) != 0);
  }
  Op guarded(Op op) {
    if (pick(5) == 0) {
      op.guard = static_cast<int8_t>(pick(kPredicates));
      op.negated = pick(2) != 0;
    }
    return op;
  }

  void statements(unsigned count, unsigned depth, bool in) {
    for (unsigned k = 0; k < count; ++k) statement(depth, in);
  }

  void statement(unsigned depth, bool in) {
    const unsigned what = pick(20);
    if (what < (in ? 9u : 3u)) return access(in);
    if (what == 9 && depth != 0) return branch(depth, in);
    if (what == 10 && depth != 0) return loop(depth, in);
    if (what == 14 && in && polls_) return poll();
    if (what == 13 && !loops_.empty() && pick(4) == 0) return leave_loop();
    if (what == 11 && in && depth != 0) {
      const std::vector<Loop> around = std::exchange(loops_, {});
      add({.what = Do::begin});  // nested: flattened
      statements(1 + pick(2), depth - 1, true);
      add({.what = Do::commit});
      loops_ = around;
      return;
    }
    if (what == 11 && !in && depth != 0) return transaction(depth - 1);
    if (what == 12 && (in || program_.call_begins) && most_calls_ != 0) {
      --most_calls_;
      program_.has_calls = true;
      Op op{.what = Do::call, .d = pick8(kWords), .a = pick8(kWords), .b = pick8(kWords)};
      choose_memory(op);
      op.imm = room(op) / 4 - 1;
      return add(op);
    }
    compute();
  }

  void compute() {
    Op op;
    op.d = pick8(kWords), op.a = pick8(kWords), op.b = pick8(kWords);
    op.imm = static_cast<uint32_t>(random_()) | 1;
    op.what = std::array{Do::set,     Do::mix,     Do::mix,     Do::fold,    Do::fold,    Do::widen,
                         Do::narrow,  Do::to_half, Do::of_half, Do::select,  Do::compare, Do::compare,
                         Do::compare, Do::flip,    Do::add_out, Do::add_out, Do::add_in,  Do::add_in,
                         Do::keep,    Do::keep,    Do::recall,  Do::input,   Do::input,   Do::input}[pick(24)];
    switch (op.what) {
      case Do::widen: op.d %= kWides; break;
      case Do::narrow: op.a %= kWides; break;
      case Do::to_half: op.d %= kHalves; break;
      case Do::of_half: op.a %= kHalves; break;
      case Do::compare: op.d %= kPredicates, op.imm = 1 + pick(7); break;
      case Do::flip: op.d %= kPredicates, op.a %= kPredicates; break;
      case Do::select: op.b %= kPredicates; break;
      case Do::input: op.is_volatile = pick(2) != 0; break;
      default: break;
    }
    add(guarded(op));
  }

  uint32_t room(const Op& op) const {
    if (op.either >= 0) return std::min(program_.zone, program_.global_zone);
    return op.global ? program_.global_zone : op.own ? kPrivateBytes : program_.zone;
  }
  /// An access of all threads may go to global memory, or that of some lanes.
  void choose_memory(Op& op) {
    if (!global_ || op.own) return;
    const unsigned where = pick(8);
    op.global = where < 4;
    if (where == 4) op.either = static_cast<int8_t>(pick(kPredicates));
  }

  /// Where, within the part of memory that it may access.
  void place(Op& op) {
    const uint32_t size = uint32_t{op.bytes} * op.lanes, room = this->room(op);
    const auto least = static_cast<unsigned>(std::countr_zero(size)),
               most = static_cast<unsigned>(std::countr_zero(room));
    op.shift = static_cast<uint8_t>(least + pick(std::min(most - least + 1, pick(2) != 0 ? 1u : 6u)));
    op.imm = (room >> op.shift) - 1;
    // Few words are wanted by many threads.
    if (pick(2) != 0) op.imm &= (1u << pick(4)) - 1;
  }

  void access(bool in) {
    Op op;
    op.own = !in || pick(6) == 0;
    op.generic = pick(8) == 0;
    if (in) choose_memory(op);
    op.d = pick8(kWords), op.a = pick8(kWords), op.b = pick8(kWords);
    op.what = std::array{Do::load, Do::load, Do::store, Do::store, Do::atomic}[pick(5)];
    if (op.what == Do::atomic) {
      op.update = std::array{Update::add, Update::exchange, Update::compare_and_swap, Update::least,
                             Update::add_no_result}[pick(5)];
      op.bytes = op.update == Update::compare_and_swap && pick(3) == 0 ? 2 : pick(4) == 0 ? 8 : 4;
    } else {
      op.bytes = std::array<uint8_t, 6>{1, 2, 4, 4, 4, 8}[pick(6)];
      op.lanes = std::array<uint8_t, 6>{1, 1, 1, 1, 2, 4}[pick(6)];
      if (op.bytes * op.lanes > 16) op.lanes = 2;
      op.is_volatile = op.what == Do::load && op.lanes == 1 && pick(4) == 0;
    }
    place(op);
    add(guarded(op));
  }

  /// So many accesses that may be polls that the warp lets others run.
  void poll() {
    const uint32_t again = new_label(), out = new_label();
    const auto counter = static_cast<uint8_t>(program_.counters++);
    add({.what = Do::count_from_0, .d = counter});
    label(again);
    add({.what = Do::branch_done, .d = counter, .a = pick8(kWords), .imm = 127, .target = out});
    add({.what = Do::count, .d = counter});
    Op op{.what = Do::load, .d = pick8(kWords), .a = pick8(kWords), .is_volatile = true};
    choose_memory(op);
    place(op);
    add(op);
    go(again);
    label(out);
  }

  void branch(unsigned depth, bool in) {
    const uint32_t other = new_label(), behind = new_label();
    if (pick(2) != 0) compare();
    go_if_any(other);
    statements(1 + pick(3), depth - 1, in);
    if (pick(3) != 0) {
      go(behind);
      label(other);
      statements(1 + pick(3), depth - 1, in);
    } else {
      label(other);
    }
    label(behind);
  }

  void compare() { add({.what = Do::compare, .d = pick8(kPredicates), .a = pick8(kWords), .imm = 1 + pick(7)}); }

  void loop(unsigned depth, bool in) {
    const uint32_t again = new_label(), out = new_label();
    const auto counter = static_cast<uint8_t>(program_.counters++);
    loops_.push_back({again, out});
    add({.what = Do::count_from_0, .d = counter});
    label(again);
    add({.what = Do::branch_done, .d = counter, .a = pick8(kWords), .imm = 1 + 2 * pick(2), .target = out});
    add({.what = Do::count, .d = counter});
    statements(1 + pick(3), depth - 1, in);
    if (pick(3) == 0) leave_loop();
    if (pick(3) == 0) statement(0, in);
    loops_.pop_back();
    go(again);
    label(out);
  }

  /// A break or continue, of any loop around that is in the same transaction.
  void leave_loop() {
    const Loop loop = loops_[pick(static_cast<uint32_t>(loops_.size()))];
    go_if_any(pick(3) == 0 ? loop.again : loop.out);
  }

  void body(unsigned depth) { statements(2 + pick(5), depth, true); }

  void transaction(unsigned depth) {
    const std::vector<Loop> around = std::exchange(loops_, {});
    transaction_alone(depth);
    loops_ = around;
  }

  void transaction_alone(unsigned depth) {
    const unsigned shape = pick(8);
    const int predicate = static_cast<int>(pick(kPredicates));
    if (shape == 0) {  // begins at one of two places
      const uint32_t other = new_label(), behind = new_label();
      compare();
      go(other, predicate);
      add({.what = Do::begin});
      statements(pick(3), depth, true);
      go(behind);
      label(other);
      add({.what = Do::begin});
      statements(pick(2), depth, true);
      label(behind);
      body(depth);
      return add({.what = Do::commit});
    }
    add({.what = Do::begin});
    if (shape == 1) {  // commits at one of two places
      const uint32_t other = new_label(), behind = new_label();
      body(depth);
      go(other, predicate);
      statements(pick(3), depth, true);
      add({.what = Do::commit});
      statements(pick(3), 0, false);
      go(behind);
      label(other);
      statements(pick(3), depth, true);
      add({.what = Do::commit});
      statements(pick(2), 0, false);
      return label(behind);
    }
    if (shape == 2) {  // commits in a loop, and leaves it
      const uint32_t again = new_label(), leave = new_label(), done = new_label(), out = new_label();
      const auto counter = static_cast<uint8_t>(program_.counters++);
      add({.what = Do::count_from_0, .d = counter});
      label(again);
      statements(1 + pick(3), depth, true);
      go(leave, predicate);
      add({.what = Do::branch_done, .d = counter, .a = pick8(kWords), .imm = 3, .target = done});
      add({.what = Do::count, .d = counter});
      go(again);
      label(leave);
      statements(pick(2), depth, true);
      add({.what = Do::commit});
      statements(pick(2), 0, false);
      go(out);
      label(done);
      add({.what = Do::commit});
      return label(out);
    }
    body(depth);
    add({.what = Do::commit});
  }

  /// So that they may write it for sure.
  void always_global() {
    add({.what = Do::begin});
    add({.what = Do::atomic, .a = pick8(kWords), .imm = 1, .global = true, .update = Update::add_no_result});
    add({.what = Do::commit});
  }

  /// All that a thread has goes into r0.
  void checksum() {
    const auto fold = [&](uint8_t a) { add({.what = Do::fold, .d = 0, .a = a, .imm = 0x9e3779b1u}); };
    add({.what = Do::set, .d = 0, .a = 0, .imm = 0, .guard = 0});
    add({.what = Do::add_in, .d = 0, .a = 1});
    for (uint8_t k = 1; k < kWords; ++k) fold(k);
    for (uint8_t k = 0; k < kWides; ++k) add({.what = Do::narrow, .d = 0, .a = k}), fold(1);
    for (uint8_t k = 0; k < kHalves; ++k) add({.what = Do::of_half, .d = 0, .a = k}), fold(2);
    for (uint8_t k = 0; k < kPredicates; ++k) {
      add({.what = Do::set, .d = 1, .imm = 0x1234567u * (k + 1u), .guard = static_cast<int8_t>(k)});
      fold(1);
    }
    for (uint8_t k = 0; k < kLocals; ++k) {
      add({.what = Do::set, .d = 1, .imm = k});
      add({.what = Do::recall, .d = 2, .a = 1});
      fold(2);
    }
  }

  std::mt19937_64 random_;
  Program program_;
  unsigned most_calls_ = 0;
  bool polls_ = false, global_ = false;
  std::vector<Loop> loops_;  ///< around, of the same transaction
};

}  // namespace

Program random_program(uint64_t seed, uint32_t threads, uint32_t ctas, bool global) {
  return Writer(seed, threads, ctas, global).write();
}

uint8_t initial_byte(uint32_t address) {
  return static_cast<uint8_t>((address / 4 * 0x9e3779b1u + 0x1234567u) >> 8 * (address % 4));
}
uint32_t input_word(uint32_t index) { return (index + 3) * 0x85ebca6bu; }
std::vector<uint32_t> inputs() {
  std::vector<uint32_t> all(kInputs);
  for (uint32_t k = 0; k < kInputs; ++k) all[k] = input_word(k);
  return all;
}

}  // namespace bankshot::simt::tx
