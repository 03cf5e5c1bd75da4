#include <algorithm>
#include <cstdio>
#include <vector>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/compiled_json.hpp"
#include "bankshot/report/json/findings_json.hpp"
#include "bankshot/report/json/json.hpp"
#include "bankshot/report/json/json_parts.hpp"
#include "bankshot/report/json/l1_json.hpp"
#include "bankshot/report/json/operands_json.hpp"
#include "bankshot/report/json/rules_json.hpp"
#include "bankshot/report/json/source_json.hpp"
#include "bankshot/report/json/timing_json.hpp"
#include "bankshot/report/run/line_groups.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::report {
namespace {

using nlohmann::ordered_json;

/// The worst access as one entry of patterns.json, so that it can be given to the search for a hash.
ordered_json pattern(const Site& site, unsigned warp_size) {
  const auto& worst = site.totals.worst;
  ordered_json addresses = ordered_json::array();
  for (unsigned lane = 0; lane < std::min(warp_size, scratchpad::kMaxLanes); ++lane) {
    if ((worst.mask >> lane & 1) != 0) {
      addresses.push_back(worst.addresses[lane] / 4);
    } else {
      addresses.push_back(nullptr);
    }
  }
  return {{"weight", site.totals.accesses}, {"width", site.width}, {"addresses", std::move(addresses)}};
}

/// The different accesses: lanes as a hexadecimal mask, words of the lanes in it.
ordered_json trace(const scratchpad::AccessTrace& trace) {
  ordered_json accesses = ordered_json::array();
  for (const scratchpad::AccessTrace::Access& access : trace.kept()) {
    char mask[17];
    std::snprintf(mask, sizeof mask, "%llx", static_cast<unsigned long long>(access.mask));
    accesses.push_back({{"count", access.count}, {"mask", mask}, {"words", trace.words(access)}});
  }
  return {{"capacity", trace.capacity()}, {"recorded", trace.recorded()}, {"accesses", std::move(accesses)}};
}

ordered_json site_json(const Site& site, unsigned warp_size, FrameTable& frames) {
  const scratchpad::SiteTotals& totals = site.totals;
  ordered_json json = frames.source(site.source);
  json.update({
      {"op", site.op},
      {"joined", site.joined},
      {"width", site.width},
      {"kind", scratchpad::name(site.kind)},
      {"matrix", site.matrix},
      {"accesses", totals.accesses},
      {"lanes", totals.lanes},
      {"wavefronts", totals.wavefronts},
      {"ideal_wavefronts", totals.ideal},
      {"conflicts", totals.conflicts()},
      {"position_conflicts", totals.position},
      {"degree_max", totals.degree_max},
      {"degree_mean", totals.degree_mean()},
      {"class", scratchpad::name(totals.pattern())},
  });
  if (site.hash) json["hash"] = scratchpad::spec(*site.hash);
  if (totals.in_transactions != 0) json["in_transactions"] = totals.in_transactions;
  if (totals.stride.degree != 0) {
    json["stride"] =
        totals.stride.bytes % 4 == 0 ? ordered_json(totals.stride.bytes / 4) : ordered_json(totals.stride.bytes / 4.0);
    json["stride_degree"] = totals.stride.degree;
    json["stride_cta"] = totals.stride.cta;
  }
  for (unsigned i = 0; i < scratchpad::kPatternClasses; ++i) {
    json["classes"][scratchpad::name(static_cast<scratchpad::PatternClass>(i))] = totals.classes[i];
  }
  json["degrees"] = ordered_json::object();
  for (unsigned i = 0; i < totals.degrees.size(); ++i) {
    if (totals.degrees[i] != 0) json["degrees"][std::to_string(i)] = totals.degrees[i];
  }
  json["worst_cta"] = totals.worst.cta;
  json["pattern"] = pattern(site, warp_size);
  if (totals.trace.capacity() != 0) json["trace"] = trace(totals.trace);
  add_operands(json, site, frames);
  return json;
}

ordered_json transactions_json(const scratchpad::TxTotals& totals) {
  ordered_json json = ordered_json::object();
  for (const scratchpad::TxCounterName& counter : scratchpad::tx_counter_names())
    json[std::string(counter.name)] = totals.*counter.value;
  return json;
}

ordered_json left_open_json(const Kernel& kernel) {
  ordered_json list = ordered_json::array();
  for (const simt::LeftOpenPlace& place : kernel.left_open) {
    list.push_back({{"what", simt::name(place.what)}});
    list.back().update(place_json(place.source));
  }
  return list;
}

ordered_json sampled_json(const SampledLaunches& sampled) {
  return {{"launches", sampled.launches},
          {"ctas_ran", sampled.ran},
          {"ctas", sampled.ctas},
          {"errors",
           {{"warp_instructions", sampled.errors.warp_instructions},
            {"wavefronts", sampled.errors.wavefronts},
            {"conflicts", sampled.errors.conflicts}}}};
}

ordered_json machine_code_json(const MachineCode& code) {
  ordered_json list = ordered_json::array();
  for (const agreement::Difference& difference : code.differences) {
    list.push_back({{"file", difference.file},
                    {"line", difference.line},
                    {"ptx_line", difference.ptx_line},
                    {"kind", difference.kind},
                    {"expected", difference.expected},
                    {"machine_code", difference.machine},
                    {"counted", difference.counted}});
  }
  return {{"from", name(code.from)},
          {"reason", code.reason},
          {"differences", std::move(list)},
          {"not_compared", code.not_compared}};
}

ordered_json kernel_json(const Kernel& kernel, const RunReport& report) {
  const SharedTotals shared = kernel.shared();
  ordered_json json = {
      {"name", kernel.name},
      {"demangled", kernel.demangled},
      {"module", kernel.module.digest},
      {"file", kernel.module.file},
      {"launches", kernel.launches},
      {"grid", extent_json(kernel.grid)},
      {"block", extent_json(kernel.block)},
      {"launch_shapes_vary", kernel.launch_shapes_vary},
      {"registers", kernel.facts.registers},
      {"registers_from", kernel.facts.registers_known ? "machine code" : "estimate"},
      {"warp_instructions", kernel.warp_instructions},
      {"thread_instructions", kernel.thread_instructions},
      {"parallel", kernel.parallel},
      {"why_serial", kernel.why_serial},
      {"left_open", left_open_json(kernel)},
      {"shared",
       {{"accesses", shared.accesses},
        {"wavefronts", shared.wavefronts},
        {"ideal_wavefronts", shared.ideal_wavefronts},
        {"conflicts", shared.conflicts()}}},
  };
  if (!kernel.module.specialization.empty()) json["specialization"] = kernel.module.specialization;
  if (const uint64_t judged = report.judged(kernel).conflicts(); judged != shared.conflicts())
    json["suppressed_conflicts"] = shared.conflicts() - judged;
  if (kernel.stopped.launches != 0) {
    json["stopped"] = {{"launches", kernel.stopped.launches},
                       {"ctas_ended", kernel.stopped.ctas_ended},
                       {"ctas", kernel.stopped.ctas}};
  }
  if (kernel.sampled.launches != 0) json["sampled_ctas"] = sampled_json(kernel.sampled);
  if (!kernel.why_all_ctas.empty()) json["why_all_ctas"] = kernel.why_all_ctas;
  if (kernel.facts.machine_code) json["machine_code"] = machine_code_json(*kernel.facts.machine_code);
  if (kernel.transactions.attempts != 0) json["transactions"] = transactions_json(kernel.transactions);
  if (kernel.compiled) json["compiled"] = compiled_json(*kernel.compiled);
  if (kernel.timing && report.machine) json.update(timing_json(*kernel.timing, *report.machine, report.rules.banks));
  return json;
}

ordered_json failed_json(const RunReport& report) {
  ordered_json list = ordered_json::array();
  for (const FailedLaunches& failure : report.failed) {
    list.push_back({{"kernel", failure.kernel},
                    {"demangled", failure.demangled},
                    {"launches", failure.launches},
                    {"reason", failure.reason}});
  }
  return list;
}

/// The source line, where it could be read.
void put_text(const simt::Source& source, const RunReport& report, ordered_json& json) {
  if (const std::string text = report.text_of(source); !text.empty()) json["text"] = text;
}

ordered_json line_json(const Kernel& kernel, const LineGroup& group, const RunReport& report) {
  const simt::Source& source = kernel.sites[group.sites[0]].source;
  ordered_json json = {
      {"file", source.file},
      {"line", source.line},
      {"accesses", group.shared.accesses},
      {"wavefronts", group.shared.wavefronts},
      {"ideal_wavefronts", group.shared.ideal_wavefronts},
      {"conflicts", group.shared.conflicts()},
      {"sites", group.sites},
  };
  if (report.is_suppressed(kernel, source)) json["suppressed_conflicts"] = group.shared.conflicts();
  put_text(source, report, json);
  return json;
}

ordered_json suppressed_json(const RunReport& report) {
  ordered_json list = ordered_json::array();
  for (const Suppressed& one : report.suppressed) {
    list.push_back({{"kind", one.kind},
                    {"kernel", one.kernel},
                    {"demangled", demangle(one.kernel)},
                    {"file", one.source.file},
                    {"line", one.source.line},
                    {"ptx_line", one.source.ptx_line},
                    {"count", one.count},
                    {"reason", one.reason}});
  }
  return list;
}

/// File and program names are bytes, not always UTF-8: what is not is replaced.
std::string dump(const ordered_json& json) { return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace); }

