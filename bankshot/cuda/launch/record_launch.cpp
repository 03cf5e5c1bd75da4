#include "bankshot/cuda/launch/record_launch.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "bankshot/cuda/process/hand_in.hpp"
#include "bankshot/cuda/process/request.hpp"

namespace bankshot::cuda {
namespace {

using simt::Allocation;
using simt::MemoryKind;

uint64_t word_at(const void* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// The live allocation that holds the address; null if there is none.
const Allocation* live(const simt::Memory& memory, uint64_t address) {
  const Allocation* const found = memory.find(address);
  return found && found->live ? found : nullptr;
}

/// Makes one recorded launch.
class Recorder {
 public:
  Recorder(const simt::Memory& memory, RecordedLaunch& launch) : memory_(memory), launch_(launch) {}

  /// @return why the launch cannot be repeated elsewhere, or empty
  std::string record(const simt::Program& program, const simt::KernelInfo& kernel, const simt::LaunchConfig& config) {
    if (config.cooperative) return "it is launched cooperatively";
    if (config.explicit_cluster) return "it is launched in clusters";
    if (kernel.has_transactions) return "a GPU has no transactions";
    launch_.parameters.assign(config.params.begin(), config.params.end());
    if (std::string why = add_pointers(kernel); !why.empty()) return why;
    if (std::string why = add_variables(program); !why.empty()) return why;
    return copy();
  }

 private:
  std::string add_pointers(const simt::KernelInfo& kernel) {
    for (const simt::ParamInfo& param : kernel.params) {
      for (uint32_t at = (param.offset + 7) / 8 * 8; at + 8 <= param.offset + param.size; at += 8) {
        const uint64_t value = word_at(&launch_.parameters[at]);
        const Allocation* found = live(memory_, value);
        if (!found && value != 0) found = live(memory_, value - 1);  // behind the last byte
        if (!found && memory_.contains(value)) return "a parameter points to memory that is not allocated";
        if (!found) continue;
        if (param.size != 8) return "a parameter that is a structure has a pointer";
        if (found->kind == MemoryKind::managed) return "a parameter points to managed memory";
        if (found->kind != MemoryKind::device || found->mapped)
          return "a parameter points to memory that cudaMalloc did not allocate";
        launch_.pointers.push_back(at);
        ranges_[found->address] = {found->size, ""};
      }
    }
    return {};
  }

  std::string add_variables(const simt::Program& program) {
    for (const simt::GlobalInfo& variable : simt::globals(program)) {
      if (!variable.opaque.empty()) return "its module has a texture or surface reference: " + variable.name;
      if (variable.managed) return "its module has a managed variable: " + variable.name;
      if (variable.size != 0) ranges_[variable.address] = {variable.size, variable.name};
    }
    return {};
  }

  std::string copy() {
    uint64_t bytes = 0;
    for (const auto& [address, range] : ranges_) bytes += range.first;
    if (bytes > RecordedLaunch::kMostBytes) {
      return fmt::format("it uses {} bytes of memory; at most {} are copied", bytes, RecordedLaunch::kMostBytes);
    }
    for (const auto& [address, range] : ranges_) {
      const auto* const begin = reinterpret_cast<const std::byte*>(address);
      for (uint64_t at = 0; at + 8 <= range.first; at += 8) {
        if (live(memory_, word_at(begin + at)))
          return "its memory has pointers to memory" + (range.second.empty() ? "" : ": variable " + range.second);
      }
      launch_.memory.push_back({address, range.second, {begin, begin + range.first}});
    }
    return {};
  }

  const simt::Memory& memory_;
  RecordedLaunch& launch_;
  std::map<uint64_t, std::pair<uint64_t, std::string>> ranges_;  ///< bytes and variable, by address
};

}  // namespace

RecordedLaunch recorded(const simt::Memory& memory, const simt::Program& program, const simt::KernelInfo& kernel,
                        const std::string& module, const simt::LaunchConfig& config) {
  RecordedLaunch launch;
  launch.module = module;
  launch.kernel = kernel.name;
  launch.grid = config.grid;
  launch.block = config.block;
  launch.dynamic_shared = config.dynamic_shared;
  launch.refusal = Recorder(memory, launch).record(program, kernel, config);
  if (!launch.refusal.empty()) {
    launch.parameters.clear();
    launch.pointers.clear();
    launch.memory.clear();
  }
  return launch;
}

void record_launch(const simt::Memory& memory, const simt::Program& program, const simt::KernelInfo& kernel,
                   const std::string& module, const simt::LaunchConfig& config) {
  const std::vector<std::string>& wanted = process_request().record;
  if (std::ranges::find(wanted, kernel.name) == wanted.end()) return;
  struct Best {
    uint64_t threads = 0;
    std::string path;
  };
  static auto& best = *new std::map<std::pair<std::string, std::string>, Best>;
  Best& known = best[{module, kernel.name}];
  const uint64_t threads = config.grid.count() * config.block.count();
  if (threads <= known.threads) return;
  known.threads = threads;
  if (known.path.empty()) known.path = free_path("launch", ".recorded");
  hand_in(Output::launch, known.path, to_file(recorded(memory, program, kernel, module, config)));
}

}  // namespace bankshot::cuda
