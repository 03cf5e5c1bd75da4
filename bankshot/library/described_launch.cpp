#include "bankshot/library/described_launch.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "bankshot/optimise/optimise.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/simt/decode/mistakes.hpp"

namespace bankshot::library {
namespace {

using analysis::Extent;

template <class T>
std::optional<T> number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return negative ? T{0} - value : value;
}

/// "16,16" or "16x16"; missing extents are 1. @param most  of each extent
Result<Extent> extent(const std::string& option, const std::string& text, Extent most) {
  const Error wrong{option + ": '" + text + "' is not one to three whole numbers above 0: " + option + " 16,16"};
  uint32_t all[3] = {1, 1, 1};
  size_t count = 0;
  for (size_t at = 0; at <= text.size(); ++count) {
    const size_t comma = std::min(text.find_first_of(",x", at), text.size());
    const auto value = number<uint32_t>(std::string_view(text).substr(at, comma - at));
    if (count == 3 || !value || *value == 0 || text[at] == '-') return wrong;
    all[count] = *value;
    at = comma + 1;
  }
  if (all[0] > most.x || all[1] > most.y || all[2] > most.z) {
    return Error{option + ": '" + text + "' is more than CUDA allows: at most " + std::to_string(most.x) + "," +
                 std::to_string(most.y) + "," + std::to_string(most.z)};
  }
  return Extent{all[0], all[1], all[2]};
}

/// NAME=VALUE, NAME+OFFSET=VALUE; NAME may be the parameter's position, from 0.
struct Parameter {
  std::string text, name;
  int64_t offset = 0;
  uint64_t value = 0;
  bool used = false;
};

Result<Parameter> parameter(const std::string& text) {
  const size_t equals = text.find('=');
  const size_t plus = std::min(text.find('+'), equals);
  const auto value =
      equals == std::string::npos ? std::nullopt : number<uint64_t>(std::string_view(text).substr(equals + 1));
  const auto offset = plus == equals ? std::optional<int64_t>(0)
                                     : number<int64_t>(std::string_view(text).substr(plus + 1, equals - plus - 1));
  if (!value || !offset || plus == 0) {
    return Error{"--param: '" + text +
                 "' is not NAME=VALUE with a whole number: --param 2=1024, --param n=1024, --param args+8=4"};
  }
  return Parameter{text, text.substr(0, plus), *offset, *value, false};
}

/// Gives a kernel the parameters that it has.
void give(std::vector<Parameter>& all, const ptx::Function& kernel, analysis::Launch& launch) {
  for (Parameter& p : all) {
    const auto position = number<size_t>(p.name);
    for (size_t k = 0; k < kernel.parameters.size(); ++k) {
      const std::string& name = kernel.parameters[k].name;
      if (name != p.name && name != kernel.name + "_param_" + p.name && !(position && *position == k)) continue;
      launch.parameters[{name, p.offset}] = p.value;
      p.used = true;
      break;
    }
  }
}

/// Why this kernel cannot have such blocks, or empty.
std::string misfit(const simt::KernelInfo& kernel, const Extent& block) {
  const auto& required = kernel.required_block;
  if (required[0] != 0 && (required[0] != block.x || required[1] != block.y || required[2] != block.z)) {
    return kernel.name + " requires blocks of " + std::to_string(required[0]) + "," + std::to_string(required[1]) +
           "," + std::to_string(required[2]) + " threads (.reqntid)";
  }
  if (block.count() > kernel.max_threads) {
    return kernel.name + " is compiled for at most " + std::to_string(kernel.max_threads) +
           " threads per block, --block has " + std::to_string(block.count());
  }
  return {};
}

}  // namespace

bool is_wanted(const std::string& kernel, const std::vector<std::string>& parts) {
  return parts.empty() || std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
           return kernel.find(part) != std::string::npos || report::demangle(kernel).find(part) != std::string::npos;
         });
}

Result<Analysed, Refusal> analyse(const DescribedLaunch& described, const std::string& file,
                                  std::span<const NamedText> texts, const gpu::Gpu& gpu,
                                  const std::vector<std::string>& wanted, bool joined) {
  const Result<Extent> block = extent("--block", described.block, {1024, 1024, 64});
  if (!block) return Refusal{block.error().message};
  if (block->count() > gpu.max_threads_per_block) {
    return Refusal{"--block: " + std::to_string(block->count()) + " threads, but a block has at most " +
                   std::to_string(gpu.max_threads_per_block)};
  }
  analysis::Launch launch;
  launch.block = *block;
  launch.warp_size = gpu.machine.warp_size;
  if (!described.grid.empty()) {
    const Result<Extent> grid = extent("--grid", described.grid, {0x7fffffff, 65535, 65535});
    if (!grid) return Refusal{grid.error().message};
    launch.grid = *grid;
  }
  std::vector<Parameter> parameters;
  for (const std::string& text : described.parameters) {
    const Result<Parameter> p = parameter(text);
    if (!p) return Refusal{p.error().message};
    parameters.push_back(*p);
  }
  Analysed analysed;
  std::string names;
  for (const NamedText& ptx : texts) {
    auto module = ptx::parse(ptx.text);
    std::vector<simt::KernelInfo> infos;
    const Diagnostics mistakes = module ? simt::mistakes(*module, infos) : module.error();
    if (!mistakes.empty()) return Refusal{format_diagnostics(mistakes, ptx.name, ptx.text), true};
    if (joined && gpu.machine_code() != 0) optimise::optimise(*module, {.architecture = gpu.machine_code()});
    for (const simt::KernelInfo& info : infos) {
      names += (names.empty() ? "" : ", ") + report::demangle(info.name);
      if (!is_wanted(info.name, wanted)) continue;
      analysis::Launch own = launch;
      give(parameters, *ptx::find_kernel(*module, info.name), own);
      if (const std::string reason = misfit(info, *block); !reason.empty()) {
        analysed.failures.push_back(reason);
        continue;
      }
      Result<analysis::Kernel> kernel = analysis::analyse(*module, info.name, own, gpu.machine.scratchpad);
      if (kernel)
        analysed.kernels.push_back(std::move(*kernel));
      else
        analysed.failures.push_back(kernel.error().message);
    }
  }
  for (const Parameter& p : parameters) {
    if (!p.used)
      return Refusal{"--param " + p.text + ": no kernel has that parameter; bankshot ptx --print " + file +
                     " shows them"};
  }
  if (analysed.kernels.empty() && analysed.failures.empty()) {
    return Refusal{names.empty() ? file + " has no kernel"
                                 : "--kernel: " + file + " has no kernel of that name; it has " + names};
  }
  return analysed;
}

}  // namespace bankshot::library
