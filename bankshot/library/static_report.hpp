// The results of the analysis as text and as JSON, schema bankshot/static/1: docs/json.md.
#pragma once

#include <string>
#include <vector>

#include "bankshot/analysis/analyse.hpp"
#include "bankshot/gpu/gpu.hpp"

namespace bankshot::library {

std::string static_json(const std::vector<analysis::Kernel>& kernels, const std::string& program, const gpu::Gpu& gpu,
                        bool joined);
std::string static_text(const std::vector<analysis::Kernel>& kernels);

}  // namespace bankshot::library
