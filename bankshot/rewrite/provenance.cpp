#include "bankshot/rewrite/provenance.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::rewrite {
namespace {

using Kind = ptx::Operand::Kind;

constexpr uint64_t kGeneric = 0xaaaaaaaaaaaaaaaa;

uint8_t zeros_of(int64_t value) {
  return static_cast<uint8_t>(std::min(std::countr_zero(static_cast<uint64_t>(value)), 64));
}

uint8_t capped(unsigned zeros) { return static_cast<uint8_t>(std::min(zeros, 64u)); }

Value joined(const Value& a, const Value& b) {
  return {a.arrays | b.arrays, a.number || b.number, std::min(a.zeros, b.zeros)};
}

bool is_integer(ptx::Type type) {
  using ptx::Type;
  return type == Type::u32 || type == Type::s32 || type == Type::b32 || type == Type::u64 || type == Type::s64 ||
         type == Type::b64;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_wrapping_integer(const ptx::Instruction& instruction) {
  return is_integer(type_of(instruction)) && !has(instruction, "cc") && !has(instruction, "sat") &&
         !has(instruction, "hi");
}

}  // namespace

Provenance::Provenance(const KernelCode& code, const std::vector<int>& array_of)
    : code_(code), array_of_(array_of), values_(code.entities()) {
  // Values only grow, from "never written": the least solution.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Step& step : code.steps()) {
      const Effect found = effect(step);
      for (const int target : found.targets) {
        Value& value = values_[static_cast<size_t>(target)];
        const Value next = found.result.is_known() ? joined(value, found.result) : value;
        changed |= !(next == value);
        value = next;
      }
    }
  }
  for (Value& value : values_) {
    if (!value.is_known()) value = {0, true, 0};  // never written: its contents are unknown
  }
}

Value Provenance::value(const Step& step, const ptx::Operand& operand) const {
  switch (operand.kind) {
    case Kind::integer: return {0, true, zeros_of(operand.integer)};
    case Kind::identifier:
    case Kind::sum:
    case Kind::address: {
      if (operand.name.empty()) return {0, true, 0};
      const int entity = code_.entity(step, operand.name);
      if (entity < 0) return {0, true, 0};
      Value value = values_[static_cast<size_t>(entity)];
      if (const int array = array_of_[static_cast<size_t>(entity)]; array >= 0)
        value = {uint64_t{1} << (2 * array), false, 64};
      else if (code_.variable(entity).space != ptx::Space::reg)
        value = {0, true, 0};
      if (operand.kind == Kind::sum) value.zeros = std::min(value.zeros, zeros_of(operand.integer));
      for (const ptx::Operand& coordinate : operand.elements) value = joined(value, this->value(step, coordinate));
      return value;
    }
    case Kind::vector:
    case Kind::list:
    case Kind::pair: {
      Value all;
      for (const ptx::Operand& element : operand.elements) all = joined(all, value(step, element));
      return all;
    }
    default: return {0, true, 0};
  }
}

unsigned Provenance::zeros_of_starts(uint64_t arrays) const {
  unsigned zeros = kRowZeros;
  for (size_t entity = 0; entity < array_of_.size(); ++entity) {
    const int array = array_of_[entity];
    if (array < 0 || (arrays >> (2 * array) & 3) == 0) continue;
    zeros = std::min<unsigned>(zeros, zeros_of(ptx::alignment_of(code_.variable(static_cast<int>(entity)))));
  }
  return zeros;
}

void Provenance::add_registers(const Step& step, const ptx::Operand& operand, std::vector<int>& out) const {
  for (const ptx::Operand& element : operand.elements) add_registers(step, element, out);
  const int entity = operand.name.empty() ? -1 : code_.entity(step, operand.name);
  if (entity >= 0 && code_.variable(entity).space == ptx::Space::reg) out.push_back(entity);
}

