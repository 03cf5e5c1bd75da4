// What writes a random kernel, in parts: generator.cpp the frame, write_*.cpp the statements.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "tests/differential/forms.hpp"
#include "tests/differential/kernel.hpp"

namespace bankshot::differential {

/// Registers that statements read and write: %h0 … of 16 bits, %r of 32, %q of 64, %f of f32, %d of f64, %p predicates.
constexpr unsigned kHalves = 6, kWords = 10, kWides = 6, kFloats = 6, kDoubles = 4, kPredicates = 6;

/// Where a statement stands.
struct Where {
  bool all_threads = false;  ///< the whole CTA gets here, as often as another thread of it
  std::string mask;          ///< register with the lanes of the warp that do; empty: who knows
  bool in_function = false;
  unsigned depth = 0;  ///< of blocks around it
  unsigned loops = 0;  ///< around it
};

/// A function: what it takes and gives back.
struct Callee {
  std::string name;
  unsigned kind = 0;  ///< 0: b32 to b32; 1: b32, b64, f32 to b64; 2: f64 and 16 bytes to 16 bytes
};

class Writer {
 public:
  explicit Writer(uint64_t seed);
  Kernel write();

 private:
  // generator.cpp
  void module_variables();
  void function(unsigned index);
  void recursive_function();
  void meeting_function();
  void entry();
  void declare_registers();
  void first_values();
  void first_values_of_function();
  void last_words();
  void zones_out();
  void block(const Where& where, unsigned statements);
  void statement(const Where& where);

  // write_registers.cpp
  void plain();  ///< an instruction of the table
  void carry_chain();
  void pack_or_unpack();
  void special_register(const Where& where);
  std::string target(Type type, bool may_be_wider = false);
  std::string source(Type type, bool may_be_wider = false);
  std::string immediate(Type type);
  std::string guard();         ///< "@%p1 ", "@!%p1 " or ""
  std::string reg(char pool);  ///< any register of a pool
  unsigned pool_size(char pool) const;

  // write_memory.cpp
  void own_memory(const Where& where);
  void local_memory();
  void read_only_memory(const Where& where);
  void atomic_on_own();
  void reduction();
  void copy_to_own();  ///< cp.async
  void fence();
  std::string value_list(Type type, unsigned count, bool written);

  // write_flow.cpp
  void branch(const Where& where, unsigned statements);
  void loop(const Where& where, unsigned statements);
  void table_branch(const Where& where, unsigned statements);
  void tangle(const Where& where);  ///< forward branches that no structure has
  void call(const Where& where);

  // write_together.cpp
  void barrier_exchange();
  void barrier_of_some();
  void barrier_reduction();
  void collective(const Where& where);
  void shuffle(const Where& where);
  void warp_exchange(const Where& where);
  void call_to_meet(const Where& where);
  void matrix();

  template <class... A>
  void line(fmt::format_string<A...> text, A&&... arguments) {
    kernel_.lines.push_back({fmt::format(text, std::forward<A>(arguments)...), group_});
  }
  uint64_t below(uint64_t n) { return random_() % n; }
  bool one_in(uint64_t n) { return below(n) == 0; }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return *(choices.begin() + below(choices.size()));
  }
  unsigned next() { return names_++; }
  /// Lines from here on are of a group of their own. @return it
  int begin() { return group_ = groups_++; }

  std::mt19937_64 random_;
  Kernel kernel_;
  int group_ = -1, groups_ = 0;
  unsigned names_ = 0;
  unsigned budget_ = 0;          ///< statements that may still be written
  std::vector<Callee> callees_;  ///< written so far
};

/// Shared by all writers; made once.
const Forms& forms();

}  // namespace bankshot::differential
