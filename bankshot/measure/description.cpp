#include "bankshot/measure/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <map>

#include "bankshot/gpu/keys.hpp"
#include "bankshot/measure/report.hpp"
#include "bankshot/timing/atomics/locks.hpp"

namespace bankshot::measure {
namespace {

std::string path_of(const gpu::Key& key) { return fmt::format("{}.{}", key.section, key.name); }

/// A text of a description, without what would end it.
std::string plain(std::string text) {
  for (char& c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  }
  return text;
}
std::string quoted(const std::string& text) { return '"' + plain(text) + '"'; }

/// Whether a section is written: one that may be left out is if nothing in it is known.
bool is_known(std::string_view section, const gpu::Gpu& base, const Findings& found) {
  for (const timing::UnitClass unit : {timing::UnitClass::fp16, timing::UnitClass::tensor}) {
    if (section == fmt::format("units.{}", timing::name(unit)))
      return base.timing->units[static_cast<unsigned>(unit)].count != 0;
  }
  if (section == "launch") return base.timing->launch.cycles != 0;
  if (section == "warpgroup") return base.timing->warpgroup.lanes != 0;
  if (section == "tensor_memory") return base.timing->tensor_memory.product_columns != 0;
  if (!gpu::may_be_left_out(section) || timing::locks_of(*base.timing).bits != 0) return true;
  const auto first = found.lower_bound(std::string(section) + '.');
  return first != found.end() && first->first.starts_with(section);
}

/// Why the findings cannot stand together, or empty.
std::string contradiction(const gpu::Gpu& base, const Findings& found) {
  const Result<gpu::Gpu> read = gpu::parse_gpu(sections(base, found), "measured");
  return read ? "" : read.error().message;
}

/// The findings as one description can have them; the others, with the reason, to `refused`. What was measured has the
/// right of way.
Findings consistent(const gpu::Gpu& base, const Findings& measured, const Findings& told,
                    std::vector<Finding>& refused) {
  Findings wanted = measured;
  wanted.insert(told.begin(), told.end());
  if (contradiction(base, wanted).empty()) return wanted;
  Findings kept;
  if (contradiction(base, measured).empty()) kept = measured;
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

/// Puts together what was measured.
class Measured {
 public:
  Measured(const Calibration& calibration, const gpu::Gpu& base) : all_(calibration), base_(base) {}

  Findings values() {
    const Series &load = series(Access::load, "bank"), &position = series(Access::add, "position");
    // Banks that serve fewer lanes than a warp has take several passes even so, which the model counts by itself.
    cycles("scratchpad.latency", load.line.first - (linear_passes() - 1), load.latency[0].spread(),
           "a load without conflicts");
    add("scratchpad.atomics", quoted(atomics_unit(all_)),
        fmt::format("each further lane on one word costs {:.2f} ticks", position.line.step));
    if (atomics_unit(all_) == "native") {
      add("scratchpad.combines_increments", combines_increments(all_) ? "true" : "false",
          fmt::format("{:.2f} of additions of 1", series(Access::increment_unused, "position").line.step));
    }
    if (all_.locks.number) locks();
    return std::move(found_);
  }

 private:
  const Series& series(Access access, std::string_view conflicts) const { return *all_.find(access, conflicts); }

  void add(const std::string& key, std::string text, const std::string& remark) {
    found_[key] = {key, std::move(text), {}, "measured: " + remark, {}, 0};
  }
  /// A time in cycles of issue, at least one.
  void cycles(const std::string& key, double ticks, double spread, const std::string& remark) {
    const long whole = std::max(1L, std::lround(ticks * all_.device.issue_cycles_by_tick));
    add(key, std::to_string(whole), fmt::format("{}, {:.2f} ticks, spread {:.2f}", remark, ticks, spread));
    found_[key].ticks = ticks;
    found_[key].spread = spread;
  }

  unsigned linear_passes() const {
    std::array<uint32_t, 32> linear;
    for (uint32_t lane = 0; lane < 32; ++lane) linear[lane] = 4 * lane;
    return scratchpad::cost(base_.machine.scratchpad, scratchpad::AccessKind::load, 4, linear.data(), 0xffffffff)
        .wavefronts;
  }

  /// The closed model, and the states of the loop: a round is a position conflict, reading a level more is what a pair
  /// on one lock costs beyond that, and writing what a bank conflict costs beyond reading. How the rest of a round is
  /// shared by addition and branch cannot be seen: as in the base, else as in ICCD'13, section III.
  void locks() {
    const Locks& locks = all_.locks;
    const Series &position = series(Access::add, "position"), &bank = series(Access::add, "bank");
    const double spread = std::max({position.spread, bank.spread, locks.spread});
    const timing::LocksConfig was = timing::locks_of(*base_.timing);
    const double share = was.bits != 0 ? static_cast<double>(was.update) / (was.update + was.branch) : 18.0 / (18 + 32);
    const double rest = std::max(0.0, position.line.step - locks.read_level - locks.write_level);
    const std::string path = "scratchpad.locks.";
    add(path + "bits", std::to_string(std::bit_width(*locks.number) - 1),
        fmt::format("words {} apart share a lock", *locks.number));
    cycles(path + "base", position.line.first, position.latency[0].spread(), "an atomic add without conflicts");
    cycles(path + "position", position.line.step, position.spread, "each further lane on one word");
    cycles(path + "bank", bank.line.step / 2, bank.spread, "half of each further word of a bank");
    cycles(path + "read", locks.read_level, spread, "a pair on one lock less a position conflict");
    cycles(path + "write", locks.write_level, spread, "each further word of a bank less that");
    cycles(path + "update", rest * share, spread, "share of the rest of a position conflict");
    cycles(path + "branch", rest * (1 - share), spread, "share of the rest of a position conflict");
  }

  const Calibration& all_;
  const gpu::Gpu& base_;
  Findings found_;
};

Findings told_values(const Calibration& calibration, const gpu::Gpu& base) {
  const Device& device = calibration.device;
  Findings told;
  const auto add = [&](const std::string& key, const std::string& text) {
    told[key] = {key, text, {}, device.driver, {}, 0};
  };
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
      const bool has = key.section != "scratchpad.locks" || timing::locks_of(*base.timing).bits != 0;
      finding->second.was = has ? gpu::value_text(base, key) : "none";
      if (!keep_equal && finding->second.was == finding->second.text) found.erase(finding);
    }
  }
}

std::string header(const Calibration& calibration, const Base& base, const std::vector<Finding>& refused) {
  const Device& device = calibration.device;
  std::string text = fmt::format("# {}, measured with bankshot calibrate.\n#\n", plain(device.name));
  const std::string table = summary(calibration);
  for (size_t at = 0; at < table.size();) {
    const size_t end = table.find('\n', at);
    text += end == at ? "#\n" : "# " + table.substr(at, end - at) + "\n";
    at = end + 1;
  }
  text += fmt::format("#\n# Where nothing else is said, the value is that of {} ({}, compute capability {}.{}).\n",
                      base.name, base.gpu.name, base.gpu.compute_major, base.gpu.compute_minor);
  for (const Finding& one : refused) {
    text += fmt::format("# {} would say {} = {}, which cannot stand beside the rest: {}\n", device.driver, one.key,
                        one.text, one.remark);
  }
  return text;
}

}  // namespace

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
    if (!is_known(section, base, found)) continue;
    text += fmt::format("\n[{}]\n", section);
    for (const auto table : {gpu::keys(), gpu::timing_keys()}) {
      for (const gpu::Key& key : table) {
        if (key.section != section) continue;
        const auto finding = found.find(path_of(key));
        const bool ours = finding != found.end();
        if (!ours && !is_said(base, key)) continue;
        const std::string line =
            fmt::format("{} = {}", key.name, ours ? finding->second.text : gpu::value_text(base, key));
        text += ours ? fmt::format("{:<43} # {}\n", line, finding->second.remark) : line + '\n';
      }
    }
  }
  return text;
}

Result<Base> nearest_base(const Device& device) {
  std::optional<Base> best;
  int least = 0;
  for (const std::string& name : gpu::gpu_names()) {
    Result<gpu::Gpu> gpu = gpu::find_gpu(name);
    if (!gpu || !gpu->timing || gpu->machine.warp_size != 32) continue;
    const int major = std::abs(static_cast<int>(gpu->compute_major) - static_cast<int>(device.major));
    const int minor = std::abs(static_cast<int>(gpu->compute_minor) - static_cast<int>(device.minor));
    const bool newer = gpu->compute_major > device.major;
    const int far = gpu->name == device.name ? -1 : major * 1000 + (newer ? 500 : 0) + minor;
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
  Findings measured = Measured(calibration, base.gpu).values(), told = told_values(calibration, base.gpu);
  compare(measured, base.gpu, true);
  compare(told, base.gpu, false);
  const Findings found = consistent(base.gpu, measured, told, result.refused);
  for (const auto& [key, finding] : found) (measured.contains(key) ? result.measured : result.told).push_back(finding);
  result.toml = header(calibration, base, result.refused) + sections(base.gpu, found);
  return result;
}

}  // namespace bankshot::measure
