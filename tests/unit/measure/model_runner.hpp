// A GPU that is a formula: what an access of a warp takes, with noise if wanted. For tests of what is made of
// measurements.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "bankshot/measure/latency.hpp"
#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/atomics/atomics_model.hpp"

namespace bankshot::measure {

class ModelRunner : public Runner {
 public:
  ModelRunner() {
    about.name = "Formula";
    about.major = 2;
    about.driver = "no driver";
    about.clock_khz = 1'000'000;
    about.shared_bytes = 49'152;
    about.max_threads = 1024;
  }

  Device about;
  std::function<double(Access, const Pattern&)> law;   ///< ticks of one access
  std::function<double()> noise = [] { return 0.0; };  ///< added to each measured time
  std::vector<std::string> launched;

  const Device& device() const override { return about; }
  std::optional<Error> load(std::string_view) override { return std::nullopt; }
  Result<Variable> variable(const std::string&) override { return Variable{}; }
  Result<uint64_t> allocate(uint64_t bytes) override {
    memory_.push_back(std::make_unique<std::vector<uint64_t>>(bytes / 8 + 1));
    return reinterpret_cast<uint64_t>(memory_.back()->data());
  }
  void release(uint64_t address) override {
    std::erase_if(memory_, [&](const auto& one) { return reinterpret_cast<uint64_t>(one->data()) == address; });
  }
  size_t allocations() const { return memory_.size(); }
  std::optional<Error> copy_in(uint64_t to, std::span<const std::byte> from) override {
    std::memcpy(reinterpret_cast<void*>(to), from.data(), from.size());
    return std::nullopt;
  }
  std::optional<Error> copy_out(std::span<std::byte> to, uint64_t from) override {
    std::memcpy(to.data(), reinterpret_cast<const void*>(from), to.size());
    return std::nullopt;
  }

  double elapsed_ns() const override { return 0; }
  std::optional<Error> launch(const Launch& launch) override {
    launched.emplace_back(launch.kernel);
    Arguments arguments;
    std::memcpy(&arguments, launch.arguments.data(), sizeof arguments);
    const std::string kernel(launch.kernel);
    Access access = Access::load;
    for (unsigned k = 0; k < kAccesses; ++k) {
      if (kernel.ends_with("_" + std::string(info(static_cast<Access>(k)).kernel))) access = static_cast<Access>(k);
    }
    const auto* patterns = reinterpret_cast<const Pattern*>(arguments.patterns);
    auto* times = reinterpret_cast<uint64_t*>(arguments.times);
    const bool latency = kernel.starts_with("latency_");
    for (uint32_t round = 0; round < arguments.rounds; ++round) {
      if (latency) {
        const double ticks = law(access, patterns[round]) + noise();
        for (unsigned lane = 0; lane < 32; ++lane) {
          times[round * 64 + lane] = 20;
          times[round * 64 + 32 + lane] = static_cast<uint64_t>(20 + std::max(0.0, ticks));
        }
        continue;
      }
      double all = 0;
      for (unsigned warp = 0; warp < launch.block.x / 32; ++warp) all += law(access, patterns[warp]);
      for (unsigned thread = 0; thread < launch.block.x; ++thread) {
        times[(round * launch.block.x + thread) * 2] = 7;
        times[(round * launch.block.x + thread) * 2 + 1] =
            static_cast<uint64_t>(7 + all * arguments.repeats * kUnrolled);
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<std::unique_ptr<std::vector<uint64_t>>> memory_;
};

/// TPDS'13, section 2: t_base 108, t_position 120, t_bank 32.
constexpr scratchpad::AtomicsTimes kTpds = {108, 120, 32, 32};
/// ICCD'13, section III: read 32, update 18, write 36, branch 32.
constexpr scratchpad::AtomicsTimes kFsm = {118, 118, 32, 36};

/// Banks as on Fermi: loads take 50 ticks and 2 for each further word of a bank, stores 4 and as much.
inline double fermi_load(const Pattern& pattern) {
  std::vector<uint32_t> bytes(32);
  uint64_t lanes = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (pattern[lane] == kOff) continue;
    bytes[lane] = pattern[lane] * 4;
    lanes |= uint64_t{1} << lane;
  }
  return 50 + 2.0 * (scratchpad::cost({}, scratchpad::AccessKind::load, 4, bytes.data(), lanes).wavefronts - 1);
}

/// … and atomics as a closed model says.
inline std::function<double(Access, const Pattern&)> lock_law(const scratchpad::AtomicsTimes& times,
                                                              unsigned lock_bits = 10) {
  scratchpad::LockGeometry geometry;
  geometry.locks = *scratchpad::parse_lock_hash("none", {14, lock_bits, 5});
  auto walker = std::make_shared<scratchpad::LockWalker>(geometry);
  return [walker, times](Access access, const Pattern& pattern) {
    if (access == Access::load) return fermi_load(pattern);
    if (access == Access::store) return fermi_load(pattern) - 46;
    std::vector<uint32_t> words;
    for (const uint32_t word : pattern) {
      if (word != kOff) words.push_back(word);
    }
    return static_cast<double>(latency(walker->walk(words.data(), static_cast<unsigned>(words.size())), times).total());
  };
}

}  // namespace bankshot::measure
