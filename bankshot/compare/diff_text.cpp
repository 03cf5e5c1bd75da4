#include "bankshot/compare/diff_text.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "bankshot/report/text/site_text.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/report/text/timing_text.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::compare {
namespace {

using report::counted;
using report::grouped;
using report::Paint;

constexpr size_t kConditionsShown = 8;

template <class T>
std::string label(const Pair<T>& pair) {
  if (pair.is_new()) return pair.verdict == Verdict::worse ? "new, worse" : "new";
  if (pair.is_gone()) return "gone";
  return std::string(name(pair.verdict));
}

template <class T>
std::string painted(const Pair<T>& pair, const Paint& paint) {
  const std::string text = fmt::format("{:<11}", label(pair));
  return pair.verdict == Verdict::worse ? paint.bad(text) : pair.is_gone() ? paint.faint(text) : paint.strong(text);
}

/// "+3,968", "-12", "0"; then the share of what was before: "+96.9 %".
std::string change(uint64_t before, uint64_t after) {
  const uint64_t by = before < after ? after - before : before - after;
  const std::string sign = by == 0 ? "" : before < after ? "+" : "-";
  std::string text = fmt::format("{:>16}", sign + grouped(by));
  if (before != 0 && by != 0)
    text += fmt::format(" {:>9}", fmt::format("{}{:.1f} %", sign, report::percent(by, before)));
  return text;
}

std::string row(std::string_view what, std::optional<uint64_t> before, std::optional<uint64_t> after) {
  if (!before && !after) return {};
  const auto number = [](const std::optional<uint64_t>& value) { return value ? grouped(*value) : std::string("-"); };
  return fmt::format("  {:<12}{:>18}{:>18}{}\n", what, number(before), number(after),
                     before && after ? change(*before, *after) : "");
}

/// Core clocks of both machines in kHz; 0: not simulated. Cycles of different clocks are not the same time.
struct Clocks {
  uint64_t before = 0, after = 0;
};

uint64_t clock_of(const Snapshot& snapshot) {
  const auto found = snapshot.conditions.find("simulated.core_khz");
  uint64_t khz = 0;
  if (found != snapshot.conditions.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), khz);
  return khz;
}

std::string time_row(std::optional<uint64_t> before, std::optional<uint64_t> after, const Clocks& clocks) {
  const auto text = [](const std::optional<uint64_t>& cycles, uint64_t khz) {
    return cycles && khz != 0 ? report::duration_text(static_cast<double>(*cycles) / (1e3 * static_cast<double>(khz)))
                              : std::string("-");
  };
  if (clocks.before == clocks.after || (!before && !after)) return {};  // the same as cycles, or not simulated
  return fmt::format("  {:<12}{:>18}{:>18}\n", "time", text(before, clocks.before), text(after, clocks.after));
}

std::string rows(const Numbers* before, const Numbers* after, const Clocks& clocks) {
  const auto value = [](const Numbers* numbers, uint64_t Numbers::* member) {
    return numbers == nullptr ? std::nullopt : std::optional(numbers->*member);
  };
  const auto cycles = [](const Numbers* numbers) { return numbers == nullptr ? std::nullopt : numbers->cycles; };
  return row("conflicts", value(before, &Numbers::conflicts), value(after, &Numbers::conflicts)) +
         row("wavefronts", value(before, &Numbers::wavefronts), value(after, &Numbers::wavefronts)) +
         row("cycles", cycles(before), cycles(after)) + time_row(cycles(before), cycles(after), clocks);
}

/// "scan.cu:12", and what it was called before if that is different.
template <class T>
std::string place(const Pair<T>& pair) {
  const auto text = [](const T& one) {
    const std::string file = one.file.substr(one.file.rfind('/') + 1);
    return one.line == 0 ? (file.empty() ? std::string("no source line") : file) : fmt::format("{}:{}", file, one.line);
  };
  const std::string now = text(pair.one());
  if (pair.is_new() || pair.is_gone()) return now;
  const std::string was = text(*pair.before);
  return was == now ? now : now + " (was " + was + ")";
}

std::string quoted(const std::string& text) {
  return text.empty() ? "" : "              | " + report::shortened(printable(text), {}) + "\n";
}

std::string line_text(const Pair<Line>& line, const Paint& paint) {
  const uint64_t before = line.is_new() ? 0 : line.before->conflicts,
                 after = line.is_gone() ? 0 : line.after->conflicts;
  return fmt::format("    {}{:>15}{:>18}{}  {}{}\n", painted(line, paint), line.is_new() ? "-" : grouped(before),
                     line.is_gone() ? "-" : grouped(after), change(before, after), printable(place(line)),
                     line.one().line == 0 ? "  " + printable(line.one().operations) : "") +
         quoted(line.one().text);
}

bool is_shown(const Pair<Line>& line) {
  return line.verdict != Verdict::same || ((line.is_new() || line.is_gone()) && line.one().conflicts != 0);
}

std::string kernel_text(const KernelPair& kernel, const Clocks& clocks, const DiffTextOptions& options,
                        const Paint& paint) {
  const size_t changed = static_cast<size_t>(std::ranges::count_if(kernel.lines, is_shown));
  if (kernel.verdict == Verdict::same && changed == 0 && !kernel.is_new() && !kernel.is_gone()) return {};
  std::string text = "\n" + painted(kernel, paint) + " " + paint.strong(printable(kernel.one().demangled)) + "\n";
  if (!kernel.is_new() && !kernel.is_gone()) {
    if (kernel.before->demangled != kernel.after->demangled)
      text += "  was " + printable(kernel.before->demangled) + "\n";
    if (kernel.before->launch != kernel.after->launch)
      text += fmt::format("  launched differently: {}\n                   now: {}\n", printable(kernel.before->launch),
                          printable(kernel.after->launch));
  }
  text += rows(kernel.is_new() ? nullptr : &kernel.before->numbers, kernel.is_gone() ? nullptr : &kernel.after->numbers,
               clocks);
  size_t shown = 0;
  for (const Pair<Line>& line : kernel.lines) {
    if (!is_shown(line) || shown == options.top) continue;
    if (shown++ == 0) text += "    conflicts by line\n";
    text += line_text(line, paint);
  }
  if (shown < changed)
    text += fmt::format("    {} more (--top {} shows all)\n", counted(changed - shown, "line", "lines"), changed);
  return text;
}

