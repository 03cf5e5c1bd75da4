#include "bankshot/fix/json.hpp"

#include <nlohmann/json.hpp>

#include "bankshot/fix/source.hpp"
#include "bankshot/report/json/hash_json.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::fix {
namespace {

using nlohmann::ordered_json;

constexpr const char* kSchema = "bankshot/fix/2";

std::string written(const ordered_json& json) {
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
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

ordered_json refusal_json(const std::optional<rewrite::Refusal>& refusal) {
  if (!refusal) return nullptr;
  return {{"reason", refusal->reason}, {"place", place_json(refusal->place)}};
}

/// What became of a remedy for an array.
void add_tried(ordered_json& json, const ArrayPlan& array, Remedy remedy, const scratchpad::Rules& rules) {
  const Tried& tried = array.tried[remedy];
  json["cpp"] = array.has_source ? source_text(source_array(array), *array.move(remedy), rules.bank_bytes) : "";
  json["left_alone"] = refusal_json(tried.refusal);
  json["rewritten"] = nullptr;
  if (tried.rewritten) {
    json["rewritten"] = {{"after", totals_json(tried.after)},
                         {"instructions_added", tried.rewritten->added},
                         {"accesses_rewritten", tried.rewritten->accesses},
                         {"extra_bytes", tried.rewritten->extra_bytes}};
  }
}

ordered_json hash_json(const ArrayPlan& array, const scratchpad::Rules& rules) {
  if (!array.hash) return nullptr;
  ordered_json json = {{"hash", ordered_json::parse(report::hash_to_json(array.hash->hash))},
                       {"spec", scratchpad::spec(array.hash->hash)},
                       {"cute", scratchpad::swizzle_form(array.hash->hash)},
                       {"status", search::name(array.hash->status)},
                       {"excess", array.hash->excess},
                       {"lower_bound", array.hash->lower_bound}};
  add_tried(json, array, Remedy::hash, rules);
  return json;
}

ordered_json padding_json(const ArrayPlan& array, const scratchpad::Rules& rules) {
  if (!array.padding) return nullptr;
  ordered_json json = {{"row", array.padding->row}, {"words", array.padding->words}, {"excess", array.padding->excess}};
  add_tried(json, array, Remedy::padding, rules);
  return json;
}

ordered_json array_json(const ArrayPlan& array, const scratchpad::Rules& rules) {
  ordered_json json = {{"name", array.array.name},
                       {"source_name", source_name(array.array.name)},
                       {"dynamic", array.array.dynamic},
                       {"bytes", array.array.bytes}};
  json["lines"] = ordered_json::array();
  for (const ptx::Place& place : array.places) json["lines"].push_back(place_json(place));
  json["before"] = totals_json(array.before);
  json["sampled"] = array.sampled;
  json["left_alone"] = refusal_json(array.left_alone);
  json["hash"] = hash_json(array, rules);
  json["padding"] = padding_json(array, rules);
  json["element"] = nullptr;
  if (array.declaration)
    json["element"] = {{"type", array.declaration->type}, {"bytes", array.declaration->element_bytes}};
  json["source_edits"] = ordered_json::array();
  for (const LineEdit& edit : array.edits) {
    json["source_edits"].push_back(
        {{"file", array.file}, {"line", edit.line}, {"before", edit.before}, {"after", edit.after}});
  }
  json["layouts"] = ordered_json::array();
  for (const Layout& layout : array.layouts.list) {
    json["layouts"].push_back({{"what", layout.what},
                               {"cpp", layout.cpp},
                               {"conflicts", layout.conflicts},
                               {"wavefronts", array.layouts.ideal_wavefronts + layout.conflicts},
                               {"extra_bytes", layout.extra_bytes}});
  }
  return json;
}

ordered_json form_json(const Form& form) {
  ordered_json json = {{"shared", totals_json(form.shared)},
                       {"warp_instructions", form.warp_instructions},
                       {"shared_bytes", form.shared_bytes},
                       {"ctas_on_sm", form.ctas},
                       {"cycles", nullptr},
                       {"measured_ns", nullptr},
                       {"machine_code", nullptr}};
  if (form.cycles) json["cycles"] = *form.cycles;
  if (form.nanoseconds) json["measured_ns"] = *form.nanoseconds;
  if (form.machine_code) {
    json["machine_code"] = {{"instructions", form.machine_code->instructions},
                            {"shared_accesses", form.machine_code->shared_accesses},
                            {"registers", form.machine_code->registers}};
  }
  return json;
}

ordered_json measured_json(const KernelPlan& kernel) {
  if (!kernel.measured) return nullptr;
  const auto size = [](const simt::Dim3& of) { return ordered_json{of.x, of.y, of.z}; };
  return {{"grid", size(kernel.measured->grid)},
          {"block", size(kernel.measured->block)},
          {"compared", kernel.measured->compared}};
}

ordered_json kernel_json(const KernelPlan& kernel, const scratchpad::Rules& rules) {
  ordered_json json = {
      {"name", kernel.kernel.name}, {"demangled", kernel.kernel.demangled}, {"module", kernel.kernel.module.digest}};
  json["forms"] = {{"original", form_json(kernel.original)}};
  for (const Remedy remedy : kRemedies)
    json["forms"][name(remedy)] = kernel.is_rewritten(remedy) ? form_json(kernel.forms[remedy]) : ordered_json(nullptr);
  json["chosen"] = kernel.chosen ? ordered_json(name(*kernel.chosen)) : ordered_json(nullptr);
  json["verdict"] = kernel.verdict;
  json["measured"] = measured_json(kernel);
  json["not_measured"] = kernel.not_measured;
  json["arrays"] = ordered_json::array();
  for (const ArrayPlan& array : kernel.arrays) json["arrays"].push_back(array_json(array, rules));
  return json;
}

ordered_json applied_json(const std::optional<Applied>& applied) {
  if (!applied) return nullptr;
  ordered_json json = {{"folder", applied->folder},
                       {"sources", applied->sources},
                       {"left", applied->left},
                       {"failure", applied->failure}};
  json["kernels"] = ordered_json::array();
  for (const AppliedKernel& kernel : applied->kernels) {
    ordered_json one = {{"demangled", kernel.demangled},
                        {"chosen", kernel.chosen},
                        {"before", totals_json(kernel.before.shared)},
                        {"after", totals_json(kernel.after.shared)},
                        {"shared_bytes_before", kernel.before.shared_bytes},
                        {"shared_bytes_after", kernel.after.shared_bytes},
                        {"cycles_before", nullptr},
                        {"cycles_after", nullptr}};
    if (kernel.before.cycles) one["cycles_before"] = *kernel.before.cycles;
    if (kernel.after.cycles) one["cycles_after"] = *kernel.after.cycles;
    json["kernels"].push_back(std::move(one));
  }
  return json;
}

}  // namespace

std::string to_json(const Plan& plan) {
  ordered_json json = {{"schema", kSchema}, {"program", plan.program}, {"gpu", plan.gpu}};
  json["status"] = !plan.chosen.empty() ? "fixed-and-proved" : has_conflicts(plan) ? "left-alone" : "nothing-to-fix";
  json["joined_for"] = plan.machine_code;
  json["not_compared"] = plan.not_compared;
  json["no_cycles"] = plan.no_cycles;
  json["no_machine_code"] = plan.no_machine_code;
  json["measured_on"] = nullptr;
  if (plan.measured_on) json["measured_on"] = {{"gpu", plan.measured_on->name}, {"driver", plan.measured_on->driver}};
  json["modules"] = ordered_json::array();
  for (const auto& [digest, text] : plan.chosen) json["modules"].push_back(digest);
  json["kernels"] = ordered_json::array();
  for (const KernelPlan& kernel : plan.kernels) json["kernels"].push_back(kernel_json(kernel, plan.rules));
  json["applied"] = applied_json(plan.applied);
  return written(json);
}

std::string to_json(const Failure& failure, const std::string& program, const std::string& gpu) {
  return written(
      {{"schema", kSchema}, {"program", program}, {"gpu", gpu}, {"status", "refused"}, {"reason", failure.why}});
}

}  // namespace bankshot::fix
