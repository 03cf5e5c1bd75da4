// Typed module -> program: what a row's `lower` may ask of the decoder.
#pragma once

#include <string>
#include <string_view>

#include "bankshot/ptx/module.hpp"
#include "bankshot/simt/rows/row.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {

/// Bytes of a lane's value in a row: registers of 8 bits, too, have 16.
inline unsigned register_bytes(ptx::Type type) { return ptx::bits(type) <= 16 ? 2 : ptx::bits(type) / 8; }
/// The .b type of 1, 2, 4 or 8 bytes.
inline ptx::Type type_of_bytes(unsigned bytes) {
  using T = ptx::Type;
  return bytes == 1 ? T::b8 : bytes == 2 ? T::b16 : bytes == 4 ? T::b32 : T::b64;
}

/// What a name means at a place in a function.
struct Symbol {
  enum class Kind : uint8_t { reg, variable, param, label, function } kind = Kind::reg;
  const ptx::Variable* variable = nullptr;
  ptx::Type type = ptx::Type::none;    ///< of a register
  uint32_t vector = 1;                 ///< of a register declared .v2/.v4
  uint32_t op = OperandRef::kNone;     ///< reg: its row
  ptx::Space space = ptx::Space::reg;  ///< variable, param
  uint64_t address = 0;                ///< variable: address or offset in its space; param: offset in its area
  uint32_t index = 0;                  ///< function: its index; label: its number
  bool dynamic = false;                ///< variable: dynamic shared memory, which starts elsewhere in every kernel
  bool entry_param = false;            ///< param of the kernel itself (in the launch's buffer), not of a call frame
};

/// Lowers the instructions of one function. Errors go to error(); lowering continues with the next instruction.
struct Decoder {
  virtual ~Decoder() = default;

  /// "expected …, found …": reported at the operand or instruction. @return false, for `return decoder.error(…)`.
  virtual bool error(Position position, std::string message, std::string remedy = {}) = 0;

  /// A destination row of `type`: a register of the same size, or of at least that size if `wider_ok`.
  /// @param actual  if given, receives the register's own type
  virtual uint32_t destination(const ptx::Operand& operand, ptx::Type type, bool wider_ok = false,
                               ptx::Type* actual = nullptr) = 0;
  /// A source row of `type`: a register or an immediate (a row of the constant pool), a special register, or the
  /// address of a variable.
  virtual uint32_t source(const ptx::Operand& operand, ptx::Type type, bool wider_ok = false,
                          ptx::Type* actual = nullptr) = 0;
  /// A row of `type` that nothing reads: where an instruction that writes whole vectors leaves what goes to `_`.
  virtual uint32_t unread_row(ptx::Type type) = 0;
  /// A predicate to read (`!p` sets kNegated; 0 and 1 are constants) or to write.
  virtual uint32_t predicate_source(const ptx::Operand& operand) = 0;
  virtual uint32_t predicate_destination(const ptx::Operand& operand) = 0;

  /// A row of the constant pool that holds `bits` in every lane, elements of `bytes` bytes.
  virtual uint32_t constant(uint64_t bits, unsigned bytes) = 0;
  /// A predicate constant.
  virtual uint32_t constant_predicate(bool value) = 0;

  /// Address operand `[a+8]`: `base` is the row of a 32- or 64-bit register (or kNone for a constant address) and
  /// `offset` what is to be added. `space` is what the instruction says; the variable's own space is checked against
  /// it.
  struct Address {
    uint32_t base = OperandRef::kNone;
    bool wide = true;  ///< the register has 64 bits
    int64_t offset = 0;
    const Symbol* symbol = nullptr;  ///< the variable or parameter named, if any
  };
  virtual bool address(const ptx::Operand& operand, ptx::Space space, Address& out) = 0;

  /// An integer literal. @return false after an error if it is none
  virtual bool literal(const ptx::Operand& operand, int64_t& out) = 0;

  /// Whether the function names this register more than once: a result that is named only where it is written is
  /// unused.
  virtual bool named_again(const ptx::Operand& operand) const = 0;

  /// What a name means here, or null.
  virtual const Symbol* find(std::string_view name) const = 0;

  // Control flow of the instruction being lowered.
  virtual bool jumps_to(const ptx::Operand& label) = 0;        ///< it is a branch
  virtual bool jumps_by_table(const ptx::Operand& table) = 0;  ///< brx.idx through .branchtargets
  virtual void jumps_to_end() = 0;                             ///< ret: a branch to the one end of the function
  virtual void never_falls_through() = 0;                      ///< exit, trap
  /// Resolves the callee and the parameter variables of a call. @return false after an error
  virtual bool calls(const ptx::Instruction& instruction, Instr& out) = 0;
  /// CTAs of a kernel that contains this instruction can see each other.
  virtual void cta_communication(const ptx::Instruction& instruction, std::string_view why) = 0;
  /// It changes global memory in a way that does not depend on the order, as long as only `operation` does.
  virtual void cta_reduction(const ptx::Instruction& instruction, const std::string& operation) = 0;

  /// The program under construction (sites, calls, lists …).
  virtual LoadedProgram& program() = 0;
  /// A new shared-memory site for the instruction being lowered. @param width  bytes a lane
  virtual uint32_t new_site(unsigned width) = 0;
  /// Whether the module has transactions: then accesses to global memory have sites, too, that tell what they do.
  virtual bool has_transactions() const = 0;
  /// The row of a special register of any width, clocks included. @param bytes  receives the size of an element
  virtual uint32_t special(const ptx::Operand& operand, unsigned& bytes) = 0;
  /// Start of a space in the generic space: shared and local windows, the kernel parameters, 0 for global.
  virtual uint64_t window(ptx::Space space) const = 0;
  /// Index of the function being lowered.
  virtual uint32_t function() const = 0;
};

/// Lowers the operands of the form in order: op[k] for slot k, `p|q` taking two. What rows get without a `lower`.
bool lower_operands(Decoder& decoder, const ptx::Instruction& instruction, const Form& form, const Match& m,
                    Instr& out);

}  // namespace bankshot::simt
