#include "bankshot/report/text/source_lines.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "bankshot/support/source_endings.hpp"

namespace bankshot::report {
namespace {

constexpr uintmax_t kLargestFile = 16u << 20;

/// A program names its sources itself: no line of any other file is to get into a report by a name that was made up.
std::vector<std::string> read(const std::string& file) {
  std::error_code code;
  if (!is_source(file)) return {};
  if (!std::filesystem::is_regular_file(file, code) || std::filesystem::file_size(file, code) > kLargestFile || code) {
    return {};
  }
  std::vector<std::string> lines;
  std::ifstream in(file, std::ios::binary);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

const std::vector<std::string>& SourceLines::all(const std::string& file) {
  auto found = files_.find(file);
  if (found == files_.end()) found = files_.emplace(file, read(file)).first;
  return found->second;
}

std::string SourceLines::get(const std::string& file, uint32_t line) {
  if (file.empty() || line == 0) return {};
  const std::vector<std::string>& lines = all(file);
  if (line > lines.size()) return {};
  const std::string_view text = lines[line - 1];
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return printable(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::string SourceLines::newer_text() const {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::file_time_type built = program_.empty() ? fs::file_time_type::max() : fs::last_write_time(program_, code);
  if (code) return {};
  std::string names;
  for (const auto& [file, lines] : files_) {
    if (lines.empty() || fs::last_write_time(file, code) <= built || code) continue;
    names += (names.empty() ? "" : ", ") + printable(fs::path(file).filename().string());
  }
  if (names.empty()) return {};
  return "note: changed since the program was built, so the quoted lines may be wrong: " + names + "\n";
}

}  // namespace bankshot::report
