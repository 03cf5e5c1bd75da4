// A PTX module as data: what the parser makes and the printer writes. Nothing here knows what an instruction means.
// Source: PTX ISA manual, chapters 4 (syntax), 5 (state spaces, types), 6 (operands), 11 (directives).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bankshot/support/diagnostic.hpp"

namespace bankshot::ptx {

enum class Space : uint8_t { generic, reg, sreg, constant, global, local, param, shared, tex };

/// Fundamental and packed types. `opaque` stands for .texref, .samplerref and .surfref.
enum class Type : uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  f32,
  f64,
  tf32,
  f16x2,
  bf16x2,
  u16x2,
  s16x2,
  f32x2,
  e4m3,
  e5m2,
  e4m3x2,
  e5m2x2,
  opaque
};

/// Size in bits; 0 for none and opaque, 1 for pred.
unsigned bits(Type type);
/// One floating-point number a register can hold by itself: f16, bf16, f32 or f64.
bool is_float(Type type);
/// "f32", without the dot.
std::string_view name(Type type);
/// Type::none if there is none of that name. @param name without the dot
Type type_named(std::string_view name);
/// "shared", without the dot; empty for generic.
std::string_view name(Space space);

/// Operand of an instruction or element of an initialiser.
struct Operand {
  enum class Kind : uint8_t {
    identifier,  ///< register, label, variable, function or special register (`%tid.x` is one identifier)
    integer,     ///< `integer` holds the value's 64 bits; unsigned suffix U in `is_unsigned`
    f32,         ///< 0fXXXXXXXX: bits in the low half of `integer`
    f64,         ///< 0dXXXXXXXXXXXXXXXX or decimal: bits in `integer`
    address,     ///< [name], [name+offset], [offset], [name, {coordinates}] (elements: what follows the comma)
    vector,      ///< {a, b, …}
    list,        ///< (a, b, …): arguments of a call
    pair,        ///< a|b: two destinations
    sum,         ///< name+offset: address of a variable plus a constant; generic(name)+offset sets `generic`
    sink,        ///< _
    string,      ///< "…" (only in some directives)
    field,       ///< name = value (in `elements`): initialiser of a sampler
  };
  Kind kind = Kind::sink;
  bool negated = false;      ///< `!p`
  bool is_unsigned = false;  ///< integer with suffix U
  bool generic = false;      ///< generic(name) in an initialiser
  Position position;
  std::string name;     ///< identifier; base of address or sum (empty if the base is a number)
  int64_t integer = 0;  ///< value bits; offset of address or sum; -1 of an identifier behind a minus (vmad)
  uint64_t mask =
      0;  ///< sum: 0xFF00(name) is one byte of an address; identifier: name.b1 is one of a register; 0 = all
  std::vector<Operand> elements;
};

struct Guard {
  std::string name;
  bool negated = false;
};

/// `@p mnemonic.modifier.modifier a, b, c;`
struct Instruction {
  Position position;
  std::optional<Guard> guard;
  std::string opcode;                  ///< "add"
  std::vector<std::string> modifiers;  ///< {"rn", "ftz", "f32"}, in order, without dots; "shared::cta" is one modifier
  std::vector<Operand> operands;
  /// For an access that stands for several of the text (bankshot/optimise): how many, and their names.
  uint32_t joined = 1;
  std::string written;
  /// Machine instructions that it becomes (bankshot/optimise): 0 if it is part of another one.
  uint8_t slots = 1;
  bool multiplies = false;  ///< an addition of which a product is a part: the multiplier does both
};

/// , function_name label {+ offset}, inlined_at file line column
struct Inlining {
  std::string function_label;
  int64_t function_offset = 0;
  uint32_t file = 0, line = 0, column = 0;
};

/// .loc: the source place of the instructions that follow.
struct Location {
  using Inlined = Inlining;
  Position position;
  uint32_t file = 0, line = 0, column = 0;
  std::optional<Inlined> inlined;
};

struct Label {
  Position position;
  std::string name;
};

