#include "bankshot/fix/text.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "bankshot/fix/hash_search.hpp"
#include "bankshot/fix/replay.hpp"
#include "bankshot/fix/source.hpp"
#include "bankshot/report/text/names.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::fix {
namespace {

using report::grouped;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string indented(const std::string& text) {
  std::string out = "    ";
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out += "    ";
  }
  return out;
}

/// What a row of the banks holds.
unsigned row_bytes(const ArrayPlan& array) { return array.patterns.rules.banks * array.patterns.rules.bank_bytes; }

std::string refused(const Tried& tried) { return tried.refusal ? "; " + left_alone_text(*tried.refusal) : ""; }

/// "; conflicts 15,872 -> 0; adds 5 PTX instructions for 2 accesses and 128 bytes"
std::string result_text(const ArrayPlan& array, Remedy remedy) {
  const Tried& tried = array.tried[remedy];
  if (!tried.rewritten) return refused(tried);
  return fmt::format("; conflicts {} -> {}; adds {} PTX instructions for {} accesses and {} bytes",
                     grouped(array.before.conflicts()), grouped(tried.after.conflicts()), tried.rewritten->added,
                     tried.rewritten->accesses, grouped(tried.rewritten->extra_bytes));
}

std::string hash_text(const ArrayPlan& array) {
  std::string text = fmt::format("    hash {}: {}{}\n", scratchpad::spec(array.hash->hash),
                                 status_text(*array.hash) + (array.sampled ? "; for a sample of the accesses" : ""),
                                 result_text(array, Remedy::hash));
  if (array.array.dynamic) {
    text += fmt::format("    off in launches whose dynamic shared memory is not a multiple of {} bytes\n",
                        row_bytes(array));
  }
  if (const std::string swizzle = scratchpad::swizzle_form(array.hash->hash); !swizzle.empty())
    text += "    CuTe: " + swizzle + " of words\n";
  return text;
}

std::string padding_text(const ArrayPlan& array) {
  const scratchpad::Padding& padding = *array.padding;
  return fmt::format("    padding: rows of {} + {} words{}\n", padding.row, padding.words,
                     result_text(array, Remedy::padding));
}

std::string layouts_text(const ArrayPlan& array, bool paste) {
  std::string text;
  const Layouts& layouts = array.layouts;
  for (const Layout& layout : layouts.list) {
    text += fmt::format(
        "    in the source: {}; conflicts {} -> {}, wavefronts {} -> {} in the accesses seen (not run), {} bytes {}\n",
        layout.what, grouped(layouts.conflicts), grouped(layout.conflicts),
        grouped(layouts.ideal_wavefronts + layouts.conflicts), grouped(layouts.ideal_wavefronts + layout.conflicts),
        grouped(static_cast<uint64_t>(std::abs(layout.extra_bytes))), layout.extra_bytes < 0 ? "less" : "more");
    if (paste && std::ranges::count(layout.cpp, '\n') <= 2) text += layout.cpp.empty() ? "" : indented(layout.cpp);
  }
  return text;
}

/// What there is to say of an array. @param paste  also the source to paste for what was chosen
std::string array_text(const ArrayPlan& array, std::optional<Remedy> chosen, const scratchpad::Rules& rules,
                       bool paste) {
  const std::string size = array.array.dynamic ? "dynamic" : grouped(array.array.bytes) + " bytes";
  const SourceArray source = source_array(array);
  std::string text =
      fmt::format("  {} ({}){}{}\n", source.name, size, source.lines.empty() ? "" : ", accessed at ", source.lines);
  if (array.left_alone) return text + "    " + left_alone_text(*array.left_alone) + "\n" + layouts_text(array, paste);
  if (array.padding) text += padding_text(array);
  if (array.hash) text += hash_text(array);
  text += layouts_text(array, paste);
  if (paste && array.has_source && chosen && array.tried[*chosen].rewritten)
    text += indented(source_text(source, *array.move(*chosen), rules.bank_bytes));
  return text;
}

/// The last column, where a GPU was there.
std::string measured_text(const Form& form) {
  return fmt::format("{:>15}", form.nanoseconds ? fmt::format("{:.2f}", *form.nanoseconds / 1000) : "-");
}

/// One line of the table of a kernel's forms.
std::string form_text(const char* what, const Form& form, bool measured) {
  return fmt::format("  {:<10}{:>14}{:>14}{:>15}{:>16}{:>11}{:>10}{:>9}{:>15}{}\n", what,
                     grouped(form.shared.wavefronts), grouped(form.shared.conflicts()), grouped(form.warp_instructions),
                     form.machine_code ? grouped(form.machine_code->instructions) : "-",
                     form.machine_code ? grouped(form.machine_code->registers) : "-", grouped(form.shared_bytes),
                     form.machine_code ? std::to_string(form.ctas) : fmt::format("<= {}", form.ctas),
                     form.cycles ? grouped(*form.cycles) : "-", measured ? measured_text(form) : "");
}

