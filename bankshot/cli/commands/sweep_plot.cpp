// bankshot sweep plot: means of a sweep as a figure.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/cli/commands/sweep_answers.hpp"
#include "bankshot/host/overwrite.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/report/figure/plot.hpp"
#include "bankshot/sweep/plan/settings.hpp"

namespace bankshot::cli {
namespace {

using sweep::number_of;

bool is_numeric(const sweep::TableAxis& axis) { return std::ranges::all_of(axis.values, sweep::is_number); }

/// Whether each value is at least about twice the one before, as sizes are.
bool doubles(const sweep::TableAxis& axis) {
  for (size_t k = 1; k < axis.values.size(); ++k) {
    if (number_of(axis.values[k - 1]) <= 0 || number_of(axis.values[k]) < 1.9 * number_of(axis.values[k - 1]))
      return false;
  }
  return axis.values.size() > 2;
}

std::string label_of(const sweep::TableAxis& axis, uint32_t code) {
  const std::string text = sweep::text_of(axis.values[code]);
  return text.empty() ? "unset" : text;
}

}  // namespace

int sweep_plot(const SweepQuestion& question) {
  if (question.x.empty())
    return refuse("which axis? For example: bankshot sweep plot NAME --x bank_hash -o figure.svg");
  if (!question.output.ends_with(".svg")) return refuse("-o FILE.svg names the figure to write");
  if (const auto error = host::cannot_write(question.output)) return refuse(error->message);
  sweep::Store store = sweep::Store::open(question.store, false);
  const Result<SweepAnswer> found = answer(store, question);
  if (!found) return refuse(found.error().message);
  std::vector<size_t> axes;
  for (const std::string* name : {&question.x, &question.series, &question.panel}) {
    if (name->empty()) continue;
    const std::optional<size_t> at = found->table.find(sweep::column_of(*name));
    if (!at) return refuse(fmt::format("points do not differ in '{}'", *name));
    if (std::ranges::find(axes, *at) != axes.end()) return refuse(fmt::format("{} is named twice", *name));
    axes.push_back(*at);
  }
  const bool has_series = !question.series.empty(), has_panels = !question.panel.empty();
  const sweep::TableAxis& x = found->table.axes[axes[0]];
  const bool is_lines = is_numeric(x) && x.values.size() > 2;
  report::Plot plot;
  plot.title = found->info.title;
  plot.source = fmt::format("{} of {}", found->mean == sweep::Mean::geometric ? "geometric mean" : "mean", found->what);
  std::map<uint32_t, std::map<uint32_t, report::PlotSeries>> panels;
  for (const sweep::Group& one : sweep::group(found->table, axes, found->mean)) {
    const uint32_t series = has_series ? one.codes[1] : 0, panel = has_panels ? one.codes[has_series ? 2 : 1] : 0;
    report::PlotSeries& line = panels[panel][series];
    line.label = has_series ? label_of(found->table.axes[axes[1]], series) : found->what;
    line.points.push_back({is_lines ? number_of(x.values[one.codes[0]]) : one.codes[0], one.cell.value});
  }
  for (auto& [code, all] : panels) {
    report::PlotPanel panel;
    panel.title = has_panels ? label_of(found->table.axes[axes.back()], code) : "";
    panel.x_title = x.name;
    panel.y_title = found->what;
    panel.kind = is_lines ? report::PlotKind::lines : report::PlotKind::bars;
    panel.log2_x = is_lines && doubles(x);
    if (!is_lines) {
      for (uint32_t value = 0; value < x.values.size(); ++value) panel.categories.push_back(label_of(x, value));
    }
    for (auto& [series, line] : all) panel.series.push_back(std::move(line));
    plot.panels.push_back(std::move(panel));
  }
  if (const auto error = host::write_file(question.output, report::to_svg(plot))) return refuse(error->message);
  print(fmt::format("{}: {} of {}\n{}", question.output, plot.source, found->info.name, caveats(*found)));
  flush_output();
  return kDone;
}

}  // namespace bankshot::cli
