#include "bankshot/fix/compare.hpp"

#include <algorithm>
#include <regex>
#include <sstream>
#include <vector>

#include <fmt/format.h>

namespace bankshot::fix {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

/// "line 3: 'a' and 'b'", of the first entry that differs; empty if there is none. @param what  an entry is called
std::string first_difference(const std::vector<std::string>& left, const std::vector<std::string>& right,
                             const char* what) {
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const std::string x = i < left.size() ? "'" + left[i] + "'" : "nothing",
                      y = i < right.size() ? "'" + right[i] + "'" : "nothing";
    if (x != y) return fmt::format("{} {}: {} and {}", what, i + 1, x, y);
  }
  return {};
}

/// Of two outputs that differ.
std::string first_difference(const std::string& a, const std::string& b) {
  const std::string line = first_difference(lines(a), lines(b), "line");
  return line.empty() ? "the last line's end" : line;
}

/// Of what two processes did to memory; empty if it is the same.
std::string first_difference(const cuda::WitnessRecord& a, const cuda::WitnessRecord& b) {
  if (std::string event = first_difference(a.named, b.named, "event"); !event.empty()) return "memory, " + event;
  if (a.events != b.events) return fmt::format("memory, {} and {} events", a.events, b.events);
  if (a.digest != b.digest) return fmt::format("memory, an event behind the first {}", a.named.size());
  const std::string left = first_difference(a.left, b.left, "allocation");
  return left.empty() ? "" : "memory that is left at the end, " + left;
}

/// A line with # for each number in it.
std::string without_numbers(const std::string& line) {
  static const std::regex number(R"([-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?)");
  return std::regex_replace(line, number, "#");
}

std::set<size_t> unsteady_lines(const std::string& a, const std::string& b) {
  const std::vector<std::string> left = lines(a), right = lines(b);
  std::set<size_t> all;
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i] != right[i] && without_numbers(left[i]) == without_numbers(right[i])) all.insert(i);
  }
  return all;
}

std::string steady(const std::string& text, const std::set<size_t>& unsteady) {
  if (unsteady.empty()) return text;
  std::vector<std::string> all = lines(text);
  std::string out;
  for (size_t i = 0; i < all.size(); ++i) out += (unsteady.contains(i) ? without_numbers(all[i]) : all[i]) + "\n";
  if (!text.ends_with('\n') && !out.empty()) out.pop_back();
  return out;
}

std::string lines_text(const std::set<size_t>& numbers, const std::string& where) {
  std::string list;
  size_t count = 0;
  for (size_t number : numbers) {
    if (++count <= 3) list += (list.empty() ? "" : ", ") + std::to_string(number + 1);
  }
  if (count > 3) list += fmt::format(" and {} more", count - 3);
  return count == 0 ? "" : fmt::format("the numbers in line{} {} of {}", count == 1 ? "" : "s", list, where);
}

}  // namespace

std::string Unsteady::text() const {
  const std::string first = lines_text(output, "standard output"), second = lines_text(error, "standard error");
  return first + (first.empty() || second.empty() ? "" : " and ") + second;
}

Unsteady unsteady(const WitnessedRun& first, const WitnessedRun& second) {
  return {unsteady_lines(first.output, second.output), unsteady_lines(first.error, second.error)};
}

std::string difference(const WitnessedRun& first, const WitnessedRun& second, const Unsteady& ignored) {
  const int a = first.seen.ending.shell_status(), b = second.seen.ending.shell_status();
  if (a != b) return fmt::format("exit status {} and {}", a, b);
  const std::string outputs[] = {steady(first.output, ignored.output), steady(second.output, ignored.output)};
  if (outputs[0] != outputs[1]) return "standard output, " + first_difference(outputs[0], outputs[1]);
  const std::string errors[] = {steady(first.error, ignored.error), steady(second.error, ignored.error)};
  if (errors[0] != errors[1]) return "standard error, " + first_difference(errors[0], errors[1]);
  const auto &left = first.seen.witnesses, &right = second.seen.witnesses;
  if (left.size() != right.size())
    return fmt::format("{} and {} processes that used the GPU", left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i) {
    if (const std::string what = first_difference(left[i], right[i]); !what.empty()) return what;
  }
  return {};
}

std::string unproved(const WitnessedRun& run) {
  uint64_t launches = 0, witnessed = 0;
  for (const report::Kernel& kernel : run.seen.report.kernels) launches += kernel.launches;
  for (const cuda::WitnessRecord& process : run.seen.witnesses) witnessed += process.launches;
  if (launches == witnessed) return {};
  return fmt::format(
      "{} launches ran, and of {} it is known what they left in memory: a process did not come to an orderly end",
      launches, witnessed);
}

std::string failure_of(const WitnessedRun& run) {
  if (run.seen.ending.shell_status() != 0)
    return fmt::format("the program failed (exit status {}): there is nothing to prove a fix with",
                       run.seen.ending.shell_status());
  if (!run.seen.unfinished.empty()) return run.seen.unfinished[0];
  if (run.seen.report.is_partial()) return "launches of kernels failed: there is nothing to prove a fix with";
  return unproved(run);
}

std::string disproved(const std::string& what, const WitnessedRun& original, const WitnessedRun& run,
                      const Unsteady& ignored) {
  if (const std::string first = difference(original, run, ignored); !first.empty())
    return what + " differs from the original: " + first;
  const std::string why = failure_of(run);
  return why.empty() ? "" : what + ": " + why;
}

cuda::DynamicShared dynamic_shared(const WitnessedRun& run, const std::string& kernel) {
  cuda::DynamicShared all;
  for (const cuda::WitnessRecord& process : run.seen.witnesses) {
    if (const auto own = process.dynamic_shared.find(kernel); own != process.dynamic_shared.end()) all.add(own->second);
  }
  return all;
}

}  // namespace bankshot::fix