/// What was measured of a kernel, or why nothing was; empty if no GPU was there.
std::string launch_text(const KernelPlan& kernel) {
  if (!kernel.not_measured.empty()) return "  not measured: " + kernel.not_measured + "\n";
  if (!kernel.measured) return {};
  const auto size = [](const simt::Dim3& of) { return fmt::format("{}x{}x{}", of.x, of.y, of.z); };
  return fmt::format(
      "  measured: its largest launch, {} CTAs of {} threads{}\n", size(kernel.measured->grid),
      size(kernel.measured->block),
      kernel.measured->compared ? "" : ", whose results change from launch to launch and were not compared");
}

/// What the kernel takes as it is and rewritten; empty if nothing was tried.
std::string forms_text(const KernelPlan& kernel, bool measured) {
  std::string text;
  for (const Remedy remedy : kRemedies) {
    if (kernel.is_rewritten(remedy)) text += form_text(name(remedy), kernel.forms[remedy], measured);
  }
  if (text.empty()) return {};
  return fmt::format("  {:<10}{:>14}{:>14}{:>15}{:>16}{:>11}{:>10}{:>9}{:>15}{}\n", "", "wavefronts", "conflicts",
                     "warp instr.", "machine instr.", "registers", "bytes", "CTAs/SM", "cycles",
                     measured ? "   microseconds" : "") +
         form_text("as it is", kernel.original, measured) + text + "  " + kernel.verdict + "\n" + launch_text(kernel);
}

std::string applied_text(const Applied& applied, const report::TextOptions& options) {
  std::string text = "\nnot applied to the source: " + applied.failure + "\n";
  if (!applied.sources.empty()) {
    text = (applied.failure.empty() ? "\napplied to the source in " : "\napplied without success to the source in ") +
           applied.folder + ":";
    for (const std::string& source : applied.sources) text += " " + source + ",";
    text += applied.failure.empty() ? " fix.diff; the program that was built from it does the same\n"
                                    : " fix.diff, which stay there; " + applied.failure + "\n";
  }
  for (const std::string& left : applied.left) {
    if (applied.failure != left) text += "  not applied: " + left + "\n";
  }
  for (const AppliedKernel& kernel : applied.kernels) {
    const auto change = [](uint64_t before, uint64_t after) { return grouped(before) + " -> " + grouped(after); };
    text += fmt::format("  {}{}: wavefronts {}, conflicts {}", report::shown_name(kernel.demangled, options),
                        kernel.chosen ? "" : " (shares a declaration that changed)",
                        change(kernel.before.shared.wavefronts, kernel.after.shared.wavefronts),
                        change(kernel.before.shared.conflicts(), kernel.after.shared.conflicts()));
    if (kernel.before.shared_bytes != kernel.after.shared_bytes)
      text += ", bytes " + change(kernel.before.shared_bytes, kernel.after.shared_bytes);
    if (kernel.before.cycles && kernel.after.cycles)
      text += ", cycles " + change(*kernel.before.cycles, *kernel.after.cycles);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string left_alone_text(const rewrite::Refusal& refusal) {
  return "left alone: " + refusal.reason +
         (refusal.place.ptx_line == 0 ? "" : " (" + ptx::to_string(refusal.place) + ")");
}

std::string to_text(const Plan& plan, const report::TextOptions& options) {
  if (plan.kernels.empty()) return base_name(plan.program) + " does not use shared memory: there is nothing to fix\n";
  std::string text;
  for (const KernelPlan& kernel : plan.kernels) {
    text += report::shown_name(kernel.title, options) + "\n" + forms_text(kernel, plan.measured_on.has_value());
    for (const ArrayPlan& array : kernel.arrays) text += array_text(array, kernel.chosen, plan.rules, options.legend);
    text += "\n";
  }
  if (!plan.no_cycles.empty()) text += "cycles were not simulated: " + plan.no_cycles + "\n";
  if (plan.measured_on) {
    text += fmt::format("microseconds: of one launch, median of {} on {} ({}); cycles are of all launches\n", kReplays,
                        plan.measured_on->name, plan.measured_on->driver);
  }
  if (!plan.no_machine_code.empty()) text += "no machine code: " + plan.no_machine_code + "\n";
  if (plan.chosen.empty()) {
    return text + (has_conflicts(plan) ? "nothing was rewritten\n" : "nothing was rewritten: there are no conflicts\n");
  }
  text +=
      "the rewritten program left the same in memory, wrote the same output and ended with the same status, bit for "
      "bit\n";
  if (!plan.not_compared.empty())
    text += plan.not_compared + " differ between two runs of the original, and were not compared\n";
  return text + (plan.applied ? applied_text(*plan.applied, options) : "");
}

}  // namespace bankshot::fix
