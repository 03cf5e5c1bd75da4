#include "bankshot/optimise/slots.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "bankshot/optimise/sequence.hpp"
#include "bankshot/optimise/values.hpp"
#include "bankshot/optimise/words.hpp"
#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::optimise {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

bool is_number(const Operand& operand) { return operand.kind == Operand::Kind::integer; }

/// A number whose upper word is zero.
bool is_low_word(const Operand& operand) { return is_number(operand) && (operand.integer >> 32) == 0; }

/// Of a special register that is the same for the whole launch: a constant of the machine.
bool is_launch_constant(std::string_view name) {
  return name.starts_with("%ntid") || name.starts_with("%nctaid") || name == "WARP_SZ";
}

/// Without regard to its neighbours.
uint8_t slots_alone(const Instruction& instruction) {
  const std::string& op = instruction.opcode;
  const Type type = type_of(instruction);
  const bool wide = !ptx::is_float(type) && ptx::bits(type) == 64;
  if (instruction.slots == 0) return 0;  // shared with another iteration
  if (const Sequence sequence = sequence_of(instruction); sequence.slots != 0) return sequence.slots;
  if (op == "cvta") return 0;
  if (op == "ld" && ptx::access_of(instruction).space == ptx::Space::param) return 0;
  if (op == "mov" || op == "cvt" || instruction.operands.empty()) return 1;
  if (is_one_of(op, "and", "or", "xor") && wide && is_low_word(instruction.operands.back())) return 1;
  if (is_one_of(op, "add", "sub", "and", "or", "xor", "not", "shl", "shr", "setp", "selp", "neg") && wide) return 2;
  if (is_one_of(op, "min", "max", "abs") && wide) return 4;
  if (is_one_of(op, "mul", "mad") && wide) return has(instruction, "wide") ? 1 : has(instruction, "hi") ? 6 : 4;
  if (is_one_of(op, "min", "max") && type == Type::f64) return 8;
  return 1;
}

class Counter {
 public:
  explicit Counter(const ptx::KernelCode& code) : code_(code), uses_(code), slots_(code.steps().size()) {
    for (size_t k = 0; k < slots_.size(); ++k) slots_[k] = slots_alone(at(k));
  }

  void count() {
    count_branches();
    for (size_t k = 0; k < slots_.size(); ++k) {
      if (becomes_operand(k)) slots_[k] = 0;
    }
  }

  /// Instructions that do the work of two.
  void fuse() {
    std::vector<char> took(slots_.size(), 0);  // an instruction takes in one other at the most
    for (size_t k = 0; k < slots_.size(); ++k) {
      if (slots_[k] == 0 || took[k] != 0) continue;
      const size_t reader = only_reader(k);
      if (reader == kNone || took[reader] != 0 || !joins(at(k), at(reader))) continue;
      slots_[k] = 0;
      took[reader] = 1;
    }
    for (size_t k = 0; k < slots_.size(); ++k) {
      if (adds_product(k)) slots_[k] = 1;
    }
  }

  std::vector<uint8_t> slots() && { return std::move(slots_); }

 private:
  static constexpr size_t kNone = ~size_t{0};

  const Instruction& at(size_t step) const { return *code_.steps()[step].instruction; }

  /// A forward branch of some lanes is joined again: BSSY, BRA and BSYNC. One to the end is a guarded EXIT.
  void count_branches() {
    const std::vector<ptx::FlowNode> nodes = code_.flow();
    for (size_t k = 0; k < slots_.size(); ++k) {
      if (at(k).opcode != "bra" || !at(k).guard || has(at(k), "uni") || nodes[k].targets.empty()) continue;
      const size_t target = nodes[k].targets[0];
      const bool ends = target >= slots_.size() || is_one_of(at(target).opcode, "ret", "exit");
      if (target > k && !ends) slots_[k] = 3;
    }
  }

  /// The register that the step alone writes, once; -1 otherwise.
  int result(size_t k) const {
    const std::vector<int> written = written_by(code_, code_.steps()[k]);
    if (written.size() != 1 || uses_.writers[static_cast<size_t>(written[0])].size() != 1) return -1;
    return written[0];
  }
  size_t only_reader(size_t k) const {
    const int entity = result(k);
    if (entity < 0 || uses_.readers[static_cast<size_t>(entity)].size() != 1) return kNone;
    return uses_.readers[static_cast<size_t>(entity)][0];
  }
  template <class Test>
  bool all_readers(size_t k, const Test& test) const {
    const int entity = result(k);
    if (entity < 0) return false;
    const std::vector<size_t>& readers = uses_.readers[static_cast<size_t>(entity)];
    return !readers.empty() && std::all_of(readers.begin(), readers.end(), test);
  }

