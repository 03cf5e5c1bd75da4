// A module: its symbols, the layout of shared memory, its functions and kernels.
#include <algorithm>
#include <charconv>
#include <mutex>
#include <tuple>
#include <utility>

#include "bankshot/ptx/pragmas.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/stack.hpp"
#include "bankshot/simt/decode/clock_loops.hpp"
#include "bankshot/simt/decode/decoder.hpp"
#include "bankshot/simt/decode/register_need.hpp"
#include "bankshot/simt/decode/waiting_loops.hpp"
#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {
namespace {

using ptx::Space;

std::vector<const ptx::Function*> declare_functions(ModuleContext& context) {
  std::vector<const ptx::Function*> bodies;
  for (const ptx::Item& item : context.module->items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr) continue;
    const auto known = context.symbols.find(function->name);
    uint32_t index;
    if (known != context.symbols.end() && known->second.kind == Symbol::Kind::function) {
      index = known->second.index;
    } else {
      index = static_cast<uint32_t>(context.program->functions.size());
      Symbol symbol;
      symbol.kind = Symbol::Kind::function;
      symbol.index = index;
      context.symbols[function->name] = symbol;
      context.program->functions.emplace_back().name = function->name;
      bodies.push_back(nullptr);
    }
    if (function->body == nullptr) continue;
    FunctionInfo& info = context.program->functions[index];
    info.is_entry = function->is_entry;
    info.declared_body = true;
    bodies[index] = function;
  }
  return bodies;
}

/// Registers of a thread, as a compiler would take that keeps the order of the PTX. Values beyond .maxnreg it would
/// keep in memory.
uint32_t registers_of(const LoadedProgram& program, const ptx::Function& function, uint32_t index) {
  // R255 reads as zero. ptxas takes 8 to 16 for the smallest kernels; below 16 no SM holds more of them.
  constexpr uint32_t kLeast = 16, kMost = 255;
  uint32_t need = std::clamp(register_need(program, index), kLeast, kMost);
  for (const ptx::Performance& directive : function.performance) {
    if (directive.name != "maxnreg" || directive.values.empty()) continue;
    need = static_cast<uint32_t>(std::min<uint64_t>(need, std::max<uint64_t>(kLeast, directive.values[0])));
  }
  return need;
}

/// 75 and ' ' for {"sm_75", "debug"}, 90 and 'a' for {"sm_90a"}; KernelInfo::target.
std::pair<uint32_t, char> architecture(const std::vector<std::string>& targets) {
  for (const std::string& target : targets) {
    uint32_t number = 0;
    if (!target.starts_with("sm_")) continue;
    const char* const last = target.data() + target.size();
    const auto [end, error] = std::from_chars(target.data() + 3, last, number);
    if (error == std::errc{}) return {number, end == last ? ' ' : *end};
  }
  return {0, ' '};
}

std::vector<SharedInfo> shared_of(const ptx::SharedLayout::Kernel& layout) {
  std::vector<SharedInfo> all;
  for (const auto& [variable, offset] : layout.offsets)
    all.push_back({variable->name, static_cast<uint32_t>(offset), static_cast<uint32_t>(size_of(*variable))});
  std::ranges::sort(all, {}, &SharedInfo::offset);
  return all;
}

/// Any function of the module may be called.
bool called_have_transactions(const LoadedProgram& program) {
  return std::any_of(program.functions.begin(), program.functions.end(),
                     [](const FunctionInfo& function) { return !function.is_entry && function.has_transactions; });
}

