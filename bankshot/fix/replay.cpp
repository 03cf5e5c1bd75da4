#include "bankshot/fix/replay.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "bankshot/measure/buffer.hpp"
#include "bankshot/ptx/kernel_code.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::fix {
namespace {

using cuda::RecordedLaunch;
using cuda::RecordedMemory;

/// The memory of a launch on the device, which is given back at the end.
class Copies {
 public:
  Copies(measure::Runner& runner, const RecordedLaunch& launch) : runner_(runner), launch_(launch) {}

  std::optional<Error> allocate() {
    for (const RecordedMemory& one : launch_.memory) {
      if (one.variable.empty()) {
        const Result<uint64_t> address = runner_.allocate(one.contents.size());
        if (!address) return address.error();
        buffers_.emplace_back(runner_, *address);
        addresses_.push_back(*address);
        continue;
      }
      const Result<measure::Variable> variable = runner_.variable(one.variable);
      if (!variable) return variable.error();
      if (variable->bytes != one.contents.size()) {
        return Error{fmt::format("variable {} has {} bytes there and {} here", one.variable, variable->bytes,
                                 one.contents.size())};
      }
      addresses_.push_back(variable->address);
    }
    return std::nullopt;
  }

  std::optional<Error> restore() {
    for (size_t k = 0; k < addresses_.size(); ++k) {
      if (auto error = runner_.copy_in(addresses_[k], launch_.memory[k].contents)) return error;
    }
    return std::nullopt;
  }

  Result<std::vector<std::vector<std::byte>>> read() {
    std::vector<std::vector<std::byte>> all;
    for (size_t k = 0; k < addresses_.size(); ++k) {
      all.emplace_back(launch_.memory[k].contents.size());
      if (auto error = runner_.copy_out(all.back(), addresses_[k])) return *error;
    }
    return all;
  }

  std::span<const uint64_t> addresses() const { return addresses_; }

 private:
  measure::Runner& runner_;
  const RecordedLaunch& launch_;
  std::deque<measure::Buffer> buffers_;
  std::vector<uint64_t> addresses_;
};

bool is_texture(const ptx::Instruction& instruction) {
  constexpr std::array kOpcodes = {"tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep"};
  return std::ranges::find(kOpcodes, instruction.opcode) != kOpcodes.end();
}

}  // namespace

std::vector<std::byte> relocated(const RecordedLaunch& launch, std::span<const uint64_t> addresses) {
  std::vector<std::byte> parameters = launch.parameters;
  for (const uint32_t offset : launch.pointers) {
    uint64_t value = 0;
    std::memcpy(&value, &parameters[offset], sizeof value);
    // Behind the last byte of one may be the first of another: then the other is meant.
    for (size_t k = launch.memory.size(); k-- > 0;) {
      const RecordedMemory& one = launch.memory[k];
      if (value < one.address || value - one.address > one.contents.size()) continue;
      value = value - one.address + addresses[k];
      break;
    }
    std::memcpy(&parameters[offset], &value, sizeof value);
  }
  return parameters;
}

Result<Replayed> replay(measure::Runner& runner, const RecordedLaunch& launch, std::string_view ptx) {
  if (auto error = runner.load(ptx)) return *error;
  Copies copies(runner, launch);
  if (auto error = copies.allocate()) return *error;
  const std::vector<std::byte> parameters = relocated(launch, copies.addresses());
  const measure::Launch what{launch.kernel, launch.block, launch.dynamic_shared, parameters, launch.grid};
  Replayed replayed;
  std::vector<double> times;
  for (unsigned k = 0; k <= kReplays; ++k) {
    if (auto error = copies.restore()) return *error;
    if (auto error = runner.launch(what)) return *error;
    if (k > 0) times.push_back(runner.elapsed_ns());
    if (k > 0 && k < kReplays) continue;
    Result<std::vector<std::vector<std::byte>>> after = copies.read();
    if (!after) return after.error();
    if (k == kReplays) replayed.repeats = *after == replayed.after;
    if (k == 0) replayed.after = std::move(*after);
  }
  std::ranges::nth_element(times, times.begin() + kReplays / 2);
  replayed.nanoseconds = times[kReplays / 2];
  return replayed;
}

std::string cannot_replay(const ptx::Module& module, const std::string& kernel) {
  std::map<std::string, const ptx::Function*> functions;  // those with a body before their prototypes
  for (const ptx::Item& item : module.items) {
    const auto* const function = std::get_if<ptx::Function>(&item);
    if (function && (function->body || !functions.contains(function->name))) functions[function->name] = function;
  }
  std::set<std::string> seen{kernel};
  std::vector<std::string> open{kernel};
  while (!open.empty()) {
    const auto found = functions.find(open.back());
    open.pop_back();
    if (found == functions.end() || !found->second->body) continue;
    const ptx::KernelCode code(module, *found->second);
    for (const ptx::Step& step : code.steps()) {
      const ptx::Instruction& instruction = *step.instruction;
      if (is_texture(instruction)) return "it uses textures or surfaces: " + ptx::mnemonic(instruction);
      if (ptx::has(instruction, "tensor")) return "it uses tensor maps: " + ptx::mnemonic(instruction);
      bool names_function = false;
      for (const ptx::Operand& operand : instruction.operands) {
        const auto callee = functions.find(operand.name);
        if (operand.kind != ptx::Operand::Kind::identifier || callee == functions.end()) continue;
        names_function = true;
        if (!callee->second->body) return "it calls " + operand.name;
        if (seen.insert(operand.name).second) open.push_back(operand.name);
      }
      if (instruction.opcode == "call" && !names_function) return "it calls a function by a pointer";
    }
  }
  return {};
}

}  // namespace bankshot::fix
