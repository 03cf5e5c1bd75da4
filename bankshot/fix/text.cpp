#include "bankshot/fix/text.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/fix/hash_search.hpp"
#include "bankshot/fix/source.hpp"
#include "bankshot/report/json/patterns_json.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::fix {
namespace {

using nlohmann::ordered_json;
using report::grouped;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// "transpose.cu:18, 21"; PTX lines where there is no line information.
std::string lines_text(const ArrayPlan& array) {
  constexpr size_t kMostPtxLines = 4;
  std::string text, file;
  const bool nameless =
      std::all_of(array.places.begin(), array.places.end(), [](const ptx::Place& p) { return p.line == 0; });
  if (nameless && array.places.size() > kMostPtxLines) {
    return fmt::format("{} PTX lines from {} to {} (nvcc -lineinfo tells lines of the source)", array.places.size(),
                       array.places.front().ptx_line, array.places.back().ptx_line);
  }
  for (const ptx::Place& place : array.places) {
    if (place.line == 0) {
      text += (text.empty() ? "" : ", ") + ptx::to_string(place);
    } else if (place.file == file) {
      text += ", " + std::to_string(place.line);
    } else {
      text += (text.empty() ? "" : ", ") + ptx::to_string(place);
      file = place.file;
    }
  }
  return text;
}

/// The functions to paste, and where to use them.
std::string source_text(const ArrayPlan& array, const scratchpad::Rules& rules) {
  SourceArray source{source_name(array.array.name), array.array.bytes, {}, lines_text(array)};
  for (const rewrite::Access& access : array.array.accesses) source.widths.insert(access.width);
  return fix_source(source, array.found->hash, rules.bank_bytes);
}

std::string indented(const std::string& text) {
  std::string out = "    ";
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out += "    ";
  }
  return out;
}

std::string padding_text(const KernelPlan& kernel, const ArrayPlan& array, const gpu::Gpu& gpu) {
  const scratchpad::Padding& padding = *array.padding;
  const unsigned ctas = ctas_on_sm(gpu, kernel.kernel, kernel.shared_before + padding.extra_bytes);
  const std::string alignment = padding.words % 4 == 0   ? "rows stay aligned to 16 bytes"
                                : padding.words % 2 == 0 ? "rows stay aligned to 8 bytes"
                                                         : "rows are aligned to 4 bytes only";
  return fmt::format(
      "    padding instead: rows of {} + {} words leave {} conflicts, take {} bytes more; {}; CTAs on an SM {} -> {}\n",
      padding.row, padding.words, grouped(padding.excess), grouped(padding.extra_bytes), alignment, kernel.ctas_before,
      ctas);
}

/// What a row of the banks holds.
unsigned row_bytes(const ArrayPlan& array) { return array.patterns.rules.banks * array.patterns.rules.bank_bytes; }

/// Not every conflict is worth an instruction.
std::string trade_text(const KernelPlan& kernel) {
  uint64_t removed = 0;
  for (const ArrayPlan& array : kernel.arrays)
    removed += array.before.conflicts() - std::min(array.before.conflicts(), array.after.conflicts());
  const uint64_t added =
      kernel.instructions_after - std::min(kernel.instructions_after, kernel.kernel.warp_instructions);
  if (added <= removed) return {};
  return fmt::format("  it costs more instructions ({}) than it saves wavefronts ({}): measure before you use it\n",
                     grouped(added), grouped(removed));
}

std::string array_text(const KernelPlan& kernel, const ArrayPlan& array, const gpu::Gpu& gpu) {
  const scratchpad::Rules& rules = gpu.machine.scratchpad;
  const std::string size = array.array.dynamic ? "dynamic" : grouped(array.array.bytes) + " bytes";
  std::string text = fmt::format("  {} ({}), accessed at {}\n", source_name(array.array.name), size, lines_text(array));
  if (array.left_alone) return text + "    " + left_alone_text(*array.left_alone) + "\n";
  const auto& before = array.before;
  const auto& after = array.after;
  text += fmt::format("    wavefronts {} -> {} (ideal {}), conflicts {} -> {}\n", grouped(before.wavefronts),
                      grouped(after.wavefronts), grouped(before.ideal_wavefronts), grouped(before.conflicts()),
                      grouped(after.conflicts()));
  text += fmt::format("    hash {}: {}\n", scratchpad::spec(array.found->hash),
                      status_text(*array.found) + (array.sampled ? "; for a sample of the accesses" : ""));
  text += fmt::format("    {} instructions added for {} accesses in the text; {} bytes of shared memory more\n",
                      array.rewritten->added, array.rewritten->accesses, grouped(array.rewritten->extra_bytes));
  if (array.array.dynamic) {
    text += fmt::format("    off in launches whose dynamic shared memory is not a multiple of {} bytes\n",
                        row_bytes(array));
  }
  if (array.padding) text += padding_text(kernel, array, gpu);
  if (const std::string swizzle = scratchpad::swizzle_form(array.found->hash); !swizzle.empty())
    text += "    CuTe: " + swizzle + " of words\n";
  return text + indented(source_text(array, rules));
}

