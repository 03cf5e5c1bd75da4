#include "bankshot/sweep/engines/result_lines.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace bankshot::sweep {

std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<Outcome> ResultFile::fresh() {
  std::vector<Outcome> outcomes;
  std::error_code code;
  if (const auto size = std::filesystem::file_size(path_, code); code || size <= read_) return outcomes;
  std::ifstream file(path_, std::ios::binary);
  if (!file.seekg(static_cast<std::streamoff>(read_))) return outcomes;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const std::string_view line : whole_lines(text)) {
    read_ += line.size() + 1;
    if (Result<Outcome> outcome = outcome_from(line)) outcomes.push_back(*std::move(outcome));
  }
  return outcomes;
}

std::vector<Outcome> ResultFile::all() {
  read_ = 0;
  return fresh();
}

}  // namespace bankshot::sweep
