#include "bankshot/cli/base/outcome.hpp"

#include <cstdio>

#include "bankshot/report/text/text.hpp"

namespace bankshot::cli {

namespace {

std::vector<std::string> what_is_missing(const host::Observation& seen) {
  std::vector<std::string> sentences = seen.lost;
  if (seen.ending.signal != 0) return sentences;  // of a program that was killed that is said anyway
  sentences.insert(sentences.end(), seen.unfinished.begin(), seen.unfinished.end());
  if (seen.ending.status == 0 && seen.report.partial && seen.unfinished.empty() && seen.lost.empty())
    sentences.push_back("a process was killed or did not exit normally; the report may lack its last launches");
  return sentences;
}

/// How a program ended, or empty if it succeeded.
std::string ending_text(const host::Target& target, const host::Ending& ending) {
  if (std::string killed = host::killed_text(target, ending); !killed.empty()) return killed;
  if (ending.signal != 0 || ending.status == 0) return {};
  return target.path + " ended with status " + std::to_string(ending.status);
}

}  // namespace

Status say_what_is_missing(const host::Observation& seen) {
  for (const std::string& sentence : what_is_missing(seen)) std::fprintf(stderr, "bankshot: %s\n", sentence.c_str());
  if (!seen.lost.empty()) return kBadInput;
  return !seen.unfinished.empty() || seen.report.partial ? kProgramFailed : kDone;
}

void say_how_it_ended(const host::Target& target, const host::Ending& ending) {
  if (const std::string text = ending_text(target, ending); !text.empty())
    std::fprintf(stderr, "bankshot: %s\n", text.c_str());
}

std::vector<std::string> incomplete(const host::Target& target, const host::Observation& seen) {
  std::vector<std::string> sentences = what_is_missing(seen);
  if (std::string text = ending_text(target, seen.ending); !text.empty()) sentences.push_back(std::move(text));
  return sentences;
}

bool say_failed_launches(const report::RunReport& report) {
  const auto say_if_any = [](uint64_t launches, const char* what) {
    if (launches != 0)
      std::fprintf(stderr, "bankshot: %s %s of a kernel %s\n", report::grouped(launches).c_str(),
                   launches == 1 ? "launch" : "launches", what);
    return launches != 0;
  };
  const bool failed = say_if_any(report.failed_launches(), "failed");
  return say_if_any(report.partial_launches(), "stopped before the end") || failed;
}

}  // namespace bankshot::cli
