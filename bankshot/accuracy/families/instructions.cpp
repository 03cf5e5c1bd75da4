// Latency of instructions by dependent chains of one warp, and their throughput by independent chains of several.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bankshot/accuracy/condition.hpp"
#include "bankshot/accuracy/families/families.hpp"
#include "bankshot/accuracy/families/operations.hpp"
#include "bankshot/accuracy/kernel.hpp"

namespace bankshot::accuracy {
namespace {

struct Measured {
  const Operation* operation = nullptr;
  std::string_view less = {};  ///< operation whose latency is taken off: a pair's second half
  uint32_t warps = 1;
  unsigned chains = 1;      ///< of each warp, independent
  double counted = 0;       ///< throughput: what the row counts for one instruction of a warp; 0: latency
  unsigned schedulers = 1;  ///< throughput of each of so many
  double each = 1;          ///< latency: of one of so many steps that an operation has
  bool inverse = false;     ///< throughput as cycles an instruction
};

constexpr unsigned kSteps = 64, kTurns = 8;

std::string register_of(const Operation& operation, unsigned number) {
  return fmt::format("%{}{}", operation.bits == 64 ? 'd' : operation.bits == 16 ? 'h' : 'r', number);
}

/// One step of a chain, whose two registers change places.
std::string step(const Operation& operation, unsigned chain, bool odd) {
  std::string text = "  ";
  for (const char one : operation.statements) {
    if (one == '$') {
      text += register_of(operation, 2 * chain + odd);
    } else if (one == '@') {
      text += register_of(operation, 2 * chain + !odd);
    } else {
      text += one;
    }
  }
  return text + "\n";
}

Kernel kernel_of(const Measured& measured) {
  const Operation& operation = *measured.operation;
  Kernel kernel;
  kernel.warmed_up = true;
  kernel.target = operation.target;
  kernel.setup =
      "  mov.u32 %x, %a;\n  mov.u32 %y, %b;\n  mov.b64 %u, {%c, %a};\n  mov.b64 %v, {%c, %b};\n"
      "  setp.eq.u32 %p0, %a, 0;\n  mov.b64 %d62, {%zero, %zero};\n  cvt.u16.u32 %h15, %zero;\n";
  const bool swaps = operation.statements.find('@') != std::string_view::npos;
  for (unsigned k = 0; k < 2 * measured.chains; ++k) {
    const std::string name = register_of(operation, k);
    if (operation.bits == 64) {
      kernel.timed += fmt::format("  mov.b64 {}, {{%zero, %a}};\n", name);
    } else if (operation.bits == 16) {
      kernel.timed += fmt::format("  cvt.u16.u32 {}, %zero;\n", name);
    } else {
      kernel.timed += fmt::format("  or.b32 {}, %zero, %a;\n", name);
    }
  }
  std::string steps;
  for (unsigned k = 0; k < kSteps; ++k) {
    for (unsigned chain = 0; chain < measured.chains; ++chain) steps += step(operation, chain, swaps && k % 2 == 1);
  }
  kernel.timed += loop(steps);
  for (unsigned chain = 0; chain < measured.chains; ++chain) {
    // The last step wrote the odd one, if they change places.
    const std::string last = register_of(operation, 2 * chain + swaps);
    if (operation.bits == 16) kernel.timed += fmt::format("  cvt.u32.u16 %r63, {};\n", last);
    kernel.timed += operation.bits == 16 ? wait_for("%r63") : wait_for(last, operation.bits);
  }
  return kernel;
}

/// 1.5 and 0.25 as halves of a pair, floats, and upper words of doubles: near enough to each to stay finite for long.
constexpr uint32_t kOneAndHalf = 0x3fc00000, kQuarter = 0x3e800000;

/// Cycles of a step of all chains of all warps.
Result<double> cycles_of(measure::Runner& runner, const Measured& measured) {
  Arguments arguments{0, 0, kTurns, kOneAndHalf, kQuarter, 0};
  const Result<double> cycles = run(runner, kernel_of(measured), {1, 32 * measured.warps, 0}, arguments);
  if (!cycles) return cycles.error();
  return *cycles / (kSteps * kTurns);
}

Result<Reading> measure_operation(measure::Runner& runner, const Measured& measured) {
  Result<double> cycles = cycles_of(runner, measured);
  if (!cycles) return cycles.error();
  if (measured.counted != 0) {
    const double done = measured.counted * measured.operation->instructions * measured.warps * measured.chains;
    if (measured.inverse) return Reading{*cycles * measured.schedulers / done, Dimension::cycles};
    return Reading{done / *cycles / measured.schedulers, Dimension::per_cycle};
  }
  if (!measured.less.empty()) {
    const Result<double> rest = cycles_of(runner, {find_operation(measured.less)});
    if (!rest) return rest.error();
    *cycles -= *rest;
  }
  return Reading{*cycles / measured.each, Dimension::cycles};
}

/// What rows call an instruction, and the operation.
struct Alias {
  std::string_view name, operation;
  std::string_view less = {};
};

/// tu102's names between "alu.", "sfu." or "cvt." and ".lat" or ".tput"; the other sources' SASS names.
constexpr std::array kAliases = {
    Alias{"alu.dadd", "add.f64"},
    Alias{"alu.dfma", "fma.rn.f64"},
    Alias{"alu.fadd", "add.f32"},
    Alias{"alu.ffma", "fma.rn.f32"},
    Alias{"alu.fmul", "mul.f32"},
    Alias{"alu.flo", "bfind.u32"},
    Alias{"alu.fsel", "selp.b32"},
    Alias{"alu.fsetp", "setp.f32+selp", "selp.b32"},
    Alias{"alu.fsetp_sel", "setp.f32+selp"},
    Alias{"alu.hfma2", "fma.rn.f16x2"},
    Alias{"alu.iadd3", "add+xor", "lop3.b32"},
    Alias{"alu.iadd3_lop3", "add+xor"},
    Alias{"alu.idiv.u32", "div.u32"},
    Alias{"alu.imad", "mad.lo.u32"},
    Alias{"alu.isetp", "setp.u32+selp", "selp.b32"},
    Alias{"alu.isetp_sel", "setp.u32+selp"},
    Alias{"alu.lop3", "lop3.b32"},
    Alias{"alu.popc", "popc.b32"},
    Alias{"alu.prmt", "prmt.b32"},
    Alias{"alu.sel", "selp.b32"},
    Alias{"alu.shf", "shf.l.b32"},
    Alias{"sfu.mufu.cos", "cos.approx.ftz.f32"},
    Alias{"sfu.mufu.ex2", "ex2.approx.ftz.f32"},
    Alias{"sfu.mufu.lg2", "lg2.approx.ftz.f32"},
    Alias{"sfu.mufu.rcp_fadd_pair", "rcp+add"},
    Alias{"sfu.mufu.rsq", "rsqrt.approx.ftz.f32"},
    Alias{"sfu.mufu.sin", "sin.approx.ftz.f32"},
    Alias{"sync.shfl", "shfl.sync.idx"},
    Alias{"FFMA", "fma.rn.f32"},
    Alias{"DFMA", "fma.rn.f64"},
    Alias{"IMAD", "mad.lo.u32"},
    Alias{"INT32 mad", "mad.lo.u32"},
    Alias{"half FMA", "fma.rn.f16x2"},
    Alias{"HFMA2", "fma.rn.f16x2"},
    Alias{"HMUL2", "mul.f16x2"},
    Alias{"HADD2", "add.f16x2"},
    Alias{"MUFU.RCP", "rcp.approx.f32"},
    Alias{"MUFU.RSQ", "rsqrt.approx.f32"},
    Alias{"MUFU.SIN", "sin.approx.f32"},
    Alias{"MUFU.EX2", "ex2.approx.ftz.f32"},
    Alias{"MUFU sqrt", "sqrt.approx.f32"},
    Alias{"IADD3", "add.u32"},
    Alias{"LOP3", "lop3.b32"},
    Alias{"SHF", "shf.l.b32"},
    Alias{"PRMT", "prmt.b32"},
    Alias{"BFI", "bfi.b32"},
    Alias{"BFE", "bfe.u32"},
    Alias{"BREV", "brev.b32"},
    Alias{"POPC", "popc.b32"},
    Alias{"FLO", "bfind.u32"},
    Alias{"SHFL.IDX", "shfl.sync.idx"},
    Alias{"FADD", "add.f32"},
    Alias{"IMUL", "mul.lo.u32"},
    Alias{"__sinf", "sin.approx.f32"},
    Alias{"FP32", "fma.rn.f32"},
    Alias{"FP64", "fma.rn.f64"},
    Alias{"FP16", "fma.rn.f16x2"},
};

std::optional<Measured> by_alias(std::string_view name) {
  const auto found = std::find_if(kAliases.begin(), kAliases.end(), [&](const Alias& one) { return one.name == name; });
  if (found == kAliases.end()) return std::nullopt;
  return Measured{find_operation(found->operation), found->less};
}

/// The part of `text` before the first of these words.
std::string_view before(std::string_view text, std::string_view word) { return text.substr(0, text.find(word)); }

/// "PTX add.u32 = SASS IADD": the instruction as PTX; types that say the same are written in one way.
std::optional<Measured> by_ptx(const Row& row) {
  const auto name = between(row.condition, "PTX ", " = ");
  if (!name) return std::nullopt;
  std::string spelled = *name;
  if (spelled == "add.rn.f64") spelled = "add.f64";
  if (spelled == "mul.rn.f64") spelled = "mul.f64";
  if (spelled == "mul.rn.f32") spelled = "mul.f32";
  if (spelled == "bar.warp.sync;") spelled = "bar.warp.sync";
  // ptxas folds a chain of one of these. An `and` is the machine instruction LOP3.
  if (spelled == "and.b32") spelled = "lop3.b32";
  if (spelled == "cnot.b32") return Measured{find_operation("cnot+add"), "add.u32"};
  const Operation* operation = find_operation(spelled);
  if (!operation) return std::nullopt;
  return Measured{operation};
}

/// "w32", "w8_s8", "w32_pair": warps.
std::optional<uint32_t> warps_of(std::string_view condition) { return whole_number(before(condition, "_"), "w"); }

/// tu102's table.
std::optional<Measured> of_tu102(const Row& row) {
  const bool latency = row.quantity.find(".lat ") != std::string::npos;
  const bool rate = row.quantity.find(".tput ") != std::string::npos;
  if (!latency && !rate) return std::nullopt;
  const std::string_view name = before(row.quantity, latency ? ".lat " : ".tput ");
  std::optional<Measured> measured = by_alias(name);
  if (name == "alu.idp4a") measured = Measured{find_operation(row.condition.ends_with("u8") ? "dp4a.u32" : "dp4a.s32")};
  // Averages of the two conversions.
  if (name == "cvt.f2f") measured = Measured{find_operation("cvt.f32.f16")};
  if (name == "cvt.i2f_f2i") measured = Measured{find_operation("cvt.s32.f32")};
  if (!measured) return std::nullopt;
  if (name.starts_with("cvt.")) measured->each = 2;
  if (rate) {
    const auto warps = warps_of(row.condition);
    if (!warps || *warps < 1 || *warps > 32) return std::nullopt;
    measured->warps = *warps;
    measured->chains = 4;
    measured->counted = 1;
    measured->less = {};
    // The row counts both instructions of a stream of selections and comparisons.
    if (name == "alu.sel") measured->operation = find_operation("setp.u32+selp");
  }
  return measured;
}

/// "FFMA latency", "HFMA2 dependent chain", "FP32 throughput" …
std::optional<Measured> of_names(const Row& row) {
  for (const std::string_view word : {" dependent latency", " dependent chain", " latency"}) {
    if (!row.quantity.ends_with(word)) continue;
    return by_alias(before(row.quantity, word));
  }
  std::optional<Measured> measured = by_alias(before(row.quantity, " throughput"));
  if (!measured || row.quantity.find(" throughput") == std::string::npos) return std::nullopt;
  measured->chains = 4;
  measured->counted = 1;
  if (row.unit == "warp inst/cycle/sub-core") {
    const auto warps = number_after(row.condition, "");
    if (!warps || *warps < 4 || *warps > 32) return std::nullopt;
    measured->warps = static_cast<uint32_t>(*warps);
    measured->schedulers = 4;
  } else if (row.unit == "cycles/warp instr") {  // one warp on each scheduler, much of it independent
    measured->warps = 4;
    measured->schedulers = 4;
    measured->chains = 8;
    measured->inverse = true;
  } else {  // operations of lanes: of a multiply-add two, of a pair of halves twice as many
    measured->warps = 32;
    const bool special = row.quantity.starts_with("MUFU");
    measured->counted = special ? 32 : row.quantity.starts_with("FP16") ? 128 : 64;
  }
  return measured;
}

}  // namespace

std::optional<Plan> plan_instructions(const Row& row) {
  std::optional<Measured> measured;
  if (row.quantity == "instruction latency, dependent chain") {
    measured = by_ptx(row);
  } else {
    measured = of_tu102(row);
    if (!measured) measured = of_names(row);
  }
  if (!measured || !measured->operation) return std::nullopt;
  const Measured one = *measured;
  const std::string key = one.counted == 0 ? fmt::format("latency {} {} {}", one.operation->name, one.less, one.each)
                                           : fmt::format("rate {} {} {} {} {} {}", one.operation->name, one.warps,
                                                         one.chains, one.counted, one.schedulers, one.inverse);
  return Plan{key,
              false,
              [one](measure::Runner& runner) { return measure_operation(runner, one); },
              {},
              one.operation->name == "bar.warp.sync" ? "ptxas removes the instruction" : std::string_view()};
}

}  // namespace bankshot::accuracy
