#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/compiled_json.hpp"
#include "bankshot/report/json/findings_json.hpp"
#include "bankshot/report/json/json.hpp"
#include "bankshot/report/json/json_parts.hpp"
#include "bankshot/report/json/json_values.hpp"
#include "bankshot/report/json/l1_json.hpp"
#include "bankshot/report/json/operands_json.hpp"
#include "bankshot/report/json/rules_json.hpp"
#include "bankshot/report/json/source_json.hpp"
#include "bankshot/report/json/timing_json.hpp"
#include "bankshot/support/json_error.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;
using namespace json_values;

constexpr uint64_t kMostWords = 1 << 22;  // the engine's window of shared memory, 16 MiB

void read_pattern(const json& object, scratchpad::SiteTotals::Worst& worst) {
  const json& addresses = list(object, "addresses");
  if (addresses.size() > scratchpad::kMaxLanes) throw Bad{"\"addresses\" has more than 64 lanes"};
  for (size_t lane = 0; lane < addresses.size(); ++lane) {
    const json& address = addresses[lane];
    if (address.is_null()) continue;
    if (!address.is_number_unsigned() || address.get<uint64_t>() >= kMostWords) {
      throw Bad{"\"addresses\" must hold word addresses or null"};
    }
    worst.mask |= uint64_t{1} << lane;
    worst.addresses[lane] = address.get<uint32_t>() * 4;
  }
}

scratchpad::AccessTrace read_trace(const json& object) {
  scratchpad::AccessTrace trace(number<uint32_t>(object, "capacity"));
  uint64_t kept = 0;
  for (const json& access : list(object, "accesses")) {
    const std::string digits = text(access, "mask");
    uint64_t mask = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), mask, 16);
    if (error != std::errc{} || end != digits.data() + digits.size() || mask == 0) {
      throw Bad{"\"mask\" must be a hexadecimal number, not 0"};
    }
    std::vector<uint32_t> words;
    for (const json& word : list(access, "words")) {
      if (!word.is_number_unsigned() || word.get<uint64_t>() >= kMostWords)
        throw Bad{"\"words\" must hold word addresses"};
      words.push_back(word.get<uint32_t>());
    }
    if (words.size() != static_cast<size_t>(std::popcount(mask)))
      throw Bad{"\"words\" must be as many as bits in \"mask\""};
    const auto count = number<uint64_t>(access, "count");
    trace.record_words(words, mask, count);
    kept += count;
  }
  const auto recorded = number<uint64_t>(object, "recorded");
  if (recorded < kept) throw Bad{"\"recorded\" is less than what was kept"};
  trace.record_lost(recorded - kept);
  return trace;
}

int32_t stride_bytes(const json& object) {
  const json& value = member(object, "stride");
  const double bytes = value.is_number() ? value.get<double>() * 4 : NAN;
  if (!(std::abs(bytes) <= INT32_MAX)) throw Bad{"\"stride\" must be a number of words"};
  return static_cast<int32_t>(bytes);
}

scratchpad::DegreeHistogram read_degrees(const json& object, uint64_t accesses) {
  scratchpad::DegreeHistogram degrees{};
  uint64_t sum = 0;
  for (const auto& [key, count] : object.items()) {
    unsigned degree = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), degree);
    if (error != std::errc{} || end != key.data() + key.size() || degree == 0 || degree > scratchpad::kMaxDegree)
      throw Bad{"\"degrees\" must have keys from 1 to " + std::to_string(scratchpad::kMaxDegree)};
    sum += degrees[degree] = number<uint64_t>(object, key.c_str());
  }
  if (sum != accesses) throw Bad{"\"degrees\" do not add up to \"accesses\""};
  return degrees;
}

