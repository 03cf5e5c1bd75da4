#include "bankshot/cli/fix_run.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "bankshot/cli/write_file.hpp"

namespace bankshot::cli {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kTraced = 4096;  // different accesses kept of each instruction

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) files.push_back(entry.path());
  // By number, so that 99 comes before 100.
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    const std::string left = a.string(), right = b.string();
    return left.size() != right.size() ? left.size() < right.size() : left < right;
  });
  return files;
}

/// Each run reads the same: a file from where it was given to us, or nothing.
void rewind_input(off_t start) {
  struct stat status{};
  if (fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode)) {
    lseek(STDIN_FILENO, start, SEEK_SET);
    return;
  }
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) {
    dup2(nothing, STDIN_FILENO);
    close(nothing);
  }
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

/// "line 3: 'a' and 'b'", of the first line that differs.
std::string first_difference(const std::string& a, const std::string& b) {
  const std::vector<std::string> left = lines(a), right = lines(b);
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const std::string x = i < left.size() ? "'" + left[i] + "'" : "nothing",
                      y = i < right.size() ? "'" + right[i] + "'" : "nothing";
    if (x != y) return fmt::format("line {}: {} and {}", i + 1, x, y);
  }
  return "the last line's end";
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

Result<RepeatedRuns> RepeatedRuns::make(Setup& setup, const std::vector<std::string>& command) {
  Result<ReportFolder> folder = ReportFolder::make();
  if (!folder) return folder.error();
  return RepeatedRuns(setup, command, std::move(*folder));
}

Result<WitnessedRun> RepeatedRuns::run(const std::map<std::string, std::string>& patches) {
  static const off_t start = std::max<off_t>(lseek(STDIN_FILENO, 0, SEEK_CUR), 0);
  // Names of one length: the environment lies on the stack, and addresses on it must be the same.
  const fs::path folder = fs::path(folder_.path()) / fmt::format("run{:04}", count_++);
  for (const char* part : {"witness", "ptx", "patch"}) fs::create_directories(folder / part);
  for (const auto& [digest, text] : patches) {
    if (const auto error = write_file((folder / "patch" / (digest + ".ptx")).string(), text)) return *error;
  }
  setup_.environment["BANKSHOT_WITNESS_DIR"] = (folder / "witness").string();
  setup_.environment["BANKSHOT_PTX_DIR"] = (folder / "ptx").string();
  setup_.environment["BANKSHOT_PATCH_DIR"] = (folder / "patch").string();
  const std::string output = (folder / "stdout").string(), error = (folder / "stderr").string();
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  const int err = open(error.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  rewind_input(start);
  const Result<Observation> seen =
      out < 0 || err < 0
          ? Result<Observation>(Error{output + ": " + std::strerror(errno)})
          : observe(setup_, command_,
                    {.launch = {.output = out, .error = err, .fixed_addresses = true}, .trace_accesses = kTraced});
  close(out);
  close(err);
  if (!seen) return seen.error();
  WitnessedRun run{*seen, contents(output), contents(error), {}, {}};
  for (const fs::path& file : files_in(folder / "witness")) run.witnesses.push_back(contents(file));
  for (const fs::path& file : files_in(folder / "ptx")) run.ptx[file.stem().string()] = contents(file);
  return run;
}

std::string difference(const WitnessedRun& first, const WitnessedRun& second, const Unsteady& ignored) {
  const int a = first.seen.ending.shell_status(), b = second.seen.ending.shell_status();
  if (a != b) return fmt::format("exit status {} and {}", a, b);
  const std::string outputs[] = {steady(first.output, ignored.output), steady(second.output, ignored.output)};
  if (outputs[0] != outputs[1]) return "standard output, " + first_difference(outputs[0], outputs[1]);
  const std::string errors[] = {steady(first.error, ignored.error), steady(second.error, ignored.error)};
  if (errors[0] != errors[1]) return "standard error, " + first_difference(errors[0], errors[1]);
  if (first.witnesses.size() != second.witnesses.size()) {
    return fmt::format("{} and {} processes that used the GPU", first.witnesses.size(), second.witnesses.size());
  }
  for (size_t i = 0; i < first.witnesses.size(); ++i) {
    if (first.witnesses[i] != second.witnesses[i])
      return "memory, " + first_difference(first.witnesses[i], second.witnesses[i]);
  }
  return {};
}

std::string unproved(const WitnessedRun& run) {
  uint64_t launches = 0, witnessed = 0;
  for (const report::Kernel& kernel : run.seen.report.kernels) launches += kernel.launches;
  for (const std::string& text : run.witnesses) {
    const std::string begin = "end after ";
    const size_t at = text.rfind(begin);
    if (at != std::string::npos) witnessed += std::strtoull(text.c_str() + at + begin.size(), nullptr, 10);
  }
  if (launches == witnessed) return {};
  return fmt::format(
      "{} launches ran, and of {} it is known what they left in memory: a process did not come to an orderly end",
      launches, witnessed);
}

uint64_t dynamic_shared(const WitnessedRun& run, const std::string& kernel) {
  uint64_t most = 0;
  for (const std::string& text : run.witnesses) {
    for (const std::string& line : lines(text)) {
      if (!line.starts_with("launch of " + kernel + ", ")) continue;
      const size_t at = line.rfind(" bytes of dynamic"), begin = line.rfind(' ', at - 1);
      if (at != std::string::npos) most = std::max<uint64_t>(most, std::strtoull(line.c_str() + begin, nullptr, 10));
    }
  }
  return most;
}

}  // namespace bankshot::cli