/// One instruction while its effect is found. The parts say whether the instruction was theirs.
struct Provenance::Finder {
  const Provenance& provenance;
  const Step& step;
  const ptx::Instruction& instruction = *step.instruction;
  const std::vector<ptx::Operand>& operands = instruction.operands;
  const std::string& op = instruction.opcode;
  std::vector<Value> in{};  ///< of each operand
  bool wraps = false;       ///< integer arithmetic modulo 2^32 or 2^64 on plain operands
  std::vector<int> targets{};
  Value result{};
  Misuse misuse{};

  void write_first() { provenance.add_registers(step, operands[0], targets); }
  void wrong(uint64_t arrays, const std::string& reason) {
    misuse.arrays |= arrays;
    if (arrays != 0 && misuse.reason.empty()) misuse.reason = reason;
  }
  std::string stored() const { return "its address is stored by " + mnemonic(instruction); }
  std::string through() const {
    return "its address goes through " + mnemonic(instruction) + ", which is not followed";
  }

  void find() {
    for (const ptx::Operand& operand : operands) in.push_back(provenance.value(step, operand));
    const bool plain = std::none_of(operands.begin(), operands.end(), [](const ptx::Operand& o) {
      return o.kind == Kind::vector || o.kind == Kind::pair || o.kind == Kind::list;
    });
    wraps = plain && is_wrapping_integer(instruction);
    if (!memory_or_comparison() && !handed_on() && !address_arithmetic()) anything_else();
  }

  bool memory_or_comparison() {
    // Memory: the address is for the accesses to judge, the data must not be an array's address.
    const ptx::Access access = ptx::access_of(instruction);
    using K = ptx::Access::Kind;
    const bool texture = access.layout == ptx::Access::Layout::texture;
    if (!texture && (access.kind == K::load || access.kind == K::atomic)) {
      write_first();
      result = {0, true, 0};
      for (size_t i = 2; i < operands.size(); ++i) wrong(in[i].arrays, stored());
      return true;
    }
    if (access.kind == K::copy && access.layout == ptx::Access::Layout::lanes) {
      for (size_t i = 1; i < operands.size(); ++i) wrong(in[i].arrays, through());
      return true;
    }
    if (!texture && (access.kind == K::store || access.kind == K::reduction)) {
      for (size_t i = 1; i < operands.size(); ++i) wrong(in[i].arrays, stored());
      return true;
    }
    if (is_one_of(op, {"setp", "set", "isspacep"})) {
      write_first();
      result = {0, true, 0};
      return true;
    }
    return false;
  }

  bool handed_on() {
    if (wraps && op == "mov" && operands.size() == 2) {
      write_first();
      result = in[1];
      return true;
    }
    if (op == "cvta" && operands.size() == 2) {
      write_first();
      result = in[1];
      const bool to = has(instruction, "to"), shared = has(instruction, "shared") || has(instruction, "shared::cta");
      if (in[1].number && (shared || has(instruction, "shared::cluster")) && !to)
        wrong(~uint64_t{0},
              "a number is made an address by " + mnemonic(instruction) + ", which may be anywhere in shared memory");
      if (in[1].arrays == 0) return true;
      const uint64_t from_shared = in[1].arrays & ~kGeneric, from_generic = in[1].arrays & kGeneric;
      result.arrays = to ? from_generic >> 1 : from_shared << 1;
      if (!shared) wrong(in[1].arrays, through());
      wrong(to ? from_shared : from_generic, through());
      return true;
    }
    if (wraps && op == "cvt" && operands.size() == 2) {
      write_first();
      result = in[1];
      // Of the two types the first is the result's. A generic address does not fit 32 bits.
      const bool narrow = ptx::bits(ptx::type_named(instruction.modifiers.front())) < 64;
      for (const std::string& modifier : instruction.modifiers) {
        if (is_integer(ptx::type_named(modifier))) continue;
        result.zeros = 0;
        wrong(in[1].arrays, through());
      }
      if (narrow) wrong(in[1].arrays & kGeneric, through());
      return true;
    }
    if (wraps && is_one_of(op, {"selp", "min", "max"}) && operands.size() >= 3) {
      write_first();
      if (in[1].is_known() && in[2].is_known()) result = joined(in[1], in[2]);
      return true;
    }
    return false;
  }

