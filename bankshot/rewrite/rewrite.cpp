#include "bankshot/rewrite/rewrite.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "bankshot/ptx/lookup.hpp"
#include "bankshot/rewrite/place_code.hpp"

namespace bankshot::rewrite {
namespace {

using Statements = std::vector<ptx::Statement>;

ptx::Function* find_mutable(ptx::Module& module, const std::string& name) {
  return const_cast<ptx::Function*>(find_kernel(module, name));
}

/// 75 for sm_75; 0 if no target says.
unsigned architecture(const ptx::Module& module) {
  for (const std::string& target : module.targets) {
    unsigned number = 0;
    if (target.starts_with("sm_")) std::from_chars(target.data() + 3, target.data() + target.size(), number);
    if (number != 0) return number;
  }
  return 0;
}

bool reads_size_of_shared(const KernelCode& code) {
  return std::any_of(code.steps().begin(), code.steps().end(), [](const Step& step) {
    const auto& operands = step.instruction->operands;
    return std::any_of(operands.begin(), operands.end(), [](const ptx::Operand& o) {
      return o.name == "%total_smem_size" || o.name == "%aggr_smem_size";
    });
  });
}

/// What is known of a rewriting before the module changes: names and instructions, by the number of the step.
struct Plan {
  struct Edit {
    size_t operand = 0;
    std::string base;
    int64_t offset = 0;
  };
  std::map<size_t, Edit> edits;
  std::map<size_t, Statements> after;
  Statements entry;
  FreshRegisters fresh;
  std::vector<ArrayCode> arrays;
};

PlaceTerms terms_of(const Move& move, unsigned word_bytes) {
  if (const auto* padding = std::get_if<scratchpad::Padding>(&move)) return place_terms(*padding);
  return place_terms(std::get<scratchpad::BankHash>(move), word_bytes);
}

/// The place of a multiple of the period, which may be negative.
int64_t periods(int64_t offset, const PlaceTerms& terms) { return offset + offset / terms.row_bytes * terms.padding; }

class Planner {
 public:
  Planner(const KernelArrays& kernel, const ptx::Function& function) : kernel_(kernel) {
    plan_.fresh.prefix = "%bankshot";
    while (ptx::any_name_begins(*function.body, plan_.fresh.prefix)) plan_.fresh.prefix += '_';
    find_starts();
  }

  void add(const Array& array, const PlaceTerms& terms, bool has_lop3) {
    FreshRegisters& fresh = plan_.fresh;
    ArrayCode code{array.name, terms, array.dynamic, has_lop3, fresh.next32(), {}, 0};
    if (array.dynamic) {
      for (size_t i = 0; i < terms.terms.size(); ++i) code.masks.push_back(fresh.next32());
    }
    append_entry(plan_.entry, code, fresh);
    // Registers with an address of the array, and the distances that accesses add to them; -1 stands for its name.
    std::map<int, std::map<uint32_t, std::string>> places;
    std::map<int, bool> joins;  // ptxas may make accesses one that use one place
    for (const Access& access : array.accesses) {
      if (access.base < 0 && !array.dynamic) {
        plan_.edits[access.step] = {access.operand, array.name, terms.place(static_cast<uint32_t>(access.offset))};
        continue;
      }
      const auto low = static_cast<uint32_t>(access.offset) & (terms.period - 1) & ~plain_bits(access, terms);
      joins[access.base] |= (static_cast<uint32_t>(access.offset) & plain_bits(access, terms)) != 0;
      std::string& target = places[access.base][low];
      if (target.empty()) target = access.generic ? fresh.next64() : fresh.next32();
      const int64_t plain = access.offset & plain_bits(access, terms);
      plan_.edits[access.step] = {access.operand, target, periods(access.offset - low - plain, terms) + plain};
    }
    for (const auto& [base, targets] : places) {
      code.has_lop3 = has_lop3 && !joins[base];
      if (base < 0) {
        append_places(plan_.entry, code, fresh, {.kind = AddressSource::Kind::constant}, targets);
      } else {
        after_each_write(base, code, targets);
      }
    }
    plan_.arrays.push_back(std::move(code));
  }

  Plan take() { return std::move(plan_); }

 private:
  /// The registers that always hold the start of an array.
  void find_starts() {
    std::map<int, size_t> writes;
    std::map<int, int> start;
    const auto& steps = kernel_.code.steps();
    for (const Step& step : steps) {
      for (const int target : kernel_.provenance.targets(step)) {
        ++writes[target];
        if (const auto from = start_plus(step); from && from->second == 0) start[target] = from->first;
      }
    }
    for (const auto& [entity, array] : start) {
      if (writes[entity] == 1) starts_[entity] = array;
    }
  }

  /// The array and the offset, if the instruction is an unguarded `mov register, array + offset`.
  std::optional<std::pair<int, int64_t>> start_plus(const Step& step) const {
    const ptx::Instruction& instruction = *step.instruction;
    if (instruction.opcode != "mov" || instruction.guard || instruction.operands.size() != 2) return std::nullopt;
    const ptx::Operand& from = instruction.operands[1];
    if (from.kind != ptx::Operand::Kind::identifier && from.kind != ptx::Operand::Kind::sum) return std::nullopt;
    const int entity = kernel_.code.entity(step, from.name);
    if (entity < 0 || kernel_.array_of[static_cast<size_t>(entity)] < 0) return std::nullopt;
    return std::pair(kernel_.array_of[static_cast<size_t>(entity)], from.integer);
  }

