// Registers that an asynchronous instruction writes, used in the same straight line before they are waited for.
#include <algorithm>
#include <set>
#include <string_view>

#include "bankshot/simt/decode/decoder.hpp"

namespace bankshot::simt {
namespace {

bool any_in(const std::vector<uint32_t>& registers, const std::set<uint32_t>& set) {
  return std::ranges::any_of(registers, [&](uint32_t r) { return set.contains(r); });
}

}  // namespace

/// For wgmma.mma_async; CuTe and Triton use registers of tcgen05.ld before the wait. A copy of a register is another
/// name for it: compilers make many before instructions that have the same register as operand and result.
void FunctionDecoder::note_early_uses(const std::vector<FlowNode>& nodes, const std::vector<uint32_t>& place_of) {
  const LoadedProgram& program = *context_.program;
  std::vector<uint8_t> is_target(items_.size(), 0);
  for (const FlowNode& node : nodes) {
    for (const uint32_t target : node.targets) is_target[target] = 1;
  }
  const auto text = [&](size_t k) -> std::string_view { return program.texts[items_[k].info.text]; };
  for (size_t k = 0; k < items_.size(); ++k) {
    CheckedOp& op = items_[k].checked;
    if (op.kind != CheckedOp::Kind::products) continue;
    bool is_committed = false;
    uint64_t later_groups = 0;
    std::set<uint32_t> pending(items_[k].writes.begin(), items_[k].writes.end());
    for (size_t next = k + 1; next < items_.size() && nodes[next].targets.empty() && is_target[next] == 0; ++next) {
      const Item& item = items_[next];
      if (text(next).starts_with("wgmma.commit_group")) {
        later_groups += is_committed ? 1 : 0;
        is_committed = true;
      }
      if (text(next).starts_with("wgmma.wait_group") && is_committed && later_groups >= item.instr.imm) break;
      if (item.instr.guard != OperandRef::kNone || item.checked.kind == CheckedOp::Kind::products) continue;
      const bool reads = any_in(item.reads, pending);
      if (text(next).starts_with("mov.")) {
        for (const uint32_t r : item.writes) reads ? void(pending.insert(r)) : void(pending.erase(r));
      } else if (reads || any_in(item.writes, pending)) {
        op.early = place_of[next];
        break;
      }
    }
  }
}

}  // namespace bankshot::simt
