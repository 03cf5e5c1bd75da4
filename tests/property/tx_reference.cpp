#include "tests/property/tx_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace bankshot::simt::tx {
namespace {

using scratchpad::AccessKind;

uint64_t number(const uint8_t* bytes, unsigned count) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, count);
  return value;
}

std::string hex(const std::array<uint8_t, 16>& bytes, uint32_t count) {
  std::string text;
  for (uint32_t k = 0; k < count; ++k) text += fmt::format("{:02x}", bytes[k]);
  return text;
}

uint64_t cut(uint64_t value, unsigned bytes) { return bytes == 8 ? value : value & ((uint64_t{1} << 8 * bytes) - 1); }

}  // namespace

std::string text(const Access& access) {
  const bool loads = access.kind == AccessKind::load, stores = access.kind == AccessKind::store;
  return fmt::format("{} of {} bytes at {}{}{}{}",
                     loads    ? "load"
                     : stores ? "store"
                              : "atomic",
                     access.width, access.global ? "global " : "", access.offset,
                     stores ? "" : ", seen " + hex(access.seen, access.width),
                     loads ? "" : ", left " + hex(access.left, access.width));
}

Reference::Reference(const Program& program, unsigned cta, std::vector<uint8_t>& global)
    : program_(program), global_(global), labels_(program.labels), threads_(program.threads) {
  memory.resize(program.bytes());
  for (uint32_t k = 0; k < memory.size(); ++k) memory[k] = initial_byte(k);
  for (size_t k = 0; k < program.code.size(); ++k) {
    if (program.code[k].what == Do::label) labels_[program.code[k].target] = k;
  }
  for (uint32_t thread = 0; thread < program.threads; ++thread) {
    Thread& t = threads_[thread];
    const uint32_t who = cta * program.threads + thread;
    for (uint32_t k = 0; k < kWords; ++k) t.r[k] = who * (2 * k + 1) + 77 * k;
    for (unsigned k = 0; k < kWides; ++k) t.q[k] = k;
    for (unsigned k = 0; k < kHalves; ++k) t.h[k] = static_cast<uint16_t>(k);
    for (unsigned k = 0; k < kPredicates; ++k) t.p[k] = (who >> k & 1) != 0;
    for (unsigned k = 0; k < kLocals; ++k) t.local[k] = t.r[k];
    t.counters.resize(program.counters);
  }
}

uint8_t* Reference::place(unsigned thread, const Op& op, Access& access) {
  const Thread& t = threads_[thread];
  access.global = op.global || (op.either >= 0 && t.p[static_cast<size_t>(op.either)]);
  access.offset = (op.own ? program_.zone + thread * kPrivateBytes : 0) + ((t.r[op.a] & op.imm) << op.shift);
  return (access.global ? global_ : memory).data() + access.offset;
}

void Reference::access(unsigned thread, const Op& op, std::vector<Access>& accesses) {
  Thread& t = threads_[thread];
  Access a;
  a.kind = op.what == Do::load ? AccessKind::load : op.what == Do::store ? AccessKind::store : AccessKind::atomic;
  a.width = uint32_t{op.bytes} * op.lanes;
  uint8_t* const at = place(thread, op, a);
  const auto element = [&](unsigned first) -> uint64_t {
    return cut(op.bytes == 8 ? t.q[first % kWides] : t.r[first % kWords], op.bytes);
  };
  if (op.what != Do::store) std::copy_n(at, a.width, a.seen.begin());
  if (op.what == Do::store) {
    for (unsigned k = 0; k < op.lanes; ++k) {
      const uint64_t value = element(op.b + k);
      std::memcpy(at + k * op.bytes, &value, op.bytes);
    }
  } else if (op.what == Do::atomic) {
    const uint64_t old = number(at, op.bytes), b = element(op.b), c = element(op.b + 1u);
    const uint64_t now = op.update == Update::exchange           ? b
                         : op.update == Update::least            ? std::min(old, b)
                         : op.update == Update::compare_and_swap ? (old == b ? c : old)
                                                                 : cut(old + b, op.bytes);
    std::memcpy(at, &now, op.bytes);
  }
  if (op.what != Do::load) std::copy_n(at, a.width, a.left.begin());
  if (op.what == Do::load || (op.what == Do::atomic && op.update != Update::add_no_result)) {
    for (unsigned k = 0; k < op.lanes; ++k) {
      const uint64_t value = number(a.seen.data() + k * op.bytes, op.bytes);
      if (op.bytes == 8) {
        t.q[(op.d + k) % kWides] = value;
      } else if (op.bytes == 2 && op.what == Do::atomic) {
        t.h[op.d % kHalves] = static_cast<uint16_t>(value);
      } else {
        t.r[(op.d + k) % kWords] = static_cast<uint32_t>(value);
      }
    }
  }
  if (t.depth != 0) accesses.push_back(a);
}