Site read_site(const json& object, const scratchpad::Rules& rules, const std::vector<ptx::SourceFrame>& frames) {
  Site site;
  site.source = read_source(object, frames);
  site.op = text(object, "op");
  site.joined = number<uint32_t>(object, "joined");
  if (site.joined == 0) throw Bad{"\"joined\" must be at least 1"};
  site.width = number<uint32_t>(object, "width");
  if (site.width > 16 || !std::has_single_bit(site.width)) throw Bad{"\"width\" must be 1, 2, 4, 8 or 16"};
  const auto kind = scratchpad::access_kind_named(text(object, "kind"));
  if (!kind) throw Bad{"\"kind\" must be " + scratchpad::access_kind_list()};
  site.kind = *kind;
  site.matrix = flag(object, "matrix");
  scratchpad::SiteTotals& totals = site.totals;
  totals.accesses = number<uint64_t>(object, "accesses");
  totals.lanes = number<uint64_t>(object, "lanes");
  totals.wavefronts = number<uint64_t>(object, "wavefronts");
  totals.ideal = number<uint64_t>(object, "ideal_wavefronts");
  totals.position = number<uint64_t>(object, "position_conflicts");
  if (totals.accesses == 0) throw Bad{"\"accesses\" must be at least 1"};
  if (totals.ideal > totals.wavefronts) throw Bad{"\"ideal_wavefronts\" exceeds \"wavefronts\""};
  if (totals.position > totals.conflicts()) throw Bad{"\"position_conflicts\" exceeds the conflicts"};
  totals.degree_max = number<uint32_t>(object, "degree_max");
  const json& classes = member(object, "classes");
  for (unsigned i = 0; i < scratchpad::kPatternClasses; ++i) {
    totals.classes[i] = number<uint64_t>(classes, scratchpad::name(static_cast<scratchpad::PatternClass>(i)));
  }
  if (object.contains("degrees")) totals.degrees = read_degrees(member(object, "degrees"), totals.accesses);
  if (object.contains("in_transactions")) totals.in_transactions = number<uint64_t>(object, "in_transactions");
  if (object.contains("stride")) {
    totals.stride = {number<uint32_t>(object, "stride_degree"), stride_bytes(object),
                     number<uint64_t>(object, "stride_cta")};
  }
  totals.worst.cta = number<uint64_t>(object, "worst_cta");
  read_pattern(member(object, "pattern"), totals.worst);
  if (object.contains("trace")) totals.trace = read_trace(member(object, "trace"));
  read_operands(object, frames, site);
  if (totals.worst.mask != 0) {
    totals.worst.shape = scratchpad::classify(rules, site.width, totals.worst.addresses.data(), totals.worst.mask);
  }
  return site;
}

scratchpad::TxTotals read_transactions(const json& object) {
  scratchpad::TxTotals totals;
  for (const scratchpad::TxCounterName& counter : scratchpad::tx_counter_names()) {
    totals.*counter.value = number<uint64_t>(object, std::string(counter.name).c_str());
  }
  if (totals.aborts != totals.conflicts + totals.killed + totals.invalid) {
    throw Bad{"\"aborts\" is not \"conflicts\" + \"killed\" + \"invalid\""};
  }
  return totals;
}

simt::LeftOpenPlace read_left_open(const json& object) {
  const std::string what = text(object, "what");
  for (const simt::LeftOpen one : simt::kLeftOpen) {
    if (simt::name(one) == what) return {one, read_place(object)};
  }
  throw Bad{"\"what\" is not a case that PTX leaves undefined: " + what};
}

std::vector<unsigned> read_widths(const json& object, const char* key) {
  std::vector<unsigned> widths;
  for (const json& width : list(object, key)) {
    if (!width.is_number_unsigned() || width.get<uint64_t>() > 64)
      throw Bad{std::string("\"") + key + "\" must hold numbers of bytes"};
    widths.push_back(width.get<unsigned>());
  }
  return widths;
}

