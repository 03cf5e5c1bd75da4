#include "bankshot/timing/sm/operation.hpp"

#include <algorithm>
#include <cstring>

#include "bankshot/simt/async/async_copy.hpp"
#include "bankshot/simt/async/async_store.hpp"
#include "bankshot/simt/async/tensor_copy.hpp"
#include "bankshot/simt/lower/lower_matrix.hpp"
#include "bankshot/simt/matrices/matrix.hpp"

namespace bankshot::timing {
namespace {

using Kind = Operation::Kind;

/// "ld" of "ld.global.f32".
std::string_view opcode_of(std::string_view text) { return text.substr(0, text.find('.')); }

bool has_modifier(std::string_view text, std::string_view modifier) {
  for (size_t at = text.find('.'); at != std::string_view::npos; at = text.find('.', at + 1)) {
    if (text.substr(at + 1, modifier.size()) != modifier) continue;
    const size_t end = at + 1 + modifier.size();
    if (end == text.size() || text[end] == '.') return true;
  }
  return false;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> modifiers) {
  return std::any_of(modifiers.begin(), modifiers.end(), [&](std::string_view m) { return has_modifier(text, m); });
}

Kind bulk_kind(std::string_view text) {
  if (has_modifier(text, "commit_group")) return Kind::bulk_commit;
  if (has_modifier(text, "wait_group")) return has_modifier(text, "read") ? Kind::bulk_wait_read : Kind::bulk_wait;
  if (has_modifier(text, "bulk_group")) return has_modifier(text, "reduce") ? Kind::bulk_reduce : Kind::bulk_store;
  return has_modifier(text, "mbarrier::complete_tx::bytes") && has_modifier(text, "global") ? Kind::bulk
                                                                                            : Kind::arithmetic;
}

Kind copy_kind(std::string_view text) {
  if (has_any(text, {"ca", "cg"})) return Kind::copy;
  if (has_modifier(text, "bulk")) return bulk_kind(text);
  if (has_modifier(text, "commit_group")) return Kind::copy_commit;
  return has_any(text, {"wait_group", "wait_all"}) ? Kind::copy_wait : Kind::mbarrier;
}

Kind kind_of(simt::Unit unit, std::string_view text, bool in_kernel) {
  const std::string_view opcode = opcode_of(text);
  if (unit == simt::Unit::memory) {
    // Parameters are in constant memory, those of calls in registers.
    if (has_any(text, {"param", "param::entry", "param::func"}))
      return opcode == "ld" ? Kind::constant : Kind::arithmetic;
    if (has_modifier(text, "const")) return Kind::constant;
    if (opcode == "ld" || opcode == "ldu" || opcode == "tex" || opcode == "tld4" || opcode == "suld") return Kind::load;
    if (opcode == "st" || opcode == "sust") return Kind::store;
    if (opcode == "atom" || opcode == "red" || opcode == "sured") return Kind::atomic;
    if (opcode == "cp") return copy_kind(text);
    if (opcode == "mbarrier") return Kind::mbarrier;
    if (opcode == "ldmatrix" || (opcode == "wmma" && has_modifier(text, "load"))) return Kind::load;
    if (opcode == "stmatrix" || opcode == "wmma") return Kind::store;
    return Kind::arithmetic;  // hints, and questions about textures
  }
  if (unit != simt::Unit::control) return Kind::arithmetic;
  if (opcode == "exit" || opcode == "trap" || (opcode == "ret" && in_kernel)) return Kind::exit;
  if (opcode == "call" || opcode == "ret") return Kind::call;
  if (opcode == "bar" || opcode == "barrier") return Kind::barrier;
  if (opcode == "membar" || opcode == "fence") return has_modifier(text, "cta") ? Kind::order : Kind::fence;
  if (opcode == "nanosleep") return Kind::sleep;
  if (opcode == "bra" || opcode == "brx") return Kind::branch;
  if (opcode == "tx_begin") return Kind::tx_begin;
  if (opcode == "tx_commit") return Kind::tx_commit;
  return Kind::arithmetic;
}

/// What a matrix product keeps its unit busy for, in multiply-adds of 16-bit factors. Half as wide factors take half of
/// the time, tf32 twice as long as f16, and f64 sixteen times. Source: H100 whitepaper, peak rates.
uint32_t tensor_work(const simt::Instr& instr) {
  const simt::MatrixShape shape = simt::MatrixShape::unpacked(instr.op[1]);
  const auto factor = static_cast<simt::Element>(instr.op[2] & 0xff);
  const uint32_t products = shape.m * shape.n * shape.k * (simt::is_quad_pairs(shape, factor) ? 4 : 1);
  return std::max(1u, factor == simt::Element::f64 ? 16 * products : products * simt::bits(factor) / 16);
}

/// add of 1, or inc up to the largest number, whose result nobody wants.
bool adds_one(const simt::LoadedProgram& program, const simt::Instr& instr, std::string_view text) {
  constexpr uint32_t kConstant = simt::OperandRef::kConstant;
  if (instr.op[1] != simt::OperandRef::kNone || (instr.op[2] & ~simt::OperandRef::kOffset) != kConstant) return false;
  uint32_t value = 0;
  std::memcpy(&value, program.constant_rows + (instr.op[2] & simt::OperandRef::kOffset), sizeof value);
  return value == (has_modifier(text, "inc") ? ~uint32_t{0} : 1);
}

}  // namespace

UnitClass unit_class(simt::Unit unit, std::string_view text) {
  using simt::Unit;
  const std::string_view opcode = opcode_of(text);
  const bool approximate = has_any(text, {"approx", "full"});
  switch (unit) {
    case Unit::alu:
      if (opcode == "div" || opcode == "rem") return UnitClass::divide;
      if (opcode == "mul" || opcode == "mad" || opcode == "mul24" || opcode == "mad24" || opcode == "dp4a" ||
          opcode == "dp2a" || opcode == "vmad") {
        return UnitClass::multiply;
      }
      return UnitClass::alu;
    case Unit::fp32:
    case Unit::fp64:
      if ((opcode == "div" || opcode == "sqrt" || opcode == "rcp") && !approximate) return UnitClass::divide;
      return unit == Unit::fp32 ? UnitClass::fp32 : UnitClass::fp64;
    case Unit::sfu:
      return approximate || (opcode != "div" && opcode != "sqrt" && opcode != "rcp") ? UnitClass::sfu
                                                                                     : UnitClass::divide;
    case Unit::warp: return UnitClass::warp;
    case Unit::matrix: return opcode == "movmatrix" ? UnitClass::warp : UnitClass::tensor;
    default: return UnitClass::alu;
  }
}

AtomicForm atomic_form(std::string_view text, bool adds_one) {
  const ptx::Type type = ptx::type_named(text.substr(text.rfind('.') + 1));
  const bool swaps = has_any(text, {"exch", "cas"});
  // What ptxas 13 makes of them: there are machine instructions for 32 bits, and exchanges of 64.
  if (swaps) return ptx::bits(type) == 32 || ptx::bits(type) == 64 ? AtomicForm::machine : AtomicForm::loop;
  const bool integer = type == ptx::Type::u32 || type == ptx::Type::s32 || type == ptx::Type::b32;
  if (!integer) return AtomicForm::loop;
  return adds_one && has_any(text, {"add", "inc"}) ? AtomicForm::increment : AtomicForm::machine;
}

unsigned access_bytes(std::string_view text) {
  unsigned bytes = 4, elements = 1;
  for (size_t at = text.find('.'); at != std::string_view::npos;) {
    const size_t end = std::min(text.find('.', at + 1), text.size());
    const std::string_view modifier = text.substr(at + 1, end - at - 1);
    if (modifier.size() == 2 && modifier[0] == 'v' && modifier[1] >= '2' && modifier[1] <= '8') {
      elements = static_cast<unsigned>(modifier[1] - '0');
    } else if (const ptx::Type type = ptx::type_named(modifier); type != ptx::Type::none && ptx::bits(type) >= 8) {
      bytes = ptx::bits(type) / 8;
    }
    at = end == text.size() ? std::string_view::npos : end;
  }
  return bytes * elements;
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
    const std::string& text = program.texts[info.text];
    Operation& operation = all.of[k];
    operation.kind = kind_of(info.unit, text, program.functions[info.function].is_entry);
    operation.unit = unit_class(info.unit, text);
    operation.strong = operation.is_access() && !has_modifier(text, "cta") &&
                       has_any(text, {"volatile", "relaxed", "acquire", "release", "mmio", "cv"});
    if (has_modifier(text, "volatile")) operation.strong = operation.is_access();
    if (operation.kind == Kind::atomic) {
      operation.form = atomic_form(text, adds_one(program, program.code[k], text));
      if (has_modifier(text, "f64")) operation.unit = UnitClass::fp64;
      if (has_any(text, {"f32", "f16", "f16x2", "bf16", "bf16x2"})) operation.unit = UnitClass::fp32;
    }
    operation.crosses = operation.kind == Kind::mbarrier || program.code[k].body == &simt::run_async_store ||
                        program.code[k].body == &simt::run_async_reduce ||
                        program.code[k].body == &simt::run_bulk_load ||
                        program.code[k].body == &simt::run_tensor_load || program.code[k].body == &simt::run_bulk_move;
    if (operation.is_access()) operation.width = static_cast<uint8_t>(access_bytes(text));
    if (operation.kind == Kind::copy) {
      operation.width = static_cast<uint8_t>(program.copies[program.code[k].op[5]].bytes);
      operation.passes_l1 = has_modifier(text, "cg");
    }
    if ((program.code[k].flags & simt::InstrFlag::kMatrix) != 0)
      operation.width = static_cast<uint8_t>(simt::matrix_piece(program.code[k]));
    if (operation.unit == UnitClass::tensor) operation.work = tensor_work(program.code[k]);
    operation.texture = operation.is_access() && simt::is_texture(program.code[k]);
    if (operation.texture) operation.width = 4;
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
