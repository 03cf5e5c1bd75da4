#include "bankshot/simt/device/device_runtime.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/device/error_table.hpp"
#include "bankshot/simt/state/call_values.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {
namespace {

// Error codes of the runtime.
constexpr uint32_t kSuccess = 0, kInvalidValue = 1, kNotSupported = 801;
constexpr uint64_t kTailStream = 3;  // cudaStreamTailLaunch; what is in any other stream may as well run in its turn

/// What the heap gives and what is launched is not taken back when a transaction starts again.
template <Handler Run>
const Instr* outside_transactions(Warp& w, const Instr* i) {
  return in_transaction(w) ? refuse_in_transaction(w, i, "a call that allocates, frees, copies or launches")
                           : Run(w, i);
}

const CallInfo& call_of(const Warp& w, const Instr* i) { return w.worker->program->calls[i->aux]; }

const Instr* run_malloc(Warp& w, const Instr* i) {
  const CallInfo& call = call_of(w, i);
  for_lanes(w, [&](unsigned lane) {
    return_value(w, call, lane, w.worker->memory->heap_allocate(argument(w, call, 0, lane)));
  });
  return i + 1;
}

const Instr* run_free(Warp& w, const Instr* i) {
  const CallInfo& call = call_of(w, i);
  bool fine = true;
  for_lanes(w, [&](unsigned lane) {
    const uint64_t address = argument(w, call, 0, lane);
    if (!fine || address == 0 || w.worker->memory->heap_free(address)) return;
    fine = false;
    fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address,
          "free() of a pointer that malloc() in a kernel did not return, or that was freed before");
  });
  for (Worker::Hit& hit : w.worker->hits) hit = {};  // what was freed is not there any more
  return fine ? i + 1 : nullptr;
}

/// cudaFree: the same, and says that it did.
const Instr* run_free_status(Warp& w, const Instr* i) {
  for_lanes(w, [&](unsigned lane) { return_value(w, call_of(w, i), lane, kSuccess); });
  return run_free(w, i);
}

/// The heap block that a launch's parameters are written to has the launch itself in front of them.
struct LaunchHeader {
  uint64_t function = 0;
  std::array<uint32_t, 3> grid{}, block{};
  uint32_t shared = 0, mark = 0;
};
constexpr uint32_t kLaunchMark = 0x6e6b6c43;
static_assert(sizeof(LaunchHeader) % 8 == 0);
constexpr uint64_t kHeader = 64;  ///< parameters begin at a multiple of any alignment that they may have

/// Pointers to functions are their numbers, from 1 on.
bool is_kernel(const LoadedProgram& program, uint64_t pointer) {
  return pointer - 1 < program.functions.size() && program.functions[pointer - 1].is_entry;
}

/// cudaGetParameterBufferV2(function, grid, block, shared): null if there is no such kernel, or no memory.
const Instr* run_parameter_buffer(Warp& w, const Instr* i) {
  const CallInfo& call = call_of(w, i);
  const LoadedProgram& program = *w.worker->program;
  for_lanes(w, [&](unsigned lane) {
    LaunchHeader header;
    header.function = argument(w, call, 0, lane);
    header.mark = kLaunchMark;
    for (uint32_t k = 0; k < 3; ++k) {
      header.grid[k] = argument_word(w, call, 1, k, lane);
      header.block[k] = argument_word(w, call, 2, k, lane);
    }
    header.shared = static_cast<uint32_t>(argument(w, call, 3, lane));
    const bool known = is_kernel(program, header.function);
    uint64_t parameter_bytes = 0;
    if (known) {
      for (const FunctionInfo::Param& p : program.functions[header.function - 1].parameters) {
        parameter_bytes = std::max<uint64_t>(parameter_bytes, p.offset + p.bytes);
      }
    }
    const uint64_t buffer = known ? w.worker->memory->heap_allocate(kHeader + parameter_bytes) : 0;
    if (buffer != 0) std::memcpy(reinterpret_cast<void*>(buffer), &header, sizeof header);
    return_value(w, call, lane, buffer == 0 ? 0 : buffer + kHeader);
  });
  return i + 1;
}

