// Instructions that compute lane values, held against a reference that shares no code with them: exact integers of 128
// bits and MPFR. A rule says what one spelling of an instruction ("add.rz.ftz.f32") gives for one lane; the runner
// (run_form.hpp) has a kernel compute it for many operands on every instruction set of the host.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/simt/rows/row.hpp"

namespace bankshot::simt::conformance {

/// An operand as it is written: a register of a type, a predicate or an integer literal.
struct Slot {
  ptx::Type type = ptx::Type::none;  ///< pred for predicates
  bool literal = false;
  unsigned wider = 0;  ///< bits of the register, if it is wider than it has to be; 0 if not
  unsigned bits() const { return ptx::bits(type); }
};

/// One way to write an instruction.
struct Spelling {
  const Row* row = nullptr;
  std::string opcode;
  std::vector<std::string> modifiers;
  std::vector<ptx::Type> types;  ///< among the modifiers, in order
  std::vector<Slot> results;     ///< one, or two for d|p and p|q
  std::vector<Slot> sources;
  int64_t literal = 0;  ///< for sources that are literals

  bool has(std::string_view modifier) const;
  /// The first of `choices` that is a modifier, or "".
  std::string_view which(std::initializer_list<std::string_view> choices) const;
  ptx::Type type(size_t k = 0) const { return k < types.size() ? types[k] : ptx::Type::none; }
  std::string text() const;  ///< "add.rz.ftz.f32"
};

/// All ways to write the instructions of a row. Sets that say nothing about values (.sem, .scope …) are multiplied out
/// as well, so this is for rows whose modifiers do.
std::vector<Spelling> spellings_of(const Row& row);

/// The operands of one lane, each in the low bits; behind the written ones CC.CF, if the rule takes it.
using Sources = std::span<const uint64_t>;
/// The results of one lane, each in the low bits; behind the written ones CC.CF, if the rule gives it.
using Results = std::array<uint64_t, 2>;

/// What an instruction computes.
struct Rule {
  std::function<Results(Sources)> results;
  /// Whether another first result than that of `results` is right as well: PTX leaves it open, or promises a bound.
  std::function<bool(Sources, uint64_t got)> also = nullptr;
  bool carry_in = false, carry_out = false;
  /// A limit on how many operands are tried: instructions with very many spellings need fewer each. 0: none.
  size_t most = 0;
  /// Every pattern of a 16-bit source is tried.
  bool exhaustive = false;
  /// Operands that belong together, beside those of the grid.
  std::function<std::vector<uint64_t>(uint64_t seed)> related = nullptr;
};

/// The rule of a spelling; none if these rules do not cover it.
std::optional<Rule> rule_of(const Spelling& spelling);

// The families behind rule_of; each answers for the opcodes it knows.
std::optional<Rule> integer_rule(const Spelling& s);       ///< add … dp2a, add.cc … madc
std::optional<Rule> video_rule(const Spelling& s);         ///< vadd2 … vmax4
std::optional<Rule> scalar_video_rule(const Spelling& s);  ///< vadd … vmad
std::optional<Rule> bits_rule(const Spelling& s);          ///< and … lop3, shifts, fields, prmt
std::optional<Rule> compare_rule(const Spelling& s);       ///< setp, set, selp, slct, testp
std::optional<Rule> float_rule(const Spelling& s);   ///< add … sqrt, min, max, neg, abs, copysign of all float types
std::optional<Rule> approx_rule(const Spelling& s);  ///< .approx and .full
std::optional<Rule> small_float_rule(const Spelling& s);  ///< cvt to and from floats of 6 and 4 bits, and scale factors
std::optional<Rule> convert_rule(const Spelling& s);      ///< cvt

// What rules are made of.

inline uint64_t low_bits(uint64_t x, unsigned bits) { return bits >= 64 ? x : x & ((uint64_t{1} << bits) - 1); }
inline Results one(uint64_t x) { return {x, 0}; }

/// Of a rule for one number of `bits` bits, that for registers with `count` of them side by side.
Rule packed(Rule single, unsigned bits, unsigned count);

}  // namespace bankshot::simt::conformance
