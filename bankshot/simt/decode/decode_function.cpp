// One function: declarations, instructions, control flow.
#include <algorithm>

#include "bankshot/ptx/lookup.hpp"
#include "bankshot/simt/access/l1_sites.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/decode/decoder.hpp"
#include "bankshot/simt/decode/register_need.hpp"
#include "bankshot/simt/rows/row_recorder.hpp"
#include "bankshot/simt/transactions/transaction.hpp"
#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {
namespace {

using ptx::Space;
using ptx::Type;

/// Local memory is interleaved by words, so everything in it starts at one.
uint32_t local_alignment(const ptx::Variable& variable) { return std::max<uint32_t>(4, alignment_of(variable)); }

}  // namespace

FunctionDecoder::FunctionDecoder(ModuleContext& context, const ptx::Function& function, uint32_t index)
    : context_(context),
      function_(function),
      index_(index),
      info_(context.program->functions[index]),
      places_(context.program->sources) {}

void FunctionDecoder::decode() {
  scopes_.emplace_back();
  declare_module_shared();
  declare_parameters();
  collect_names(*function_.body);
  label_item_.assign(label_count_, kNoJoin);
  places_.start(*function_.body);
  decode_block(*function_.body);
  Item end = new_item(function_.body->end, "ret");
  end.info.unit = Unit::ret;
  end.instr.run = end.instr.body = &run_return;
  end.flow.falls_through = false;
  items_.push_back(std::move(end));
  place();
}

/// Kernels know where dynamic shared memory starts; a function learns it from the launch.
void FunctionDecoder::place_dynamic(Symbol& symbol) {
  symbol.dynamic = !function_.is_entry;
  symbol.address = symbol.dynamic ? 0 : context_.shared[index_].dynamic_base;
}

void FunctionDecoder::declare_module_shared() {
  for (const ptx::Item& item : context_.module->items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable == nullptr || variable->space != Space::shared) continue;
    const auto& own = context_.shared[index_].layout.offsets;
    const auto offset = own.find(variable);
    if (variable->linkage != "extern" && offset == own.end()) continue;
    Symbol symbol = context_.symbols[variable->name];
    if (variable->linkage == "extern") {
      place_dynamic(symbol);
    } else {
      symbol.address = offset->second;
    }
    scopes_.back().symbols[variable->name] = symbol;
  }
}

void FunctionDecoder::declare_parameters() {
  uint32_t offset = 0;
  const auto add = [&](const ptx::Variable& variable, std::vector<FunctionInfo::Param>& out) {
    if (variable.space == Space::reg) {
      error(variable.position, "parameter '" + variable.name + "' in a register: only .param is supported");
      return;
    }
    Symbol symbol;
    symbol.kind = Symbol::Kind::param;
    symbol.variable = &variable;
    symbol.type = variable.type;
    symbol.space = Space::param;
    symbol.entry_param = function_.is_entry;
    const auto size = static_cast<uint32_t>(size_of(variable));
    const uint32_t alignment = function_.is_entry ? alignment_of(variable) : local_alignment(variable);
    offset = round_up(offset, alignment);
    symbol.address = offset;
    out.push_back({offset, size});
    offset += size;
    scopes_.back().symbols[variable.name] = symbol;
  };
  for (const ptx::Variable& variable : function_.returns) add(variable, info_.returns);
  for (const ptx::Variable& variable : function_.parameters) add(variable, info_.parameters);
  if (!function_.is_entry) local_bytes_ = round_up(offset, 16);
}

uint32_t FunctionDecoder::allocate_register(Type type, unsigned vector) {
  const unsigned bytes = type == Type::pred ? 8 : register_bytes(type) * context_.program->lanes;
  register_bytes_ = round_up(register_bytes_, std::min(bytes, 64u));
  const uint32_t op = OperandRef::kFrame | register_bytes_;
  for (unsigned element = 0; element < vector; ++element, register_bytes_ += bytes) {
    registers_.push_back({register_bytes_, bytes, type == Type::pred});
  }
  return op;
}

uint32_t FunctionDecoder::register_number(uint32_t op) const {
  const auto at = std::upper_bound(registers_.begin(), registers_.end(), op & OperandRef::kOffset,
                                   [](uint32_t offset, const FunctionInfo::Register& r) { return offset < r.offset; });
  return static_cast<uint32_t>(at - registers_.begin()) - 1;
}

