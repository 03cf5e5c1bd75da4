#include "bankshot/cli/base/outcome.hpp"

#include <cstdio>

#include "bankshot/report/text/text.hpp"

namespace bankshot::cli {

Status say_what_is_missing(const host::Observation& seen) {
  for (const std::string& sentence : seen.lost) std::fprintf(stderr, "bankshot: %s\n", sentence.c_str());
  const bool cut_short = !seen.unfinished.empty() || seen.report.partial;
  if (seen.ending.signal == 0) {  // of a program that was killed that is said anyway
    for (const std::string& sentence : seen.unfinished) std::fprintf(stderr, "bankshot: %s\n", sentence.c_str());
    if (seen.ending.status == 0 && seen.report.partial && seen.unfinished.empty() && seen.lost.empty())
      std::fprintf(stderr,
                   "bankshot: a process was killed or did not exit normally; the report may lack its last launches\n");
  }
  if (!seen.lost.empty()) return kBadInput;
  return cut_short ? kProgramFailed : kDone;
}

void say_how_it_ended(const host::Target& target, const host::Ending& ending) {
  if (const std::string killed = host::killed_text(target, ending); !killed.empty()) {
    std::fprintf(stderr, "bankshot: %s\n", killed.c_str());
  }
  if (ending.signal == 0 && ending.status != 0) {
    std::fprintf(stderr, "bankshot: %s ended with status %d\n", target.path.c_str(), ending.status);
  }
}

bool say_failed_launches(const report::RunReport& report) {
  const uint64_t failed = report.failed_launches();
  if (failed == 0) return false;
  std::fprintf(stderr, "bankshot: %s %s of a kernel failed\n", report::grouped(failed).c_str(),
               failed == 1 ? "launch" : "launches");
  return true;
}

}  // namespace bankshot::cli
