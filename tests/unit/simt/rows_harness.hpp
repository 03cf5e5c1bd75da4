// Runs one instruction of one table of rows on a buffer of registers, without a program around it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/simt/rows/row.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt::testing {

constexpr std::string_view kIsas[] = {"portable", "avx2", "avx512", "wide"};
inline unsigned lanes_of_isa(std::string_view isa) { return isa == "wide" ? 64 : 32; }
inline uint64_t all_lanes(unsigned lanes) { return lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1; }

/// Registers r0, r1 … of any type: a row of up to 64 lanes of up to 8 bytes, or a predicate.
struct Registers {
  static constexpr unsigned kCount = 10, kRowBytes = 512;
  alignas(64) std::array<std::byte, kCount * kRowBytes> bytes{};

  static uint32_t offset(unsigned r) { return r * kRowBytes; }
  /// The value of a lane, zero-extended. @param width  bytes; 0 for a predicate
  uint64_t get(unsigned r, unsigned width, unsigned lane) const;
  void set(unsigned r, unsigned width, unsigned lane, uint64_t value);
};

/// An operand of a prepared instruction, in the order of the text (`p|q` is two).
struct Place {
  unsigned reg = 0;
  unsigned width = 0;  ///< bytes; 0 for a predicate
  bool writes = false;
  bool literal = false;  ///< an integer literal: no register
};

struct Prepared {
  Instr instr;
  std::vector<Place> places;
  std::string text;  ///< "add.sat.s32"
};

/// How to write the source operands.
struct Spelling {
  std::vector<bool> negated;      ///< by source operand, predicates only
  std::vector<int64_t> literals;  ///< by source operand, for slots of type `literal`
};

/// Matches, selects and lowers an instruction of `row`. @param modifiers  without dots
/// @return nothing if the row has no such form or its operands are not plain registers
std::optional<Prepared> prepare(const Row& row, const std::vector<std::string>& modifiers,
                                const Spelling& spelling = {});

/// The instruction whose text is "add.sat.s32", in the first row it fits with this number of slots (0: any).
std::optional<Prepared> prepare(const Rows& rows, std::string_view text, size_t slots = 0);

/// All ways to write the modifiers of a form.
std::vector<std::vector<std::string>> spellings(const Form& form);

/// Executes it for the active lanes. The floating-point mode is back to the default afterwards.
/// @param carry  CC.CF, changed
void execute(const Prepared& prepared, Registers& registers, uint64_t active, uint64_t& carry);

std::vector<std::string> split(std::string_view text, char separator);

}  // namespace bankshot::simt::testing
