#include "bankshot/report/json/timeline_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/timing/base/config.hpp"

namespace bankshot::report {
namespace {

constexpr unsigned kKernels = 0, kFirstSm = 1;  // process numbers
constexpr unsigned kThreadsOfRow = 1000, kRowsOfTrack = 256;

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string metadata(const char* what, unsigned process, unsigned thread, const std::string& arguments) {
  return fmt::format(",\n{{\"ph\":\"M\",\"name\":\"{}\",\"ts\":0,\"pid\":{},\"tid\":{},\"args\":{{{}}}}}", what,
                     process, thread, arguments);
}

/// "warp 3", "fp32", "scratchpad"
std::string row_name(timing::Track track, unsigned index) {
  switch (track) {
    case timing::Track::warp: return fmt::format("warp {}", index);
    case timing::Track::unit:
      return index < timing::kUnitClasses ? name(static_cast<timing::UnitClass>(index)) : fmt::format("unit {}", index);
    case timing::Track::scratchpad: return "scratchpad";
  }
  return {};
}

/// "ld.shared.f32 transpose.cu:42"
std::string span_name(const timing::LaunchTiming& launch, const timing::Span& span) {
  if (span.instr >= launch.lines.size()) return "instruction";
  const timing::LineTiming& line = launch.lines[span.instr];
  if (line.source.line == 0) return fmt::format("{} PTX line {}", line.op, line.source.ptx_line);
  const size_t slash = line.source.file.rfind('/');
  return fmt::format("{} {}:{}", line.op, line.source.file.substr(slash == std::string::npos ? 0 : slash + 1),
                     line.source.line);
}

}  // namespace

unsigned TimelineJson::thread_of(const timing::Span& span, timing::Cycle begin, timing::Cycle end) {
  const bool new_sm =
      rows_.lower_bound({span.sm, timing::Track{}, 0u}) == rows_.lower_bound({span.sm + 1u, timing::Track{}, 0u});
  Row& row = rows_[{span.sm, span.track, span.index}];
  if (new_sm) {
    events_ += metadata("process_name", kFirstSm + span.sm, 0, fmt::format("\"name\":\"SM {}\"", span.sm));
    events_ +=
        metadata("process_sort_index", kFirstSm + span.sm, 0, fmt::format("\"sort_index\":{}", kFirstSm + span.sm));
  }
  const auto free = std::ranges::find_if(row.ends, [&](timing::Cycle last) { return last <= begin; });
  const auto beside = static_cast<unsigned>(free - row.ends.begin());
  const unsigned thread = (static_cast<unsigned>(span.track) * kRowsOfTrack + span.index) * kThreadsOfRow + beside + 1;
  if (free != row.ends.end()) {
    *free = end;
    return thread;
  }
  row.ends.push_back(end);
  const std::string more = beside == 0 ? "" : fmt::format(" ({})", beside + 1);
  const std::string title = row_name(span.track, span.index) + more;
  events_ += metadata("thread_name", kFirstSm + span.sm, thread, "\"name\":" + json_text(title));
  events_ += metadata("thread_sort_index", kFirstSm + span.sm, thread, fmt::format("\"sort_index\":{}", thread));
  return thread;
}

void TimelineJson::add(std::string_view kernel, const timing::LaunchTiming& launch, timing::Cycle start) {
  if (events_.empty()) events_ += metadata("process_name", kKernels, 0, "\"name\":\"kernels (1 us is 1 core cycle)\"");
  events_ += fmt::format(
      ",\n{{\"ph\":\"X\",\"name\":{},\"cat\":\"kernel\",\"ts\":{},\"dur\":{},\"pid\":{},\"tid\":1,\"args\":{{"
      "\"partial\":{}}}}}",
      json_text(demangle(kernel)), start, launch.counters.cycles, kKernels, launch.partial);
  std::unordered_map<uint32_t, std::string> names;  // of instructions, as JSON
  for (const timing::Span& span : launch.timeline) {
    std::string& name = names[span.instr];
    if (name.empty()) name = json_text(span_name(launch, span));
    const timing::Cycle begin = start + span.begin, end = start + std::max(span.begin, span.end);
    const unsigned thread = thread_of(span, begin, end);
    const auto out = std::back_inserter(events_);
    fmt::format_to(
        out,
        ",\n{{\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"ts\":{},\"dur\":{},\"pid\":{},\"tid\":{},\"args\":{{\"cta\":{}",
        name,
        span.track == timing::Track::warp   ? "warp"
        : span.track == timing::Track::unit ? "unit"
                                            : "scratchpad",
        begin, end - begin, kFirstSm + span.sm, thread, span.cta);
    if (span.degree != 0) fmt::format_to(out, ",\"degree\":{}", span.degree);
    events_ += "}}";
  }
}

std::string TimelineJson::text() const {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":\"1 us is 1 core cycle\"},\"traceEvents\":[";
  if (!events_.empty()) text += events_.substr(1);
  return text + "\n]}\n";
}

}  // namespace bankshot::report