KernelInfo describe(const ModuleContext& context, const ptx::Function& function, uint32_t index) {
  const FunctionInfo& info = context.program->functions[index];
  KernelInfo kernel;
  kernel.name = function.name;
  for (const FunctionInfo::Param& param : info.parameters) {
    kernel.params.push_back({param.offset, param.bytes});
    kernel.param_bytes = std::max(kernel.param_bytes, param.offset + param.bytes);
  }
  kernel.static_shared = static_cast<uint32_t>(context.shared[index].layout.end);
  kernel.shared = shared_of(context.shared[index].layout);
  kernel.dynamic_base = context.shared[index].dynamic_base;
  kernel.local_bytes = info.local_bytes;
  kernel.has_transactions = info.has_transactions || (info.has_calls && called_have_transactions(*context.program));
  kernel.registers = registers_of(*context.program, function, index);
  std::tie(kernel.target, kernel.target_kind) = architecture(context.module->targets);
  for (const ptx::Performance& directive : function.performance) {
    std::array<uint32_t, 3> sides{1, 1, 1};
    for (size_t k = 0; k < 3 && k < directive.values.size(); ++k) {
      sides[k] = static_cast<uint32_t>(std::min<uint64_t>(directive.values[k], 1024));
    }
    if (directive.name == "maxntid" || directive.name == "reqntid") {
      kernel.max_threads = static_cast<uint32_t>(std::min<uint64_t>(uint64_t{sides[0]} * sides[1] * sides[2], 1024));
      kernel.has_launch_bounds = true;
    }
    if (directive.name == "minnctapersm") kernel.least_ctas = std::max(sides[0], 1u);
    if (directive.name == "reqntid") kernel.required_block = sides;
    if (directive.name == "reqnctapercluster") kernel.required_cluster = sides;
    if (directive.name == "explicitcluster") kernel.explicit_cluster = true;
    if (directive.name == "maxclusterrank") kernel.most_cluster = sides[0];
  }
  return kernel;
}

}  // namespace

bool fits(const CallInfo& call, const FunctionInfo& function) {
  const auto fit = [](const std::vector<CopiedParam>& given, const std::vector<FunctionInfo::Param>& taken) {
    return std::equal(given.begin(), given.end(), taken.begin(), taken.end(),
                      [](const CopiedParam& a, const FunctionInfo::Param& b) { return a.bytes <= b.bytes; });
  };
  return fit(call.arguments, function.parameters) && fit(call.results, function.returns);
}

namespace {

bool has_pragma(const ptx::Block& block) {
  return std::any_of(block.statements.begin(), block.statements.end(), [](const ptx::Statement& statement) {
    if (const auto* inner = std::get_if<std::unique_ptr<ptx::Block>>(&statement)) return has_pragma(**inner);
    const auto* pragma = std::get_if<ptx::Pragma>(&statement);
    return pragma != nullptr && std::any_of(pragma->texts.begin(), pragma->texts.end(),
                                            [](const std::string& text) { return text.starts_with(ptx::kOurPragmas); });
  });
}

/// Known only when all functions are: a call passes what its callee takes.
void check_calls(const LoadedProgram& program, Diagnostics& diagnostics) {
  for (const CallInfo& call : program.calls) {
    if (call.function < 0) continue;
    const FunctionInfo& callee = program.functions[static_cast<size_t>(call.function)];
    if (callee.defined && !fits(call, callee)) {
      diagnostics.push_back({call.position, "the call does not fit the parameters of '" + callee.name + "'", {}});
    }
  }
}

/// A kernel's CTAs are isolated if nothing it may call breaks that. Any function of the module may be called.
void spread_isolation(LoadedProgram& program) {
  std::string why, why_all, reduction;
  for (const FunctionInfo& function : program.functions) {
    if (function.is_entry) continue;
    if (why_all.empty() && !function.why_all_ctas.empty()) why_all = function.why_all_ctas + " in " + function.name;
    if (!why.empty()) continue;
    if (!function.isolated) why = function.why_not_isolated + " in " + function.name;
    if (reduction.empty()) reduction = function.reduction;
    if (!function.reduction.empty() && function.reduction != reduction) {
      why = "atom." + function.reduction + " in " + function.name + " (does not commute with " + reduction + ")";
    }
  }
  for (FunctionInfo& function : program.functions) {
    if (!function.is_entry || !function.has_calls) continue;
    if (function.why_all_ctas.empty()) function.why_all_ctas = why_all;
    if (!function.isolated) continue;
    const bool mixed = !function.reduction.empty() && !reduction.empty() && function.reduction != reduction;
    if (why.empty() && !mixed) continue;
    function.isolated = false;
    function.why_not_isolated =
        !why.empty() ? why : "atom." + reduction + " in a function (does not commute with " + function.reduction + ")";
  }
}

using FormsByOpcode = std::unordered_map<std::string, std::vector<const Form*>>;

/// The forms of a table, parsed once in a process. Engines of several threads may load at the same time.
const FormsByOpcode& forms_of(const Rows& rows) {
  struct Parsed {
    std::deque<Form> forms;
    FormsByOpcode by_opcode;
  };
  static std::mutex busy;
  static std::map<const Rows*, Parsed> all;
  const std::scoped_lock lock(busy);
  auto& [forms, by_opcode] = all[&rows];
  if (!forms.empty()) return by_opcode;
  for (const Row& row : rows) {
    forms.push_back(parse_form(row));
    by_opcode[forms.back().opcode].push_back(&forms.back());
  }
  return by_opcode;
}

}  // namespace

