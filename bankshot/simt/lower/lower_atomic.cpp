#include "bankshot/simt/lower/lower_atomic.hpp"

#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
void lower_atomic(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const bool returns = m.access.kind == ptx::Access::Kind::atomic;
  const size_t sources = m.has("cas") ? 2 : 1, first = returns ? 2 : 1;
  // A cache policy says nothing about values.
  const size_t hints = m.has("L2::cache_hint") ? 1 : 0;
  if (!expect_operands(decoder, instruction, first + sources + hints)) return;
  if (!lower_shared_address(decoder, instruction.operands[first - 1], m.access.space, "atomics work on", out)) return;
  if (returns) out.op[1] = destination_or_none(decoder, instruction.operands[0], m.type);
  // nvcc writes atom with an unused register where red would do.
  if (returns && !decoder.named_again(instruction.operands[0])) out.op[1] = OperandRef::kNone;
  for (size_t k = 0; k < sources; ++k) out.op[2 + k] = decoder.source(instruction.operands[first + k], m.type);

  const auto space = static_cast<ptx::Space>(out.small);
  if (hints != 0 && space == ptx::Space::shared) {
    decoder.error(instruction.position, "a cache policy is for global memory");
    return;
  }
  if (hints != 0) decoder.source(instruction.operands.back(), ptx::Type::b64);
  if (space != ptx::Space::global || decoder.has_transactions()) out.aux = decoder.new_site(m.access.bytes());
  const bool used = out.op[1] != OperandRef::kNone;
  if (used) out.flags |= InstrFlag::kPolls;
  if (space == ptx::Space::shared) return;
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
