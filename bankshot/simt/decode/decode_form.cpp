// One instruction: the row of the table that it is, and what the row makes of it.
#include <algorithm>
#include <cstring>

#include "bankshot/ptx/lookup.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/decode/decoder.hpp"
#include "bankshot/simt/decode/modifier_order.hpp"
#include "bankshot/simt/decode/unsupported.hpp"
#include "bankshot/simt/matrices/matrix.hpp"

namespace bankshot::simt {

uint16_t FunctionDecoder::text_index(const std::string& text) {
  LoadedProgram& program = *context_.program;
  const auto [it, added] = context_.texts.try_emplace(text, static_cast<uint16_t>(program.texts.size()));
  if (added) program.texts.push_back(text);
  return it->second;
}

Handler FunctionDecoder::choose(const ptx::Instruction& instruction, Match& m, const Form*& form) {
  const auto rows = context_.forms->find(instruction.opcode);
  if (rows == context_.forms->end()) {
    error(instruction.position, "instruction '" + instruction.opcode + "' is not supported",
          "docs/ptx.md lists the supported instructions.");
    return nullptr;
  }
  Handler handler = nullptr;
  for (const auto fits_form : {&match, &match_in_any_order}) {
    for (const Form* candidate : rows->second) {
      if (!fits_form(*candidate, instruction.modifiers, m)) continue;
      form = candidate;
      handler = candidate->row->select(m);
      // Forms may differ in their number of operands only.
      const bool fits = candidate->row->lower != nullptr || candidate->slots.size() == instruction.operands.size();
      if (handler != nullptr && fits) return handler;
    }
  }
  if (handler != nullptr) return handler;
  const auto known = [&](const std::string& written) {
    return std::any_of(rows->second.begin(), rows->second.end(),
                       [&](const Form* f) { return has_modifier(*f, written); });
  };
  Position place = instruction.position;  // of a guard, if there is one: then the modifiers' places are not known
  if (!instruction.guard) place.column += static_cast<uint32_t>(instruction.opcode.size());
  for (const std::string& modifier : instruction.modifiers) {
    if (!known(modifier)) {
      const Refusal refusal = refuse_modifier(instruction.opcode, modifier, rows->second.front()->row->syntax);
      error(place, refusal.message, refusal.remedy);
      return nullptr;
    }
    if (!instruction.guard) place.column += static_cast<uint32_t>(modifier.size()) + 1;
  }
  error(instruction.position,
        "this form of '" + instruction.opcode + "' is not supported: " + ptx::mnemonic(instruction),
        form != nullptr ? "The nearest form is: " + std::string(form->row->syntax)
                        : "Its forms begin: " + std::string(rows->second.front()->row->syntax));
  return nullptr;
}

void FunctionDecoder::fill_info(const ptx::Instruction& instruction, const Match& m, const Row& row, const Instr& out) {
  using Layout = ptx::Access::Layout;
  InstrInfo& info = item_->info;
  LoadedProgram& program = *context_.program;
  const Layout layout = m.access.layout;
  unsigned bytes = m.access.bytes();
  if (m.access.kind == ptx::Access::Kind::copy && layout == Layout::lanes) bytes = program.copies[out.op[5]].bytes;
  if (layout == Layout::matrix) bytes = matrix_piece(out);
  if (layout == Layout::texture) bytes = 4;
  info.bytes = static_cast<uint8_t>(bytes);
  info.adds_one = out.op[1] == OperandRef::kNone && ptx::adds_one(m.access, instruction);
  if (info.adds_one && item_->site >= 0)
    program.sites[static_cast<size_t>(item_->site)].kind = site_kind(m.access, true);
  if (row.work != nullptr) info.work = row.work(m);
}

bool FunctionDecoder::lower(const ptx::Instruction& instruction, Instr& out) {
  Match m;
  const Form* form = nullptr;
  const Handler handler = choose(instruction, m, form);
  if (handler == nullptr) return false;
  if (!std::equal(m.modifiers.begin(), m.modifiers.end(), instruction.modifiers.begin(), instruction.modifiers.end())) {
    // From here on, and in timing models, which read the text, modifiers are where the table has them.
    ptx::Instruction ordered = instruction;
    ordered.modifiers.assign(m.modifiers.begin(), m.modifiers.end());
    item_->info.text = text_index(ptx::as_written(ordered));
    return lower(ordered, out);
  }
  out.body = handler;
  item_->info.unit = item_->info.sequence.converts ? Unit::sfu
                     : instruction.multiplies      ? Unit::multiply
                                                   : form->row->unit;
  item_->info.access = m.access;
  item_->row = form->row;
  const size_t errors = context_.diagnostics->size();
  if (form->row->lower != nullptr) {
    form->row->lower(*this, instruction, m, out);
  } else {
    lower_operands(*this, instruction, *form, m, out);
  }
  const bool fine = context_.diagnostics->size() == errors;
  if (fine) fill_info(instruction, m, *form->row, out);
  // setmaxnreg tells Bankshot nothing, whoever executes it.
  if (m.has("aligned") && form->row->unit != Unit::barrier && instruction.opcode != "setmaxnreg")
    out.flags |= InstrFlag::kAligned;
  out.run = out.body;
  if (fine && context_.checked != nullptr) {
    item_->checked = checked_op(instruction, m);
    if (item_->checked.kind == CheckedOp::Kind::members)
      item_->checked.members = source(instruction.operands.back(), ptx::Type::u32, false, nullptr);
  }
  if (!fine || !instruction.guard) return fine;
  ptx::Operand guard;
  guard.kind = ptx::Operand::Kind::identifier;
  guard.position = instruction.position;
  guard.name = instruction.guard->name;
  const uint32_t predicate = predicate_source(guard);
  const bool branches = !item_->flow.targets.empty() || item_->ends_function;
  const bool blocks = is_control(form->row->unit) || form->row->unit == Unit::warp;
  if (blocks && !branches) {
    branch_around(instruction);
    return true;
  }
  item_->instr.guard = predicate;
  if (instruction.guard->negated) item_->instr.flags |= InstrFlag::kGuardNegated;
  if (branches) {
    item_->flow.falls_through = item_->flow.conditional = true;
  } else {
    item_->instr.run = &run_guarded;
  }
  return true;
}

}  // namespace bankshot::simt
