#include "bankshot/formats/github.hpp"

#include <array>
#include <set>

#include <fmt/format.h>

#include "bankshot/formats/notices.hpp"
#include "bankshot/formats/place.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::formats {
namespace {

constexpr size_t kMostShown = 10;

/// The text after "::". GitHub puts "%", "\r" and "\n" back; other control characters must not reach a terminal.
std::string escaped_data(std::string_view text, std::string_view more = "") {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte != 0x7f && c != '%' && more.find(c) == more.npos;
    escaped += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return escaped;
}

/// The value of a property, which ":" and "," would end.
std::string escaped_property(std::string_view text) { return escaped_data(text, ":,"); }

constexpr std::array<const char*, 3> kCommands{"error", "warning", "notice"};

std::string command(Level level, const std::string& properties, std::string_view message) {
  return fmt::format("::{} {}::{}\n", kCommands[static_cast<size_t>(level)], properties, escaped_data(message));
}

std::string annotation(const Notice& notice, const Surroundings& around) {
  std::string properties;
  if (notice.source.line != 0) {
    properties = fmt::format("file={},line={},", escaped_property(place_of(around.root, notice.source.file).path),
                             notice.source.line);
  }
  return command(notice.level, properties + "title=" + escaped_property(notice.rule->name), notice.message);
}

}  // namespace

std::string to_github(const std::vector<Run>& runs, const Surroundings& around) {
  std::array<std::vector<std::string>, 3> lines;  // by level
  for (const Run& run : runs) {
    for (const std::string& gap : all_gaps(run)) lines[0].push_back(command(Level::error, "title=Incomplete", gap));
  }
  std::set<std::string> changed;  // the same program on several GPUs
  for (const Run& run : runs) changed.insert(run.report.changed_sources.begin(), run.report.changed_sources.end());
  for (const std::string& file : changed) {
    const std::string place = fmt::format("file={},", escaped_property(place_of(around.root, file).path));
    lines[1].push_back(command(Level::warning, place + "title=Changed source", changed_source_text(file)));
  }
  for (const Run& run : runs) {
    const std::string gpu = runs.size() > 1 ? " (" + printable(run.report.gpu) + ")" : "";
    for (Notice& notice : notices(run)) {
      notice.message = message_with_place(notice) + gpu;
      lines[static_cast<size_t>(notice.level)].push_back(annotation(notice, around));
    }
  }
  std::string text;
  for (size_t level = 0; level < lines.size(); ++level) {
    const std::vector<std::string>& all = lines[level];
    const size_t shown = all.size() > kMostShown ? kMostShown - 1 : all.size();
    for (size_t k = 0; k < shown; ++k) text += all[k];
    if (shown < all.size())
      text += command(
          static_cast<Level>(level), "title=More",
          fmt::format("{} more of this level; --sarif and --json include all", report::grouped(all.size() - shown)));
  }
  return text;
}

}  // namespace bankshot::formats
