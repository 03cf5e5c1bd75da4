#include "bankshot/measure/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <map>

#include "bankshot/gpu/keys.hpp"
#include "bankshot/measure/report.hpp"

namespace bankshot::measure {
namespace {

using Findings = std::map<std::string, Finding>;

std::string path_of(const gpu::Key& key) { return fmt::format("{}.{}", key.section, key.name); }

/// A text of a description, in quotes, without what would end it.
std::string quoted(std::string text) {
  for (char& c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return '"' + text + '"';
}

/// Every key in its section, both tables' keys of a section together.
std::string sections(const gpu::Gpu& base, const Findings& found) {
  std::vector<std::string_view> order;
  for (const auto table : {gpu::keys(), gpu::timing_keys()}) {
    for (const gpu::Key& key : table) {
      if (std::find(order.begin(), order.end(), key.section) == order.end()) order.push_back(key.section);
    }
  }
  std::string text;
  for (const std::string_view section : order) {
    text += fmt::format("\n[{}]\n", section);
    for (const auto table : {gpu::keys(), gpu::timing_keys()}) {
      for (const gpu::Key& key : table) {
        if (key.section != section) continue;
        const auto finding = found.find(path_of(key));
        const bool ours = finding != found.end();
        const std::string line = fmt::format("{} = {}", key.name, ours ? finding->second.text : gpu::value_text(base, key));
        text += ours ? fmt::format("{:<43} # {}\n", line, finding->second.remark) : line + '\n';
      }
    }
  }
  return text;
}

/// Why the findings cannot stand together, or empty.
std::string contradiction(const gpu::Gpu& base, const Findings& found) {
  const Result<gpu::Gpu> read = gpu::parse_gpu(sections(base, found), "measured");
  return read ? "" : read.error().message;
}

/// The findings as one description can have them; the others, with the reason, to `refused`.
Findings consistent(const gpu::Gpu& base, const Findings& wanted, std::vector<Finding>& refused) {
  if (contradiction(base, wanted).empty()) return wanted;
  Findings kept;
  // Twice: of two values that go together, the one that comes first may be possible only after the other.
  for (unsigned turn = 0; turn < 2; ++turn) {
    for (const auto& [key, finding] : wanted) {
      if (kept.contains(key)) continue;
      Findings with = kept;
      with.emplace(key, finding);
      const std::string why = contradiction(base, with);
      if (why.empty()) kept = std::move(with);
      if (why.empty() || turn == 0) continue;
      refused.push_back(finding);
      const size_t begin = why.find("error: ");
      refused.back().remark = why.substr(begin, why.find('\n', begin) - begin);
    }
  }
  return kept;
}

/// Cycles of issue, at least one.
std::string cycles(const Calibration& calibration, double ticks) {
  return std::to_string(std::max(1L, std::lround(ticks * calibration.device.issue_cycles_by_tick)));
}

Findings measured_values(const Calibration& calibration, const gpu::Gpu& base) {
  Findings found;
  const auto add = [&](const std::string& key, std::string text, std::string remark) {
    found[key] = {key, std::move(text), {}, "measured: " + std::move(remark)};
  };
  const Series& load = *calibration.find(Access::load, "bank");
  // Banks that serve fewer lanes than a warp has take several passes even so, which the model counts by itself.
  std::array<uint32_t, 32> linear;
  for (uint32_t lane = 0; lane < 32; ++lane) linear[lane] = 4 * lane;
  const unsigned passes = scratchpad::cost(base.machine.scratchpad, scratchpad::AccessKind::load, 4, linear.data(), 0xffffffff).wavefronts;
  add("scratchpad.latency", cycles(calibration, load.line.first - (passes - 1)),
      fmt::format("a load without conflicts, spread {:.1f}", load.latency[0].spread()));
  const double position = calibration.find(Access::add, "position")->line.step;
  add("scratchpad.atomics", quoted(atomics_unit(calibration)), fmt::format("each further lane on one word costs {:.2f} ticks", position));
  return found;
}

Findings told_values(const Calibration& calibration, const gpu::Gpu& base) {
  const Device& device = calibration.device;
  Findings told;
  const auto add = [&](const std::string& key, const std::string& text) { told[key] = {key, text, {}, device.driver}; };
  for (const auto& [key, text] : device.facts) add(key, text);
  add("gpu.name", quoted(device.name));
  if (const auto core = told.find("clocks.core_khz"); core != told.end() && !told.contains("clocks.issue_khz")) {
    const uint64_t khz = std::strtoull(core->second.text.c_str(), nullptr, 10);
    add("clocks.issue_khz", std::to_string(khz * base.issue_khz / base.core_khz));
  }
  return told;
}

/// The base's text of each finding; findings that say the same as the base go.
void compare(Findings& found, const gpu::Gpu& base, bool keep_equal) {
  for (const auto table : {gpu::keys(), gpu::timing_keys()}) {
    for (const gpu::Key& key : table) {
      const auto finding = found.find(path_of(key));
      if (finding == found.end()) continue;
      finding->second.was = gpu::value_text(base, key);
      if (!keep_equal && finding->second.was == finding->second.text) found.erase(finding);
    }
  }
}


std::string header(const Calibration& calibration, const Base& base, const std::vector<Finding>& refused) {
  const Device& device = calibration.device;
  std::string text = fmt::format("# {}, measured with bankshot calibrate.\n#\n", device.name);
  const std::string table = summary(calibration);
  for (size_t at = 0; at < table.size();) {
    const size_t end = table.find('\n', at);
    text += end == at ? "#\n" : "# " + table.substr(at, end - at) + "\n";
    at = end + 1;
  }
  text += fmt::format("#\n# Where nothing else is said, the value is that of {} ({}, compute capability {}.{}).\n", base.name,
                      base.gpu.name, base.gpu.compute_major, base.gpu.compute_minor);
  for (const Finding& one : refused) {
    text += fmt::format("# {} would say {} = {}, which cannot stand beside the rest: {}\n", device.driver, one.key, one.text, one.remark);
  }
  return text;
}

}  // namespace

Result<Base> nearest_base(const Device& device) {
  std::optional<Base> best;
  int least = 0;
  for (const std::string& name : gpu::gpu_names()) {
    Result<gpu::Gpu> gpu = gpu::find_gpu(name);
    if (!gpu || !gpu->timing || gpu->machine.warp_size != 32) continue;
    const int major = std::abs(static_cast<int>(gpu->compute_major) - static_cast<int>(device.major));
    const int minor = std::abs(static_cast<int>(gpu->compute_minor) - static_cast<int>(device.minor));
    const bool newer = gpu->compute_major > device.major;
    const int far = major * 1000 + (newer ? 500 : 0) + minor;
    if (best && far >= least) continue;
    least = far;
    best = Base{name, std::move(*gpu)};
  }
  if (best) return std::move(*best);
  return Error{"no description of a GPU that can be simulated was found to start from; name one with --base"};
}

Description describe(const Calibration& calibration, const Base& base) {
  assert(base.gpu.timing && "the command refuses others");
  Description result;
  Findings measured = measured_values(calibration, base.gpu), told = told_values(calibration, base.gpu);
  compare(measured, base.gpu, true);
  compare(told, base.gpu, false);
  Findings wanted = measured;
  wanted.insert(told.begin(), told.end());
  const Findings found = consistent(base.gpu, wanted, result.refused);
  for (const auto& [key, finding] : found) (measured.contains(key) ? result.measured : result.told).push_back(finding);
  result.toml = header(calibration, base, result.refused) + sections(base.gpu, found);
  return result;
}

}  // namespace bankshot::measure