std::string finding_text(const Pair<Finding>& finding, const Paint& paint) {
  const Finding& one = finding.one();
  std::string text = "\n" + painted(finding, paint) + " " + paint.strong(printable(one.kind)) +
                     (one.is_warning ? " (warning)" : "") +
                     (one.demangled.empty() ? "" : " in " + printable(one.demangled)) + "\n";
  if (!one.operations.empty())  // a leak has no place
    text += "  " + printable(place(finding)) + "  " + printable(one.operations) +
            (one.variable.empty() ? "" : "  " + printable(one.variable)) + "\n" + quoted(one.text);
  return text + row("seen", finding.is_new() ? std::nullopt : std::optional(finding.before->count),
                    finding.is_gone() ? std::nullopt : std::optional(finding.after->count));
}

std::string tally_text(std::string_view what, const Tally& tally) {
  return fmt::format("{:<10} {:>7} worse {:>7} better {:>7} new {:>7} gone {:>7} same\n", what, grouped(tally.worse),
                     grouped(tally.better), grouped(tally.added), grouped(tally.gone), grouped(tally.same));
}

std::string head(std::string_view what, const std::string& name, const Snapshot& snapshot) {
  const auto gpu = snapshot.conditions.find("gpu");
  std::string text =
      fmt::format("{:<7} {}: bankshot {} of {} on {}\n", what, printable(name), compare::name(snapshot.mode),
                  printable(snapshot.program), gpu == snapshot.conditions.end() ? "" : printable(gpu->second));
  if (snapshot.suppressed != 0)
    text += fmt::format("        {} suppressed by bankshot.toml, not compared\n",
                        counted(snapshot.suppressed, "line or finding is", "lines or findings are"));
  return text;
}

std::string conditions_text(const Diff& diff, const Paint& paint) {
  if (diff.conditions.empty()) return {};
  std::string text = paint.bad("conditions differ:") + " this may explain changes\n";
  for (size_t k = 0; k < diff.conditions.size() && k < kConditionsShown; ++k) {
    const Condition& one = diff.conditions[k];
    const auto value = [](const std::string& said) { return said.empty() ? "-" : printable(said); };
    text += fmt::format("  {}: {} -> {}\n", printable(one.name), value(one.before), value(one.after));
  }
  if (diff.conditions.size() > kConditionsShown)
    text += fmt::format("  and {} more\n", diff.conditions.size() - kConditionsShown);
  return text;
}

/// "1 kernel, 2 lines"
std::string number_of(uint64_t kernels, uint64_t lines, uint64_t findings) {
  std::string text;
  const auto add = [&](uint64_t number, std::string_view one, std::string_view more) {
    if (number != 0) text += (text.empty() ? "" : ", ") + counted(number, one, more);
  };
  add(kernels, "kernel", "kernels");
  add(lines, "line", "lines");
  add(findings, "finding", "findings");
  return text;
}

}  // namespace

std::string verdict_text(const Diff& diff) {
  if (!diff.incomplete.empty()) return "no verdict: " + diff.incomplete;
  const Tally &kernels = diff.kernel_tally, &lines = diff.line_tally, &findings = diff.finding_tally;
  std::string text;
  if (diff.is_worse()) text = "worse: " + number_of(kernels.worse, lines.worse, findings.worse);
  if (diff.is_better())
    text += (text.empty() ? "" : "; ") + std::string("better: ") +
            number_of(kernels.better, lines.better, findings.better + findings.gone);
  if (text.empty()) text = "nothing is worse or better";
  return text + (kernels.gone == 0 ? "" : "; gone: " + number_of(kernels.gone, 0, 0));
}

std::string diff_text(const Diff& diff, const Snapshot& before, const Snapshot& after, const DiffTextOptions& options) {
  const Paint paint{options.colour};
  std::string text = head("before", options.before_name, before) + head("after", options.after_name, after) +
                     conditions_text(diff, paint);
  const bool counts = after.mode != Mode::check;
  const Clocks clocks{clock_of(before), clock_of(after)};
  if (counts) {
    text += fmt::format("\n{:<14}{:>18}{:>18}{:>16}\n", "all kernels", "before", "after", "change") +
            rows(&diff.before, &diff.after, clocks);
    for (const KernelPair& kernel : diff.kernels) text += kernel_text(kernel, clocks, options, paint);
  }
  size_t shown = 0, changed = 0;
  for (const Pair<Finding>& finding : diff.findings) {
    if (finding.verdict == Verdict::same && !finding.is_gone()) continue;
    if (++changed <= options.top) {
      text += finding_text(finding, paint);
      ++shown;
    }
  }
  if (shown < changed)
    text += fmt::format("\n{} more (--top {} shows all)\n", counted(changed - shown, "finding", "findings"), changed);
  text += "\n";
  if (counts) text += tally_text("kernels", diff.kernel_tally) + tally_text("lines", diff.line_tally);
  if (!counts) text += tally_text("findings", diff.finding_tally);
  const std::string verdict = verdict_text(diff);
  return text + (diff.is_worse() || !diff.incomplete.empty() ? paint.bad(verdict) : paint.strong(verdict)) + "\n";
}

}  // namespace bankshot::compare