MachineCode read_machine_code(const json& object) {
  MachineCode code;
  const std::string from = text(object, "from");
  const auto known = std::ranges::find(kMachineCodeFrom, from, [](MachineCode::From f) { return name(f); });
  if (known == kMachineCodeFrom.end()) throw Bad{"\"from\" must be \"program\", \"ptxas\" or \"model\""};
  code.from = *known;
  code.reason = text(object, "reason");
  for (const json& one : list(object, "differences")) {
    code.differences.push_back({text(one, "file"), number<uint32_t>(one, "line"), number<uint32_t>(one, "ptx_line"),
                                text(one, "kind"), read_widths(one, "expected"), read_widths(one, "machine_code"),
                                read_widths(one, "counted")});
  }
  code.not_compared = number<uint64_t>(object, "not_compared");
  return code;
}

StoppedLaunches read_stopped(const json& object, uint64_t launches) {
  const StoppedLaunches stopped{number<uint64_t>(object, "launches"), number<uint64_t>(object, "ctas_ended"),
                                number<uint64_t>(object, "ctas")};
  if (stopped.launches == 0 || stopped.launches > launches)
    throw Bad{"\"stopped\" must have at least 1 and at most all \"launches\""};
  if (stopped.ctas_ended >= stopped.ctas) throw Bad{"\"ctas_ended\" must be less than \"ctas\""};
  return stopped;
}

SampledLaunches read_sampled(const json& object, uint64_t launches) {
  SampledLaunches sampled;
  sampled.launches = number<uint64_t>(object, "launches");
  sampled.ctas = number<uint64_t>(object, "ctas");
  sampled.ran = number<uint64_t>(object, "ctas_ran");
  if (sampled.launches == 0 || sampled.launches > launches)
    throw Bad{"\"sampled_ctas\" must have at least 1 and at most all \"launches\""};
  if (sampled.ran == 0 || sampled.ran >= sampled.ctas)
    throw Bad{"\"ctas_ran\" must be at least 1 and less than \"ctas\""};
  const json& errors = member(object, "errors");
  const auto error = [&](const char* key) {
    const json& value = member(errors, key);
    if (!value.is_number() || !(value.get<double>() >= 0))
      throw Bad{std::string("\"") + key + "\" must be a number, not negative"};
    return value.get<double>();
  };
  sampled.errors = {error("warp_instructions"), error("wavefronts"), error("conflicts")};
  return sampled;
}

/// The source lines that items of a list quote.
void read_texts(const json& items, RunReport& report) {
  for (const json& item : items) {
    if (item.is_object() && item.contains("text"))
      report.source_text[{text(item, "file"), number<uint32_t>(item, "line")}] = text(item, "text");
  }
}

Kernel read_kernel(const json& object, RunReport& report) {
  Kernel kernel;
  kernel.name = text(object, "name");
  kernel.demangled = text(object, "demangled");
  kernel.module = {text(object, "module"), text(object, "file")};
  if (object.contains("specialization")) kernel.module.specialization = texts(object, "specialization");
  kernel.launches = number<uint64_t>(object, "launches");
  kernel.grid = extent(object, "grid");
  kernel.block = extent(object, "block");
  kernel.launch_shapes_vary = flag(object, "launch_shapes_vary");
  kernel.facts.registers = number<unsigned>(object, "registers");
  kernel.facts.registers_known = text(object, "registers_from") == "machine code";
  if (object.contains("machine_code")) kernel.facts.machine_code = read_machine_code(member(object, "machine_code"));
  kernel.warp_instructions = number<uint64_t>(object, "warp_instructions");
  kernel.thread_instructions = number<uint64_t>(object, "thread_instructions");
  if (object.contains("stopped")) kernel.stopped = read_stopped(member(object, "stopped"), kernel.launches);
  if (object.contains("sampled_ctas")) kernel.sampled = read_sampled(member(object, "sampled_ctas"), kernel.launches);
  if (object.contains("why_all_ctas")) kernel.why_all_ctas = text(object, "why_all_ctas");
  kernel.parallel = flag(object, "parallel");
  kernel.why_serial = text(object, "why_serial");
  for (const json& place : list(object, "left_open")) kernel.left_open.push_back(read_left_open(place));
  if (object.contains("transactions")) kernel.transactions = read_transactions(member(object, "transactions"));
  if (object.contains("compiled")) kernel.compiled = read_compiled(member(object, "compiled"));
  const std::vector<ptx::SourceFrame> frames = read_frames(object);
  for (const json& site : list(object, "sites")) kernel.sites.push_back(read_site(site, report.rules, frames));
  read_texts(list(object, "lines"), report);
  if (report.l1) {
    for (const json& site : list(object, "l1")) kernel.l1_sites.push_back(read_l1_site(site, frames));
    read_texts(object["l1"], report);
  }
  if (object.contains("timed_lines")) read_texts(list(object, "timed_lines"), report);
  if (report.machine && object.contains("counters")) kernel.timing = read_timing(object, *report.machine, frames);
  return kernel;
}

