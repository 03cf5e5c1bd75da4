#include "bankshot/optimise/values.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "bankshot/optimise/numbers.hpp"
#include "bankshot/optimise/words.hpp"
#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::optimise {
namespace {

using ptx::Operand;
using Kind = ptx::Operand::Kind;

/// From here on the window of shared memory starts at an address that code reads from a register, a multiple of 1,024.
constexpr unsigned kRelocatedShared = 90, kWindowZeros = 10;

unsigned zeros_of_number(int64_t value) {
  return static_cast<unsigned>(std::min(std::countr_zero(static_cast<uint64_t>(value)), 64));
}

/// Instructions whose result depends on their operands only.
bool is_pure(const ptx::Instruction& instruction) {
  const std::string& op = instruction.opcode;
  return is_one_of(op, "mov", "add", "sub", "mul", "mad", "mul24", "mad24", "shl", "shr", "and", "or", "xor", "not",
                   "neg", "abs", "min", "max", "cvt", "cvta", "selp", "setp", "bfe", "bfi", "lop3", "prmt", "shf",
                   "rem", "div", "popc", "clz", "fma", "brev", "cnot", "slct", "sad") &&
         !has(instruction, "cc");
}

bool is_clock(std::string_view name) {
  return name.starts_with("%clock") || name.starts_with("%globaltimer") || name.starts_with("%pm");
}

void add_registers(const ptx::KernelCode& code, const ptx::Step& step, const Operand& operand, std::vector<int>& out) {
  for (const Operand& element : operand.elements) add_registers(code, step, element, out);
  const int entity = operand.name.empty() ? -1 : code.entity(step, operand.name);
  if (entity >= 0 && code.variable(entity).space == ptx::Space::reg) out.push_back(entity);
}

}  // namespace

Control::Control(const ptx::KernelCode& code)
    : nodes(code.flow()), blocks(ptx::blocks_of(nodes)), dominators(0, blocks.successors, blocks.predecessors) {}

bool Control::dominates(size_t a, size_t b) const {
  const uint32_t from = blocks.of[a], to = blocks.of[b];
  return from == to ? a <= b : dominators.dominates(from, to);
}

std::vector<int> written_by(const ptx::KernelCode& code, const ptx::Step& step) {
  std::vector<int> out;
  if (ptx::writes_first_operand(*step.instruction)) add_registers(code, step, step.instruction->operands[0], out);
  return out;
}

std::vector<int> read_by(const ptx::KernelCode& code, const ptx::Step& step) {
  std::vector<int> out;
  const ptx::Instruction& instruction = *step.instruction;
  const size_t first = ptx::writes_first_operand(instruction) && !ptx::reads_first_operand(instruction) ? 1 : 0;
  for (size_t k = first; k < instruction.operands.size(); ++k) add_registers(code, step, instruction.operands[k], out);
  if (instruction.guard) {
    const int guard = code.entity(step, instruction.guard->name);
    if (guard >= 0) out.push_back(guard);
  }
  return out;
}

RegisterUses::RegisterUses(const ptx::KernelCode& code) : writers(code.entities()), readers(code.entities()) {
  for (size_t k = 0; k < code.steps().size(); ++k) {
    for (const int entity : written_by(code, code.steps()[k])) writers[static_cast<size_t>(entity)].push_back(k);
    for (const int entity : read_by(code, code.steps()[k])) readers[static_cast<size_t>(entity)].push_back(k);
  }
}

