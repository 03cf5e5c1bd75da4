// What bankshot/timing/pipelines/pipeline.hpp says of every organisation of the pipeline.
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include "bankshot/timing/pipelines/pipeline.hpp"
#include "tests/contract/machine.hpp"

namespace bankshot::timing {
namespace {

constexpr unsigned kLatency = 8;

/// What a pipeline answers to one call, to be compared.
using Answer = std::tuple<Cycle, Cycle, Cycle, Cycle>;

/// Issues random instructions as an SM does, and checks each answer.
class Driver {
 public:
  Driver(Pipeline& pipeline, unsigned sub_warps) : pipeline_(pipeline), sub_warps_(sub_warps) {}

  std::vector<Answer> run(unsigned instructions) {
    for (unsigned k = 0; k < instructions && !::testing::Test::HasFailure(); ++k) {
      Issued issued{now_, k, static_cast<uint8_t>(random_() % 48), k};
      switch (random_() % 5) {
        case 0:
        case 1: access(issued); break;
        case 2: other(issued, Flow::memory, 0); break;
        case 3: other(issued, Flow::other, random_() % 2 == 0 ? 1 : 20); break;
        default: returned();
      }
      check_late();
      now_ += random_() % 4;
    }
    return answers_;
  }

 private:
  /// The first cycle in which something can issue.
  void wait(bool shared, unsigned slot) {
    for (;;) {
      const Cycle end = pipeline_.standstill(now_).end;
      ASSERT_GE(end, now_);
      Cycle at = end;
      if (shared) {
        at = std::max(at, pipeline_.accepts(now_, slot));
        ASSERT_EQ(pipeline_.accepts(at, slot), at) << "the cycle that it tells is one in which an access can enter";
      }
      if (at == now_) return;
      now_ = at;
    }
  }

  /// @param earliest  that its result may be there
  void issue(const Issued& issued, Cycle begin, Cycle end, Cycle ready, Cycle earliest) {
    in_flight_.insert({issued.slot, issued.instr, issued.generation & kGenerationMask});
    answers_.push_back({issued.now, begin, end, ready});
    EXPECT_GE(ready, earliest);
    const Cycle next = pipeline_.behind_last(now_ + sub_warps_);
    EXPECT_GT(next, now_);
    now_ = next;
  }

  void access(Issued issued) {
    wait(true, issued.slot);
    issued.now = now_;
    std::vector<unsigned> degrees(pipeline_.staged() ? sub_warps_ : 1);
    for (unsigned& degree : degrees) degree = random_() % 3 == 0 ? random_() % 9 : 1;
    degrees.back() = std::max(1u, degrees.back());
    const Passage passage = pipeline_.shared(issued, degrees, kLatency);
    check_services(passage, degrees);
    issue(issued, passage.begin, passage.end, passage.ready, now_ + 1);
    if (random_() % 4 != 0) return;
    issued.now = pipeline_.accepts(now_, issued.slot);
    const unsigned passes = 1 + random_() % 5;
    const Passage again = pipeline_.again(issued, passes);
    check_services(again, {passes});
    answers_.push_back({issued.now, again.begin, again.end, again.ready});
    now_ = std::max(now_, issued.now);
  }

  /// The banks serve every sub-warp for its whole degree, one after the other, and nobody else meanwhile.
  void check_services(const Passage& passage, const std::vector<unsigned>& degrees) {
    const auto services = pipeline_.services();
    const auto with_lanes = degrees.size() - static_cast<size_t>(std::ranges::count(degrees, 0u));
    ASSERT_EQ(services.size(), with_lanes);
    Cycle served = 0;
    for (const Pipeline::Service& service : services) {
      EXPECT_GE(service.begin, banks_free_);
      served += service.end - service.begin;
      banks_free_ = service.end;
    }
    EXPECT_EQ(served, std::accumulate(degrees.begin(), degrees.end(), Cycle{0}));
    EXPECT_EQ(passage.begin, services.front().begin);
    EXPECT_EQ(passage.end, services.back().end);
    EXPECT_GE(passage.ready, passage.end);
    EXPECT_GE(passage.begin, now_);
  }

  void other(Issued issued, Flow flow, unsigned latency) {
    wait(false, issued.slot);
    issued.now = now_;
    // Without a latency somebody else knows when the result is there.
    issue(issued, 0, 0, pipeline_.other(issued, flow, latency), now_ + (latency == 0 ? 0 : 1));
  }

  void returned() {
    const Cycle ready = pipeline_.returned(now_);
    EXPECT_GE(ready, now_);
    answers_.push_back({now_, 0, 0, ready});
  }

  void check_late() {
    for (const Pipeline::Late& late : pipeline_.late()) {
      EXPECT_GT(late.by, 0u);
      EXPECT_TRUE(in_flight_.contains({late.whose.slot, late.whose.instr, late.whose.generation & kGenerationMask}))
          << "only what issued can come later";
      answers_.push_back({late.whose.instr, late.by, 0, 0});
    }
    pipeline_.late().clear();
  }

  Pipeline& pipeline_;
  const unsigned sub_warps_;
  std::mt19937 random_{11};
  Cycle now_ = 0, banks_free_ = 0;
  std::set<std::tuple<unsigned, uint32_t, uint32_t>> in_flight_;
  std::vector<Answer> answers_;
};

class PipelineContract : public ::testing::TestWithParam<std::string> {
 protected:
  static const Config& config() {
    static const Config machine = contract_machine();
    return machine;
  }
  static std::unique_ptr<Pipeline> make() { return PipelineRegistry::find(GetParam())->make(config()); }
  static std::vector<Answer> run(Pipeline& pipeline, unsigned instructions) {
    return Driver(pipeline, sub_warps(config())).run(instructions);
  }
};

TEST_P(PipelineContract, banks_serve_each_access_for_as_long_as_it_needs_them_and_one_at_a_time) {
  EXPECT_GE(run(*make(), 5000).size(), 5000u);
}

TEST_P(PipelineContract, answers_the_same_when_the_same_issues) { EXPECT_EQ(run(*make(), 500), run(*make(), 500)); }

TEST_P(PipelineContract, is_empty_when_a_launch_begins) {
  const auto pipeline = make();
  const std::vector<Answer> first = run(*pipeline, 500);
  pipeline->clear();
  EXPECT_EQ(run(*pipeline, 500), first);
}

TEST_P(PipelineContract, accepts_what_all_warps_of_a_scheduler_access_at_once_or_none) {
  const auto pipeline = make();
  if (pipeline->staged()) return;
  for (unsigned k = 0; k < 20; ++k) {
    run(*pipeline, 5 * k);
    for (unsigned slot = 0; slot < 48; ++slot)
      EXPECT_EQ(pipeline->accepts(0, slot), pipeline->accepts(0, slot % config().issue.schedulers));
  }
}

TEST_P(PipelineContract, an_empty_pipeline_takes_an_access_at_once) {
  const auto pipeline = make();
  for (const Cycle now : {Cycle{0}, Cycle{17}}) {
    EXPECT_EQ(pipeline->standstill(now).end, now);
    EXPECT_EQ(pipeline->accepts(now, 3), now);
  }
}

INSTANTIATE_TEST_SUITE_P(members, PipelineContract, ::testing::ValuesIn(members<PipelineRegistry>()),
                         [](const auto& info) { return member_name(info.param); });

}  // namespace
}  // namespace bankshot::timing
