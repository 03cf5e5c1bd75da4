// The organisations of the elastic-pipeline paper (CF'11, figures 4 to 6): every instruction passes stages, a sub-warp
// a cycle.
#include <algorithm>

#include "bankshot/timing/pipelines/pipeline.hpp"
#include "bankshot/timing/pipelines/stage_config.hpp"

namespace bankshot::timing {
namespace {

StageShape shape_of(Organisation organisation, const Config& config) {
  const unsigned stages = config.parameters[kStages], memory = config.parameters[kMemoryStages];
  // One stage is write-back.
  return {organisation,           stages - memory - 1,    memory,
          premem_entries(config), nonmem_entries(config), config.parameters[kSqueeze] != 0};
}

class Staged final : public Pipeline {
 public:
  Staged(Organisation organisation, const Config& config)
      : stages_(shape_of(organisation, config)),
        length_(config.parameters[kStages]),
        front_(shape_of(organisation, config).front),
        sub_warps_(sub_warps(config)) {}

  Standstill standstill(Cycle now) const override {
    if (now < again_) return {again_, Cause::scratchpad_busy, again_instr_};
    const Stages::Standstill found = stages_.standstill(now);
    return {found.end, found.why == StageStall::returned ? Cause::pipeline : Cause::bank_conflict,
            unpack(found.whose).instr};
  }
  bool staged() const override { return true; }
  Cycle accepts(Cycle now, unsigned) const override { return stages_.moves(std::max(now, next_)); }
  Cycle behind_last(Cycle) const override { return next_; }

  Passage shared(const Issued& issued, std::span<const unsigned> degrees, unsigned latency) override {
    Passage passage;
    services_.clear();
    const auto served = [&](Cycle begin, unsigned degree) {
      if (degree != 0) services_.push_back({begin, begin + degree});
    };
    Cycle written = 0;
    if (std::all_of(degrees.begin(), degrees.end(), [](unsigned degree) { return degree <= 1; })) {
      written = fetch_freely(issued, Flow::memory, degrees.size());
      for (size_t k = 0; k < degrees.size() && written != 0; ++k) served(issued.now + front_ + k, degrees[k]);
    }
    if (written == 0) {
      written = fetch(
          issued, Flow::memory, degrees.size(), [&](size_t k) { return degrees[k]; },
          [&](const StageTimes& times, unsigned degree) { served(times.begin, degree); });
    }
    passage.begin = services_.empty() ? written : services_.front().begin;
    passage.end = services_.empty() ? written : services_.back().end;
    passage.ready = ready(written, latency);
    return passage;
  }
  /// It takes a cycle of the front, as an instruction of one sub-warp.
  Passage again(const Issued& issued, unsigned passes) override {
    Issued at = issued;
    at.now = accepts(issued.now, issued.slot);
    const Passage passage = shared(at, {&passes, 1}, 0);
    again_ = next_;
    again_instr_ = issued.instr;
    return {passage.begin, passage.end, passage.end};
  }
  Cycle other(const Issued& issued, Flow flow, unsigned latency) override {
    Cycle written = fetch_freely(issued, flow, sub_warps_);
    if (written == 0)
      written = fetch(issued, flow, sub_warps_, [](size_t) { return 1u; }, [](const StageTimes&, unsigned) {});
    return ready(written, latency);
  }
  Cycle returned(Cycle now) override {
    for (unsigned k = 0; k < sub_warps_; ++k) now = stages_.returned(now) + 1;
    return now;
  }
  void clear() override {
    stages_.clear();
    next_ = again_ = 0;
    late_.clear();
  }

 private:
  static constexpr unsigned kSlotBits = 6;

  // Who a sub-warp belongs to, in its id: for the last of its warp, whose write-back completes the instruction, a bit
  // more.
  static uint64_t pack(const Issued& issued, bool last) {
    return (uint64_t{issued.instr} << 32 | (issued.generation & kGenerationMask) << kSlotBits | issued.slot) |
           uint64_t{last} << 31;
  }
  static Issued unpack(uint64_t id) {
    Issued issued;
    issued.instr = static_cast<uint32_t>(id >> 32);
    issued.slot = id & ((1u << kSlotBits) - 1);
    issued.generation = id >> kSlotBits & kGenerationMask;
    return issued;
  }

  /// All sub-warps of an instruction, if none in flight is in their way. @return the write-back of the last; 0: one is
  Cycle fetch_freely(const Issued& issued, Flow flow, size_t count) {
    stages_.forget_before(issued.now);
    const Cycle last = stages_.fetch_freely(issued.now, static_cast<unsigned>(count), flow == Flow::memory,
                                            pack(issued, false), pack(issued, true));
    if (last != 0) next_ = issued.now + count;
    return last;
  }

  /// All sub-warps of an instruction. @return the write-back of the last
  template <class Degree, class Tell>
  Cycle fetch(const Issued& issued, Flow flow, size_t count, Degree degree, Tell tell) {
    stages_.forget_before(issued.now);
    Cycle cycle = issued.now, written = issued.now;
    for (size_t k = 0; k < count; ++k) {
      cycle = stages_.moves(cycle);
      const unsigned cycles = degree(k);
      const StageTimes times = stages_.fetch(cycle++, {pack(issued, k + 1 == count), flow == Flow::memory, cycles});
      tell(times, cycles);
      written = std::max(written, times.write_back);
    }
    next_ = cycle;
    for (const Stages::Late& late : stages_.late()) {
      if ((late.id >> 31 & 1) != 0) late_.push_back({unpack(late.id), late.by});
    }
    stages_.late().clear();
    return written;
  }
  /// A unit slower than the pipeline adds the difference.
  Cycle ready(Cycle written, unsigned latency) const {
    return written + 1 + (latency > length_ ? latency - length_ : 0);
  }

  Stages stages_;
  const unsigned length_, front_, sub_warps_;
  Cycle next_ = 0;   ///< the front is free for the next instruction, standstills apart
  Cycle again_ = 0;  ///< … after an access that has it once more
  uint32_t again_instr_ = 0;
};

template <Organisation kOrganisation>
std::unique_ptr<Pipeline> make(const Config& config) {
  return std::make_unique<Staged>(kOrganisation, config);
}

std::string_view lacks(const Config& config) {
  const unsigned stages = config.parameters[kStages], memory = config.parameters[kMemoryStages];
  const bool one_front = config.issue.schedulers == 1 && config.issue.width == 1;
  if (one_front && memory >= 1 && stages >= memory + 2) return {};
  return "an organisation in stages has one scheduler of width 1, at least one of issue.memory_stages and two more of "
         "issue.stages";
}

template <Organisation kOrganisation>
PipelineRegistry::Entry entry(const char* summary) {
  std::vector<const Parameter*> parameters = {&kStages, &kMemoryStages, &kSqueeze};
  if (kOrganisation == Organisation::elastic) parameters.insert(parameters.end(), {&kPremem, &kNonmem});
  return {std::string(kOrganisations[static_cast<size_t>(kOrganisation)]), summary, make<kOrganisation>,
          std::move(parameters), lacks};
}

const PipelineRegistry unified(entry<Organisation::unified>(
    "all instructions pass through the memory stages: a conflict stops everything behind it"));
const PipelineRegistry split(
    entry<Organisation::split>("other instructions have stages beside the memory stages; one that finishes together "
                               "with an access stops everything behind it"));
const PipelineRegistry elastic(
    entry<Organisation::elastic>("stages with queues for instructions that conflicts delay (CF'11)"));

}  // namespace
}  // namespace bankshot::timing
