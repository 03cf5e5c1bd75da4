#include "bankshot/compare/diff.hpp"

#include <algorithm>
#include <tuple>

#include "bankshot/compare/match_kernels.hpp"
#include "bankshot/compare/match_lines.hpp"

namespace bankshot::compare {
namespace {

/// Worse, better, new, gone, the same.
template <class T>
unsigned rank(const Pair<T>& pair) {
  if (pair.verdict == Verdict::worse) return 0;
  if (pair.verdict == Verdict::better) return 1;
  return pair.is_new() ? 2 : pair.is_gone() ? 3 : 4;
}

template <class T>
void count(const Pair<T>& pair, Tally& tally) {
  if (pair.verdict == Verdict::worse) ++tally.worse;
  if (pair.verdict == Verdict::better) ++tally.better;
  if (pair.is_new()) ++tally.added;
  if (pair.is_gone()) ++tally.gone;
  if (rank(pair) == 4) ++tally.same;
}

Verdict worst(std::initializer_list<Verdict> verdicts) {
  return std::max(verdicts);  // of same, better and worse
}

template <class T>
Pair<T> pair_of(const std::vector<T>& before, const std::vector<T>& after, std::pair<size_t, size_t> indices) {
  return {indices.first == kNone ? nullptr : &before[indices.first],
          indices.second == kNone ? nullptr : &after[indices.second], Verdict::same};
}

/// By how much the conflicts changed, whatever the direction.
uint64_t change_of(uint64_t before, uint64_t after) { return before < after ? after - before : before - after; }

std::vector<Pair<Line>> line_pairs(const KernelPair& kernel, const Allowances& allowances) {
  static const std::vector<Line> none;
  const std::vector<Line>& before = kernel.before != nullptr ? kernel.before->lines : none;
  const std::vector<Line>& after = kernel.after != nullptr ? kernel.after->lines : none;
  std::vector<Pair<Line>> lines;
  for (const auto& indices : match_lines(before, after)) {
    lines.push_back(pair_of(before, after, indices));
    Pair<Line>& line = lines.back();
    if (line.is_gone()) continue;
    const uint64_t conflicts = line.is_new() ? 0 : line.before->conflicts;
    line.verdict = judge(Counter::conflicts, conflicts, line.after->conflicts, allowances);
  }
  std::ranges::stable_sort(lines, [](const Pair<Line>& a, const Pair<Line>& b) {
    const auto key = [](const Pair<Line>& line) {
      const uint64_t change =
          change_of(line.is_new() ? 0 : line.before->conflicts, line.is_gone() ? 0 : line.after->conflicts);
      return std::tuple(rank(line), ~change);
    };
    return key(a) < key(b);
  });
  return lines;
}

Verdict verdict_of(const KernelPair& kernel, const Allowances& allowances) {
  if (kernel.is_gone()) return Verdict::same;
  const Numbers& after = kernel.after->numbers;
  if (kernel.is_new()) return judge(Counter::conflicts, 0, after.conflicts, allowances);
  const Numbers& before = kernel.before->numbers;
  return worst({judge(Counter::conflicts, before.conflicts, after.conflicts, allowances),
                judge(Counter::wavefronts, before.wavefronts, after.wavefronts, allowances),
                before.cycles && after.cycles ? judge(Counter::cycles, *before.cycles, *after.cycles, allowances)
                                              : Verdict::same});
}

/// Pairs findings by keys, the most exact ones first; of equal keys in their order.
std::vector<std::pair<size_t, size_t>> match_findings(const Snapshot& before, const Snapshot& after,
                                                      const std::map<std::string, std::string>& renamed) {
  Partners partners(before.findings.size(), after.findings.size());
  const auto kernel_of = [&](const Finding& finding, bool old) {
    const auto found = renamed.find(finding.kernel);
    return old && found != renamed.end() ? found->second : finding.kernel;
  };
  for (const bool by_line : {true, false}) {
    const auto key = [&](const Finding& finding, bool old) {
      const std::string place =
          finding.text.empty() ? finding.file.substr(finding.file.rfind('/') + 1) + ":" + std::to_string(finding.line)
                               : finding.text;
      return std::tuple(finding.kind, kernel_of(finding, old), finding.variable, finding.operations,
                        by_line ? place : "");
    };
    std::map<decltype(key(after.findings[0], false)), std::vector<size_t>> left;
    for (size_t k = after.findings.size(); k-- > 0;) {
      if (partners.is_alone_after(k)) left[key(after.findings[k], false)].push_back(k);  // the first one last
    }
    for (size_t k = 0; k < before.findings.size(); ++k) {
      if (!partners.is_alone_before(k)) continue;
      const auto found = left.find(key(before.findings[k], true));
      if (found == left.end() || found->second.empty()) continue;
      partners.join(k, found->second.back());
      found->second.pop_back();
    }
  }
  return partners.pairs();
}

Verdict verdict_of(const Pair<Finding>& finding, const Allowances& allowances) {
  if (finding.is_gone()) return Verdict::same;
  if (finding.is_new()) return Verdict::worse;  // an allowance is for how often a known one is seen
  if (finding.before->is_warning != finding.after->is_warning)
    return finding.before->is_warning ? Verdict::worse : Verdict::better;
  return judge(Counter::findings, finding.before->count, finding.after->count, allowances);
}

std::vector<Condition> conditions_that_differ(const Snapshot& before, const Snapshot& after) {
  const auto value = [](const Snapshot& snapshot, const std::string& key) {
    const auto found = snapshot.conditions.find(key);
    return found == snapshot.conditions.end() ? "" : found->second;
  };
  std::map<std::string, std::string> all = before.conditions;
  all.insert(after.conditions.begin(), after.conditions.end());
  std::vector<Condition> different;
  const auto add = [&](const std::string& key, const std::string& old, const std::string& fresh) {
    if (old != fresh) different.push_back({key, old, fresh});
  };
  add("mode", std::string(name(before.mode)), std::string(name(after.mode)));
  for (const auto& [key, any] : all) {
    const bool simulated = key.starts_with("simulated.");
    if (before.mode == after.mode || !simulated) add(key, value(before, key), value(after, key));
  }
  return different;
}

Numbers sum_of(const Snapshot& snapshot) {
  Numbers sum;
  for (const Kernel& kernel : snapshot.kernels) {
    sum.conflicts += kernel.numbers.conflicts;
    sum.wavefronts += kernel.numbers.wavefronts;
    if (kernel.numbers.cycles) sum.cycles = sum.cycles.value_or(0) + *kernel.numbers.cycles;
  }
  return sum;
}

}  // namespace

Result<Diff> diff(const Snapshot& before, const Snapshot& after, const Allowances& allowances) {
  if ((before.mode == Mode::check) != (after.mode == Mode::check))
    return Error{"findings of check cannot be compared with the counters of explain or simulate: before is of " +
                 std::string(name(before.mode)) + ", after of " + std::string(name(after.mode))};
  Diff all;
  all.conditions = conditions_that_differ(before, after);
  all.before = sum_of(before);
  all.after = sum_of(after);
  if (!before.incomplete.empty()) all.incomplete = "before: " + before.incomplete;
  if (!after.incomplete.empty())
    all.incomplete += (all.incomplete.empty() ? "after: " : "; after: ") + after.incomplete;

  std::map<std::string, std::string> renamed;
  for (const auto& indices : match_kernels(before.kernels, after.kernels)) {
    KernelPair kernel{pair_of(before.kernels, after.kernels, indices), {}};
    kernel.verdict = verdict_of(kernel, allowances);
    kernel.lines = line_pairs(kernel, allowances);
    if (!kernel.is_new() && !kernel.is_gone()) renamed[kernel.before->name] = kernel.after->name;
    count(kernel, all.kernel_tally);
    for (const Pair<Line>& line : kernel.lines) count(line, all.line_tally);
    all.kernels.push_back(std::move(kernel));
  }
  std::ranges::stable_sort(all.kernels, [](const KernelPair& a, const KernelPair& b) {
    const auto key = [](const KernelPair& kernel) {
      const bool line_worse = !kernel.lines.empty() && kernel.lines[0].verdict == Verdict::worse;
      const uint64_t change = change_of(kernel.is_new() ? 0 : kernel.before->numbers.conflicts,
                                        kernel.is_gone() ? 0 : kernel.after->numbers.conflicts);
      return std::tuple(line_worse ? 0 : rank(kernel), ~change);
    };
    return key(a) < key(b);
  });
  for (const auto& indices : match_findings(before, after, renamed)) {
    Pair<Finding> finding = pair_of(before.findings, after.findings, indices);
    finding.verdict = verdict_of(finding, allowances);
    count(finding, all.finding_tally);
    all.findings.push_back(finding);
  }
  std::ranges::stable_sort(all.findings, {}, rank<Finding>);
  return all;
}

}  // namespace bankshot::compare
