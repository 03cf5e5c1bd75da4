// The machine descriptions of gpus/: what a GPU is, for the occupancy of its SMs, its properties and its banks, and for
// its simulation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/simt/run/engine.hpp"
#include "bankshot/support/result.hpp"
#include "bankshot/timing/base/config.hpp"

namespace bankshot::gpu {

/// One GPU. The names of its TOML keys, their ranges and meanings are in keys.cpp and keys_timing.cpp.
struct Gpu {
  std::string file;  ///< absolute path of its description
  std::string name;  ///< what cudaGetDeviceProperties calls it
  unsigned compute_major = 0, compute_minor = 0;
  bool as_written = false;  ///< its programs are not compiled by ptxas, so their accesses are those of the text
  unsigned core_khz = 0, memory_khz = 0;
  uint64_t global_bytes = 0, l2_bytes = 0, constant_bytes = 0;
  unsigned memory_bus_bits = 0;
  unsigned shared_per_sm = 0;              ///< bytes
  unsigned shared_per_block = 0;           ///< bytes without cudaFuncSetAttribute
  unsigned shared_per_block_optin = 0;     ///< bytes with it
  unsigned shared_reserved_per_block = 0;  ///< bytes the system takes from each block's share
  unsigned registers_per_sm = 0, registers_per_block = 0;
  unsigned max_threads_per_sm = 0, max_threads_per_block = 0;
  unsigned max_warps_per_sm = 0, max_blocks_per_sm = 0;
  unsigned issue_khz = 0;                ///< clock of the schedulers; of Fermi half of core_khz, else equal
  simt::Machine machine;                 ///< SMs, warp size, banks: what the functional engine needs
  std::optional<timing::Config> timing;  ///< none: its file has no timing sections, so it cannot be simulated

  /// The architecture whose machine code decides which accesses are one: 75 is sm_75; 0: none, the text does. The model
  /// of ptxas was made with code for sm_70 and later.
  unsigned machine_code() const { return as_written || compute_major < 7 ? 0 : 10 * compute_major + compute_minor; }
  /// What accesses of global memory cost in the first-level cache; none if its file describes no cache of global loads
  /// whose data lies in banks.
  std::optional<scratchpad::L1Rules> l1_rules() const;
};

/// The GPU a command takes when none is named.
inline constexpr std::string_view kDefaultGpu = "h100";

/// Reads a description. What is missing, unknown, of the wrong type or impossible is refused, all of it, with file,
/// line and key.
Result<Gpu> load_gpu(const std::string& path);
/// The same from a text. @param file  what messages call it
Result<Gpu> parse_gpu(std::string_view toml, const std::string& file);
/// All that a description says, each value with what it means. parse_gpu reads it, and gets the same GPU.
std::string to_toml(const Gpu& gpu);

/// The keys that it leaves out, with their meaning: comments, a line each, or empty.
std::string left_out(const Gpu& gpu);

/// Changes values: "SECTION.KEY=VALUE", each as the file would have it, texts without
/// quotes. @return what is wrong with the first that is refused, or with the machine that they make; `gpu` is then of
/// no use
std::optional<Error> change(Gpu& gpu, std::span<const std::string> changes);

/// The first of these changes that changes nothing, as no component that the machine has reads the value.
/// @param gpu  one that can be simulated, after the changes
std::optional<Error> changes_nothing(const Gpu& gpu, std::span<const std::string> changes);

/// The folders searched for NAME.toml: $BANKSHOT_GPUS if set; else data_folders("gpus") of support/installation.hpp.
std::vector<std::string> gpu_folders();
/// Names of the GPUs found there, sorted.
std::vector<std::string> gpu_names();
/// Path of a description. @param name_or_path  one of gpu_names(), or a path: what has a slash or ends in .toml
Result<std::string> find_gpu_file(const std::string& name_or_path);
/// Finds and loads.
Result<Gpu> find_gpu(const std::string& name_or_path);

}  // namespace bankshot::gpu