/// `.pragma "text";` in a module, a function or a body
struct Pragma {
  Position position;
  std::vector<std::string> texts;  ///< contents without the quotes
};

/// Any variable: registers, parameters, shared, global, const and local arrays.
struct Variable {
  Position position;
  std::string linkage;  ///< "", "visible", "extern", "weak", "common"
  Space space = Space::reg;
  uint32_t align = 0;   ///< bytes; 0 = natural
  uint32_t vector = 1;  ///< 1, 2, 4 (.v2, .v4)
  Type type = Type::none;
  std::string opaque;                               ///< "texref", "samplerref" or "surfref" when type is opaque
  std::string name;                                 ///< without the range
  uint32_t range = 0;                               ///< `%r<10>` declares %r0 … %r9; 0 = a single name
  std::vector<std::optional<uint64_t>> dimensions;  ///< empty for a scalar; nullopt for [] without initialiser
  bool has_initialiser = false;
  /// Flattened, outermost first, short rows filled with zeros but for the last; `vector` elements (.v2, .v4) stay
  /// nested.
  std::vector<Operand> initialiser;
  std::vector<std::string> attributes;   ///< .attribute(.managed): {"managed"}; unified(a,b) verbatim
  bool is_pointer = false;               ///< .param … .ptr
  Space pointer_space = Space::generic;  ///< .ptr .global
  uint32_t pointer_align = 0;            ///< .ptr … .align N
};

/// Bytes of a variable with all dimensions ([] counts 0).
uint64_t size_of(const Variable& variable);
/// Alignment in bytes, natural if none is given.
uint32_t alignment_of(const Variable& variable);

/// label: .branchtargets a, b;   .calltargets f, g;
struct Targets {
  Position position;
  std::string label;
  bool calls = false;
  std::vector<std::string> names;
};

/// .maxntid 256, 1, 1 and its relatives: name without the dot and its numbers.
struct Performance {
  Position position;
  std::string name;  ///< maxntid, reqntid, minnctapersm, maxnreg, reqnctapercluster, explicitcluster, …
  std::vector<uint64_t> values;
};

/// label: .callprototype (ret) _ (params) .noreturn;
struct CallPrototype {
  Position position;
  std::string label;
  std::vector<Variable> returns, parameters;
  std::vector<Performance> performance;  ///< .abi_preserve and the like
  bool noreturn = false;
};

/// .section name { … } and other debugging data: kept as text, never read. An old-style `@@DWARF …` line has the name
/// "@@DWARF" and the rest of the line as text.
struct Section {
  Position position;
  std::string name, text;
};

/// .file index "name" {, timestamp, size}
struct File {
  Position position;
  uint32_t index = 0;
  std::string name;
  std::vector<uint64_t> extra;  ///< timestamp, size
};

/// .alias a, b;
struct Alias {
  Position position;
  std::string name, target;
};

struct Block;
using Statement = std::variant<Instruction, Label, Variable, Location, Pragma, Targets, CallPrototype, Section, File,
                               std::unique_ptr<Block>>;
/// { … }: names declared inside are not seen outside.
struct Block {
  Position position, end;
  std::vector<Statement> statements;
};

struct Function {
  Position position;
  bool is_entry = false;
  std::string linkage;  ///< "", "visible", "extern", "weak"
  std::string name;
  std::vector<std::string> attributes;
  std::vector<Variable> returns, parameters;
  std::vector<Performance> performance;
  bool noreturn = false;
  std::vector<Pragma> pragmas;  ///< between the parameters and the body
  /// 32-bit registers in use at once before bankshot/optimise changed the order; 0: it did not.
  uint32_t live_registers = 0;
  std::unique_ptr<Block> body;  ///< null for a prototype
};

using Item = std::variant<Variable, Function, File, Section, Pragma, Alias, Location>;

struct Module {
  uint32_t version_major = 0, version_minor = 0;
  std::vector<std::string> targets;  ///< {"sm_75", "debug"}
  uint32_t address_size = 64;        ///< 32 is parsed, and refused by check()
  std::vector<Item> items;           ///< in the order of the text
};

}  // namespace bankshot::ptx