ordered_json totals_json(const report::SharedTotals& totals) {
  return {{"accesses", totals.accesses},
          {"wavefronts", totals.wavefronts},
          {"ideal_wavefronts", totals.ideal_wavefronts},
          {"conflicts", totals.conflicts()}};
}

ordered_json place_json(const ptx::Place& place) {
  return {{"ptx_line", place.ptx_line}, {"file", place.file}, {"line", place.line}};
}

ordered_json array_json(const ArrayPlan& array, const scratchpad::Rules& rules) {
  ordered_json json = {{"name", array.array.name}, {"dynamic", array.array.dynamic}, {"bytes", array.array.bytes}};
  json["lines"] = ordered_json::array();
  for (const ptx::Place& place : array.places) json["lines"].push_back(place_json(place));
  json["before"] = totals_json(array.before);
  json["after"] = totals_json(array.after);
  json["left_alone"] = nullptr;
  if (array.left_alone)
    json["left_alone"] = {{"reason", array.left_alone->reason}, {"place", place_json(array.left_alone->place)}};
  if (!array.rewritten) return json;
  json["hash"] = ordered_json::parse(report::hash_to_json(array.found->hash));
  json["spec"] = scratchpad::spec(array.found->hash);
  json["cute"] = scratchpad::swizzle_form(array.found->hash);
  json["cpp"] = source_text(array, rules);
  json["status"] = search::name(array.found->status);
  json["excess"] = array.found->excess;
  json["lower_bound"] = array.found->lower_bound;
  json["sampled"] = array.sampled;
  json["instructions_added"] = array.rewritten->added;
  json["accesses_rewritten"] = array.rewritten->accesses;
  json["extra_bytes"] = array.rewritten->extra_bytes;
  json["padding"] = nullptr;
  if (array.padding) {
    json["padding"] = {{"row", array.padding->row},
                       {"words", array.padding->words},
                       {"excess", array.padding->excess},
                       {"extra_bytes", array.padding->extra_bytes}};
  }
  return json;
}

}  // namespace

std::string left_alone_text(const rewrite::Refusal& refusal) {
  return "left alone: " + refusal.reason +
         (refusal.place.ptx_line == 0 ? "" : " (" + ptx::to_string(refusal.place) + ")");
}

std::string to_text(const Plan& plan, const gpu::Gpu& gpu) {
  std::string text;
  for (const KernelPlan& kernel : plan.kernels) {
    text += fmt::format("{}\n", kernel.kernel.demangled);
    if (kernel.is_rewritten()) {
      text += fmt::format(
          "  warp instructions {} -> {}; shared memory of a CTA {} -> {} bytes; CTAs on an SM {} -> {}\n",
          grouped(kernel.kernel.warp_instructions), grouped(kernel.instructions_after), grouped(kernel.shared_before),
          grouped(kernel.shared_after), kernel.ctas_before, kernel.ctas_after);
      text += trade_text(kernel);
    }
    for (const ArrayPlan& array : kernel.arrays) text += array_text(kernel, array, gpu);
    text += "\n";
  }
  if (plan.kernels.empty()) return base_name(plan.program) + " does not use shared memory: there is nothing to fix\n";
  if (plan.patches.empty()) return text + "nothing was rewritten\n";
  return text +
         "the rewritten program left the same in memory, wrote the same output and ended with the same status, bit for "
         "bit\n" +
         (plan.not_compared.empty()
              ? ""
              : plan.not_compared + " differ between two runs of the original, and were not compared\n");
}

std::string to_json(const Plan& plan) {
  ordered_json json = {{"schema", "bankshot/fix/1"}, {"program", plan.program}, {"gpu", plan.gpu}};
  json["status"] = plan.patches.empty() ? "nothing-to-fix" : "fixed-and-proved";
  json["not_compared"] = plan.not_compared;
  json["modules"] = ordered_json::array();
  for (const auto& [digest, text] : plan.patches) json["modules"].push_back(digest);
  json["kernels"] = ordered_json::array();
  for (const KernelPlan& kernel : plan.kernels) {
    ordered_json one = {
        {"name", kernel.kernel.name}, {"demangled", kernel.kernel.demangled}, {"module", kernel.kernel.module.digest}};
    one["warp_instructions"] = {
        {"before", kernel.kernel.warp_instructions},
        {"after", kernel.is_rewritten() ? kernel.instructions_after : kernel.kernel.warp_instructions}};
    one["shared_bytes"] = {{"before", kernel.shared_before}, {"after", kernel.shared_after}};
    one["ctas_on_sm"] = {{"before", kernel.ctas_before}, {"after", kernel.ctas_after}};
    one["arrays"] = ordered_json::array();
    for (const ArrayPlan& array : kernel.arrays) one["arrays"].push_back(array_json(array, plan.rules));
    json["kernels"].push_back(std::move(one));
  }
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace bankshot::fix
