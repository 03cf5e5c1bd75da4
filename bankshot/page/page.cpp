#include "bankshot/page/page.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/page/access_passes.hpp"
#include "bankshot/page/ptx_functions.hpp"
#include "bankshot/page/template.hpp"
#include "bankshot/report/text/source_lines.hpp"
#include "bankshot/timing/base/counters.hpp"

namespace bankshot::page {
namespace {

using nlohmann::ordered_json;

/// Most pictures of one page, of the sites with the most conflicts.
constexpr size_t kMostPictures = 400;

/// Adds the files of all places of a report: objects with a `file` and a `line`.
void add_files(const ordered_json& value, std::set<std::string>& files) {
  if (value.is_object() && value.contains("line")) {
    const auto file = value.find("file");
    if (file != value.end() && file->is_string() && !file->get_ref<const std::string&>().empty())
      files.insert(file->get<std::string>());
  }
  if (!value.is_structured()) return;
  for (const ordered_json& part : value) add_files(part, files);
}

/// The report itself, or those of a comparison.
std::vector<ordered_json*> reports_in(ordered_json& report) {
  if (!report.contains("reports")) return {&report};
  std::vector<ordered_json*> all;
  for (ordered_json& one : report["reports"]) all.push_back(&one);
  return all;
}

/// Adds the lines of PTX that an object and its parts name.
void add_ptx_lines(const ordered_json& value, std::set<uint32_t>& lines) {
  if (value.is_object()) {
    const auto line = value.find("ptx_line");
    if (line != value.end() && line->is_number_unsigned()) lines.insert(line->get<uint32_t>());
  }
  if (!value.is_structured()) return;
  for (const ordered_json& part : value) add_ptx_lines(part, lines);
}

/// Adds the lines of PTX that the kernels of a report name, by digest of their module.
void add_kernel_lines(const ordered_json& report, std::map<std::string, std::set<uint32_t>>& lines) {
  std::map<std::string, std::string> module_of;  // by name of a kernel: findings know no more than that
  for (const ordered_json& kernel : report.value("kernels", ordered_json::array())) {
    const std::string module = kernel.value("module", "");
    module_of.emplace(kernel.value("name", ""), module);
    add_ptx_lines(kernel, lines[module]);
  }
  for (const ordered_json& finding : report.value("findings", ordered_json::array())) {
    const auto found = module_of.find(finding.value("kernel", ""));
    if (found != module_of.end()) add_ptx_lines(finding, lines[found->second]);
  }
}

ordered_json ptx_json(const std::map<std::string, std::string>& texts, const ordered_json& report) {
  std::map<std::string, std::set<uint32_t>> lines;
  if (report.contains("reports")) {
    for (const ordered_json& one : report["reports"]) add_kernel_lines(one, lines);
  } else {
    add_kernel_lines(report, lines);
  }
  ordered_json modules = ordered_json::object();
  for (const auto& [digest, text] : texts) {
    ordered_json functions = ordered_json::array();
    for (const PtxFunction& one : functions_with(text, lines[digest]))
      functions.push_back({{"first_line", one.first_line}, {"lines", one.lines}});
    if (!functions.empty()) modules[digest] = std::move(functions);
  }
  return modules;
}

/// The report without what no view reads and would fill the page: the counters of single launches.
ordered_json shown(ordered_json report) {
  for (ordered_json* const one : reports_in(report)) {
    if (!one->contains("kernels")) continue;
    for (ordered_json& kernel : (*one)["kernels"]) {
      if (!kernel.contains("timed_launches")) continue;
      for (ordered_json& launch : kernel["timed_launches"]) launch.erase("counters");
    }
  }
  return report;
}

struct PlacedSite {
  size_t report, kernel, site;
  uint64_t conflicts;
};

ordered_json pictures_json(const std::vector<const report::RunReport*>& reports) {
  std::vector<PlacedSite> places;
  for (size_t r = 0; r < reports.size(); ++r) {
    for (size_t k = 0; k < reports[r]->kernels.size(); ++k) {
      const std::vector<report::Site>& sites = reports[r]->kernels[k].sites;
      for (size_t s = 0; s < sites.size(); ++s) places.push_back({r, k, s, sites[s].totals.conflicts()});
    }
  }
  std::ranges::stable_sort(places, std::ranges::greater(), &PlacedSite::conflicts);
  if (places.size() > kMostPictures) places.resize(kMostPictures);
  ordered_json pictures = ordered_json::array();
  for (const PlacedSite& place : places) {
    const report::RunReport& report = *reports[place.report];
    ordered_json picture = access_passes(report.kernels[place.kernel].sites[place.site], report.rules);
    if (picture.is_null()) continue;
    picture["report"] = place.report;
    picture["kernel"] = place.kernel;
    picture["site"] = place.site;
    pictures.push_back(std::move(picture));
  }
  return pictures;
}

/// What the names of causes mean, where the report has any.
ordered_json causes_json(const std::vector<const report::RunReport*>& reports) {
  ordered_json causes = ordered_json::object();
  if (std::ranges::none_of(reports, [](const report::RunReport* one) { return one->machine.has_value(); }))
    return causes;
  for (unsigned k = 0; k < timing::kCauses; ++k) {
    const auto cause = static_cast<timing::Cause>(k);
    causes[std::string(timing::name(cause))] = timing::meaning(cause);
  }
  return causes;
}

std::string text_of(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string document(const Contents& contents) {
  const ordered_json report = shown(ordered_json::parse(contents.json, nullptr, false));
  std::set<std::string> files;
  add_files(report, files);
  report::SourceLines sources(contents.sources);
  ordered_json texts = ordered_json::object();
  for (const std::string& file : files) {
    const std::vector<std::string>& lines = sources.lines(file);
    if (!lines.empty()) texts[file] = lines;
  }
  std::vector<std::string> notes = contents.notes;
  for (std::string& note : sources.notes()) notes.push_back(std::move(note));
  ordered_json head = {{"schema", "bankshot/page/1"}, {"command", contents.command}, {"arguments", contents.arguments},
                       {"version", contents.version}, {"date", contents.date},       {"notes", notes}};
  if (report.contains("verdict")) head["verdict"] = report["verdict"];
  const std::string text =
      fmt::format("{},\n\"report\":{},\n\"sources\":{},\n\"ptx\":{},\n\"pictures\":{},\n\"causes\":{}}}\n",
                  text_of(head).substr(0, text_of(head).size() - 1), text_of(report), text_of(texts),
                  text_of(ptx_json(contents.ptx, report)), text_of(pictures_json(contents.reports)),
                  text_of(causes_json(contents.reports)));
  return without_markup(text);
}

std::string to_html(const Contents& contents) { return in_template(document(contents)); }

}  // namespace bankshot::page
