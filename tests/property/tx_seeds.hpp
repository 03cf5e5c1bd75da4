// Which random programs the tests of isolation run, and on which GPUs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/gpu/gpu.hpp"
#include "tests/paths.hpp"
#include "tests/property/tx_drive.hpp"

namespace bankshot::simt::tx {

#ifdef NDEBUG
constexpr unsigned kSlower = 1;
#elif defined(BANKSHOT_SANITIZED)
constexpr unsigned kSlower = 24;
#else
constexpr unsigned kSlower = 12;  // builds for debugging, or with coverage
#endif

inline uint64_t variable(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text != 0 ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// The programs of a test: about `usual`, times BANKSHOT_TX_TIMES, from a seed that is that of the other property tests
/// (RC_PARAMS="seed=N …") and the test's; or that of BANKSHOT_TX_SEED alone, to see a failure again.
struct Seeds {
  uint64_t first, end;
  Seeds(unsigned usual, const std::string& test) {
    const char* const set = std::getenv("RC_PARAMS");
    const std::string parameters = set != nullptr ? set : "";
    const size_t at = parameters.find("seed=");
    first = at == std::string::npos ? 20261122 : std::strtoull(parameters.c_str() + at + 5, nullptr, 10);
    for (const char letter : test) first = first * 31 + static_cast<unsigned char>(letter);
    end = first + std::max<uint64_t>(1, usual * variable("BANKSHOT_TX_TIMES", 1) / kSlower);
    if (const uint64_t one = variable("BANKSHOT_TX_SEED", 0); one != 0) first = one, end = one + 1;
  }
};

/// 1 to 8 warps, few of them mostly; lanes may lack in the last one.
inline uint32_t random_threads(std::mt19937_64& random, unsigned lanes) {
  const unsigned most = random() % 4 == 0 ? 8 : 3;
  const auto warps = static_cast<uint32_t>(1 + random() % most);
  return lanes * warps - static_cast<uint32_t>(random() % 3 == 0 ? random() % lanes : 0);
}

inline std::string text(const std::string& gpu, const std::vector<std::string>& changes) {
  std::string all = gpu;
  for (const std::string& change : changes) all += " " + change;
  return all;
}

/// A GPU that we ship, changed so; none, if a test has failed for that.
inline std::optional<gpu::Gpu> load(const std::string& name, const std::vector<std::string>& changes) {
  Result<gpu::Gpu> gpu = gpu::load_gpu(paths::source() + "/gpus/" + name + ".toml");
  if (!gpu) {
    ADD_FAILURE() << gpu.error().message;
    return std::nullopt;
  }
  const auto refused = gpu::change(*gpu, changes);
  if (refused || !gpu->timing) {
    ADD_FAILURE() << name << ": " << (refused ? refused->message : "no timing");
    return std::nullopt;
  }
  return *gpu;
}

}  // namespace bankshot::simt::tx