/// The object, as text, with a list as its last member, an item a line.
std::string with_list(std::string text, std::string_view name, const std::vector<std::string>& items,
                      std::string_view indent) {
  text.pop_back();
  text += ",\"" + std::string(name) + "\":[";
  for (size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "\n" : ",\n") + std::string(indent) + items[i];
  return text + "]}";
}

/// The whole object of a kernel, an item of its lists a line.
std::string kernel_text(const Kernel& kernel, const RunReport& report) {
  FrameTable frames;
  std::vector<std::string> sites, lines;
  for (const Site& site : kernel.sites) sites.push_back(dump(site_json(site, report.warp_size, frames)));
  for (const LineGroup& group : line_groups(kernel)) lines.push_back(dump(line_json(kernel, group, report)));
  std::string text =
      with_list(with_list(dump(kernel_json(kernel, report)), "sites", sites, "  "), "lines", lines, "  ");
  if (report.l1) {
    std::vector<std::string> l1;
    for (const L1Site& site : kernel.l1_sites) {
      ordered_json json = l1_site_json(site, frames);
      put_text(site.source, report, json);
      l1.push_back(dump(json));
    }
    text = with_list(text, "l1", l1, "  ");
  }
  const auto add = [&](std::string_view name, const std::vector<ordered_json>& items) {
    std::vector<std::string> texts;
    for (const ordered_json& item : items) texts.push_back(dump(item));
    text = with_list(text, name, texts, "  ");
  };
  if (kernel.timing && report.machine) {
    add("timed_launches", launches_json(*kernel.timing, report.rules.banks));
    add("timed_instructions", instructions_json(*kernel.timing, frames));
    std::vector<ordered_json> timed = timed_lines_json(*kernel.timing);
    for (ordered_json& line : timed) put_text({line["file"], line["line"], 0, {}}, report, line);
    add("timed_lines", timed);
  }
  if (!frames.frames().empty()) add("frames", frames_json(frames.frames()).get<std::vector<ordered_json>>());
  return text;
}