/// cudaLaunchDeviceV2(buffer, stream): the grid runs when the one that launches it has ended.
const Instr* run_device_launch(Warp& w, const Instr* i) {
  const CallInfo& call = call_of(w, i);
  Worker& worker = *w.worker;
  for_lanes(w, [&](unsigned lane) {
    const uint64_t buffer = argument(w, call, 0, lane), stream = argument(w, call, 1, lane);
    const Allocation* const block = buffer == 0 ? nullptr : worker.memory->find(buffer - kHeader);
    LaunchHeader header;
    if (block != nullptr && block->live && block->kind == MemoryKind::heap && block->address == buffer - kHeader &&
        block->size >= kHeader) {
      std::memcpy(&header, reinterpret_cast<const void*>(block->address), sizeof header);
    }
    // The kernel may have written over it.
    if (header.mark != kLaunchMark || !is_kernel(*worker.program, header.function))
      return return_value(w, call, lane, kInvalidValue);
    DeviceLaunch launch;
    launch.kernel = worker.program->functions[header.function - 1].name;
    launch.grid = {header.grid[0], header.grid[1], header.grid[2]};
    launch.block = {header.block[0], header.block[1], header.block[2]};
    launch.dynamic_shared = header.shared;
    launch.tail = stream == kTailStream;
    const auto* const bytes = reinterpret_cast<const std::byte*>(buffer);
    launch.params.assign(bytes, bytes + (block->size - kHeader));
    worker.launched.push_back(std::move(launch));
    worker.memory->heap_free(block->address);
    return_value(w, call, lane, kSuccess);
  });
  return i + 1;
}

/// cudaGraphLaunch(graph, stream). Fire-and-forget and sibling graphs run when the grid has ended, which CUDA allows.
/// What runs, or waits to run, cannot be launched, but for one launch of the own graph to the tail. Source: CUDA C++
/// Programming Guide, "Device Graph Launch"; the status outside a graph is assumed.
const Instr* run_graph_launch(Warp& w, const Instr* i) {
  constexpr uint64_t kTail = uint64_t{1} << 56, kFireAndForget = uint64_t{2} << 56, kSibling = uint64_t{3} << 56;
  const CallInfo& call = call_of(w, i);
  const LaunchConfig& config = *w.worker->launch->config;
  for_lanes(w, [&](unsigned lane) {
    const uint64_t graph = argument(w, call, 0, lane), stream = argument(w, call, 1, lane);
    if (config.graphs.empty()) return return_value(w, call, lane, kNotSupported);
    const bool tail = stream == kTail, itself = graph == config.graph;
    const bool can_be = std::ranges::count(config.graphs, graph) != 0 &&
                        (tail || (!itself && (stream == kFireAndForget || stream == kSibling)));
    std::vector<DeviceLaunch>& launched = w.worker->launched;
    const bool waits = (itself || !tail) && std::ranges::any_of(launched, [&](const DeviceLaunch& other) {
                         return other.graph == graph && other.tail == tail;
                       });
    if (!can_be || waits) return return_value(w, call, lane, kInvalidValue);
    DeviceLaunch launch;
    launch.graph = graph;
    launch.tail = tail;
    launched.push_back(std::move(launch));
    return_value(w, call, lane, kSuccess);
  });
  return i + 1;
}

void add_transfer(Worker& worker, const DeviceTransfer& transfer, bool tail) {
  DeviceLaunch launch;
  const auto* const bytes = reinterpret_cast<const std::byte*>(&transfer);
  launch.params.assign(bytes, bytes + sizeof transfer);
  launch.tail = tail;
  worker.launched.push_back(std::move(launch));
}

/// cudaMemcpyAsync(to, from, bytes, kind, stream): comes in its turn among the launches.
const Instr* run_device_copy(Warp& w, const Instr* i) {
  const CallInfo& call = call_of(w, i);
  for_lanes(w, [&](unsigned lane) {
    const DeviceTransfer copy{argument(w, call, 0, lane), argument(w, call, 1, lane), argument(w, call, 2, lane)};
    add_transfer(*w.worker, copy, argument(w, call, 4, lane) == kTailStream);
    return_value(w, call, lane, kSuccess);
  });
  return i + 1;
}

