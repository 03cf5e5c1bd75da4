#include "bankshot/optimise/memory_order.hpp"

#include <algorithm>

#include "bankshot/ptx/lookup.hpp"

namespace bankshot::optimise {

bool is_plain_shared(const ptx::Access& access) {
  return access.space == ptx::Space::shared && access.layout == ptx::Access::Layout::lanes && !access.is_volatile &&
         !access.is_mmio && !access.of_cluster && !access.asynchronous &&
         (access.order == ptx::Access::Order::weak || access.order == ptx::Access::Order::relaxed) &&
         (access.kind == ptx::Access::Kind::load || access.kind == ptx::Access::Kind::store);
}

namespace {

/// Exact quotients and roots of floating-point numbers, and divisions of 64-bit integers, are subroutines.
bool is_subroutine(const ptx::Instruction& instruction) {
  const std::string& op = instruction.opcode;
  const bool divides = op == "div" || op == "rem", roots = op == "rcp" || op == "sqrt";
  if (!divides && !roots) return false;
  const ptx::Type type = type_of(instruction);
  if (!ptx::is_float(type)) return divides && ptx::bits(type) == 64;
  return !has(instruction, "approx") && !has(instruction, "full");
}

}  // namespace

bool splits_block(const ptx::Instruction& instruction) {
  const std::string& op = instruction.opcode;
  if (instruction.guard) return op != "mov";  // which becomes a selection
  const ptx::Type type = type_of(instruction);
  if (op == "div" && has(instruction, "full")) return true;
  if (op == "div" && has(instruction, "approx")) return !has(instruction, "ftz");
  if (op == "sqrt" || op == "rsqrt" || op == "lg2" || op == "ex2")
    return has(instruction, "approx") && type == ptx::Type::f32 && !has(instruction, "ftz");
  if (op == "div" && ptx::bits(type) == 16) return true;
  return (op == "div" || op == "rem") && type == ptx::Type::s32;
}

Effect effect_of(const ptx::Instruction& instruction, const ptx::Access& access) {
  using K = ptx::Access::Kind;
  const bool shared = access.space == ptx::Space::shared || access.space == ptx::Space::generic;
  const bool from_shared = access.from == ptx::Space::shared || access.from == ptx::Space::generic;
  const bool texture = access.layout == ptx::Access::Layout::texture;
  switch (access.kind) {
    case K::none: break;
    case K::load: return {access.acquires(), shared && !texture};
    case K::store:
    case K::atomic:
    case K::reduction: return {(shared && !texture) || access.acquires() || access.releases(), shared && !texture};
    case K::copy: return {shared, from_shared};
    case K::hint: return {};
    case K::mbarrier:
    case K::fence:
    case K::commit:
    case K::wait: return {true, true};
  }
  const std::string& op = instruction.opcode;
  const bool orders = op == "bar" || op == "barrier" || op == "call" || op == "nanosleep" || op == "griddepcontrol" ||
                      is_subroutine(instruction);
  return {orders, orders};
}

std::vector<uint32_t> memory_times(const ptx::KernelCode& code, const Control& control,
                                   const std::vector<Effect>& effects) {
  const size_t steps = code.steps().size(), blocks = control.blocks.first.size();
  const auto end_of = [&](uint32_t block) {
    return std::min<size_t>(block + 1 < blocks ? control.blocks.first[block + 1] : steps, steps);
  };
  // Of a block: the last step that writes, as its number + 1; 0: none, the time at its start is that at its end.
  std::vector<uint32_t> last(blocks, 0);
  for (uint32_t block = 0; block < blocks; ++block) {
    for (size_t k = control.blocks.first[block]; k < end_of(block); ++k) {
      if (effects[k].writes) last[block] = static_cast<uint32_t>(k) + 1;
    }
  }
  // From "not known" to one time, to a time of the block's own: each changes twice at most.
  constexpr uint32_t kUnknown = 0;
  std::vector<uint32_t> enters(blocks, kUnknown);
  const auto own = [&](uint32_t block) { return static_cast<uint32_t>(steps) + 1 + block; };
  enters[0] = own(0);
  const std::vector<uint32_t>& order = control.dominators.order;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto block = order.rbegin(); block != order.rend(); ++block) {
      if (*block == 0 || enters[*block] == own(*block)) continue;
      uint32_t time = kUnknown;
      for (const uint32_t before : control.blocks.predecessors[*block]) {
        const uint32_t leaves = last[before] != 0 ? last[before] : enters[before];
        if (leaves == kUnknown) continue;
        time = time == kUnknown || time == leaves ? leaves : own(*block);
      }
      changed |= time != enters[*block];
      enters[*block] = time;
    }
  }
  std::vector<uint32_t> times(steps, 0);
  for (const uint32_t block : order) {
    uint32_t time = enters[block];
    for (size_t k = control.blocks.first[block]; k < end_of(block); ++k) {
      if (effects[k].writes) time = static_cast<uint32_t>(k) + 1;
      times[k] = time;
    }
  }
  return times;
}

}  // namespace bankshot::optimise