bool decode(const ptx::Module& module, const Rows& rows, const Windows& windows, uint64_t parameters,
            unsigned warp_size, LoadedProgram& program, Diagnostics& diagnostics, bool checked, bool counts_global) {
  ModuleContext context;
  const ptx::SharedLayout layout(module);
  context.module = &module;
  context.layout = &layout;
  context.program = &program;
  context.diagnostics = &diagnostics;
  context.forms = &forms_of(rows);
  context.windows = windows;
  context.has_clusters = architecture(module.targets).first >= 90;
  context.parameters = parameters;
  context.warp_size = warp_size;
  const auto checks = checked ? std::make_shared<std::vector<CheckedOp>>() : nullptr;
  context.checked = checks.get();
  program.checked = checks;
  program.constants.resize(64);
  program.code.emplace_back();  // so that index 0 is no instruction
  program.info.emplace_back();
  const std::vector<const ptx::Function*> bodies = declare_functions(context);
  declare_globals(context);
  lay_out_shared(context, bodies);
  program.sources = ptx::SourceMap(module);
  if (!diagnostics.empty()) return false;
  context.has_transactions = std::any_of(bodies.begin(), bodies.end(), [](const ptx::Function* function) {
    return function != nullptr && has_pragma(*function->body);
  });
  context.counts_global = counts_global && !context.has_transactions;  // which execute lanes one by one
  for (uint32_t k = 0; k < bodies.size(); ++k) {
    if (bodies[k] != nullptr) FunctionDecoder(context, *bodies[k], k).decode();
  }
  program.sources.finish();
  check_calls(program, diagnostics);
  if (!diagnostics.empty()) return false;
  spread_isolation(program);
  for (uint32_t k = 0; k < bodies.size(); ++k) {
    if (bodies[k] == nullptr || !bodies[k]->is_entry) continue;
    program.kernels.push_back(describe(context, *bodies[k], k));
    program.kernel_function.push_back(k);
  }
  program.constant_rows = program.constant_arena.reserve(program.constants.size());
  std::copy(program.constants.begin(), program.constants.end(), program.constant_rows);
  for (FunctionInfo& function : program.functions) {
    const auto begin = program.code.begin() + function.begin, end = program.code.begin() + function.end;
    function.has_alloca = std::any_of(begin, end, [](const Instr& instr) { return instr.body == &run_alloca; });
    if (function.has_alloca && !function.is_entry) function.local_bytes += kKeptStackBytes;
  }
  mark_clock_loops(program);
  mark_waiting_loops(program);
  // Now that the code stands still, branch targets become addresses.
  for (Instr& instr : program.code) {
    if (instr.body == nullptr || !jumps(instr)) continue;
    instr.imm = reinterpret_cast<uint64_t>(program.code.data() + instr.imm);
  }
  return true;
}

}  // namespace bankshot::simt