/// cudaMemsetAsync(to, value, bytes, stream)
const Instr* run_device_fill(Warp& w, const Instr* i) {
  const CallInfo& call = call_of(w, i);
  for_lanes(w, [&](unsigned lane) {
    const DeviceTransfer fill{argument(w, call, 0, lane), 0, argument(w, call, 2, lane), 1,
                              argument(w, call, 1, lane) & 0xff};
    add_transfer(*w.worker, fill, argument(w, call, 3, lane) == kTailStream);
    return_value(w, call, lane, kSuccess);
  });
  return i + 1;
}

/// cudaMalloc(void**, bytes): of the heap, as the guide says.
const Instr* run_device_malloc(Warp& w, const Instr* i) {
  constexpr uint32_t kOutOfMemory = 2;
  const CallInfo& call = call_of(w, i);
  bool fine = true;
  for_lanes(w, [&](unsigned lane) {
    const uint64_t address = w.worker->memory->heap_allocate(argument(w, call, 1, lane));
    fine = fine && store_lane(w, i, ptx::Space::generic, argument(w, call, 0, lane), sizeof address, lane, &address);
    return_value(w, call, lane, address == 0 ? kOutOfMemory : kSuccess);
  });
  return fine ? i + 1 : nullptr;
}

/// A function that has nothing to do, and succeeds: streams and events order what runs in order anyway.
const Instr* run_success(Warp& w, const Instr* i) {
  for_lanes(w, [&](unsigned lane) { return_value(w, call_of(w, i), lane, kSuccess); });
  return i + 1;
}

/// The same, and writes a handle that is none to where its first argument points.
const Instr* run_makes_handle(Warp& w, const Instr* i) {
  const CallInfo& call = call_of(w, i);
  bool fine = true;
  for_lanes(w, [&](unsigned lane) {
    const uint64_t handle = 0x100 + lane;
    fine = fine && store_lane(w, i, ptx::Space::generic, argument(w, call, 0, lane), sizeof handle, lane, &handle);
    return_value(w, call, lane, kSuccess);
  });
  return fine ? i + 1 : nullptr;
}

/// cudaGetDevice(int*): device 0; cudaGetDeviceCount(int*): 1.
template <uint32_t Number>
const Instr* run_writes_number(Warp& w, const Instr* i) {
  const CallInfo& call = call_of(w, i);
  bool fine = true;
  const uint32_t number = Number;
  for_lanes(w, [&](unsigned lane) {
    fine = fine && store_lane(w, i, ptx::Space::generic, argument(w, call, 0, lane), sizeof number, lane, &number);
    return_value(w, call, lane, kSuccess);
  });
  return fine ? i + 1 : nullptr;
}

/// The texts of errors in the program's constant memory, each with a zero behind it: of a code that there is none of,
/// then of each error its name and what is said of it.
constexpr std::string_view kErrorTexts = "$texts of errors";

struct ErrorTexts {
  std::string all = std::string(kUnknownError) + '\0';
  std::map<uint32_t, std::array<uint64_t, 2>> places;  ///< by code

  ErrorTexts() {
    for (const ErrorRow& row : error_table()) {
      if (row.runtime_name == nullptr) continue;
      const uint64_t name = all.size(), text = name + std::strlen(row.runtime_name) + 1;
      places[static_cast<uint32_t>(row.code)] = {name, text};
      all.append(row.runtime_name).append(1, '\0').append(row.text).append(1, '\0');
    }
  }
};
const ErrorTexts& error_texts() {
  static const ErrorTexts texts;
  return texts;
}

Result<uint64_t> place_error_texts(LoadedProgram& program) {
  for (const GlobalInfo& global : program.globals) {
    if (global.name == kErrorTexts) return global.address;
  }
  const std::string& all = error_texts().all;
  const Result<uint64_t> address =
      program.memory->allocate(all.size(), MemoryKind::module_constant, 256, std::string(kErrorTexts));
  if (!address) return address;
  std::memcpy(reinterpret_cast<void*>(*address), all.data(), all.size());
  program.globals.push_back({std::string(kErrorTexts), *address, all.size(), true, false, {}});
  return address;
}