  bool address_arithmetic() {
    if (wraps && is_one_of(op, {"add", "sub"}) && operands.size() == 3) {
      write_first();
      const Value &a = in[1], &b = in[2];
      if (!a.is_known() || !b.is_known()) return true;
      const bool minus = op == "sub";
      result = {0, a.number && b.number, std::min(a.zeros, b.zeros)};
      if (b.number) result.arrays |= a.arrays;
      if (a.number && !minus) result.arrays |= b.arrays;
      if (a.number && minus) wrong(b.arrays, through());
      if (a.arrays != 0 && b.arrays != 0) {
        // The distance of two addresses in one array is a number; anything else of two addresses is not followed.
        if (minus && a.arrays == b.arrays && std::has_single_bit(a.arrays)) {
          result.number = true;
        } else {
          wrong(a.arrays | b.arrays, through());
          result.number = true;  // of which nothing is known
        }
      }
      return true;
    }
    if (wraps && op == "mad" && operands.size() == 4) {
      write_first();
      if (!in[1].is_known() || !in[2].is_known() || !in[3].is_known()) return true;
      result = in[3];
      result.zeros = std::min(in[3].zeros, capped(in[1].zeros + in[2].zeros));
      wrong(in[1].arrays | in[2].arrays, through());
      return true;
    }
    if (wraps && is_one_of(op, {"and", "or"}) && operands.size() == 3 && operands[2].kind == Kind::integer) {
      write_first();
      if (!in[1].is_known()) return true;
      const int64_t constant = operands[2].integer;
      result = in[1];
      if (op == "and") {
        // Rounding down to at most the alignment of the array stays in it, wherever it lies.
        // Addresses in the window have 32 bits, whatever register holds them.
        const bool narrow = ptx::bits(type_of(instruction)) == 32 || (in[1].arrays & kGeneric) == 0;
        const int64_t mask = narrow ? static_cast<int32_t>(constant) : constant;
        const bool rounds = mask < 0 && zeros_of(mask) <= provenance.zeros_of_starts(in[1].arrays) &&
                            mask == -(int64_t{1} << zeros_of(mask));
        result.zeros = std::max(in[1].zeros, zeros_of(constant));
        if (!rounds) wrong(in[1].arrays, through());
      } else {
        // Bits that are zero in the distance and in the array's start: the same as an addition.
        const bool adds = constant >= 0 && constant < int64_t{1} << std::min<unsigned>(
                                                          in[1].zeros, provenance.zeros_of_starts(in[1].arrays));
        result.zeros = std::min(in[1].zeros, zeros_of(constant));
        if (!adds) wrong(in[1].arrays, through());
      }
      return true;
    }
    return false;
  }

  void anything_else() {
    // Numbers whose low zeros are known; then anything else, of which every register may be written.
    if (wraps && is_one_of(op, {"mul", "shl", "and", "or", "xor"}) && operands.size() == 3) {
      write_first();
      const Value &a = in[1], &b = in[2];
      if (!a.is_known() || !b.is_known()) return;
      result = joined(a, b);
      const bool constant = operands[2].kind == Kind::integer;
      if (op == "mul") result.zeros = capped(a.zeros + b.zeros);
      if (op == "shl")
        result.zeros = capped(
            a.zeros +
            (constant ? static_cast<unsigned>(std::min<uint64_t>(static_cast<uint64_t>(operands[2].integer), 64)) : 0));
      if (op == "and") result.zeros = std::max(a.zeros, b.zeros);
    } else {
      for (const ptx::Operand& operand : operands) provenance.add_registers(step, operand, targets);
      for (const Value& value : in) {
        if (value.is_known()) result.arrays |= value.arrays;
      }
      result.number = result.arrays == 0;
      result.zeros = 0;
    }
    const bool calls = op == "call";
    wrong(result.arrays, calls ? "its address is passed to a function" : through());
  }
};

Provenance::Effect Provenance::effect(const Step& step) const {
  if (step.instruction->operands.empty()) return {};
  Finder finder{*this, step};
  finder.find();
  return {std::move(finder.targets), finder.result, std::move(finder.misuse)};
}

}  // namespace bankshot::rewrite