Values::Values(const ptx::KernelCode& code, const Control& control,
               const std::map<const ptx::Variable*, uint32_t>& shared, unsigned architecture)
    : code_(code),
      control_(control),
      shared_(shared),
      architecture_(architecture),
      uses_(code),
      value_of_(code.entities()),
      defined_(code.entities()),
      at_(code.steps().size()),
      leaves_(control.blocks.first.size()),
      done_(control.blocks.first.size()) {
  const auto& steps = code.steps();
  for (size_t entity = 0; entity < uses_.writers.size(); ++entity) {
    if (uses_.writers[entity].size() > 1) written_twice_.push_back(static_cast<int>(entity));
  }
  const std::vector<uint32_t>& order = control.dominators.order;
  for (auto block = order.rbegin(); block != order.rend(); ++block) {
    State state = entry_state(*block);
    const size_t end = *block + 1 < control.blocks.first.size() ? control.blocks.first[*block + 1] : steps.size();
    for (size_t k = control.blocks.first[*block]; k < std::min(end, steps.size()); ++k) {
      for (const Operand& o : steps[k].instruction->operands) {
        if (o.kind == Kind::address) at_[k].emplace(&o, operand(k, o, state));
      }
      const std::vector<int> written = written_by(code, steps[k]);
      for (size_t n = 0; n < written.size(); ++n) {
        const auto entity = static_cast<size_t>(written[n]);
        const bool alone = written.size() == 1 && steps[k].instruction->operands[0].kind == Kind::identifier;
        Linear value = alone ? result(k, state) : make("result " + std::to_string(n) + " of " + std::to_string(k), {});
        defined_[entity].push_back(value);
        if (steps[k].instruction->guard) value = make("after " + std::to_string(k), {}, written[n]);
        if (uses_.writers[entity].size() == 1) {
          value_of_[entity] = value;
        } else {
          state[written[n]] = value;
        }
      }
    }
    leaves_[*block] = std::move(state);
    done_[*block] = 1;
  }
  settle_zeros();
}

/// Where several paths meet, registers that several instructions write have a new value, if the paths disagree or are
/// not known yet.
Values::State Values::entry_state(uint32_t block) {
  const std::vector<uint32_t>& before = control_.blocks.predecessors[block];
  if (before.size() == 1 && done_[before[0]] != 0) return leaves_[before[0]];
  State state;
  const bool known = !before.empty() && std::all_of(before.begin(), before.end(), [&](uint32_t b) { return done_[b]; });
  for (const int number : written_twice_) {
    const auto value = [&](uint32_t b) {
      const auto found = leaves_[b].find(number);
      return found == leaves_[b].end() ? make("at entry", {}, number) : found->second;
    };
    const bool agree =
        known && std::all_of(before.begin(), before.end(), [&](uint32_t b) { return value(b) == value(before[0]); });
    state[number] = agree ? value(before[0]) : make("in block " + std::to_string(block), {}, number);
  }
  return state;
}

Linear Values::make(std::string what, std::vector<Linear> parts, int entity) {
  auto key = std::tuple(what, parts, entity);
  const auto [found, added] = numbers_.try_emplace(std::move(key), static_cast<int>(nodes_.size()));
  if (added) {
    nodes_.push_back({std::move(what), std::move(parts), entity, 0});
    if (entity < 0) nodes_.back().zeros = zeros_of(nodes_.back());  // for the time being: of loops nothing is known yet
  }
  return {found->second, 0};
}

Linear Values::operand(size_t step, const Operand& o, const State& state) {
  if (o.kind == Kind::integer) return {Linear::kNumber, o.integer};
  const bool plain = o.kind == Kind::identifier || o.kind == Kind::sum || o.kind == Kind::address;
  if (!plain || o.mask != 0) return make("operand of " + std::to_string(step), {});
  const int64_t offset = o.kind == Kind::identifier ? 0 : o.integer;
  if (o.name.empty()) return {Linear::kNumber, offset};
  const int entity = code_.entity(code_.steps()[step], o.name);
  Linear value;
  if (entity < 0) {
    value = is_clock(o.name) ? make(o.name + " at " + std::to_string(step), {}) : make(o.name, {});
  } else if (const ptx::Variable& variable = code_.variable(entity); variable.space == ptx::Space::reg) {
    const auto e = static_cast<size_t>(entity);
    const std::vector<size_t>& writers = uses_.writers[e];
    if (writers.size() > 1) {
      const auto found = state.find(entity);
      value = found == state.end() ? make("at entry", {}, entity) : found->second;
    } else if (writers.size() == 1 && writers[0] != step && control_.dominates(writers[0], step)) {
      value = value_of_[e];
    } else {
      value = make("unwritten at " + std::to_string(step), {}, entity);
    }
  } else if (const auto place = shared_.find(&variable); place != shared_.end()) {
    value = architecture_ < kRelocatedShared ? Linear{Linear::kNumber, place->second} : make("window", {});
    if (value.base != Linear::kNumber) value.offset += place->second;
  } else {
    value = make("address of " + o.name + " " + std::to_string(entity), {});
  }
  value.offset = plus(value.offset, offset);
  return value;
}

