#include "bankshot/cuda/modules/machine_code.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bankshot/cuda/modules/fatbin.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/target.hpp"
#include "bankshot/toolkit/ptxas.hpp"

namespace bankshot::cuda {
namespace {

using From = report::MachineCode::From;

Result<sass::Cubin> cubin_of(const FatbinEntry& entry) {
  const Result<std::string> bytes = decompress(entry);
  if (!bytes) return bytes.error();
  return sass::read_cubin(std::as_bytes(std::span(*bytes)));
}

Result<sass::Cubin> by_ptxas(const std::string& text, const std::string& architecture) {
  const auto bytes = toolkit::assemble(text, architecture, toolkit::Lines::kept);
  if (!bytes) return bytes.error();
  Result<sass::Cubin> cubin = sass::read_cubin(*bytes);
  if (!cubin) return Error{"the output of ptxas is not used: " + cubin.error().message};
  return cubin;
}

void take_registers(const sass::Cubin& cubin, std::map<std::string, unsigned>& registers) {
  for (const sass::Kernel& kernel : cubin.kernels) {
    if (kernel.entry && kernel.registers != 0) registers.emplace(kernel.name, kernel.registers);
  }
}

/// Why the machine code of the program says nothing of the accesses of a text, or empty.
std::string unfit(const ptx::Module& module, const std::optional<sass::Cubin>& own, unsigned architecture) {
  if (!own) return fmt::format("the program has no machine code of this PTX for sm_{}", architecture);
  if (!agreement::seen_in(*own)) return "the program was compiled without -lineinfo";
  if (!agreement::is_made_of(module, *own)) return "the machine code of the program was compiled from other PTX";
  return {};
}

void hold_against(const std::string& text, const sass::Cubin& cubin, ModuleMachineCode& code) {
  code.seen = agreement::seen_in(cubin);
  if (!code.seen) code.seen.emplace();  // it accesses nothing
  for (agreement::Checked& kernel : agreement::check(text, cubin, *code.seen))
    code.checked[kernel.kernel] = std::move(kernel);
}

}  // namespace

std::optional<report::MachineCode> ModuleMachineCode::told_of(const std::string& kernel) const {
  if (!told) return std::nullopt;
  const auto own = checked.find(kernel);
  if (told->from != From::model && own == checked.end())
    return report::MachineCode{.from = From::model, .reason = "the machine code lacks it"};
  report::MachineCode all = *told;
  if (own != checked.end()) {
    all.differences = own->second.differences;
    all.not_compared = own->second.not_compared;
  }
  return all;
}

std::optional<sass::Cubin> machine_code_in(std::span<const std::byte> container, unsigned architecture,
                                           const std::string& label) {
  if (architecture == 0) return std::nullopt;
  const auto entries = read_fatbin(container);
  if (!entries) return std::nullopt;  // told by who loads its PTX
  for (const FatbinEntry& entry : *entries) {
    if (entry.kind != FatbinEntry::Kind::machine_code || entry.architecture != architecture) continue;
    Result<sass::Cubin> cubin = cubin_of(entry);
    if (cubin) return *std::move(cubin);
    say_once("machine code of " + label, fmt::format("{}: its machine code for {} is not used: {}", label,
                                                     architecture_name(entry), cubin.error().message));
  }
  return std::nullopt;
}

ModuleMachineCode read_machine_code(const std::string& text, const std::optional<sass::Cubin>& own,
                                    unsigned architecture, UseOfMachineCode use) {
  ModuleMachineCode code;
  if (use == UseOfMachineCode::nothing) return code;
  if (own) take_registers(*own, code.registers);
  if (use == UseOfMachineCode::registers) return code;
  const auto module = ptx::parse(text);
  if (!module || !ptx::check(*module).empty()) return code;  // told by who loads it
  code.told.emplace();
  code.told->reason = unfit(*module, own, architecture);
  if (code.told->reason.empty()) {
    code.told->from = From::program;
    hold_against(text, *own, code);
    return code;
  }
  const auto cubin = by_ptxas(text, ptx::target_for(*module, architecture));
  if (!cubin) {
    code.told->reason += "; " + cubin.error().message;
    return code;
  }
  code.told->from = From::ptxas;
  take_registers(*cubin, code.registers);
  hold_against(text, *cubin, code);
  return code;
}

}  // namespace bankshot::cuda