  /// Bits that stay in the offset of an access: what the hash leaves alone, where the register surely has zeros. ptxas
  /// can go on joining such accesses.
  uint32_t plain_bits(const Access& access, const PlaceTerms& terms) const {
    const unsigned zeros = access.base < 0 ? 31 : kernel_.provenance.value(access.base).zeros;
    return std::min(uint32_t{1} << std::min(zeros, 31u), terms.unbroken) - 1;
  }

  bool is_wide(int entity) const { return ptx::bits(kernel_.code.variable(entity).type) == 64; }

  /// What an instruction that writes `entity`, an address, says about it.
  AddressSource source_of(const Step& step, int entity) const {
    const ptx::Instruction& instruction = *step.instruction;
    const Value value = kernel_.provenance.value(entity);
    AddressSource source;
    source.address = instruction.operands[0].name;
    source.address_wide = is_wide(entity);
    source.generic = (std::countr_zero(value.arrays) & 1) != 0;
    source.zeros = value.zeros;
    if (source.generic) return source;
    if (const auto from = start_plus(step)) {
      source.kind = AddressSource::Kind::constant;
      source.offset = static_cast<uint32_t>(from->second);
      return source;
    }
    if (instruction.opcode != "add" || instruction.guard) return source;
    for (const size_t i : {1, 2}) {
      const ptx::Operand &start = instruction.operands[i], &distance = instruction.operands[3 - i];
      const int start_entity = start.name.empty() ? -1 : kernel_.code.entity(step, start.name);
      if (!starts_.contains(start_entity)) continue;
      if (distance.kind == ptx::Operand::Kind::integer) {
        source.kind = AddressSource::Kind::constant;
        source.offset = static_cast<uint32_t>(distance.integer);
        return source;
      }
      const int from = distance.kind == ptx::Operand::Kind::identifier ? kernel_.code.entity(step, distance.name) : -1;
      if (from < 0 || from == entity || kernel_.code.variable(from).space != ptx::Space::reg) continue;
      source.kind = AddressSource::Kind::sum;
      source.distance = distance.name;
      source.distance_wide = is_wide(from);
      return source;
    }
    return source;
  }

  /// Wherever the register is written, its places are computed again, so that they are those of its value everywhere.
  void after_each_write(int base, ArrayCode& code, const std::map<uint32_t, std::string>& targets) {
    const auto& steps = kernel_.code.steps();
    for (size_t i = 0; i < steps.size(); ++i) {
      const std::vector<int> written = kernel_.provenance.targets(steps[i]);
      if (std::find(written.begin(), written.end(), base) == written.end()) continue;
      append_places(plan_.after[i], code, plan_.fresh, source_of(steps[i], base), targets);
    }
  }

  const KernelArrays& kernel_;
  std::map<int, int> starts_;
  Plan plan_;
};

/// Puts the plan's instructions into a block and those inside.
/// @param step_after  receives the new number of each instruction that was there  @param next  number of the next one
void carry_out(ptx::Block& block, Plan& plan, std::vector<size_t>& step_after, size_t& next) {
  Statements statements;
  for (ptx::Statement& statement : block.statements) {
    auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) carry_out(**inner, plan, step_after, next);
    if (instruction == nullptr) {
      statements.push_back(std::move(statement));
      continue;
    }
    const size_t step = step_after.size();
    step_after.push_back(next++);
    if (const auto edit = plan.edits.find(step); edit != plan.edits.end()) {
      ptx::Operand& address = instruction->operands[edit->second.operand];
      address.name = edit->second.base;
      address.integer = edit->second.offset;
    }
    statements.push_back(std::move(statement));
    if (const auto added = plan.after.find(step); added != plan.after.end()) {
      next += added->second.size();
      for (ptx::Statement& more : added->second) statements.push_back(std::move(more));
    }
  }
  block.statements = std::move(statements);
}

/// Before the first instruction: behind all declarations. A loop may begin there; the entry code does no harm in it.
void put_entry(ptx::Block& body, Plan& plan) {
  Statements head;
  for (ptx::Variable& variable : plan.fresh.declarations()) head.emplace_back(std::move(variable));
  for (ptx::Statement& statement : plan.entry) head.push_back(std::move(statement));
  const auto first = std::find_if(body.statements.begin(), body.statements.end(), [](const ptx::Statement& s) {
    return std::holds_alternative<ptx::Instruction>(s) || std::holds_alternative<std::unique_ptr<ptx::Block>>(s);
  });
  body.statements.insert(first, std::make_move_iterator(head.begin()), std::make_move_iterator(head.end()));
}

/// Makes room for the places of a shared variable, and aligns it to rows if they are those of a hash.
void align(ptx::Variable& variable, const PlaceTerms& terms) {
  if (variable.space != ptx::Space::shared) return;
  if (terms.padding == 0) variable.align = std::max(ptx::alignment_of(variable), terms.row_bytes);
  const uint64_t bytes = ptx::size_of(variable);
  if (terms.size(bytes) == bytes) return;
  variable.align = ptx::alignment_of(variable);
  variable.type = ptx::Type::b8;
  variable.vector = 1;
  variable.dimensions = {terms.size(bytes)};
}

/// Whether it is a declaration of the array. Dynamic memory may have several names, which must stay at one place.
bool declares(const ptx::Variable& variable, const Array& array) {
  const bool is_dynamic = variable.space == ptx::Space::shared && ptx::size_of(variable) == 0;
  return variable.name == array.name || (array.dynamic && is_dynamic);
}

void align_in(ptx::Block& block, const Array& array, const PlaceTerms& terms) {
  for (ptx::Statement& statement : block.statements) {
    if (auto* variable = std::get_if<ptx::Variable>(&statement); variable != nullptr && declares(*variable, array))
      align(*variable, terms);
    if (auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) align_in(**inner, array, terms);
  }
}

/// All declarations of it: those of other kernels and blocks only get a little larger.
void align_everywhere(ptx::Module& module, ptx::Function& kernel, const Array& array, const PlaceTerms& terms) {
  for (ptx::Item& item : module.items) {
    if (auto* variable = std::get_if<ptx::Variable>(&item); variable != nullptr && declares(*variable, array))
      align(*variable, terms);
  }
  align_in(*kernel.body, array, terms);
}

}  // namespace

