// The table of what published rows determine: parameters of a description, and the benchmarks that tell each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bankshot/accuracy/benchmark.hpp"
#include "bankshot/gpu/gpu.hpp"

namespace bankshot::accuracy {

/// What a larger value of a parameter does to the time of its benchmarks.
enum class Effect : uint8_t {
  slower,
  faster,
  doubling,  ///< faster; only powers of two are tried, as units have lanes: another meets a row by accident
};

/// The level of the memory that a benchmark must find its data in.
enum class Level : uint8_t { any, l1, l2, dram };

struct Parameter {
  std::string_view key;  ///< of a description
  /// Parameters are fitted in this order, those of one stage independently: inner levels before outer ones.
  unsigned stage;
  Effect effect;
  std::string_view family;                   ///< of the benchmarks
  std::vector<std::string_view> benchmarks;  ///< Plan::key must be one of these; * is any text, ? one letter
  Level level = Level::any;
};

std::span<const Parameter> parameters();
unsigned stages();

/// Whether a benchmark tells the parameter. @param gpu  on which it runs: the sizes of its caches decide the level
bool tells(const Family& family, const Plan& plan, const gpu::Gpu& gpu, const Parameter& parameter);

/// Whether a text is what a pattern says: * is any text, ? one letter.
bool fits(std::string_view pattern, std::string_view text);

}  // namespace bankshot::accuracy
