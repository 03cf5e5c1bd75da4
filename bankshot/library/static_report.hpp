// The results of the analysis as text and as JSON, schema bankshot/static/1: docs/json.md.
#pragma once

#include <string>
#include <vector>

#include "bankshot/analysis/analyse.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/library/described_launch.hpp"

namespace bankshot::library {

std::string static_json(const Analysed& analysed, const std::string& program, const gpu::Gpu& gpu, bool joined);
std::string static_text(const std::vector<analysis::Kernel>& kernels);

}  // namespace bankshot::library
