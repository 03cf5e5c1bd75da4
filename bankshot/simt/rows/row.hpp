// One row is one form of a PTX instruction: its syntax in the manual's notation, its types, its unit, its meaning and
// worked examples. The checker, the decoder, the executor, docs/ptx.md and the unit tests follow from it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/module.hpp"
#include "bankshot/simt/state/instr.hpp"
#include "bankshot/simt/state/unit.hpp"

namespace bankshot::simt {

/// What the modifiers of an instruction chose.
struct Match {
  ptx::Type type = ptx::Type::none;         ///< .type, or the first type in the form
  ptx::Type type2 = ptx::Type::none;        ///< .stype / .atype: the second type in the form
  std::vector<std::string_view> modifiers;  ///< as written, matched or not
  ptx::Access access;                       ///< what the instruction does to memory
  bool has(std::string_view modifier) const;
  /// The first of `choices` that is present, or "".
  std::string_view which(std::initializer_list<std::string_view> choices) const;
};

struct Decoder;

/// Fills `out` for an instruction whose modifiers and operand count fit the row; reports errors to the decoder.
/// The default lowers the operands of the syntax in order.
using Lower = void (*)(Decoder&, const ptx::Instruction&, const Match&, Instr& out);

/// A worked example: source operands and result, each as PTX text ("0f3F800000", "-1", "true"); used by the tests.
struct Example {
  std::string_view type;  ///< ".type" of the form, e.g. "s32"; modifiers before it separated by dots: "rz.f32"
  std::vector<std::string_view> sources;
  std::string_view result;
};

struct Row {
  /// "add{.rnd}{.ftz}{.sat}.f32 d, a, b". `{…}` is optional; .rnd, .type … name a set of `sets`; anything else is
  /// literal. Operands: d, a, b, c have the type .type unless written `b:u32`; `:wide` is twice as wide, `:type2` the
  /// second type; `p`, `q` are predicates.
  std::string_view syntax;
  /// "rnd = rn rz rm rp; type = u16 u32": the sets the syntax names. `rnd` and `type` have these defaults:
  /// rnd = rn rz rm rp.
  std::string_view sets;
  Unit unit = Unit::alu;
  /// The handler for the matched types; null means the form is not supported and the module is refused.
  std::function<Handler(const Match&)> select;
  Lower lower = nullptr;
  std::vector<Example> examples = {};
  /// Unit::tensor: what a product keeps its unit busy for, in multiply-adds of 16-bit factors.
  uint32_t (*work)(const Match&) = nullptr;
};

using Rows = std::vector<Row>;

/// The rows of one instruction set of the host: "portable", "avx2", "avx512" (32 lanes) or "wide" (64 lanes).
/// Null if this build or this host does not have it.
const Rows* rows_of(std::string_view isa);
/// The widest this host can run: "avx512", "avx2" or "portable".
std::string_view best_isa();

/// The rows as a Markdown table: form, sets, unit.
std::string instruction_table(const Rows& rows);

/// A form, parsed once from a row.
struct Form {
  struct Modifier {
    bool optional = false;
    std::string set;  ///< name of the set, or the literal
    std::vector<std::string> choices;
  };
  struct Slot {
    std::string name;  ///< "d", "a", "p" …
    std::string type;  ///< "", "u32", "wide", "type2", "pred" …
  };
  std::string opcode;
  std::vector<Modifier> modifiers;
  std::vector<Slot> slots;
  const Row* row = nullptr;
};

Form parse_form(const Row& row);

/// Matches written modifiers with a form. @return false if they do not fit
bool match(const Form& form, const std::vector<std::string>& modifiers, Match& out);

}  // namespace bankshot::simt