std::vector<std::string> kernel_texts(const RunReport& report) {
  std::vector<std::string> kernels;
  for (const Kernel& kernel : report.kernels) kernels.push_back(kernel_text(kernel, report));
  return kernels;
}

}  // namespace

std::string to_json(const RunReport& report) { return to_json(report, nullptr); }

std::string to_json(const RunReport& report, const ordered_json& verdict) {
  ordered_json head = {
      {"schema", report.machine        ? kSimulateSchema
                 : report.checks.any() ? kCheckSchema
                                       : kSchema},
      {"program", report.program},
      {"gpu", report.gpu},
      {"warp_size", report.warp_size},
      {"accesses", accesses_json(report.machine_code, report.checked)},
      {"scratchpad", rules_json(report.rules)},
      {"partial", report.is_partial()},
      {"ended", !report.partial},
      {"running", report.running},
      {"failed_launches", failed_json(report)},
  };
  if (!report.instruction_hashes.empty())
    head.update({{"instruction_hashes", report.instruction_hashes},
                 {"instruction_hashes_digest", report.instruction_hashes_digest},
                 {"without_hashes", report.without_hashes}});
  if (report.sample_ctas != 0) head["sample_ctas"] = report.sample_ctas;
  if (report.l1) head["l1"] = l1_rules_json(*report.l1);
  if (!report.project.empty()) head.update({{"project", report.project}, {"suppressed", suppressed_json(report)}});
  if (!report.changed_sources.empty()) head["changed_sources"] = report.changed_sources;
  if (report.machine) head.update(totals_json(report));
  if (!verdict.is_null()) head["verdict"] = verdict;
  if (!report.checks.any()) return with_list(dump(head), "kernels", kernel_texts(report), " ") + "\n";
  head["checks"] = checks_json(report.checks);
  std::vector<std::string> findings;
  for (const simt::Finding& finding : report.findings) findings.push_back(dump(finding_json(finding, report)));
  return with_list(with_list(dump(head), "findings", findings, " "), "kernels", kernel_texts(report), " ") + "\n";
}

std::string comparison_json(std::span<const std::string> gpus, std::vector<std::string> reports) {
  for (std::string& text : reports) text.pop_back();  // the end of its last line
  ordered_json head = {{"schema", kComparisonSchema}, {"gpus", std::vector<std::string>(gpus.begin(), gpus.end())}};
  return with_list(dump(head), "reports", reports, " ") + "\n";
}

}  // namespace bankshot::report