void FunctionDecoder::declare_register(const ptx::Variable& variable) {
  constexpr uint32_t kMostRegisters = 1u << 20, kMostBytes = OperandRef::kOffset >> 2;
  const auto refuse = [&] { error(variable.position, "too many registers"); };
  if (variable.range > kMostRegisters || register_bytes_ > kMostBytes) return refuse();
  Symbol symbol;
  symbol.variable = &variable;
  symbol.type = variable.type;
  symbol.vector = variable.vector;
  if (variable.range == 0) {
    symbol.op = allocate_register(variable.type, variable.vector);
    scopes_.back().symbols[variable.name] = symbol;
  }
  for (uint32_t k = 0; k < variable.range; ++k) {
    if (register_bytes_ > kMostBytes) return refuse();
    symbol.op = allocate_register(variable.type, variable.vector);
    scopes_.back().symbols[variable.name + std::to_string(k)] = symbol;
  }
  static constexpr const char* kElements[2][4] = {{".x", ".y", ".z", ".w"}, {".r", ".g", ".b", ".a"}};
  for (unsigned element = 0; variable.vector > 1 && element < variable.vector && variable.range == 0; ++element) {
    Symbol part = symbol;
    part.vector = 1;
    part.op = symbol.op + element * register_bytes(variable.type) * context_.program->lanes;
    for (const auto& names : kElements) scopes_.back().symbols[variable.name + names[element]] = part;
  }
}

void FunctionDecoder::declare(const ptx::Variable& variable) {
  if (variable.space == Space::reg) return declare_register(variable);
  Symbol symbol;
  symbol.kind = variable.space == Space::param ? Symbol::Kind::param : Symbol::Kind::variable;
  symbol.variable = &variable;
  symbol.type = variable.type;
  symbol.space = variable.space;
  switch (variable.space) {
    case Space::shared:
      if (variable.linkage == "extern") {
        place_dynamic(symbol);
      } else {
        symbol.address = context_.shared[index_].layout.offsets.at(&variable);
      }
      break;
    case Space::local:
    case Space::param:  // of a call: in the caller's frame
      local_bytes_ = round_up(local_bytes_, local_alignment(variable));
      info_.local_alignment = std::max(info_.local_alignment, local_alignment(variable));
      symbol.address = local_bytes_;
      local_bytes_ += static_cast<uint32_t>(std::min<uint64_t>(size_of(variable), UINT32_MAX / 2 - local_bytes_));
      break;
    default:
      error(variable.position,
            "a ." + std::string(name(variable.space)) + " variable cannot be declared in a function");
  }
  scopes_.back().symbols[variable.name] = symbol;
}

void FunctionDecoder::count_names(const ptx::Operand& operand) {
  if (!operand.name.empty()) ++names_[operand.name];
  for (const ptx::Operand& element : operand.elements) count_names(element);
}

bool FunctionDecoder::named_again(const ptx::Operand& operand) const {
  const auto it = names_.find(operand.name);
  return it != names_.end() && it->second > 1;
}

void FunctionDecoder::collect_names(const ptx::Block& block) {
  BlockNames& names = block_names_[&block];
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* label = std::get_if<ptx::Label>(&statement)) {
      if (names.labels.try_emplace(label->name, label_count_).second) ++label_count_;
    } else if (const auto* targets = std::get_if<ptx::Targets>(&statement)) {
      names.tables[targets->label] = targets;
    } else if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
      collect_names(**inner);
    } else if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
      for (const ptx::Operand& operand : instruction->operands) count_names(operand);
      if (instruction->guard) ++names_[instruction->guard->name];
    }
  }
}

const uint32_t* FunctionDecoder::find_label(const std::string& name) const {
  for (auto block = open_blocks_.rbegin(); block != open_blocks_.rend(); ++block) {
    if (const auto it = (*block)->labels.find(name); it != (*block)->labels.end()) return &it->second;
  }
  return nullptr;
}