std::optional<Refusal> cannot_rewrite(const KernelArrays& kernel, const Array& array, const Move& move,
                                      unsigned word_bytes) {
  if (array.refusal) return array.refusal;
  const auto* hash = std::get_if<scratchpad::BankHash>(&move);
  if (hash != nullptr && !hash->linear()) return Refusal{"ADD is not an XOR hash", {}};
  if (hash != nullptr && !scratchpad::is_in_place(*hash))
    return Refusal{"the hash does not permute the words of each row: software would need extra memory", {}};
  const PlaceTerms terms = terms_of(move, word_bytes);
  if (hash != nullptr && terms.terms.empty()) return Refusal{"the hash leaves every word where it is", {}};
  if (hash == nullptr && array.dynamic) return Refusal{"the program chooses its size, which padding would change", {}};
  for (const Access& access : array.accesses) {
    if (access.width <= terms.unbroken && terms.padding % access.width == 0) continue;
    const Step& step = kernel.code.steps()[access.step];
    return Refusal{fmt::format("{} accesses {} bytes at once, which the {}", mnemonic(*step.instruction), access.width,
                               hash != nullptr ? "hash takes apart" : "padding would not keep aligned"),
                   kernel.code.place(step)};
  }
  // Aligned to rows and of whole rows, the arrays may take more.
  if (reads_size_of_shared(kernel.code))
    return Refusal{"the kernel reads how much shared memory it has, which aligning the array to rows may change", {}};
  return std::nullopt;
}

Result<Rewritten> rewrite(ptx::Module& module, const std::string& name, const std::vector<Choice>& choices,
                          unsigned word_bytes) {
  ptx::Function* function = find_mutable(module, name);
  if (function == nullptr) return Error{"there is no kernel " + name + " in the PTX"};
  const KernelArrays kernel(module, *function);
  const unsigned target = architecture(module);
  Planner planner(kernel, *function);
  Rewritten done;
  std::vector<std::pair<const Array*, PlaceTerms>> changed;
  for (const Choice& choice : choices) {
    const auto array = std::find_if(kernel.arrays.begin(), kernel.arrays.end(),
                                    [&](const Array& a) { return a.name == choice.array; });
    if (array == kernel.arrays.end()) return Error{"there is no shared array " + choice.array + " in kernel " + name};
    if (std::any_of(changed.begin(), changed.end(), [&](const auto& other) { return other.first == &*array; })) {
      return Error{"array " + choice.array + " is to be moved twice"};
    }
    if (const auto refusal = cannot_rewrite(kernel, *array, choice.move, word_bytes)) {
      const std::string at = refusal->place.ptx_line == 0 ? "" : " (" + to_string(refusal->place) + ")";
      return Error{"array " + choice.array + " is left alone: " + refusal->reason + at};
    }
    const PlaceTerms terms = terms_of(choice.move, word_bytes);
    planner.add(*array, terms, target == 0 || target >= 50);
    changed.emplace_back(&*array, terms);
    done.arrays.push_back({array->name, array->accesses.size(), 0, terms.size(array->bytes) - array->bytes});
  }
  Plan plan = planner.take();
  for (size_t i = 0; i < done.arrays.size(); ++i) done.arrays[i].added = plan.arrays[i].added;
  for (const auto& [array, terms] : changed) align_everywhere(module, *function, *array, terms);
  size_t next = plan.entry.size();  // which stands before all others
  carry_out(*function->body, plan, done.step_after, next);
  put_entry(*function->body, plan);
  return done;
}

}  // namespace bankshot::rewrite
