#include "bankshot/report/text/site_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bankshot/report/text/names.hpp"
#include "bankshot/report/text/picture.hpp"

namespace bankshot::report {
namespace {

constexpr size_t kMostCleanLines = 6;
constexpr size_t kMostInstructions = 3;
constexpr size_t kMostFrames = 6;

/// The end of a long path: what tells files of one project apart.
std::string short_path(const std::string& path) {
  constexpr size_t kLongest = 36;
  if (path.size() <= kLongest) return path;
  const size_t slash = path.find('/', path.size() - kLongest);
  return "…" + path.substr(slash == std::string::npos ? path.size() - kLongest : slash);
}

std::string wasted(uint64_t conflicts, uint64_t kernel_conflicts) {
  const double share = 100.0 * static_cast<double>(conflicts) / static_cast<double>(kernel_conflicts);
  return fmt::format("wastes {}, {:.1f} % of the kernel's", counted(conflicts, "wavefront", "wavefronts"), share);
}

std::string position(const Kernel& kernel, const LineGroup& group) {
  uint64_t position = 0;
  bool atomic = false;
  for (const size_t i : group.sites) {
    atomic |= scratchpad::is_atomic(kind_of(kernel.sites[i]));
    position += kernel.sites[i].totals.position;
  }
  if (!atomic) return {};
  return fmt::format("      of these {} (lanes on one word), {}\n",
                     counted(position, "position conflict", "position conflicts"),
                     counted(group.shared.conflicts() - position, "bank conflict", "bank conflicts"));
}

std::string ideal(const scratchpad::SiteTotals& totals) {
  const double mean = static_cast<double>(totals.ideal) / static_cast<double>(totals.accesses);
  return fmt::format("{:.{}f}", mean, totals.ideal % totals.accesses == 0 ? 0 : 2);
}

/// Columns for the operations of some sites: as many as most need, or as few as these need if the line is short.
size_t operation_columns(const Kernel& kernel, const LineGroup& group, size_t shown, const TextOptions& options) {
  if (options.width >= 100) return 22;
  size_t columns = std::string_view("instruction").size();
  for (size_t i = 0; i < shown; ++i) columns = std::max(columns, operation_text(kernel.sites[group.sites[i]]).size());
  return columns;
}

std::string instructions(const Kernel& kernel, const LineGroup& group, const TextOptions& options) {
  const size_t shown = std::min(group.sites.size(), kMostInstructions);
  const size_t columns = operation_columns(kernel, group, shown, options);
  std::string text = fmt::format("      {:>8}  {:<{}} {:>12}  {:>16}  {:>5}  {:>5}  {}\n", "PTX line", "instruction",
                                 columns, "accesses", "wavefronts: mean", "worst", "ideal", "pattern");
  for (size_t i = 0; i < shown; ++i) {
    const Site& site = kernel.sites[group.sites[i]];
    const scratchpad::SiteTotals& totals = site.totals;
    text += fmt::format("      {:>8}  {:<{}} {:>12}  {:>16.2f}  {:>5}  {:>5}  {}\n", site.source.ptx_line,
                        operation_text(site), columns, grouped(totals.accesses), totals.degree_mean(),
                        totals.degree_max, ideal(totals), class_text(totals));
  }
  if (shown == group.sites.size()) return text;
  uint64_t rest = 0;
  for (size_t i = shown; i < group.sites.size(); ++i) rest += kernel.sites[group.sites[i]].totals.conflicts();
  const size_t more = group.sites.size() - shown;
  const std::string wasted =
      fmt::format("{} {}", more == 1 ? "which wastes" : "which waste", counted(rest, "wavefront", "wavefronts"));
  return text + fmt::format("      {:>8}  and {} more, {}\n", "…", more, rest == 0 ? "without conflicts" : wasted);
}

std::string worst_access(const Kernel& kernel, const LineGroup& group, const scratchpad::Rules& rules,
                         const Paint& paint) {
  const Site& site = kernel.sites[worst_site(kernel, group)];
  const std::string which =
      group.sites.size() == 1 ? "" : fmt::format(" of {} at PTX line {}", operation_text(site), site.source.ptx_line);
  std::string text =
      paint.faint(fmt::format("      worst access{}, in CTA {}:", which, grouped(site.totals.worst.cta))) + "\n";
  scratchpad::Rules own = rules;
  if (site.hash) own.hash = site.hash;
  for (const std::string& line : picture(site, own)) text += "        " + line + "\n";
  return text;
}

/// "st.shared.f32", "st.shared.f32 and 3 more"
std::string operations(const Kernel& kernel, const LineGroup& group) {
  const std::string first = operation_text(kernel.sites[group.sites[0]]);
  return group.sites.size() == 1 ? first : fmt::format("{} and {} more", first, group.sites.size() - 1);
}

/// The class of all, or of the first and "…".
std::string classes(const Kernel& kernel, const LineGroup& group) {
  const std::string first = class_text(kernel.sites[group.sites[0]].totals);
  const bool alike = std::all_of(group.sites.begin(), group.sites.end(),
                                 [&](size_t i) { return class_text(kernel.sites[i].totals) == first; });
  return alike ? first : first + ", …";
}

}  // namespace

std::string operation_text(const Site& site) {
  const std::string op = printable(site.op);
  return site.joined == 1 ? op : fmt::format("{} × {}, joined", site.joined, op);
}

std::string shortened(std::string text, const TextOptions& options) {
  const size_t longest = std::max<size_t>(options.width, 40) - 10;
  if (text.size() <= longest) return text;
  size_t end = longest - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a UTF-8 character
  return text.substr(0, end) + "…";
}

std::string shape_text(const scratchpad::Shape& shape) {
  if (shape.pattern != scratchpad::PatternClass::stride) return scratchpad::name(shape.pattern);
  if (shape.stride_bytes % 4 != 0) return fmt::format("stride {} bytes", shape.stride_bytes);
  return fmt::format("stride {}", shape.stride_bytes / 4);
}

std::string class_text(const scratchpad::SiteTotals& totals) {
  return shape_text({totals.pattern(), totals.stride.bytes});
}

std::string place_text(const simt::Source& source) {
  if (source.line == 0) return fmt::format("PTX line {}", source.ptx_line);
  return fmt::format("{}:{}", printable(short_path(source.file)), source.line);
}

std::string frames_text(const simt::Source& source, const TextOptions& options) {
  const size_t count = source.frames.size();
  const bool cut = count > kMostFrames && !options.whole_names;
  std::string text;
  for (size_t k = 0; k < count; ++k) {
    if (cut && k == kMostFrames / 2) {
      const size_t left_out = count - kMostFrames + 1;
      text += fmt::format("      … {} more calls (--whole-names shows all)\n", left_out);
      k += left_out - 1;
      continue;
    }
    const ptx::SourceFrame& frame = source.frames[k];
    const std::string place = fmt::format("{}:{}", printable(short_path(frame.file)), frame.line);
    std::string function = frame.function.empty() ? "the kernel" : shown_name(frame.function, options);
    if (!options.whole_names) function = without_parameters(without_template_arguments(function));
    text += fmt::format("      {} {:<40}  in {}\n", k == 0 ? "inlined:  " : "called at:", place, function);
  }
  return text;
}

std::string noun_of(const Kernel& kernel, const std::vector<LineGroup>& groups) {
  size_t lines = 0;
  for (const LineGroup& group : groups) lines += kernel.sites[group.sites[0]].source.line != 0;
  const std::string noun = lines == groups.size() ? "line" : lines == 0 ? "PTX instruction" : "place";
  return groups.size() == 1 ? noun : noun + "s";
}

std::string line_text(const Kernel& kernel, const LineGroup& group, size_t rank, const scratchpad::Rules& rules,
                      const TextOptions& options, SourceLines& sources) {
  const Paint paint{options.colour};
  const Site& first = kernel.sites[group.sites[0]];
  std::string text = fmt::format("\n  {:<3} {}  {}\n", fmt::format("#{}", rank), paint.strong(place_text(first.source)),
                                 paint.bad(wasted(group.shared.conflicts(), kernel.shared().conflicts())));
  if (options.read_sources) {
    const std::string line = sources.get(first.source.file, first.source.line);
    if (!line.empty()) text += "      | " + shortened(line, options) + "\n";
  }
  text += frames_text(kernel.sites[worst_site(kernel, group)].source, options);
  return text + position(kernel, group) + instructions(kernel, group, options) +
         worst_access(kernel, group, rules, paint);
}

std::string clean_lines_text(const Kernel& kernel, const std::vector<LineGroup>& groups) {
  if (groups.empty()) return {};
  std::string text = fmt::format("\n  {} {} {} no conflicts", groups.size(), noun_of(kernel, groups),
                                 groups.size() == 1 ? "has" : "have");
  if (groups.size() > kMostCleanLines) return text + "\n";
  text += ":\n";
  for (const LineGroup& group : groups) {
    text += fmt::format("      {:<36} {:<22} {:>10} {:<8}  {}\n", place_text(kernel.sites[group.sites[0]].source),
                        operations(kernel, group), grouped(group.shared.accesses),
                        group.shared.accesses == 1 ? "access" : "accesses", classes(kernel, group));
  }
  return text;
}

}  // namespace bankshot::report
