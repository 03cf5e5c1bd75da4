// What bankshot/timing/atomics/atomics_unit.hpp says of every unit of shared-memory atomics.
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "bankshot/timing/atomics/atomics_unit.hpp"
#include "tests/contract/machine.hpp"

namespace bankshot::timing {
namespace {

/// Banks that serve one access at a time.
class OneAtATime final : public Banks {
 public:
  Cycle accepts(Cycle now, unsigned) const override { return std::max(now, free_); }
  Passage serve(Cycle now, unsigned slot, uint32_t, unsigned passes, unsigned ideal) override {
    EXPECT_EQ(accepts(now, slot), now) << "a unit asks only for banks that accept";
    EXPECT_GT(passes, 0u);
    passes_ += passes;
    ideal_ += ideal;
    free_ = now + passes;
    return {now, free_, free_};
  }
  uint64_t passes() const { return passes_; }
  uint64_t ideal() const { return ideal_; }

 private:
  Cycle free_ = 0;
  uint64_t passes_ = 0, ideal_ = 0;
};

struct Case {
  AtomicForm form;
  uint64_t lanes;
  unsigned stride;  ///< bytes from lane to lane; 0: all on one word
};

class AtomicsContract : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<AtomicsUnit> make() const { return AtomicsRegistry::find(GetParam())->make(config); }

  AtomicAccess access(const Case& of, unsigned slot, Cycle now) {
    std::array<uint32_t, 64> bytes{};
    for (unsigned lane = 0; lane < 32; ++lane) offsets[lane] = bytes[lane] = lane * of.stride;
    const scratchpad::Cost cost =
        scratchpad::cost(config.rules, scratchpad::AccessKind::atomic, 4, bytes.data(), of.lanes);
    return {now, slot, 100 + slot, of.form, 4, cost, &config.rules, 4, of.lanes, offsets.data(), 4096 * slot};
  }
  /// Works through what is in flight. @return when each slot's access is done
  static std::map<unsigned, Cycle> finish(AtomicsUnit& unit, Banks& banks) {
    std::map<unsigned, Cycle> ready;
    Cycle now = 0;
    for (int events = 0; unit.next_event() != kNever; ++events) {
      if (events > 100'000 || unit.next_event() < now) {
        ADD_FAILURE() << "it comes to no end, or goes back in time";
        break;
      }
      now = unit.next_event();
      unit.advance(now, banks);
      EXPECT_GT(unit.next_event(), now);
      take(unit, ready);
    }
    take(unit, ready);
    return ready;
  }
  static void take(AtomicsUnit& unit, std::map<unsigned, Cycle>& ready) {
    for (const AtomicsUnit::Done& done : unit.done()) {
      EXPECT_EQ(done.instr, 100 + done.slot);
      EXPECT_TRUE(ready.emplace(done.slot, done.ready).second) << "an access is done once";
    }
    unit.done().clear();
  }

  static std::vector<Case> cases() {
    std::vector<Case> all;
    for (const AtomicForm form : {AtomicForm::machine, AtomicForm::loop}) {
      for (const uint64_t lanes : {uint64_t{0xffffffff}, uint64_t{1}, uint64_t{0x80010000}}) {
        for (const unsigned stride : {4u, 0u, 32u, 4096u}) all.push_back({form, lanes, stride});
      }
    }
    return all;
  }

  const Config config = contract_machine();
  std::array<uint64_t, scratchpad::kMaxLanes> offsets{};
};

TEST_P(AtomicsContract, an_access_has_the_banks_for_some_passes_or_is_kept_until_it_is_done_once) {
  for (const Case& each : cases()) {
    const auto unit = make();
    OneAtATime banks;
    const AtomicAccess one = access(each, 3, 50);
    const AtomicsUnit::Charge charge = unit->charge(one, banks);
    const auto ready = finish(*unit, banks);
    if (charge.keeps) {
      ASSERT_EQ(ready.size(), 1u);
      EXPECT_GT(ready.at(3), one.now);
      EXPECT_GT(banks.passes(), 0u);
    } else {
      EXPECT_TRUE(ready.empty());
      EXPECT_GE(charge.passes, 1u);
      EXPECT_LE(charge.passes, one.cost.wavefronts) << "no unit is slower than one lane of a bank after the other";
      EXPECT_EQ(banks.passes(), 0u) << "its passes are the caller's to serve";
    }
    EXPECT_LE(banks.ideal(), banks.passes());
  }
}

TEST_P(AtomicsContract, accesses_of_several_warps_all_come_to_their_end) {
  for (const Case& each : cases()) {
    const auto unit = make();
    OneAtATime banks;
    size_t kept = 0;
    for (unsigned slot = 0; slot < 8; ++slot) {
      AtomicAccess one = access(each, slot, 50);
      one.base = 0;  // on the same words and locks
      kept += unit->charge(one, banks).keeps ? 1 : 0;
    }
    EXPECT_EQ(finish(*unit, banks).size(), kept);
    EXPECT_EQ(unit->next_event(), kNever);
  }
}

TEST_P(AtomicsContract, a_launch_begins_with_nothing_in_flight) {
  for (const Case& each : cases()) {
    const auto unit = make(), fresh = make();
    OneAtATime banks, others;
    unit->charge(access(each, 3, 50), banks);
    unit->clear();
    EXPECT_EQ(unit->next_event(), kNever);
    EXPECT_TRUE(unit->done().empty());
    OneAtATime again;
    unit->charge(access(each, 5, 500), again);
    fresh->charge(access(each, 5, 500), others);
    EXPECT_EQ(finish(*unit, again), finish(*fresh, others));
  }
}

INSTANTIATE_TEST_SUITE_P(members, AtomicsContract, ::testing::ValuesIn(members<AtomicsRegistry>()),
                         [](const auto& info) { return member_name(info.param); });

}  // namespace
}  // namespace bankshot::timing
