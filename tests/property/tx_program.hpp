// Random programs with transactions on shared memory, and on global memory if asked for: straight code with branches,
// the same for all threads, as PTX and for an interpreter of one thread. Of a thread: r0 … r7 of 32 bits, q0 … q3 of
// 64, h0, h1 of 16, predicates p0 … p3, the carry, loop counters c0 …, and a local array of four words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bankshot::simt::tx {

constexpr unsigned kWords = 8, kWides = 4, kHalves = 2, kPredicates = 4, kLocals = 4, kInputs = 8;
constexpr uint32_t kPrivateBytes = 16;  ///< of shared memory, of each thread

enum class Do : uint8_t {
  set,           ///< r[d] = imm
  mix,           ///< r[d] = r[a] * imm + r[b]
  fold,          ///< r[d] = (r[d] ^ r[a]) * imm
  widen,         ///< q[d] = q[d] * imm + r[a]
  narrow,        ///< r[d] ^= both halves of q[a], added
  to_half,       ///< h[d] += r[a]
  of_half,       ///< r[d] += h[a]
  compare,       ///< p[d] = (r[a] & 7) < imm
  flip,          ///< p[d] = p[d] xor p[a]
  select,        ///< r[d] = p[b] ? r[a] : r[d]
  add_out,       ///< r[d] += r[a], and the carry
  add_in,        ///< r[d] += r[a] + carry
  keep,          ///< local[r[a] & 3] = r[b]
  recall,        ///< r[d] = local[r[a] & 3]
  input,         ///< r[d] = input[r[a] & 7], of global memory
  load,          ///< r, h or q [d…] = memory
  store,         ///< memory = r or q [b…]
  atomic,        ///< r, h or q [d] = memory; memory changes by [b], [b + 1]
  call,          ///< r[d] = function(address, r[b]); outside of transactions if it has one
  count_from_0,  ///< c[d] = 0
  count,         ///< c[d] += 1
  branch_done,   ///< to `target` unless c[d] < (r[a] & imm)
  branch,        ///< to `target`, if its guard holds
  label,         ///< number `target`
  begin,
  commit,
  barrier,
};
enum class Update : uint8_t { add, exchange, compare_and_swap, least, add_no_result };

struct Op {
  Do what = Do::set;
  uint8_t d = 0, a = 0, b = 0;
  uint32_t imm = 0, target = 0;
  int8_t guard = -1;  ///< predicate; -1: none
  bool negated = false;
  // Accesses: to base + ((r[a] & imm) << shift).
  uint8_t bytes = 4, lanes = 1;  ///< of an element; elements
  uint8_t shift = 2;
  bool own = false;      ///< the thread's own part of shared memory; else the one of all
  bool global = false;   ///< words of global memory, which are those of all CTAs
  int8_t either = -1;    ///< predicate: where it holds, those; -1: none
  bool generic = false;  ///< by a generic address
  bool is_volatile = false;
  Update update = Update::add;
};

struct Program {
  std::vector<Op> code;
  uint32_t labels = 0, counters = 0;
  uint32_t zone = 64;        ///< bytes that all threads access, and only in transactions
  uint32_t global_zone = 0;  ///< … of global memory; 0: none
  uint32_t ctas = 1;
  uint32_t threads = 32;                        ///< of a CTA
  bool has_calls = false, call_begins = false;  ///< the function has a transaction of its own
  uint32_t bytes() const { return zone + threads * kPrivateBytes; }
  uint32_t words_out() const { return threads + bytes() / 4; }  ///< of a CTA
};
constexpr uint32_t kMostGlobal = 4096;  ///< bytes

/// The same seed makes the same program on every host.
/// @param global  its transactions write global memory, too
Program random_program(uint64_t seed, uint32_t threads, uint32_t ctas = 1, bool global = false);

/// Kernel `k(input, out, words)`: `words` are those of global memory; of each CTA out has r0 of every thread, then the
/// words of shared memory.
std::string ptx(const Program& program);

uint8_t initial_byte(uint32_t address);
uint32_t input_word(uint32_t index);
/// What `input` is to hold.
std::vector<uint32_t> inputs();

}  // namespace bankshot::simt::tx
