#include "bankshot/report/site_text.hpp"

#include <fmt/format.h>

#include "bankshot/report/picture.hpp"

namespace bankshot::report {
namespace {

constexpr size_t kMostCleanSites = 6;
constexpr size_t kLongestLine = 90;

/// The end of a long path: what tells files of one project apart.
std::string short_path(const std::string& path) {
  constexpr size_t kLongest = 36;
  if (path.size() <= kLongest) return path;
  const size_t slash = path.find('/', path.size() - kLongest);
  return "…" + path.substr(slash == std::string::npos ? path.size() - kLongest : slash);
}

std::string shortened(std::string text) {
  if (text.size() <= kLongestLine) return text;
  size_t end = kLongestLine - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a UTF-8 character
  return text.substr(0, end) + "…";
}

std::string wasted(const Site& site, uint64_t kernel_conflicts) {
  const double share = 100.0 * static_cast<double>(site.totals.conflicts()) / static_cast<double>(kernel_conflicts);
  return fmt::format("wastes {} wavefronts, {:.1f} % of the kernel's", grouped(site.totals.conflicts()), share);
}

std::string position(const Site& site) {
  if (kind_of(site) != scratchpad::AccessKind::atomic) return {};
  const uint64_t bank = site.totals.conflicts() - site.totals.position;
  return fmt::format("      of these {} position conflicts (lanes on one word), {} bank conflicts\n",
                     grouped(site.totals.position), grouped(bank));
}

}  // namespace

std::string class_text(const scratchpad::SiteTotals& totals) {
  const scratchpad::PatternClass pattern = totals.pattern();
  if (pattern != scratchpad::PatternClass::stride) return scratchpad::name(pattern);
  if (totals.stride.bytes % 4 != 0) return fmt::format("stride {} bytes", totals.stride.bytes);
  return fmt::format("stride {}", totals.stride.bytes / 4);
}

std::string place_text(const Site& site) {
  if (site.source.line == 0) return fmt::format("PTX line {}", site.source.ptx_line);
  return fmt::format("{}:{}", printable(short_path(site.source.file)), site.source.line);
}

std::string site_text(const Site& site, size_t rank, uint64_t kernel_conflicts, const scratchpad::Rules& rules,
                      const TextOptions& options, SourceLines& sources) {
  const Paint paint{options.colour};
  const scratchpad::SiteTotals& totals = site.totals;
  std::string text = fmt::format("\n  {:<3} {}  {}\n", fmt::format("#{}", rank), paint.strong(place_text(site)),
                                 paint.bad(wasted(site, kernel_conflicts)));
  if (options.read_sources) {
    const std::string line = sources.get(site.source.file, site.source.line);
    if (!line.empty()) text += "      | " + shortened(line) + "\n";
  }
  text += fmt::format("      {}{}, {} accesses, {}\n", printable(site.op),
                      site.source.line == 0 ? "" : fmt::format(" (PTX line {})", site.source.ptx_line),
                      grouped(totals.accesses), class_text(totals));
  const double ideal = static_cast<double>(totals.ideal) / static_cast<double>(totals.accesses);
  text += fmt::format("      wavefronts an access: mean {:.2f}, worst {}, ideal {:.{}f}\n", totals.degree_mean(),
                      totals.degree_max, ideal, ideal == static_cast<double>(static_cast<uint64_t>(ideal)) ? 0 : 2);
  text += position(site);
  text += paint.faint(fmt::format("      worst access, in CTA {}:", grouped(totals.worst.cta))) + "\n";
  for (const std::string& line : picture(site, rules)) text += "        " + line + "\n";
  return text;
}

std::string clean_sites_text(const std::vector<const Site*>& sites) {
  if (sites.empty()) return {};
  std::string text = fmt::format("\n  {} site{} no conflicts", sites.size(), sites.size() == 1 ? " has" : "s have");
  if (sites.size() > kMostCleanSites) return text + "\n";
  text += ":\n";
  for (const Site* site : sites) {
    text += fmt::format("      {:<36} {:<20} {:>14} accesses  {}\n", place_text(*site), printable(site->op),
                        grouped(site->totals.accesses), class_text(site->totals));
  }
  return text;
}

}  // namespace bankshot::report
