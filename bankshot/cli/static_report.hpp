// The results of the analysis as text and as JSON, schema bankshot/static/1: docs/json.md.
#pragma once

#include <string>
#include <vector>

#include "bankshot/analysis/analyse.hpp"
#include "bankshot/gpu/gpu.hpp"

namespace bankshot::cli {

std::string static_json(const std::vector<analysis::Kernel>& kernels, const std::string& program, const gpu::Gpu& gpu);
std::string static_text(const std::vector<analysis::Kernel>& kernels);

/// The words of a row of an array, guessed from the factors of its instructions: the greatest common divisor of those
/// that are more than one word, over its accesses in blocks of two dimensions; 0 if there is nothing to go by.
int64_t columns_of(const analysis::Kernel& kernel, uint32_t array);

}  // namespace bankshot::cli