void read_project(const json& root, RunReport& report) {
  report.project = text(root, "project");
  for (const json& one : list(root, "suppressed")) {
    report.suppressed.push_back(
        {text(one, "kind"), text(one, "kernel"), read_place(one), number<uint64_t>(one, "count"), text(one, "reason")});
  }
  sort(report.suppressed);
}

void read_failed(const json& object, RunReport& report) {
  for (const json& failure : list(object, "failed_launches")) {
    report.add_failed(text(failure, "kernel"), text(failure, "reason"), number<uint64_t>(failure, "launches"));
  }
}

scratchpad::Rules rules_of(const json& root) {
  const Result<scratchpad::Rules> rules = read_rules(member(root, "scratchpad"));
  if (!rules) throw Bad{"\"scratchpad\": " + rules.error().message};
  return *rules;
}

}  // namespace

Result<RunReport> from_json(std::string_view text_of_json) {
  try {
    const json root = json::parse(text_of_json);
    const std::string schema = text(root, "schema");
    if (schema != kSchema && schema != kSimulateSchema && schema != kCheckSchema)
      throw Bad{"\"schema\" is not " + std::string(kSchema)};
    RunReport report;
    if (schema == kSimulateSchema) report.machine = read_machine(member(root, "config"));
    report.program = text(root, "program");
    report.gpu = text(root, "gpu");
    report.warp_size = number<unsigned>(root, "warp_size");
    if (report.warp_size == 0 || report.warp_size > scratchpad::kMaxLanes) throw Bad{"\"warp_size\" must be 1 to 64"};
    const std::optional<unsigned> machine_code = read_accesses(member(root, "accesses"));
    if (!machine_code) throw Bad{"\"accesses\" must be \"written\", or \"joined\" with the machine code it is for"};
    report.machine_code = *machine_code;
    if (*machine_code != 0) report.checked = flag(root["accesses"], "checked");
    report.rules = rules_of(root);
    if (root.contains("instruction_hashes")) {
      report.instruction_hashes = text(root, "instruction_hashes");
      if (root.contains("instruction_hashes_digest"))
        report.instruction_hashes_digest = text(root, "instruction_hashes_digest");
    }
    if (root.contains("sample_ctas")) report.sample_ctas = number<uint64_t>(root, "sample_ctas");
    if (root.contains("project")) read_project(root, report);
    if (root.contains("l1")) report.l1 = read_l1_rules(root["l1"], report.rules);
    report.partial = !flag(root, "ended");
    report.running = texts(root, "running");
    if (root.contains("changed_sources")) report.changed_sources = texts(root, "changed_sources");
    read_failed(root, report);
    if (schema == kCheckSchema) read_findings(root, report);
    for (const json& kernel : list(root, "kernels")) report.kernels.push_back(read_kernel(kernel, report));
    if (flag(root, "partial") != report.is_partial()) {
      throw Bad{"\"partial\" contradicts \"ended\", \"failed_launches\", \"stopped\" or \"partial_launches\""};
    }
    return report;
  } catch (const Bad& bad) {
    return Error{bad.message};
  } catch (const json::exception& error) {
    return Error{json_error(error.what())};
  }
}

}  // namespace bankshot::report
