#include "bankshot/report/run/specializations.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bankshot::report {
namespace {

constexpr size_t kWidth = 80;  ///< of a name, in bytes; longer ones have only parts that are needed

/// What a part is about: "BM" of "BM=64", "x" of "x: *fp16".
std::string subject(const std::string& part) { return part.substr(0, part.find_first_of("=:")); }

std::string name_with(const Kernel& kernel, const std::set<std::string>& left_out) {
  std::vector<std::string> parts = kernel.module.specialization;
  std::erase_if(parts, [&](const std::string& part) { return left_out.contains(subject(part)); });
  const std::string name = demangle(kernel.name);
  return parts.empty() ? name : fmt::format("{}<{}>", name, fmt::join(parts, ", "));
}

std::vector<std::string> names_with(const std::vector<Kernel*>& alike, const std::set<std::string>& left_out) {
  std::vector<std::string> names;
  for (const Kernel* kernel : alike) names.push_back(name_with(*kernel, left_out));
  return names;
}

size_t different(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size();
}

/// What the kernels do not differ in. Of the rest, what comes last in a list is left out of long names first.
std::set<std::string> subjects_to_leave_out(const std::vector<Kernel*>& alike) {
  std::vector<std::string> subjects;
  for (const Kernel* kernel : alike) {
    for (const std::string& part : kernel->module.specialization) {
      if (std::ranges::find(subjects, subject(part)) == subjects.end()) subjects.push_back(subject(part));
    }
  }
  std::set<std::string> left_out;
  for (const std::string& one : subjects) {
    const auto about = [&](const Kernel* kernel) {
      std::vector<std::string> parts = kernel->module.specialization;
      std::erase_if(parts, [&](const std::string& part) { return subject(part) != one; });
      return parts;
    };
    if (std::ranges::all_of(alike, [&](const Kernel* kernel) { return about(kernel) == about(alike[0]); }))
      left_out.insert(one);
  }
  for (auto last = subjects.rbegin(); last != subjects.rend(); ++last) {
    const std::vector<std::string> names = names_with(alike, left_out);
    if (std::ranges::all_of(names, [](const std::string& name) { return name.size() <= kWidth; })) break;
    if (!left_out.insert(*last).second) continue;
    if (different(names_with(alike, left_out)) < different(names)) left_out.erase(*last);
  }
  return left_out;
}

}  // namespace

void tell_apart(RunReport& report) {
  std::map<std::pair<std::string, std::string>, std::vector<Kernel*>> groups;
  for (Kernel& kernel : report.kernels) {
    if (!kernel.module.specialization.empty()) groups[{kernel.name, kernel.module.file}].push_back(&kernel);
  }
  for (const auto& [name, alike] : groups) {
    const std::set<std::string> left_out = subjects_to_leave_out(alike);
    for (Kernel* kernel : alike) kernel->demangled = name_with(*kernel, left_out);
  }
}

}  // namespace bankshot::report