void FunctionDecoder::decode_block(const ptx::Block& block) {
  open_blocks_.push_back(&block_names_.at(&block));
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
      decode_instruction(*instruction);
    } else if (const auto* variable = std::get_if<ptx::Variable>(&statement)) {
      declare(*variable);
    } else if (const auto* label = std::get_if<ptx::Label>(&statement)) {
      label_item_[open_blocks_.back()->labels.at(label->name)] = static_cast<uint32_t>(items_.size());
    } else if (const auto* location = std::get_if<ptx::Location>(&statement)) {
      places_.set(*location);
    } else if (const auto* pragma = std::get_if<ptx::Pragma>(&statement)) {
      decode_pragma(*pragma);
    } else if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) {
      scopes_.emplace_back();
      decode_block(**inner);
      scopes_.pop_back();
    }
  }
  open_blocks_.pop_back();
}

FunctionDecoder::Item FunctionDecoder::new_item(Position position, const std::string& text) {
  Item item;
  item.info.ptx_line = position.line;
  item.info.file = places_.file;
  item.info.line = places_.line;
  item.info.chain = places_.chain;
  item.info.function = index_;
  item.info.text = text_index(text);
  return item;
}

/// `@p bar.sync 0` becomes `@!p bra behind; bar.sync 0; behind:`. Instructions that may block or change the lanes that
/// execute then never see a guard.
void FunctionDecoder::branch_around(const ptx::Instruction& instruction) {
  Item branch = new_item(instruction.position, ptx::mnemonic(instruction));
  branch.instr.run = branch.instr.body = &run_branch;
  ptx::Operand guard;
  guard.kind = ptx::Operand::Kind::identifier;
  guard.name = instruction.guard->name;
  branch.instr.guard = predicate_source(guard);
  branch.instr.flags = InstrFlag::kPseudo | (instruction.guard->negated ? 0 : InstrFlag::kGuardNegated);
  branch.flow.conditional = true;
  const auto label = static_cast<uint32_t>(label_item_.size());
  branch.flow.targets.push_back(label);
  label_item_.push_back(static_cast<uint32_t>(items_.size()) + 1);  // where the next item will stand
  items_.insert(items_.end() - 1, std::move(branch));
}

void FunctionDecoder::decode_instruction(const ptx::Instruction& instruction) {
  items_.push_back(new_item(instruction.position, as_written(instruction)));
  item_ = &items_.back();
  item_->info.joined = static_cast<uint16_t>(std::min<uint32_t>(instruction.joined, UINT16_MAX));
  item_->info.slots = instruction.slots;
  item_->info.sequence = optimise::sequence_of(instruction);
  if (lower(instruction, item_->instr)) return;
  items_.back().instr.run = items_.back().instr.body = &run_trap;  // the module is refused anyway
}

bool FunctionDecoder::jumps_to(const ptx::Operand& label) {
  const uint32_t* number = find_label(label.name);
  if (number == nullptr) return error(label.position, "label '" + label.name + "' is not defined");
  item_->flow.targets.push_back(*number);
  item_->flow.falls_through = false;
  return true;
}

bool FunctionDecoder::jumps_by_table(const ptx::Operand& table) {
  const ptx::Targets* targets = nullptr;
  for (auto block = open_blocks_.rbegin(); targets == nullptr && block != open_blocks_.rend(); ++block) {
    if (const auto it = (*block)->tables.find(table.name); it != (*block)->tables.end()) targets = it->second;
  }
  if (targets == nullptr) return error(table.position, "'" + table.name + "' is not a .branchtargets list");
  for (const std::string& target : targets->names) {
    const uint32_t* number = find_label(target);
    if (number == nullptr) return error(targets->position, "label '" + target + "' is not defined");
    item_->flow.targets.push_back(*number);
  }
  item_->flow.falls_through = false;
  item_->flow.conditional = true;
  item_->table = static_cast<int32_t>(context_.program->lists.size());
  context_.program->lists.emplace_back();
  item_->instr.imm = static_cast<uint64_t>(item_->table);
  return true;
}

void FunctionDecoder::jumps_to_end() {
  item_->ends_function = true;
  item_->flow.falls_through = false;
}

void FunctionDecoder::never_falls_through() { item_->flow.falls_through = false; }

