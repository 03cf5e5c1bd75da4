// Figures 4 to 6 of Elastic Pipeline: which warp is in which stage in which cycle.
#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "bankshot/experiment/elastic_paper.hpp"
#include "bankshot/experiment/parameters.hpp"
#include "bankshot/experiment/rows.hpp"
#include "bankshot/timing/pipelines/stage_chart.hpp"

namespace bankshot::experiment {
namespace {

using timing::Cycle;
using timing::Organisation;
using timing::StageChart;
using timing::StageRow;

/// One of the figures.
struct Figure {
  std::string label;
  timing::StageShape shape;
  timing::FetchSequence sequence;
};

/// "4(a): unified 0 0: S1 S2 N N": label, organisation, entries of the queues before and beside the memory stages,
/// what is fetched.
Result<Figure> figure_of(const std::string& text, unsigned front, unsigned memory) {
  const size_t first = text.find(": "), second = first == text.npos ? text.npos : text.find(": ", first + 2);
  if (second == text.npos) return Error{"'" + text + "' is not \"LABEL: ORGANISATION PREMEM NONMEM: SEQUENCE\""};
  Figure figure;
  figure.label = text.substr(0, first);
  figure.shape.front = front;
  figure.shape.memory = memory;
  std::istringstream words(text.substr(first + 2, second - first - 2));
  std::string organisation;
  words >> organisation >> figure.shape.premem >> figure.shape.nonmem;
  const auto named = std::find(timing::kOrganisations.begin(), timing::kOrganisations.end(), organisation);
  if (!words || named == timing::kOrganisations.end())
    return Error{"'" + text + "' has no organisation with the entries of two queues"};
  figure.shape.organisation = static_cast<Organisation>(named - timing::kOrganisations.begin());
  Result<timing::FetchSequence> sequence = timing::parse_fetches(text.substr(second + 2));
  if (!sequence) return sequence.error();
  figure.sequence = std::move(*sequence);
  return figure;
}

/// "i+3", where i is the cycle in which W(i) is fetched.
std::string relative(Cycle cycle, unsigned i) {
  if (cycle == i) return "i";
  return cycle > i ? fmt::format("i+{}", cycle - i) : fmt::format("i-{}", i - cycle);
}

std::string relative(const std::vector<Cycle>& cycles, unsigned i) {
  std::string text;
  for (const Cycle cycle : cycles) text += (text.empty() ? "" : ", ") + relative(cycle, i);
  return text.empty() ? "none" : text;
}

/// What a figure shows: the cycles in which a warp is in a stage, by both, and those in which the front stands still.
struct Seen {
  std::map<uint64_t, std::map<std::string, std::vector<Cycle>>> where;
  std::vector<Cycle> written, stalls;

  void note(const std::string& stage, uint64_t warp, Cycle cycle) {
    if (warp != StageRow::kNobody) where[warp][stage].push_back(cycle);
  }
};

Seen seen_in(const Figure& figure) {
  Seen seen;
  StageChart(figure.shape, figure.sequence).each_cycle([&](const StageRow& row) {
    seen.note("EXE", row.front.back(), row.cycle);
    for (const uint64_t warp : row.premem) seen.note("PREMEM", warp, row.cycle);
    for (size_t k = 0; k < row.memory.size(); ++k) seen.note(fmt::format("MEM{}", k), row.memory[k], row.cycle);
    for (const uint64_t warp : row.nonmem) seen.note("NONMEM", warp, row.cycle);
    for (size_t k = 0; k < row.beside.size(); ++k) seen.note(fmt::format("NONMEM{}", k), row.beside[k], row.cycle);
    seen.note("WB", row.write_back, row.cycle);
    if (row.write_back != StageRow::kNobody) seen.written.push_back(row.cycle);
    if (row.stall != timing::StageStall::none) seen.stalls.push_back(row.cycle);
  });
  return seen;
}

/// Cycles between the first and the last of these that are none of them.
std::vector<Cycle> gaps(const std::vector<Cycle>& ascending) {
  std::vector<Cycle> all;
  for (size_t k = 1; k < ascending.size(); ++k) {
    for (Cycle cycle = ascending[k - 1] + 1; cycle < ascending[k]; ++cycle) all.push_back(cycle);
  }
  return all;
}

/// The least distance at which a memory access after that of `degree` stops no instruction.
unsigned safe_distance(timing::StageShape shape, unsigned degree) {
  for (unsigned distance = 1;; ++distance) {
    timing::FetchSequence sequence(distance + 1);
    sequence.front() = timing::SubWarp{0, true, degree};
    sequence.back() = timing::SubWarp{distance, true, 1};
    bool stalls = false;
    StageChart(shape, sequence).each_cycle([&](const StageRow& row) {
      stalls |= row.stall != timing::StageStall::none;
    });
    if (!stalls) return distance;
  }
}

}  // namespace

Result<Outcome> pipeline_figures(const Experiment& experiment, const Settings&) {
  Parameters parameters(experiment);
  const unsigned front = parameters.number("front", 1, 64), memory = parameters.number("memory_stages", 1, 64);
  const unsigned i = parameters.number("i", 0, 1000), shown = parameters.number("shown", 1, 1000);
  std::vector<Figure> figures;
  for (const std::string& text : parameters.texts("figures")) {
    Result<Figure> figure = figure_of(text, front, memory);
    if (!figure) {
      parameters.fail("figures", figure.error().message);
    } else if (figure->sequence.size() <= i || !figure->sequence[i] || !figure->sequence[i]->memory) {
      parameters.fail("figures", "'" + text + "' has no memory access W(i) in place " + std::to_string(i));
    } else {
      figures.push_back(std::move(*figure));
    }
  }
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  Rows rows(experiment, outcome);
  for (const Figure& figure : figures) {
    const Seen seen = seen_in(figure);
    const std::string begin = "Figure " + figure.label + ": ";
    rows.add(begin + "stalls", relative(seen.stalls, i), "cycles");
    rows.add(begin + "write-back bubbles", relative(gaps(seen.written), i), "cycles");
    for (unsigned warp = i; warp < i + shown; ++warp) {
      const auto found = seen.where.find(warp);
      if (found == seen.where.end()) continue;
      std::vector<std::pair<std::vector<Cycle>, std::string>> path;
      for (const auto& [stage, cycles] : found->second) path.emplace_back(cycles, stage);
      std::sort(path.begin(), path.end());
      for (const auto& [cycles, stage] : path)
        rows.add(fmt::format("{}W({}) in {}", begin, relative(warp, i), stage), relative(cycles, i), "cycles");
    }
    // Of a sub-warp alone; a queue before the banks is for the sub-warps of one access.
    if (figure.shape.organisation != Organisation::unified && figure.shape.premem == 0) {
      rows.add(begin + "safe distance behind W(i)",
               static_cast<double>(safe_distance(figure.shape, figure.sequence[i]->degree)), "cycles");
    }
  }
  return outcome;
}

}  // namespace bankshot::experiment