/// What function() of the text does.
void Reference::call(unsigned thread, const Op& op, std::vector<Access>& accesses) {
  Thread& t = threads_[thread];
  Access read, written;
  read.width = 4;
  uint8_t* const at = place(thread, op, read);
  written = read;
  written.kind = AccessKind::store;
  std::copy_n(at, 4, read.seen.begin());
  auto value = static_cast<uint32_t>(number(at, 4));
  const uint32_t argument = t.r[op.b];
  value = (value & 1) != 0 ? value ^ argument : value + argument;
  std::memcpy(at, &value, 4);
  std::copy_n(at, 4, written.left.begin());
  t.r[op.d] = value + argument;
  accesses.push_back(read);
  accesses.push_back(written);
}

/// @return whether it is of those that only change what is the thread's
bool Reference::compute(Thread& t, const Op& op) const {
  uint32_t& r = t.r[op.d % kWords];
  const uint32_t a = t.r[op.a];
  switch (op.what) {
    case Do::set: r = op.imm; break;
    case Do::mix: r = a * op.imm + t.r[op.b]; break;
    case Do::fold: r = (r ^ a) * op.imm; break;
    case Do::widen: t.q[op.d] = t.q[op.d] * op.imm + a; break;
    case Do::narrow: r ^= static_cast<uint32_t>((t.q[op.a] >> 32) + t.q[op.a]); break;
    case Do::to_half: t.h[op.d] = static_cast<uint16_t>(t.h[op.d] + a); break;
    case Do::of_half: r += t.h[op.a]; break;
    case Do::compare: t.p[op.d] = (a & 7) < op.imm; break;
    case Do::flip: t.p[op.d] = t.p[op.d] != t.p[op.a]; break;
    case Do::select: r = t.p[op.b] ? a : r; break;
    case Do::add_out: {
      const uint64_t sum = uint64_t{r} + a;
      r = static_cast<uint32_t>(sum);
      t.carry = sum >> 32 != 0;
      break;
    }
    case Do::add_in: r += a + (t.carry ? 1 : 0); break;
    case Do::keep: t.local[a & 3] = t.r[op.b]; break;
    case Do::recall: r = t.local[a & 3]; break;
    case Do::input: r = input_word(a & 7); break;
    case Do::count_from_0: t.counters[op.d] = 0; break;
    case Do::count: ++t.counters[op.d]; break;
    case Do::label:
    case Do::barrier: break;
    default: return false;
  }
  return true;
}

bool Reference::run(unsigned thread, std::vector<Access>& accesses) {
  Thread& t = threads_[thread];
  accesses.clear();
  for (unsigned steps = 0; t.at < program_.code.size(); ++steps) {
    if (steps > 1'000'000) throw std::runtime_error("the program has no end");
    const Op& op = program_.code[t.at++];
    if (op.guard >= 0 && t.p[static_cast<size_t>(op.guard)] == op.negated) continue;
    if (compute(t, op)) continue;
    switch (op.what) {
      case Do::begin: ++t.depth; break;
      case Do::commit:
        if (--t.depth == 0) return true;
        break;
      case Do::branch_done:
        if (t.counters[op.d] >= (t.r[op.a] & op.imm)) t.at = labels_[op.target];
        break;
      case Do::branch: t.at = labels_[op.target]; break;
      case Do::call:
        call(thread, op, accesses);
        if (t.depth == 0) return true;
        break;
      default: access(thread, op, accesses);
    }
  }
  return false;
}

}  // namespace bankshot::simt::tx