  /// The writer of an operand, if there is only one; kNone otherwise.
  size_t writer(size_t k, const Operand& operand) const {
    const int entity = operand.name.empty() ? -1 : code_.entity(code_.steps()[k], operand.name);
    if (entity < 0 || uses_.writers[static_cast<size_t>(entity)].size() != 1) return kNone;
    return uses_.writers[static_cast<size_t>(entity)][0];
  }

  bool becomes_operand(size_t k) const {
    const Instruction& instruction = at(k);
    const std::string& op = instruction.opcode;
    if (op == "mov") return is_free_move(k);
    if (op == "ld" && ptx::access_of(instruction).space == ptx::Space::constant) {
      // c[bank][offset], if the address is known; an index is loaded by LDC
      Operand base = instruction.operands[1];
      base.kind = Operand::Kind::identifier;
      return !instruction.guard && instruction.operands.size() == 2 && is_known_address(k, base);
    }
    if (op == "cvt") return is_free_conversion(k);
    const Type type = type_of(instruction);
    if (is_one_of(op, "neg", "abs") && ptx::is_float(type)) return true;  // a modifier of whoever reads it
    if (type == Type::pred && is_one_of(op, "and", "or", "xor", "not")) return combines_comparison(k);
    if (is_one_of(op, "add", "sub") && !ptx::is_float(type) && instruction.operands.size() == 3 &&
        (is_constant(k, instruction.operands[2]) || (op == "add" && is_constant(k, instruction.operands[1]))))
      return all_readers(k, [&](size_t reader) { return is_address_of(reader, k); });
    if (op == "shl" && ptx::bits(type) == 32 && is_scale(instruction.operands.back()))
      return all_readers(k, [&](size_t reader) { return is_shared_address_of(reader, k); });
    // The multiplication of an index is done by each addition to a pointer.
    if (op == "mul" && has(instruction, "wide"))
      return all_readers(k, [&](size_t reader) { return at(reader).opcode == "add" && type_of(at(reader)) != type; });
    return false;
  }

  /// The 64-bit addition of a product that it makes itself.
  bool adds_product(size_t k) const {
    const auto& operands = at(k).operands;
    return at(k).opcode == "add" && slots_[k] == 2 &&
           std::any_of(operands.begin() + 1, operands.end(), [&](const Operand& operand) {
             const size_t from = writer(k, operand);
             return from != kNone && slots_[from] == 0 && at(from).opcode == "mul";
           });
  }

  bool is_free_move(size_t k) const {
    const Instruction& instruction = at(k);
    if (instruction.operands.size() != 2) return false;
    const Operand &to = instruction.operands[0], &from = instruction.operands[1];
    if (to.kind == Operand::Kind::vector || from.kind == Operand::Kind::vector)
      return ptx::bits(type_of(instruction)) == 64;  // two registers side by side
    const bool once = result(k) >= 0;
    if (from.kind != Operand::Kind::identifier) return once;
    if (code_.entity(code_.steps()[k], from.name) >= 0) return true;  // a register, or where a variable lies
    return !from.name.starts_with('%') || is_launch_constant(from.name);
  }

  /// Integers that only change their width upwards without a sign, or downwards.
  bool is_free_conversion(size_t k) const {
    std::vector<Type> types;
    for (const std::string& modifier : at(k).modifiers) {
      if (const Type type = ptx::type_named(modifier); type != Type::none) types.push_back(type);
    }
    if (types.size() != 2 || ptx::is_float(types[0]) || ptx::is_float(types[1]) || has(at(k), "sat")) return false;
    const unsigned to = ptx::bits(types[0]), from = ptx::bits(types[1]);
    if (to <= from) return true;
    // Of a wide index the multiplication or shift behind it extends the sign.
    return !is_one_of(ptx::name(types[1]), "s8", "s16") || to == 64;
  }

  bool combines_comparison(size_t k) const {
    const auto& operands = at(k).operands;
    return std::any_of(operands.begin() + 1, operands.end(), [&](const Operand& operand) {
      const size_t from = writer(k, operand);
      return from != kNone && at(from).opcode == "setp";
    });
  }

