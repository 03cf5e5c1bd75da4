#include "bankshot/timing/pipelines/stage_chart.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

namespace bankshot::timing {
namespace {

constexpr size_t kMostFetches = 10'000;
constexpr unsigned kMostDegree = 64;

}  // namespace

Result<FetchSequence> parse_fetches(const std::string& text) {
  FetchSequence sequence;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto id = static_cast<uint32_t>(sequence.size());
    if (word == "-") {
      sequence.emplace_back();
    } else if (word == "N" || word == "M") {
      sequence.push_back(SubWarp{id, word == "M", 1});
    } else {
      unsigned degree = 0;
      const char* const end = word.data() + word.size();
      const auto [at, error] = std::from_chars(word.data() + 1, end, degree);
      if (word[0] != 'S' || error != std::errc() || at != end || degree == 0 || degree > kMostDegree) {
        return Error{
            fmt::format("'{}' is no instruction; there are N (not memory), S1 to S{} (shared memory, by conflict "
                        "degree), M (other memory) and - (nothing)",
                        word, kMostDegree)};
      }
      sequence.push_back(SubWarp{id, true, degree});
    }
    if (sequence.size() > kMostFetches) return Error{fmt::format("there are more than {} instructions", kMostFetches)};
  }
  if (sequence.empty()) return Error{"there is no instruction; for example: bankshot pipeline 'S2 N N M - N'"};
  return sequence;
}

StageChart::StageChart(const StageShape& shape, const FetchSequence& sequence) : shape_(shape) {
  Stages stages(shape);
  Cycle cycle = 0;
  for (const std::optional<SubWarp>& next : sequence) {
    cycle = stages.moves(cycle);
    if (next) {
      stages.forget_before(cycle);
      all_.push_back({*next, stages.fetch(cycle, *next)});
      for (const Stages::Late& late : stages.late()) {
        const auto whose =
            std::find_if(all_.rbegin(), all_.rend(), [&](const Passed& one) { return one.who.id == late.id; });
        whose->times.write_back = late.write_back;
      }
      stages.late().clear();
    }
    ++cycle;
  }
  for (const Passed& one : all_) last_ = std::max(last_, one.times.write_back);
}

void StageChart::each_cycle(const std::function<void(const StageRow&)>& each) const {
  if (all_.empty()) return;
  std::vector<unsigned> stage(all_.size(), 0);  // of the front, or of those beside the memory stages
  StageRow row;
  size_t first = 0, behind = 0;  // who is in the stages: fetched, and not written back
  for (row.cycle = 0; row.cycle <= last_; ++row.cycle) {
    while (behind < all_.size() && all_[behind].times.fetch <= row.cycle) ++behind;
    while (all_[first].times.write_back < row.cycle) ++first;
    fill(row, first, behind, stage);
    each(row);
  }
}

/// @param stage  where everybody was in the cycle before
void StageChart::fill(StageRow& row, size_t first, size_t behind, std::vector<unsigned>& stage) const {
  const Cycle cycle = row.cycle;
  const bool split = shape_.organisation == Organisation::split, elastic = shape_.organisation == Organisation::elastic;
  row.front.assign(shape_.front, StageRow::kNobody);
  row.memory.assign(shape_.memory, StageRow::kNobody);
  row.beside.assign(split ? shape_.memory : 0, StageRow::kNobody);
  row.premem.clear();
  row.nonmem.clear();
  row.write_back = StageRow::kNobody;
  row.stall = StageStall::none;
  bool in_exe = false, still = false;  // a sub-warp is in EXE; the front stalls
  bool held = false;                   // the one in the last stage beside is not written back now
  StageStall why = StageStall::none;
  for (size_t k = first; k < behind; ++k) {
    const StageTimes& times = all_[k].times;
    if (times.arrive <= cycle && cycle < times.leave) {
      in_exe = true;
      why = times.why;
    }
    still |= times.still_begin <= cycle && cycle < times.still_end;
    held |= split && !all_[k].who.memory && times.leave < cycle && stage[k] + 1 == shape_.memory &&
            cycle < times.write_back;
  }
  if (still) row.stall = why;
  const auto one_on = [&](unsigned from, bool stop, unsigned& end) {  // no further than whoever is before
    if (shape_.squeeze) return end = std::min(from + 1, end - 1);
    return stop ? from : from + 1;
  };
  unsigned front_end = shape_.front, beside_end = shape_.memory;
  for (size_t k = first; k < behind; ++k) {
    const auto& [who, times] = all_[k];
    if (cycle > times.write_back) continue;
    if (cycle == times.write_back) {
      row.write_back = who.id;
    } else if (cycle < times.leave) {
      if (cycle > times.fetch) stage[k] = one_on(stage[k], in_exe, front_end);
      row.front[stage[k]] = who.id;
    } else if (who.memory || shape_.organisation == Organisation::unified) {
      const Cycle served = times.begin + (who.memory ? who.degree : 1);
      if (cycle < times.begin) {
        row.premem.push_back(who.id);
      } else {
        row.memory[cycle < served ? 0 : cycle - served + 1] = who.id;
      }
    } else if (elastic) {
      row.nonmem.push_back(who.id);
    } else {
      stage[k] = cycle == times.leave ? 0 : one_on(stage[k], held, beside_end);
      row.beside[stage[k]] = who.id;
    }
  }
}

}  // namespace bankshot::timing
