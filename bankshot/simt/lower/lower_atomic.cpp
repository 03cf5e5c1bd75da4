#include "bankshot/simt/lower/lower_atomic.hpp"

#include "bankshot/simt/lower/lower.hpp"

namespace bankshot::simt {
namespace {

using ptx::Space;

Space written_space(const Match& m) {
  if (m.has("global")) return Space::global;
  return m.which({"shared", "shared::cta", "shared::cluster"}).empty() ? Space::generic : Space::shared;
}

/// @return false after an error
bool lower_address(Decoder& decoder, const ptx::Operand& operand, Space space, Instr& out) {
  Decoder::Address address;
  if (!decoder.address(operand, space, address)) return false;
  // A name says by itself where it is.
  if (space == Space::generic && address.symbol != nullptr) space = address.symbol->space;
  if (space != Space::generic && space != Space::global && space != Space::shared) {
    return decoder.error(operand.position, "atomics work on global and shared memory only");
  }
  out.op[0] = address.base;
  out.imm = static_cast<uint64_t>(address.offset);
  if (address.wide) out.flags |= InstrFlag::kWide;
  out.small = static_cast<uint8_t>(space);
  return true;
}

}  // namespace

void lower_atomic(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool returns = instruction.opcode == "atom";
  const size_t sources = m.has("cas") ? 2 : 1, first = returns ? 2 : 1;
  // A cache policy says nothing about values.
  const size_t hints = m.has("L2::cache_hint") ? 1 : 0;
  if (!expect_operands(decoder, instruction, first + sources + hints)) return;
  if (!lower_address(decoder, instruction.operands[first - 1], written_space(m), out)) return;
  if (returns) out.op[1] = destination_or_none(decoder, instruction.operands[0], m.type);
  // nvcc writes atom with a register that nobody reads where red would do.
  if (returns && !decoder.named_again(instruction.operands[0])) out.op[1] = OperandRef::kNone;
  for (size_t k = 0; k < sources; ++k) out.op[2 + k] = decoder.source(instruction.operands[first + k], m.type);

  const Space space = static_cast<Space>(out.small);
  if (hints != 0 && space == Space::shared) {
    decoder.error(instruction.position, "a cache policy is for global memory");
    return;
  }
  if (hints != 0) decoder.source(instruction.operands.back(), ptx::Type::b64);
  if (space != Space::global || decoder.has_transactions())
    out.aux = decoder.new_site(instruction, ptx::bits(m.type) / 8);
  const bool used = out.op[1] != OperandRef::kNone;
  if (used) out.flags |= InstrFlag::kPolls;
  if (space == Space::shared) return;
  if (used) {
    decoder.cta_communication(instruction, "result used");
  } else if (is_float(m.type) || m.type == ptx::Type::f16x2 || m.type == ptx::Type::bf16x2) {
    decoder.cta_communication(instruction, "floating-point sums depend on their order");
  } else if (!m.which({"exch", "cas", "inc", "dec"}).empty()) {
    decoder.cta_communication(instruction, "the result depends on the order");
  } else {
    // Sums are the same for both signs, extrema and sums of other widths are not.
    const std::string operation(m.which({"add", "min", "max", "and", "or", "xor"}));
    const bool sign = operation == "min" || operation == "max";
    decoder.cta_reduction(
        instruction, operation + (sign ? "." + std::string(name(m.type)) : ".b" + std::to_string(ptx::bits(m.type))));
  }
}

}  // namespace bankshot::simt