namespace {

/// Whether a CTA may learn through the instruction what others did. Reductions of memory tell it nothing.
bool learns_of_others(const FunctionDecoder& decoder, const ptx::Instruction& instruction) {
  using Kind = ptx::Access::Kind;
  switch (ptx::access_of(instruction).kind) {
    case Kind::reduction:
    case Kind::copy: return false;
    case Kind::atomic: {
      const ptx::Operand& result = instruction.operands[0];
      return result.name.empty() || decoder.named_again(result);
    }
    default: return true;
  }
}

}  // namespace

void FunctionDecoder::cta_communication(const ptx::Instruction& instruction, std::string_view why) {
  if (!info_.isolated && !info_.why_all_ctas.empty()) return;
  const std::string text = ptx::mnemonic(instruction) + " at PTX line " + std::to_string(instruction.position.line) +
                           " (" + std::string(why) + ")";
  if (info_.isolated) info_.why_not_isolated = text;
  info_.isolated = false;
  if (learns_of_others(*this, instruction)) info_.why_all_ctas = text;
}

void FunctionDecoder::cta_reduction(const ptx::Instruction& instruction, const std::string& operation) {
  if (info_.reduction.empty()) info_.reduction = operation;
  if (info_.reduction != operation) cta_communication(instruction, "does not commute with " + info_.reduction);
}

uint32_t FunctionDecoder::new_site(unsigned width) {
  LoadedProgram& program = *context_.program;
  item_->site = static_cast<int32_t>(program.sites.size());
  const ptx::Access& access = item_->info.access;
  using Layout = ptx::Access::Layout;
  const bool operands = access.layout == Layout::operands;
  program.sites.push_back({0, width, site_kind(access, false), access.layout == Layout::matrix || operands, operands});
  program.has_tiles |= operands;
  return static_cast<uint32_t>(item_->site);
}

/// Lets the instruction that is placed next count its accesses of global memory.
void FunctionDecoder::count_global(Item& item) {
  LoadedProgram& program = *context_.program;
  const ptx::Access& access = item.info.access;
  const auto place = static_cast<uint32_t>(program.code.size());
  const scratchpad::AccessKind kind = access.kind == ptx::Access::Kind::copy ? scratchpad::AccessKind::load
                                      : access.is_atomic()                   ? scratchpad::AccessKind::atomic
                                      : access.writes()                      ? scratchpad::AccessKind::store
                                                                             : scratchpad::AccessKind::load;
  program.l1_ops.resize(place + 1);
  program.l1_ops.back() = {item.instr.body, static_cast<uint32_t>(program.l1_sites.size())};
  program.l1_sites.push_back({place, item.info.bytes, kind, access.reads_l1()});
  if (item.instr.run == item.instr.body) item.instr.run = &run_l1_counted;
  item.instr.body = &run_l1_counted;
}

/// Finds the registers to clear before the function starts (what a thread reads of the others it wrote itself), and how
/// many are in use at once.
void FunctionDecoder::follow_registers(const std::vector<FlowNode>& nodes) {
  std::vector<RegisterUse> uses;
  for (uint32_t k = 0; k < items_.size(); ++k) {
    for (uint32_t reg : items_[k].reads) uses.push_back({k, reg, false});
    const bool guarded = items_[k].instr.run == &run_guarded;  // not yet &run_tx_access
    for (uint32_t reg : items_[k].writes) uses.push_back({k, reg, true, guarded});
  }
  const Blocks blocks = ptx::blocks_of(nodes);
  const Liveness live = liveness(blocks, uses, static_cast<uint32_t>(registers_.size()));
  for (uint32_t reg : live.at_entry) info_.unwritten.push_back(registers_[reg]);
  std::vector<uint8_t> words;
  for (const FunctionInfo::Register& r : registers_) {
    words.push_back(r.predicate ? 0 : static_cast<uint8_t>(std::max(1u, r.bytes / 4 / context_.program->lanes)));
  }
  const Pressure used = pressure(blocks, uses, live, words);
  info_.live_registers = function_.live_registers != 0 ? function_.live_registers : used.most;
  for (uint32_t k = 0; k < items_.size(); ++k) {
    if (items_[k].call >= 0) {
      const CallInfo& call = context_.program->calls[static_cast<size_t>(items_[k].call)];
      info_.calls.push_back({call.function, used.around[k]});
    }
  }
}