/// cudaGetErrorName(error), cudaGetErrorString(error)
template <size_t Which>
const Instr* run_error_text(Warp& w, const Instr* i) {
  const CallInfo& call = call_of(w, i);
  const auto& globals = w.worker->program->globals;
  const auto texts =
      std::find_if(globals.begin(), globals.end(), [](const GlobalInfo& g) { return g.name == kErrorTexts; });
  for_lanes(w, [&](unsigned lane) {
    const auto place = error_texts().places.find(static_cast<uint32_t>(argument(w, call, 0, lane)));
    return_value(w, call, lane, texts->address + (place == error_texts().places.end() ? 0 : place->second[Which]));
  });
  return i + 1;
}

// vprintf(format, arguments), __assertfail(message, file, line, function, size of a character): printf.cpp
constexpr std::string_view kHeap = "the heap of kernels", kLaunches = "the launches of kernels";

// Bytes of the arguments are those of their C types; dim3 has 12, pointers and handles 8.
const std::array kFunctions = {
    DeviceFunction{"vprintf", &run_printf, {8, 8}, {}},
    DeviceFunction{"__assertfail", &run_assert, {8, 8, 4, 8, 8}, {}},
    DeviceFunction{"cudaGraphSetConditional", &run_set_condition, {8, 4}, {}},
    DeviceFunction{"malloc", &outside_transactions<&run_malloc>, {8}, kHeap},
    DeviceFunction{"free", &outside_transactions<&run_free>, {8}, kHeap},
    DeviceFunction{"cudaGetParameterBufferV2", &outside_transactions<&run_parameter_buffer>, {8, 12, 12, 4}, kLaunches},
    DeviceFunction{"cudaLaunchDeviceV2", &outside_transactions<&run_device_launch>, {8, 8}, kLaunches},
    DeviceFunction{"cudaGraphLaunch", &outside_transactions<&run_graph_launch>, {8, 8}, kLaunches},
    DeviceFunction{"cudaMemcpyAsync", &outside_transactions<&run_device_copy>, {8, 8, 8, 4, 8}, kLaunches},
    DeviceFunction{"cudaMemsetAsync", &outside_transactions<&run_device_fill>, {8, 4, 8, 8}, kLaunches},
    DeviceFunction{"cudaMalloc", &outside_transactions<&run_device_malloc>, {8, 8}, kHeap},
    DeviceFunction{"cudaFree", &outside_transactions<&run_free_status>, {8}, kHeap},
    DeviceFunction{"cudaGetErrorName", &run_error_text<0>, {4}, {}, &place_error_texts},
    DeviceFunction{"cudaGetErrorString", &run_error_text<1>, {4}, {}, &place_error_texts},
    DeviceFunction{"cudaGetLastError", &run_success, {}, {}},
    DeviceFunction{"cudaPeekAtLastError", &run_success, {}, {}},
    DeviceFunction{"cudaStreamCreateWithFlags", &run_makes_handle, {8, 4}, {}},
    DeviceFunction{"cudaStreamDestroy", &run_success, {8}, {}},
    DeviceFunction{"cudaStreamWaitEvent", &run_success, {8, 8, 4}, {}},
    DeviceFunction{"cudaEventCreateWithFlags", &run_makes_handle, {8, 4}, {}},
    DeviceFunction{"cudaEventRecord", &run_success, {8, 8}, {}},
    DeviceFunction{"cudaEventDestroy", &run_success, {8}, {}},
    DeviceFunction{"cudaGetDevice", &run_writes_number<0>, {8}, {}},
    DeviceFunction{"cudaGetDeviceCount", &run_writes_number<1>, {8}, {}},
};

}  // namespace

const DeviceFunction* device_function(std::string_view called) {
  // nvcc's headers give the functions of the runtime another name in kernels: __cudaCDP2GetLastError.
  constexpr std::string_view kPrefix = "__cudaCDP2";
  const std::string name =
      called.starts_with(kPrefix) ? "cuda" + std::string(called.substr(kPrefix.size())) : std::string(called);
  const auto found =
      std::find_if(kFunctions.begin(), kFunctions.end(), [&](const DeviceFunction& f) { return f.name == name; });
  return found == kFunctions.end() ? nullptr : &*found;
}

}  // namespace bankshot::simt
