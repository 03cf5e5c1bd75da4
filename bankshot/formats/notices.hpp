// What a report has to say about single lines, one list for all formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/formats/rules.hpp"
#include "bankshot/formats/verdict.hpp"

namespace bankshot::formats {

/// Another place that belongs to a notice.
struct Related {
  simt::Source source;
  std::string text;  ///< what happens there
};

struct Notice {
  const Rule* rule = nullptr;
  Level level = Level::note;
  std::string kernel = {};   ///< as in the source; empty: of the whole program
  std::string message = {};  ///< one line
  simt::Source source = {};  ///< its line is 0 if it is not known
  std::string file = {};     ///< stands for the place then: the source of the kernel's module, else the program
  std::string module = {};   ///< digest of the kernel's module, or empty
  std::vector<Related> related = {};
  uint64_t weight = 0;  ///< of notices of one level, what is heavier is more important
};

/// What bankshot.toml accepts; the other notices do not have it.
struct Accepted {
  Notice notice;
  std::string reason;
};
std::vector<Accepted> accepted(const report::RunReport& report);

/// Errors first, then warnings, then notes; in each level the heaviest first.
std::vector<Notice> notices(const Run& run);

/// The message; where the source line is not known, with the line of the PTX.
std::string message_with_place(const Notice& notice);

/// A text for each notice that stays the same while other lines are edited: a digest of rule, kernel, file and the text
/// of the line, not of its number; of the number if the text is not known. Notices that agree in all of these are
/// counted.
std::vector<std::string> fingerprints(const std::vector<Notice>& notices, const Surroundings& around);

}  // namespace bankshot::formats