  bool is_known_address(size_t k, const Operand& base) const {
    if (base.name.empty()) return true;
    const int entity = code_.entity(code_.steps()[k], base.name);
    return (entity >= 0 && code_.variable(entity).space != ptx::Space::reg) || is_constant(k, base);
  }

  /// A number, or where a variable lies.
  bool is_constant(size_t k, const Operand& operand) const {
    if (is_number(operand)) return true;
    const size_t from = writer(k, operand);
    if (from == kNone || at(from).opcode != "mov" || at(from).operands.size() != 2) return false;
    const Operand& source = at(from).operands[1];
    if (is_number(source)) return true;
    if (source.kind != Operand::Kind::identifier && source.kind != Operand::Kind::sum) return false;
    const int entity = code_.entity(code_.steps()[from], source.name);
    return entity >= 0 && code_.variable(entity).space != ptx::Space::reg;
  }

  /// An address of shared memory may have a register that is multiplied by 4, 8 or 16.
  static bool is_scale(const Operand& shift) { return is_number(shift) && shift.integer >= 2 && shift.integer <= 4; }
  bool is_shared_address_of(size_t reader, size_t k) const {
    if (is_address_of(reader, k)) return ptx::access_of(at(reader)).space == ptx::Space::shared;
    const bool moves = at(reader).opcode == "add" && at(reader).operands.size() == 3 &&
                       (is_constant(reader, at(reader).operands[1]) || is_constant(reader, at(reader).operands[2]));
    return moves && all_readers(reader, [&](size_t next) {
             return is_address_of(next, reader) && ptx::access_of(at(next)).space == ptx::Space::shared;
           });
  }

  /// Step `reader` reads the result of `k` as the base of an address only.
  bool is_address_of(size_t reader, size_t k) const {
    if (!ptx::access_of(at(reader)).touches_memory()) return false;
    const std::string& name = at(k).operands[0].name;
    const auto& operands = at(reader).operands;
    const bool as_data = std::any_of(operands.begin(), operands.end(), [&](const Operand& operand) {
      return operand.kind != Operand::Kind::address && reads(operand, name);
    });
    return !as_data;
  }
  static bool reads(const Operand& operand, const std::string& name) {
    return operand.name == name || std::any_of(operand.elements.begin(), operand.elements.end(),
                                               [&](const Operand& element) { return reads(element, name); });
  }

  /// One machine instruction does both: three operands that are added, combined bit by bit, or multiplied and added.
  static bool joins(const Instruction& first, const Instruction& second) {
    if (first.guard || second.guard) return false;
    const std::string &a = first.opcode, &b = second.opcode;
    const Type of_first = type_of(first), of_second = type_of(second);
    if (ptx::is_float(of_first) || ptx::is_float(of_second) || of_first == Type::pred || of_second == Type::pred)
      return false;
    const unsigned bits = ptx::bits(of_second);
    const bool adds = is_one_of(b, "add", "sub"), combines = is_one_of(b, "and", "or", "xor");
    if (bits == 64) return b == "add" && a == "shl";
    if (bits != 32) return false;
    if (adds)
      return is_one_of(a, "add", "sub", "neg") || (is_one_of(a, "mul", "shl") && b == "add" && !has(first, "hi"));
    return combines && is_one_of(a, "and", "or", "xor", "not");
  }

  const ptx::KernelCode& code_;
  RegisterUses uses_;
  std::vector<uint8_t> slots_;
};

}  // namespace

std::vector<bool> additions_of_products(const ptx::KernelCode& code, const std::vector<uint8_t>& slots) {
  const RegisterUses uses(code);
  std::vector<bool> found(slots.size(), false);
  for (size_t k = 0; k < slots.size(); ++k) {
    const Instruction& instruction = *code.steps()[k].instruction;
    if (instruction.opcode != "add" || slots[k] == 0 || ptx::is_float(type_of(instruction))) continue;
    for (const int entity : read_by(code, code.steps()[k])) {
      const auto& writers = uses.writers[static_cast<size_t>(entity)];
      if (writers.size() != 1 || slots[writers[0]] != 0) continue;
      if (code.steps()[writers[0]].instruction->opcode == "mul") found[k] = true;
    }
  }
  return found;
}

std::vector<uint8_t> slots_one_by_one(const ptx::KernelCode& code) {
  Counter counter(code);
  counter.count();
  return std::move(counter).slots();
}

std::vector<uint8_t> machine_slots(const ptx::KernelCode& code) {
  Counter counter(code);
  counter.count();
  counter.fuse();
  return std::move(counter).slots();
}

}  // namespace bankshot::optimise
