// The kernels and variables of a loaded module, and what a launch of a kernel says.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bankshot/simt/state/fault.hpp"

namespace bankshot::simt {

struct ParamInfo {
  uint32_t offset = 0, size = 0;  ///< bytes in the parameter buffer
};

/// A static .shared variable that a kernel sees.
struct SharedInfo {
  std::string name;
  uint32_t offset = 0, size = 0;  ///< bytes, from the start of shared memory
};

/// An entry of a loaded module.
struct KernelInfo {
  std::string name;
  std::vector<ParamInfo> params;
  uint32_t param_bytes = 0;
  uint32_t static_shared = 0;      ///< bytes
  std::vector<SharedInfo> shared;  ///< module scope first, then its own
  uint32_t dynamic_base = 0;       ///< offset at which dynamic shared memory starts
  uint32_t local_bytes = 0;        ///< bytes a thread, in this function
  bool has_transactions = false;   ///< it, or a function of its module
  uint32_t registers = 0;          ///< 32-bit registers a thread: most live at once, see register_need.hpp; 16 to 255;
                                   ///< what a launch takes: cuda/launch.hpp
  uint32_t max_threads = 1024;     ///< .maxntid / .reqntid product, else 1024
  bool has_launch_bounds = false;  ///< .maxntid or .reqntid: the compiler knew max_threads
  uint32_t least_ctas = 1;         ///< .minnctapersm: that the compiler was to fit on an SM
  std::array<uint32_t, 3> required_block{};    ///< .reqntid, zeros if none
  std::array<uint32_t, 3> required_cluster{};  ///< .reqnctapercluster, zeros if none
  bool explicit_cluster = false;               ///< .explicitcluster: a launch has to say how large clusters are
  uint32_t most_cluster = 0;                   ///< .maxclusterrank: CTAs of a cluster at the most; 0: not said
  uint32_t target = 0;                         ///< of .target: 75 for sm_75, 90 for sm_90a; 0 if it names no sm_
  char target_kind = ' ';  ///< 'a': runs on that architecture only, 'f': on its family, ' ': on newer ones
};

/// A .global or .const variable of a loaded module, at its device address.
struct GlobalInfo {
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
  bool constant = false;
  bool managed = false;
  std::string opaque;  ///< "texref" or "surfref": its address is a handle, of which nothing is stored
};

struct LaunchConfig {
  Dim3 grid, block;
  Dim3 cluster;                       ///< CTAs of a cluster: they are resident together. The grid is a multiple
  bool explicit_cluster = false;      ///< clusters were requested, even if of one CTA: %is_explicit_cluster
  uint32_t dynamic_shared = 0;        ///< bytes
  bool cooperative = false;           ///< all CTAs are resident at once, and the kernel may wait for its whole grid
  std::span<const std::byte> params;  ///< KernelInfo::param_bytes bytes
  uint64_t graph = 0;                 ///< handle of the device graph that it is a node of: %current_graph_exec
  std::span<const uint64_t> graphs;   ///< handles of those that it may launch
};

/// A launch by a kernel, of another kernel or of a graph.
struct DeviceLaunch {
  std::string kernel;
  uint64_t graph = 0;  ///< its handle; 0: no graph
  Dim3 grid, block;
  uint32_t dynamic_shared = 0;  ///< bytes
  std::vector<std::byte> params;
  bool tail = false;  ///< comes when all else that the launching grid, or graph, launched has ended
};

}  // namespace bankshot::simt