Linear Values::result(size_t step, const State& state) {
  const ptx::Instruction& instruction = *code_.steps()[step].instruction;
  const ptx::Access access = ptx::access_of(instruction);
  const bool parameter = instruction.opcode == "ld" && access.space == ptx::Space::param;
  if (parameter && code_.entity(code_.steps()[step], instruction.operands[1].name) >= 0)
    return make(mnemonic(instruction), {operand(step, instruction.operands[1], state)});
  if (!is_pure(instruction)) return make("result of " + std::to_string(step), {});
  std::vector<Linear> parts;
  for (size_t k = 1; k < instruction.operands.size(); ++k)
    parts.push_back(operand(step, instruction.operands[k], state));
  return operation(instruction, std::move(parts));
}

/// ptxas moves a constant outwards where one of the two is a constant, and no further.
Linear Values::sum(const ptx::Instruction& instruction, const Linear& a, const Linear& b, bool subtracts) {
  const unsigned bits = ptx::bits(type_of(instruction));
  if (b.base == Linear::kNumber)
    return {a.base, wrapped(subtracts ? minus(a.offset, b.offset) : plus(a.offset, b.offset), bits)};
  if (a.base == Linear::kNumber && !subtracts) return {b.base, wrapped(plus(b.offset, a.offset), bits)};
  // Of a commutative operation the order of the operands does not matter.
  if (!subtracts && b < a) return make("add", {b, a});
  return make(subtracts ? "sub" : "add", {a, b});
}

Linear Values::operation(const ptx::Instruction& instruction, std::vector<Linear> parts) {
  const std::string& op = instruction.opcode;
  const unsigned bits = ptx::bits(type_of(instruction));
  const bool integer = !ptx::is_float(type_of(instruction)) && (bits == 32 || bits == 64);
  if (op == "mov" && parts.size() == 1) return parts[0];
  if (integer && !has(instruction, "sat") && (op == "add" || op == "sub") && parts.size() == 2)
    return sum(instruction, parts[0], parts[1], op == "sub");
  if (op == "cvta" && parts.size() == 1) {
    const int64_t offset = parts[0].offset;
    if (parts[0].base == Linear::kNumber) return make(mnemonic(instruction), std::move(parts));
    Linear value = make(mnemonic(instruction), {{parts[0].base, 0}});
    value.offset = offset;
    return value;
  }
  const bool two = integer && parts.size() == 2;
  const bool numbers = two && parts[0].base == Linear::kNumber && parts[1].base == Linear::kNumber;
  const int64_t a = two ? parts[0].offset : 0, b = two ? parts[1].offset : 0;
  if (numbers && op == "shl" && b >= 0 && b < static_cast<int64_t>(bits))
    return {Linear::kNumber, wrapped(static_cast<int64_t>(static_cast<uint64_t>(a) << b), bits)};
  if (numbers && op == "mul" && has(instruction, "lo")) return {Linear::kNumber, wrapped(times(a, b), bits)};
  // A constant that is added before a multiplication is multiplied and added behind it.
  const bool low = op == "shl" || has(instruction, "lo");
  if (integer && low && (op == "shl" || op == "mul" || op == "mad") && parts.size() == (op == "mad" ? 3 : 2)) {
    const bool first = op != "shl" && parts[0].base == Linear::kNumber;
    const Linear factor = parts[first ? 0 : 1], other = parts[first ? 1 : 0];
    if (factor.base == Linear::kNumber && other.base != Linear::kNumber && other.offset != 0 &&
        (op != "shl" || (factor.offset >= 0 && factor.offset < static_cast<int64_t>(bits)))) {
      const int64_t scale = op == "shl" ? static_cast<int64_t>(uint64_t{1} << factor.offset) : factor.offset;
      std::vector<Linear> rest = parts;
      rest[first ? 1 : 0].offset = 0;
      int64_t behind = times(other.offset, scale);
      if (op == "mad") behind = plus(behind, rest[2].offset);
      Linear value = op == "mad" ? make(mnemonic(instruction), {rest[0], rest[1], {rest[2].base, 0}})
                                 : make(mnemonic(instruction), std::move(rest));
      value.offset = wrapped(behind, bits);
      return value;
    }
  }
  // Bits that are surely zero: or is an addition.
  if (two && op == "or") {
    const size_t constant = parts[1].base == Linear::kNumber ? 1 : 0;
    const Linear &number = parts[constant], &other = parts[1 - constant];
    if (number.base == Linear::kNumber && number.offset >= 0 && other.base != Linear::kNumber && other.offset == 0 &&
        static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(number.offset))) <=
            zeros_of(nodes_[static_cast<size_t>(other.base)]))
      return {other.base, number.offset};
  }
  return make(mnemonic(instruction), std::move(parts));
}

