#include "bankshot/report/text/operands_text.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "bankshot/report/text/names.hpp"
#include "bankshot/report/text/site_text.hpp"

namespace bankshot::report {
namespace {

using simt::OperandReport;
using simt::SwizzleConflicts;

constexpr size_t kMostLayouts = 6, kMostWriters = 3, kMostLines = 5;

/// "wgmma.mma_async.sync.aligned… (gemm.cu:120)"
std::string instruction_at(const std::string& op, const simt::Source& source) {
  constexpr size_t kLongest = 36;
  std::string shown = printable(op);
  if (shown.size() > kLongest) shown = shown.substr(0, shown.rfind('.', kLongest)) + "…";
  return fmt::format("{} ({})", shown, place_text(source));
}

/// All reads of one layout.
struct LayoutReads {
  OperandReport report;
  const Site* first = nullptr;
  size_t sites = 0;
};

std::vector<LayoutReads> by_layout(const Kernel& kernel) {
  std::vector<LayoutReads> all;
  for (const Site& site : kernel.sites) {
    for (const OperandReport& report : site.operands) {
      const auto at = std::ranges::find(all, report.layout, [](const LayoutReads& r) { return r.report.layout; });
      if (at == all.end()) {
        all.push_back({report, &site, 1});
      } else {
        at->report.merge(report);
        ++at->sites;
      }
    }
  }
  std::ranges::stable_sort(all, {}, [](const LayoutReads& r) { return r.report.layout.operand; });
  return all;
}

std::string layout_text(const simt::OperandLayout& layout) {
  const simt::TileLayout& tile = layout.tile;
  std::string text = layout.operand == 'B'   ? fmt::format("B: {} columns", layout.rows)
                     : layout.operand == 'A' ? fmt::format("A: {} rows", layout.rows)
                                             : fmt::format("copied: {} rows", layout.rows);
  text += fmt::format(" of {} bytes, {}, {}, leading {} {}, stride offset {}", layout.depth,
                      tile.mn_major ? "MN-major" : "K-major", tile.swizzle.text(), tile.absolute ? "address" : "offset",
                      grouped(tile.leading), grouped(tile.stride));
  if (tile.base_offset != 0) text += fmt::format(", base offset {}", tile.base_offset);
  return text;
}

std::string written_text(const LayoutReads& reads, const Paint& paint) {
  // Lines with many instructions are one writer.
  std::vector<const OperandReport::Part*> parts;
  for (const OperandReport::Part& part : reads.report.written) {
    const bool known = std::ranges::any_of(parts, [&](const OperandReport::Part* p) {
      return p->op == part.op && p->source.file == part.source.file && p->source.line == part.source.line &&
             (part.source.line != 0 || p->source.ptx_line == part.source.ptx_line) &&
             p->misfits(reads.report.layout) == part.misfits(reads.report.layout);
    });
    if (!known) parts.push_back(&part);
  }
  std::ranges::stable_sort(parts, std::greater{},
                           [&](const OperandReport::Part* p) { return p->misfits(reads.report.layout); });
  std::string text;
  for (size_t k = 0; k < std::min(parts.size(), kMostWriters); ++k) {
    const OperandReport::Part& part = *parts[k];
    if (part.op.empty()) {
      text += "        " + paint.bad("read, but not written by any instruction that is counted") + "\n";
      continue;
    }
    text += "        written by " + instruction_at(part.op, part.source);
    if (part.misfits(reads.report.layout)) {
      text += ": " + paint.bad("with " + part.swizzle.text() + ", which does not fit (see bankshot check)");
    } else if (part.is_tensor) {
      text += ": with the same swizzle";
    } else {
      text += ": the places are not checked";
    }
    text += "\n";
  }
  if (parts.size() > kMostWriters)
    text += fmt::format("        and by {} more (--json lists all)\n", parts.size() - kMostWriters);
  return text;
}

std::string layouts_text(const std::vector<LayoutReads>& all, const Paint& paint) {
  std::string text = "\n  operands by matrix descriptor:\n";
  for (size_t k = 0; k < std::min(all.size(), kMostLayouts); ++k) {
    const LayoutReads& reads = all[k];
    text += "      " + layout_text(reads.report.layout) + "\n";
    text += fmt::format("        read {} by {}", counted(reads.report.reads, "time", "times"),
                        instruction_at(reads.first->op, reads.first->source));
    if (reads.sites > 1) text += fmt::format(" and {} more", reads.sites - 1);
    text += "\n" + written_text(reads, paint);
  }
  if (all.size() > kMostLayouts)
    text += fmt::format("      and {} more (--json lists all)\n", all.size() - kMostLayouts);
  return text;
}

/// Accesses of one source line to tiles of one swizzle.
struct TileLine {
  SwizzleConflicts counts;
  const Site* first = nullptr;
};

std::vector<TileLine> tile_lines(const Kernel& kernel) {
  std::vector<TileLine> all;
  for (const Site& site : kernel.sites) {
    for (const SwizzleConflicts& counts : site.swizzles) {
      const auto at = std::ranges::find_if(all, [&](const TileLine& line) {
        const simt::Source &a = line.first->source, &b = site.source;
        return line.counts.now == counts.now && a.file == b.file && a.line == b.line &&
               (a.line != 0 || a.ptx_line == b.ptx_line);
      });
      if (at == all.end()) {
        all.push_back({counts, &site});
      } else {
        at->counts.merge(counts);
      }
    }
  }
  std::ranges::stable_sort(all, std::greater{}, [](const TileLine& line) { return line.counts.conflicts; });
  return all;
}

std::string span_name(unsigned span) { return span == 0 ? "none" : fmt::format("{} bytes", span); }

std::string counts_text(const SwizzleConflicts& counts) {
  std::string text = fmt::format("      {:>10}", span_name(counts.now.span));
  for (const std::optional<uint64_t>& conflicts : counts.by_span)
    text += fmt::format(" {:>12}", conflicts ? grouped(*conflicts) : "?");
  return text;
}

/// What all accesses to tiles of one swizzle say.
std::string advice(const SwizzleConflicts& all, const Paint& paint) {
  const std::optional<unsigned> best = all.best_span();
  if (!best) return {};
  const uint64_t left = *all.by_span[static_cast<size_t>(std::ranges::find(SwizzleConflicts::kSpans, *best) -
                                                         SwizzleConflicts::kSpans.begin())];
  const std::string mode = *best == 0 ? "NONE" : fmt::format("{}B", *best);
  return paint.strong(fmt::format(
             "      laid out with {} (CU_TENSOR_MAP_SWIZZLE_{}) instead of {}, {} of {} conflicts would remain",
             simt::Swizzle{static_cast<uint8_t>(*best)}.text(), mode, all.now.text(), grouped(left),
             grouped(all.conflicts))) +
         "\n";
}

bool is_misfit(const Kernel& kernel) {
  return std::ranges::any_of(kernel.sites, [](const Site& site) {
    return std::ranges::any_of(site.operands, [](const OperandReport& report) {
      return std::ranges::any_of(report.written, [&](const auto& part) { return part.misfits(report.layout); });
    });
  });
}

std::string accesses_text(const Kernel& kernel, const Paint& paint) {
  const std::vector<TileLine> lines = tile_lines(kernel);
  if (lines.empty()) return {};
  std::vector<SwizzleConflicts> all;
  uint64_t accesses = 0, conflicts = 0;
  for (const TileLine& line : lines) {
    merge(all, {line.counts});
    accesses += line.counts.accesses;
    conflicts += line.counts.conflicts;
  }
  std::string text = fmt::format("\n  {} of threads to these tiles", counted(accesses, "access", "accesses"));
  if (conflicts == 0) return text + ": no conflicts\n";
  text += ", conflicts by the swizzle of the tiles:\n";
  text += fmt::format("      {:>10}", "now");
  for (const unsigned span : SwizzleConflicts::kSpans) text += fmt::format(" {:>12}", span_name(span));
  text += "\n";
  const size_t shown = std::min(lines.size(), kMostLines);
  for (size_t k = 0; k < shown; ++k)
    text += counts_text(lines[k].counts) + "  " + instruction_at(lines[k].first->op, lines[k].first->source) + "\n";
  if (lines.size() > shown) text += fmt::format("      and {} more (--json lists all)\n", lines.size() - shown);
  if (lines.size() > 1) {
    for (const SwizzleConflicts& counts : all) text += counts_text(counts) + "  all of them\n";
  }
  if (is_misfit(kernel))
    return text +
           "      a tensor copy wrote some of them with another swizzle: make the two fit before the modes are "
           "compared\n";
  for (const SwizzleConflicts& counts : all) text += advice(counts, paint);
  return text;
}

}  // namespace

std::string operands_text(const Kernel& kernel, const TextOptions& options) {
  const std::vector<LayoutReads> layouts = by_layout(kernel);
  if (layouts.empty()) return {};
  const Paint paint{options.colour};
  return layouts_text(layouts, paint) + accesses_text(kernel, paint);
}

}  // namespace bankshot::report
