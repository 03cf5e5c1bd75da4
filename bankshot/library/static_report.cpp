#include "bankshot/library/static_report.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/report/json/json_parts.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/report/json/rules_json.hpp"
#include "bankshot/report/json/source_json.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/site_text.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::library {
namespace {

using analysis::Certainty;
using analysis::Formula;
using analysis::Instance;
using analysis::Site;
using nlohmann::ordered_json;
using report::counted;
using report::grouped;

constexpr size_t kMostLines = 8;

report::Site as_counted(const Site& site) {
  return {.source = {site.file, site.line, site.ptx_line, site.frames},
          .op = site.op,
          .joined = site.joined,
          .width = site.width,
          .kind = site.kind,
          .totals = site.totals};
}

/// Where the array starts, if the addresses are of one array.
int64_t base_of(const analysis::Kernel& kernel, const Site& site) {
  return site.arrays.size() == 1 ? kernel.arrays[site.arrays[0]].offset : 0;
}

std::string formula_text(const Formula& formula, int64_t base) {
  std::string text = analysis::text_of(formula, base);
  if (text.empty()) return "no single formula for all lanes";
  return "s = " + text + (formula.unknown.empty() ? "" : " + " + formula.unknown);
}

bool has_matrix(const Formula& f, int64_t base) {
  return f.kind == Formula::Kind::affine && f.tz == 0 && f.tx % 4 == 0 && f.ty % 4 == 0 && (f.offset - base) % 4 == 0;
}

/// The words of a row of an array, guessed from the factors of its instructions: the greatest common divisor of those
/// that are more than one word, over its accesses in blocks of two dimensions; 0 if there is nothing to go by.
int64_t columns_of(const analysis::Kernel& kernel, uint32_t array) {
  if (kernel.launch.block.y == 1) return 0;
  int64_t columns = 0;
  for (const Site& site : kernel.sites) {
    if (site.arrays != std::vector<uint32_t>{array}) continue;
    for (const Instance& instance : site.instances) {
      if (!has_matrix(instance.formula, base_of(kernel, site))) continue;
      for (const int64_t factor : {instance.formula.tx / 4, instance.formula.ty / 4}) {
        if (std::abs(factor) > 1) columns = std::gcd(columns, factor);
      }
    }
  }
  return columns;
}

/// 0 if no matrix is to be shown.
int64_t columns_of(const analysis::Kernel& kernel, const Site& site, const Formula& formula) {
  if (site.arrays.size() != 1 || !has_matrix(formula, base_of(kernel, site))) return 0;
  return columns_of(kernel, site.arrays[0]);
}

std::string matrix_text(const analysis::Kernel& kernel, const Site& site, const Formula& formula) {
  const int64_t columns = columns_of(kernel, site, formula);
  if (columns == 0) return "";
  const analysis::Matrix m = analysis::matrix_of(formula, base_of(kernel, site), columns);
  return fmt::format("\n        M = [{} {}; {} {}]  o = [{}; {}]  rows of {} words", m.m[0][0], m.m[0][1], m.m[1][0],
                     m.m[1][1], m.o[0], m.o[1], columns);
}

std::string iterations_text(const std::vector<uint32_t>& iterations) {
  std::string text;
  for (const uint32_t i : iterations)
    text += (text.empty() ? "" : ",") + (i == analysis::kAnyIteration ? "any" : std::to_string(i));
  return text;
}

/// " + 36*k50"
std::string loop_term(int64_t bytes, const std::string& name) {
  const int64_t unit = bytes % 4 == 0 ? 4 : 1, size = std::abs(bytes) / unit;
  return (bytes < 0 ? " - " : " + ") + (size == 1 ? "" : std::to_string(size) + "*") + name +
         (unit == 4 ? "" : " bytes");
}

/// One line a formula; the iterations that share one are named together.
std::string formulas_text(const analysis::Kernel& kernel, const Site& site) {
  if (const auto factors = analysis::loop_factors(site.instances)) {
    std::string text = "      " + formula_text(site.instances[0].formula, base_of(kernel, site)), ranges;
    for (size_t k = 0; k < factors->size(); ++k) {
      uint32_t last = 0;
      for (const Instance& instance : site.instances) {
        if (instance.iterations[k] != analysis::kAnyIteration) last = std::max(last, instance.iterations[k]);
      }
      const std::string name = fmt::format("k{}", site.around[k]);
      if ((*factors)[k] != 0) text += loop_term((*factors)[k], name);
      if (last != 0) ranges += fmt::format(", {} = 0 … {}{}", name, last, site.more_instances ? " and on" : "");
    }
    return text + ranges + matrix_text(kernel, site, site.instances[0].formula) + "\n";
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  for (const Instance& instance : site.instances) {
    const std::string formula =
        formula_text(instance.formula, base_of(kernel, site)) + matrix_text(kernel, site, instance.formula);
    if (lines.empty() || lines.back().first != formula) lines.push_back({formula, {}});
    lines.back().second.push_back(iterations_text(instance.iterations));
  }
  std::string text;
  for (size_t k = 0; k < std::min(lines.size(), kMostLines); ++k) {
    const auto& [formula, when] = lines[k];
    std::string range = when.front() + (when.size() > 1 && when.front() != when.back() ? " to " + when.back() : "");
    if (!range.empty() && range != "any") range = "iteration " + range + ": ";
    text += "      " + (range == "any" ? "" : range) + formula + "\n";
  }
  if (lines.size() > kMostLines || site.more_instances) text += "      … and others in further iterations\n";
  return text;
}

std::string names_of(const analysis::Kernel& kernel, const Site& site) {
  std::string names;
  for (const uint32_t array : site.arrays) {
    std::string name = report::demangle(kernel.arrays[array].name);  // kernel(int*)::tile
    if (const size_t scope = name.rfind("::"); scope != std::string::npos) name.erase(0, scope + 2);
    names += (names.empty() ? "" : " or ") + name;
  }
  return names;
}

std::string verdict(const Site& site) {
  const scratchpad::SiteTotals& t = site.totals;
  if (site.certainty == Certainty::unreached) return "not reached by any thread";
  if (site.certainty == Certainty::unknown) return "unknown: " + site.reason;
  std::string text = fmt::format(
      "{}, {} where {} would suffice, worst {}, {}", counted(t.accesses, "access", "accesses"),
      counted(t.wavefronts, "wavefront", "wavefronts"), grouped(t.ideal), t.degree_max, report::class_text(t));
  if (site.certainty == Certainty::each) text += "; how often is unknown";
  if (site.certainty == Certainty::assumed) text += "; if all lanes take part";
  return text;
}

std::string site_text(const analysis::Kernel& kernel, const Site& site) {
  const std::string names = names_of(kernel, site);
  std::string text = fmt::format("  {}  {}{}{}\n      {}\n", report::place_text(as_counted(site).source),
                                 report::operation_text(as_counted(site)), names.empty() ? "" : "  of " + names,
                                 site.line == 0 ? "" : fmt::format("  (PTX line {})", site.ptx_line), verdict(site));
  text += report::frames_text(as_counted(site).source, {});
  text += formulas_text(kernel, site);
  for (size_t k = 0; k < std::min(site.assumptions.size(), kMostLines); ++k)
    text += "      " + site.assumptions[k] + "\n";
  return text;
}

std::string extent_text(const analysis::Extent& e) { return fmt::format("{},{},{}", e.x, e.y, e.z); }

ordered_json formula_json(const analysis::Kernel& kernel, const Site& site, const Instance& instance) {
  const Formula& f = instance.formula;
  ordered_json json = {{"iterations", ordered_json::array()}};
  for (const uint32_t i : instance.iterations)
    json["iterations"].push_back(i == analysis::kAnyIteration ? ordered_json(nullptr) : ordered_json(i));
  const int64_t base = base_of(kernel, site);
  if (f.kind == Formula::Kind::affine) {
    json.update({{"tx", f.tx}, {"ty", f.ty}, {"tz", f.tz}, {"offset", f.offset - base}});
  } else if (f.kind == Formula::Kind::subwarps) {
    json.update({{"subwarp", f.length}, {"rows", f.rows}, {"inside", f.inside}, {"offset", f.offset - base}});
  }
  if (!f.unknown.empty()) json["unknown"] = f.unknown;
  if (const int64_t columns = columns_of(kernel, site, f); columns != 0) {
    const analysis::Matrix m = analysis::matrix_of(f, base, columns);
    json["matrix"] = m.m;
    json["o"] = m.o;
    json["columns"] = columns;
  }
  json["text"] = formula_text(f, base);
  return json;
}

ordered_json site_json(const analysis::Kernel& kernel, const Site& site, report::FrameTable& frames) {
  const scratchpad::SiteTotals& t = site.totals;
  ordered_json json = frames.source(as_counted(site).source);
  json.update(
      {{"op", site.op}, {"joined", site.joined}, {"width", site.width}, {"certainty", analysis::name(site.certainty)}});
  json["arrays"] = ordered_json::array();
  for (const uint32_t array : site.arrays) json["arrays"].push_back(kernel.arrays[array].name);
  if (!site.reason.empty()) json["reason"] = site.reason;
  json["assumptions"] = site.assumptions;
  json["loops"] = site.loops;
  if (site.certainty != Certainty::unknown) {
    json.update({{"accesses", t.accesses},
                 {"lanes", t.lanes},
                 {"wavefronts", t.wavefronts},
                 {"ideal_wavefronts", t.ideal},
                 {"conflicts", t.conflicts()},
                 {"position_conflicts", t.position},
                 {"degree_max", t.degree_max}});
    if (t.accesses != 0) json["class"] = scratchpad::name(t.pattern());
  }
  json["shifted"] = site.shifted;
  json["formulas"] = ordered_json::array();
  for (const Instance& instance : site.instances) json["formulas"].push_back(formula_json(kernel, site, instance));
  json["around"] = site.around;
  if (const auto factors = analysis::loop_factors(site.instances)) json["loop_factors"] = *factors;
  json["more_formulas"] = site.more_instances;
  json["patterns"] = ordered_json::array();
  for (const scratchpad::Pattern& p : site.patterns) json["patterns"].push_back(report::pattern_json(p));
  json["patterns_left_out"] = site.patterns_left_out;
  return json;
}

}  // namespace

std::string static_text(const std::vector<analysis::Kernel>& kernels) {
  std::string text;
  for (const analysis::Kernel& kernel : kernels) {
    text += fmt::format(
        "{}{}\n  blocks of {} threads, {}\n", text.empty() ? "" : "\n", report::demangle(kernel.name),
        extent_text(kernel.launch.block),
        kernel.launch.grid ? "a grid of " + extent_text(*kernel.launch.grid) : std::string("counted for one block"));
    if (kernel.sites.empty()) text += "  uses no shared memory\n";
    for (const Site& site : kernel.sites) text += site_text(kernel, site);
    if (!kernel.calls.empty())
      text += fmt::format("  calls functions (first at PTX line {}): their accesses are not listed\n", kernel.calls[0]);
  }
  const bool formulas =
      std::any_of(kernels.begin(), kernels.end(), [](const analysis::Kernel& kernel) { return !kernel.sites.empty(); });
  if (formulas) {
    text +=
        "\ns is the offset from the start of the array, in words unless bytes are stated; t is the linear thread "
        "index, kN the\niteration of the loop at PTX line N.\n";
  }
  return text;
}

std::string static_json(const Analysed& analysed, const std::string& program, const gpu::Gpu& gpu, bool joined) {
  ordered_json document = {{"schema", "bankshot/static/1"},
                           {"program", program},
                           {"gpu", gpu.name},
                           {"warp_size", gpu.machine.warp_size},
                           {"accesses", report::accesses_json(joined ? gpu.machine_code() : 0)},
                           {"scratchpad", report::rules_json(gpu.machine.scratchpad)}};
  if (!analysed.failures.empty()) document["not_analysed"] = analysed.failures;
  document["kernels"] = ordered_json::array();
  for (const analysis::Kernel& kernel : analysed.kernels) {
    const analysis::Extent& block = kernel.launch.block;
    ordered_json json = {
        {"name", kernel.name}, {"demangled", report::demangle(kernel.name)}, {"block", {block.x, block.y, block.z}}};
    json["grid"] = nullptr;
    if (const auto& grid = kernel.launch.grid) json["grid"] = {grid->x, grid->y, grid->z};
    json["ctas"] = kernel.ctas;
    json["arrays"] = ordered_json::array();
    for (const analysis::SharedArray& array : kernel.arrays) {
      json["arrays"].push_back({{"name", array.name}, {"offset", array.offset}, {"bytes", array.bytes}});
    }
    json["calls"] = kernel.calls;
    json["sites"] = ordered_json::array();
    report::FrameTable frames;
    for (const Site& site : kernel.sites) json["sites"].push_back(site_json(kernel, site, frames));
    if (!frames.frames().empty()) json["frames"] = report::frames_json(frames.frames());
    document["kernels"].push_back(std::move(json));
  }
  return report::json_text(document);
}

}  // namespace bankshot::library