/// Which registers the instruction reads and writes, to find out when they are ready.
void FunctionDecoder::note_uses(Item& item) {
  LoadedProgram& program = *context_.program;
  item.info.uses = static_cast<uint32_t>(program.register_uses.size());
  item.info.reads = static_cast<uint16_t>(item.reads.size());
  item.info.writes = static_cast<uint16_t>(item.writes.size());
  for (const std::vector<uint32_t>* list : {&item.reads, &item.writes}) {
    program.register_uses.insert(program.register_uses.end(), list->begin(), list->end());
  }
}

/// Numbers the instructions, puts a pseudo instruction at every join, and resolves the branches.
void FunctionDecoder::place() {
  LoadedProgram& program = *context_.program;
  const auto end = static_cast<uint32_t>(items_.size()) - 1;
  std::vector<FlowNode> nodes(items_.size());
  for (size_t k = 0; k < items_.size(); ++k) {
    nodes[k] = items_[k].flow;
    for (uint32_t& target : nodes[k].targets) target = std::min(label_item_[target], end);
    if (items_[k].ends_function) nodes[k].targets.push_back(end);
    if (items_[k].join_behind) nodes[k].conditional = false;
  }
  follow_registers(nodes);
  if (info_.has_transactions) note_transactions(nodes);
  const std::vector<uint32_t> join = joins(nodes);
  const std::vector<std::vector<uint32_t>> in_loops = joins_in_loops(nodes, join);
  std::vector<char> is_join(items_.size(), 0);
  for (size_t k = 0; k < items_.size(); ++k) {
    if (join[k] != kNoJoin) is_join[join[k]] = 1;
    for (const uint32_t at : in_loops[k]) is_join[at] = 1;
    if (items_[k].join_behind) is_join[k + 1] = 1;
  }
  info_.begin = static_cast<uint32_t>(program.code.size());
  info_.register_count = static_cast<uint32_t>(registers_.size());
  std::vector<uint32_t> place_of(items_.size());
  uint32_t next = info_.begin;
  for (size_t k = 0; k < items_.size(); ++k) {
    place_of[k] = next;
    next += is_join[k] ? 2 : 1;
  }
  if (context_.checked != nullptr) note_early_uses(nodes, place_of);
  for (size_t k = 0; k < items_.size(); ++k) {
    Item& item = items_[k];
    if (is_join[k]) {
      Instr pseudo;
      pseudo.run = pseudo.body = &run_reconverge;
      program.code.push_back(pseudo);
      program.info.push_back(item.info);
    }
    if (context_.counts_global && may_access_global(item.info.access)) count_global(item);
    if (context_.has_transactions && item.site >= 0) item.instr.run = &run_tx_access;
    record_row(program, item.row, item.instr);
    if (item.checked.kind != CheckedOp::Kind::none) {
      item.checked.run = item.instr.run;
      item.instr.run = &run_checked;
      context_.checked->resize(program.code.size() + 1);
      context_.checked->back() = item.checked;
    }
    if (item.site >= 0)
      program.sites[static_cast<size_t>(item.site)].instr = static_cast<uint32_t>(program.code.size());
    if (!nodes[k].targets.empty()) {
      // From the innermost join outwards; of very many those in the middle go.
      std::vector<uint32_t> meets = in_loops[k];
      if (join[k] != kNoJoin) meets.push_back(join[k]);
      if (meets.size() > kMostJoins) meets.erase(meets.begin() + 1, meets.end() - (kMostJoins - 1));
      item.instr.aux = meets.empty() ? 0 : place_of[meets[0]];
      for (size_t n = 1; n < kMostJoins; ++n) item.instr.op[n] = n < meets.size() ? place_of[meets[n]] : 0;
      if (item.table >= 0) {
        for (uint32_t target : nodes[k].targets)
          program.lists[static_cast<size_t>(item.table)].push_back(place_of[target]);
      } else {
        item.instr.imm = place_of[nodes[k].targets[0]];  // becomes an address when the code stands still
      }
    }
    program.code.push_back(item.instr);
    note_uses(item);
    item.info.row = item.row;
    program.info.push_back(item.info);
  }
  info_.all_registers = registers_;
  info_.end = next;
  info_.register_bytes = round_up(register_bytes_, 64);
  info_.local_bytes = round_up(local_bytes_, 16);
  info_.defined = true;
  program.functions[index_] = info_;
}

}  // namespace bankshot::simt
