#include "tests/differential/forms.hpp"

#include <algorithm>

#include "tests/differential/meaning.hpp"
#include "tests/unit/simt/rows_harness.hpp"

namespace bankshot::differential {
namespace {

using ptx::Type;

Type wide_type(Type type) {
  switch (type) {
    case Type::u16: return Type::u32;
    case Type::s16: return Type::s32;
    case Type::u32: return Type::u64;
    case Type::s32: return Type::s64;
    default: return Type::none;
  }
}

Type slot_type(const simt::Form::Slot& slot, const simt::Match& m) {
  if (slot.type == "pred" || (slot.type.empty() && (slot.name == "p" || slot.name == "q"))) return Type::pred;
  if (slot.type == "literal" || slot.type == "imm") return Type::none;
  if (slot.type.empty()) return m.type;
  if (slot.type == "wide") return wide_type(m.type);
  return slot.type == "type2" ? m.type2 : ptx::type_named(slot.type);
}

bool of_registers(const simt::Row& row) {
  return row.unit == simt::Unit::alu || row.unit == simt::Unit::fp32 || row.unit == simt::Unit::fp64;
}

std::string joined(const std::string& opcode, const std::vector<std::string>& modifiers) {
  std::string name = opcode;
  for (const std::string& modifier : modifiers) name += "." + modifier;
  return name;
}

bool carries(const std::string& opcode, const std::vector<std::string>& modifiers) {
  return opcode == "addc" || opcode == "subc" || opcode == "madc" ||
         std::find(modifiers.begin(), modifiers.end(), "cc") != modifiers.end();
}

/// Nothing if the form cannot be spelled so, or the reference does not know it.
std::vector<Spelling> spelling_of(const simt::Form& form, const std::vector<std::string>& modifiers) {
  simt::Match m;
  if (carries(form.opcode, modifiers) || !simt::match(form, modifiers, m)) return {};
  Spelling out{joined(form.opcode, modifiers), form.opcode, {}, {}};
  for (size_t k = 0; k < form.slots.size(); ++k) {
    const simt::Form::Slot& slot = form.slots[k];
    if (k > 0) {
      out.sources.push_back(slot_type(slot, m));
    } else if (slot.name == "p|q") {
      out.targets = {Type::pred, Type::pred};
    } else if (slot.name == "d|p") {
      out.targets = {m.type, Type::pred};
    } else {
      out.targets = {slot_type(slot, m)};
    }
  }
  if (form.opcode == "lop3" || out.targets[0] == Type::none) out.targets[0] = Type::b32;
  if (!meaning_of(form.opcode, modifiers, out.sources.size())) return {};
  if (!simt::testing::prepare(*form.row, modifiers)) return {};
  return {out};
}

}  // namespace

Forms::Forms() {
  const simt::Rows& rows = *simt::rows_of("portable");
  for (const simt::Row& row : rows) {
    forms_.push_back(simt::parse_form(row));
    const simt::Form& form = forms_.back();
    rows_of_[form.opcode].push_back(forms_.size() - 1);
    if (!of_registers(row)) continue;
    std::vector<Spelling> all;
    for (const std::vector<std::string>& modifiers : simt::testing::spellings(form)) {
      for (const Spelling& spelling : spelling_of(form, modifiers)) all.push_back(spelling);
    }
    if (!all.empty()) spellings_.push_back(std::move(all));
  }
}

void Forms::note(const ptx::Module& module) {
  for (const ptx::Item& item : module.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function != nullptr && function->body) note(*function->body);
  }
}

void Forms::note(const ptx::Block& block) {
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) note(**inner);
    const auto* instruction = std::get_if<ptx::Instruction>(&statement);
    if (instruction == nullptr) continue;
    const size_t operands = instruction->operands.size();
    const std::string name = joined(instruction->opcode, instruction->modifiers) + "/" + std::to_string(operands);
    if (const auto known = known_.find(name); known != known_.end()) {
      reached_.insert(known->second);
      continue;
    }
    // Of rows with the same modifiers, the one with as many operands; calls and barriers leave some out.
    for (const bool exactly : {true, false}) {
      if (known_.count(name) != 0) break;
      for (const size_t row : rows_of_[instruction->opcode]) {
        simt::Match m;
        if (exactly && forms_[row].slots.size() != operands) continue;
        if (!simt::match(forms_[row], instruction->modifiers, m)) continue;
        known_[name] = row;
        reached_.insert(row);
        break;
      }
    }
  }
}

std::string Forms::list(bool those_reached) const {
  std::string text;
  for (size_t row = 0; row < forms_.size(); ++row) {
    if ((reached_.count(row) != 0) == those_reached) text += "  " + std::string(forms_[row].row->syntax) + "\n";
  }
  return text;
}

}  // namespace bankshot::differential
