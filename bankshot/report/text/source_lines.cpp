#include "bankshot/report/text/source_lines.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "bankshot/support/path_below.hpp"
#include "bankshot/support/source_endings.hpp"

namespace bankshot::report {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestFile = 16u << 20;

/// Symbolic links are followed, so that none leads out of a root.
fs::path resolved(const fs::path& path) {
  std::error_code code;
  const fs::path whole = fs::weakly_canonical(path, code);
  return code ? path.lexically_normal() : whole;
}

std::vector<std::string> read(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file, std::ios::binary);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

SourcePolicy with_resolved_roots(SourcePolicy policy) {
  if (policy.roots) {
    for (std::string& root : *policy.roots) root = resolved(root).string();
  }
  return policy;
}

/// @param policy  with resolved roots
bool is_inside(const fs::path& file, const SourcePolicy& policy) {
  return !policy.roots || std::ranges::any_of(*policy.roots, [&](const std::string& root) {
    return path_below(file, root).has_value();
  });
}

}  // namespace

bool may_be_read(const std::string& file, const SourcePolicy& policy) {
  const fs::path path = resolved(file);
  return is_source(file) && is_source(path.string()) && is_inside(path, with_resolved_roots(policy));
}

SourceLines::SourceLines(SourcePolicy policy) : policy_(with_resolved_roots(std::move(policy))) {}

/// A program names its sources itself: no line of any other file is to get into a report by a name that was made up.
const SourceLines::File& SourceLines::file(const std::string& name) {
  const auto [at, is_new] = files_.try_emplace(name);
  File& file = at->second;
  if (!is_new || name.empty() || !is_source(name)) return file;
  std::error_code code;
  const fs::path path = resolved(name);
  if (!fs::is_regular_file(path, code) || fs::file_size(path, code) > kLargestFile || code) return file;
  file.outside = !is_inside(path, policy_);
  if (!file.outside && is_source(path.string())) file.lines = read(path);
  return file;
}

const std::vector<std::string>& SourceLines::lines(const std::string& name) { return file(name).lines; }

std::string SourceLines::get(const std::string& name, uint32_t line) {
  const std::vector<std::string>& all = lines(name);
  if (line == 0 || line > all.size()) return {};
  const std::string_view text = all[line - 1];
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return printable(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::vector<std::string> SourceLines::changed_files() const {
  std::vector<std::string> changed;
  std::error_code code;
  if (policy_.program.empty()) return changed;
  const fs::file_time_type built = fs::last_write_time(policy_.program, code);
  if (code) return changed;
  for (const auto& [name, file] : files_) {
    if (file.lines.empty() || fs::last_write_time(name, code) <= built || code) continue;
    changed.push_back(name);
  }
  return changed;
}

std::string SourceLines::changed() const {
  std::string names;
  for (const std::string& name : changed_files())
    names += (names.empty() ? "" : ", ") + printable(fs::path(name).filename().string());
  if (names.empty()) return {};
  return "note: changed since the program was built, so the quoted lines may be wrong: " + names;
}

std::string SourceLines::outside() const {
  std::set<std::string> folders;
  for (const auto& [name, file] : files_) {
    if (file.outside) folders.insert(fs::path(name).lexically_normal().parent_path().string());
  }
  if (folders.empty()) return {};
  std::string text = "note: source lines outside the project are not quoted; to see them: --source-root " +
                     printable(*folders.begin());
  if (folders.size() > 1) text += " (and " + std::to_string(folders.size() - 1) + " more)";
  return text;
}

std::vector<std::string> SourceLines::notes() const {
  std::vector<std::string> notes;
  for (std::string note : {changed(), outside()}) {
    if (!note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace bankshot::report
