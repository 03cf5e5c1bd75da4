#include "bankshot/timing/sm/operation.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "bankshot/ptx/access.hpp"

namespace bankshot::timing {
namespace {

using Kind = Operation::Kind;
using ptx::Access;

Kind bulk_kind(const Access& access) {
  if (access.to_barrier) return access.from == ptx::Space::global ? Kind::bulk : Kind::arithmetic;
  if (access.space != ptx::Space::global) return Kind::arithmetic;
  return access.operation == Access::Operation::none ? Kind::bulk_store : Kind::bulk_reduce;
}

Kind memory_kind(const Access& access) {
  // Parameters are in constant memory, those of calls in registers.
  if (access.space == ptx::Space::param) return access.kind == Access::Kind::load ? Kind::constant : Kind::arithmetic;
  if (access.space == ptx::Space::constant) return Kind::constant;
  const bool bulk = access.layout == Access::Layout::bulk || access.layout == Access::Layout::tensor;
  switch (access.kind) {
    case Access::Kind::load: return Kind::load;
    case Access::Kind::store: return Kind::store;
    case Access::Kind::atomic:
    case Access::Kind::reduction: return Kind::atomic;
    case Access::Kind::copy: return bulk ? bulk_kind(access) : Kind::copy;
    case Access::Kind::commit: return bulk ? Kind::bulk_commit : Kind::copy_commit;
    case Access::Kind::wait:
      return !bulk ? Kind::copy_wait : access.read_only_wait ? Kind::bulk_wait_read : Kind::bulk_wait;
    case Access::Kind::mbarrier: return Kind::mbarrier;
    default: return Kind::arithmetic;  // hints, and questions about textures
  }
}

Kind product_kind(const Access& access) {
  switch (access.kind) {
    case Access::Kind::load: return Kind::product;
    case Access::Kind::commit: return Kind::product_commit;
    case Access::Kind::wait: return Kind::product_wait;
    default: return Kind::arithmetic;  // wgmma.fence: registers are in order here
  }
}

/// @param text  "tcgen05.mma.cta_group::1.kind::f16"
Kind tensor_memory_kind(std::string_view text) {
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {{"tcgen05.mma", Kind::tensor_product},
                                                                 {"tcgen05.cp", Kind::tensor_copy},
                                                                 {"tcgen05.shift", Kind::tensor_shift},
                                                                 {"tcgen05.commit", Kind::tensor_commit},
                                                                 {"tcgen05.ld", Kind::tensor_load},
                                                                 {"tcgen05.st", Kind::tensor_store},
                                                                 {"tcgen05.wait::ld", Kind::tensor_wait_load},
                                                                 {"tcgen05.wait::st", Kind::tensor_wait_store},
                                                                 {"tcgen05.alloc", Kind::tensor_alloc},
                                                                 {"tcgen05.dealloc", Kind::tensor_free}};
  for (const auto& [name, kind] : kKinds) {
    if (text.starts_with(name)) return kind;
  }
  return Kind::arithmetic;  // relinquish_alloc_permit, fence
}

Kind kind_of(simt::Unit unit, const Access& access, bool in_kernel) {
  using simt::Unit;
  switch (unit) {
    case Unit::warpgroup: return product_kind(access);
    case Unit::memory: return memory_kind(access);
    case Unit::branch: return Kind::branch;
    case Unit::call: return Kind::call;
    case Unit::ret: return in_kernel ? Kind::exit : Kind::call;
    case Unit::exit: return Kind::exit;
    case Unit::barrier: return Kind::barrier;
    case Unit::fence:
      if (access.layout == Access::Layout::operands) return product_kind(access);
      return access.scope == Access::Scope::cta ? Kind::order : Kind::fence;
    case Unit::sleep: return Kind::sleep;
    case Unit::tx_begin: return Kind::tx_begin;
    case Unit::tx_commit: return Kind::tx_commit;
    default: return Kind::arithmetic;
  }
}

bool is_any(ptx::Type type, std::initializer_list<ptx::Type> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

}  // namespace

UnitClass unit_class(simt::Unit unit) {
  using simt::Unit;
  switch (unit) {
    case Unit::multiply: return UnitClass::multiply;
    case Unit::fp16: return UnitClass::fp16;
    case Unit::fp32: return UnitClass::fp32;
    case Unit::fp64: return UnitClass::fp64;
    case Unit::sfu: return UnitClass::sfu;
    case Unit::warp: return UnitClass::warp;
    case Unit::tensor:
    case Unit::warpgroup: return UnitClass::tensor;
    default: return UnitClass::alu;
  }
}

AtomicForm atomic_form(const ptx::Access& access) {
  using ptx::Type;
  // What ptxas 13 makes of them: there are machine instructions for 32 bits, and exchanges of 64.
  if (access.operation == Access::Operation::exch || access.operation == Access::Operation::cas)
    return ptx::bits(access.type) == 32 || ptx::bits(access.type) == 64 ? AtomicForm::machine : AtomicForm::loop;
  return is_any(access.type, {Type::u32, Type::s32, Type::b32}) ? AtomicForm::machine : AtomicForm::loop;
}

Operations operations(const simt::LoadedProgram& program) {
  Operations all;
  for (const simt::FunctionInfo& function : program.functions) {
    if (function.is_entry) all.of_functions = std::max(all.of_functions, function.register_count);
  }
  std::vector<uint32_t> first(program.functions.size(), 0);
  for (size_t k = 0; k < first.size(); ++k) {
    if (program.functions[k].is_entry) continue;
    first[k] = all.of_functions;
    all.of_functions += program.functions[k].register_count;
  }
  all.of.resize(program.code.size());
  for (size_t k = 0; k < all.of.size(); ++k) {
    const simt::InstrInfo& info = program.info[k];
    const ptx::Access& access = info.access;
    Operation& operation = all.of[k];
    operation.kind = kind_of(info.unit, access, program.functions[info.function].is_entry);
    if (const std::string_view text = program.texts[info.text]; text.starts_with("tcgen05.")) {
      operation.kind = tensor_memory_kind(text);
      const bool both = operation.is_tensor_work() || operation.kind == Kind::tensor_commit;
      operation.pair = both && text.find("cta_group::2") != text.npos;
    }
    operation.unit = unit_class(info.unit);
    operation.work = info.work;
    operation.slots = info.slots;
    if (info.sequence.slots != 0 && info.slots != 0) {
      operation.slots = info.sequence.slots;
      operation.chain = info.sequence.chain;
      operation.special = info.sequence.special;
    }
    // An asynchronous store or copy tells a barrier, which may be in another CTA.
    operation.crosses = operation.kind == Kind::mbarrier || (access.asynchronous && access.to_barrier);
    if (operation.is_access()) {
      operation.shared_kind = simt::site_kind(access, info.adds_one);
      operation.strong = access.leaves_cta();
      operation.width = info.bytes;
      operation.texture = access.layout == Access::Layout::texture;
      operation.passes_l1 = access.passes_l1;
      operation.reads_l1 = access.reads_l1();
    }
    if (operation.kind == Kind::atomic) {
      using ptx::Type;
      operation.form = atomic_form(access);
      if (access.type == Type::f64) operation.unit = UnitClass::fp64;
      if (is_any(access.type, {Type::f32, Type::f16, Type::f16x2, Type::bf16, Type::bf16x2}))
        operation.unit = UnitClass::fp32;
    }
    operation.reads = info.reads;
    operation.writes = info.writes;
    operation.uses = static_cast<uint32_t>(all.registers.size());
    for (uint32_t use = 0; use < uint32_t{info.reads} + info.writes; ++use) {
      all.registers.push_back(first[info.function] + program.register_uses[info.uses + use]);
    }
  }
  return all;
}

}  // namespace bankshot::timing