unsigned Values::zeros_of(const Linear& value) const {
  if (value.base == Linear::kNumber) return zeros_of_number(value.offset);
  return std::min(nodes_[static_cast<size_t>(value.base)].zeros, zeros_of_number(value.offset));
}

unsigned Values::zeros_of(const Node& node) const {
  if (node.entity >= 0) {
    // Whatever it was written with; a register that was not written may not be read.
    unsigned least = defined_[static_cast<size_t>(node.entity)].empty() ? 0 : 64;
    for (const Linear& value : defined_[static_cast<size_t>(node.entity)]) least = std::min(least, zeros_of(value));
    return least;
  }
  if (node.what == "window") return kWindowZeros;
  if (node.parts.empty()) return 0;
  const auto part = [&](size_t k) { return k < node.parts.size() ? zeros_of(node.parts[k]) : 0u; };
  const auto number = [&](size_t k) { return k < node.parts.size() && node.parts[k].base == Linear::kNumber; };
  const std::string_view what = node.what;
  const std::string_view op = what.substr(0, what.find('.'));
  const bool high = what.find(".hi") != what.npos;
  if (what.find(".f16") != what.npos || what.find(".f32") != what.npos || what.find(".f64") != what.npos) return 0;
  unsigned zeros = 0;
  if (op == "add" || op == "sub" || op == "or" || op == "xor" || op == "min" || op == "max" || op == "selp") {
    zeros = std::min(part(0), part(1));
  } else if (op == "and") {
    zeros = std::max(part(0), part(1));
  } else if (op == "mul" && !high) {
    zeros = part(0) + part(1);
  } else if (op == "mad" && !high) {
    zeros = std::min(part(0) + part(1), part(2));
  } else if (op == "shl") {
    zeros = part(0) + (number(1) ? static_cast<unsigned>(std::clamp<int64_t>(node.parts[1].offset, 0, 64)) : 0);
  } else if (op == "shr" && number(1)) {
    const auto by = static_cast<unsigned>(std::clamp<int64_t>(node.parts[1].offset, 0, 64));
    zeros = part(0) > by ? part(0) - by : 0;
  } else if (op == "bfi" && number(2) && number(3)) {
    // Inserted at bit c, d bits wide.
    const auto at = static_cast<unsigned>(std::clamp<int64_t>(node.parts[2].offset, 0, 64));
    zeros = std::min(part(0) + at, part(1));
  } else if (op == "cvt" || op == "neg") {
    zeros = part(0);
  } else if (what == "cvta.shared.u64" && architecture_ >= kRelocatedShared) {
    zeros = part(0);
  }
  return std::min(zeros, 64u);
}

/// From the most there can be downwards, until nothing changes: what holds of all values that a loop brings.
void Values::settle_zeros() {
  for (Node& node : nodes_) node.zeros = 64;
  for (bool changed = true; changed;) {
    changed = false;
    for (Node& node : nodes_) {
      const unsigned zeros = zeros_of(node);
      changed |= zeros != node.zeros;
      node.zeros = zeros;
    }
  }
}

}  // namespace bankshot::optimise
