// What holds in every organisation of the pipeline, under every policy, foresight and order of commitment.
#include <numeric>
#include <random>

#include "staged_harness.hpp"
#include "tests/sanitized.hpp"

namespace bankshot::timing {
namespace {

const char* const kAllPipelines[] = {"queued", "unified", "split", "elastic"};
const char* const kForesights[] = {"none", "last", "exact", "mean", "warp", "confident"};

/// A kernel whose results do not depend on who comes first: a table in shared memory that all read behind a barrier, a
/// word there and in global memory for each thread, and additions.
/// @param global  with loads and stores of global memory between
std::string program(unsigned seed, bool global) {
  std::mt19937 random(seed);
  const auto one_of = [&](unsigned n) { return std::to_string(random() % n); };
  const auto any_of = [&](std::initializer_list<const char*> texts) {
    return std::string(texts.begin()[random() % texts.size()]);
  };
  // %r2: the thread's own word behind the table, where some lanes conflict; %r8: the sum of what it has seen.
  std::string text =
      ".shared .align 16 .b8 s[6144]; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.lo.u32 %r2, %r1, " +
      any_of({"4", "8", "16", "24", "36", "40"}) +
      "; add.u32 %r2, %r2, 2048; mov.u32 %r8, 1; mov.u32 %r3, %r1; fill: shl.b32 %r4, %r3, 2;"
      "st.shared.u32 [%r4], %r3; add.u32 %r3, %r3, 96; setp.lt.u32 %p1, %r3, 512; @%p1 bra fill; st.shared.u32 [%r2], "
      "%r1;"
      "mov.u32 %r9, %ctaid.x; mad.lo.u32 %r9, %r9, 96, %r1; mul.wide.u32 %rd2, %r9, 4; add.u64 %rd2, %rd1, %rd2; "
      "bar.sync 0;";
  const unsigned length = 20 + random() % 20;
  for (unsigned k = 0; k < length; ++k) {
    const std::string r = "%r" + std::to_string(10 + random() % 20);
    std::string drawn;  // first: the order of evaluation within a sum is unspecified
    switch (random() % 9) {
      case 0: text += "add.u32 " + r + ", %r1, " + one_of(99) + ";"; break;
      case 1: text += "mul.lo.u32 " + r + ", %r8, " + one_of(99) + "; add.u32 %r8, %r8, " + r + ";"; break;
      case 2:  // the table, with a stride
        drawn = one_of(130);
        text += "mad.lo.u32 %r5, %r1, " + drawn + ", " + one_of(512) +
                "; and.b32 %r5, %r5, 511; shl.b32 %r5, %r5, 2; ld.shared.u32 " + r + ", [%r5];";
        break;
      case 3:  // … as what was read says
        text +=
            "and.b32 %r5, %r8, 511; shl.b32 %r5, %r5, 2; ld.shared.u32 " + r + ", [%r5]; add.u32 %r8, %r8, " + r + ";";
        break;
      case 4: text += "ld.shared.u32 " + r + ", [%r2]; st.shared.u32 [%r2], %r8; add.u32 %r8, %r8, " + r + ";"; break;
      case 5:
        drawn = one_of(32);
        text += "and.b32 %r6, %r1, " + drawn + "; setp.eq.u32 %p2, %r6, 0; @!%p2 bra join" + std::to_string(k) +
                "; ld.shared.v2.u32 {" + r + ", %r7}, [" + std::to_string(8 * (random() % 200)) +
                "]; add.u32 %r8, %r8, " + r + "; join" + std::to_string(k) + ": ";
        break;
      case 6: text += "bar.sync 0;"; break;
      case 7:
        text +=
            global ? "ld.global.u32 " + r + ", [%rd2]; add.u32 %r8, %r8, " + r + ";" : "ex2.approx.ftz.f32 %f1, %f2;";
        break;
      default: text += global ? "st.global.u32 [%rd2], %r8;" : "red.shared.add.u32 [%r2], 3;"; break;
    }
  }
  // Every second word: there are conflicts, whatever was drawn.
  text += "shl.b32 %r5, %r1, 3; ld.shared.u32 %r3, [%r5]; add.u32 %r8, %r8, %r3;";
  return text + "ld.shared.u32 %r3, [%r2]; add.u32 %r8, %r8, %r3; st.global.u32 [%rd2], %r8; ret;";
}

struct Combination {
  std::string organisation, aware, policy;
  Commit commit = Commit::any;
};

class StagedLaws : public StagedTest, public ::testing::WithParamInterface<unsigned> {
 protected:
  Counters run(const Combination& one, const std::string& body, unsigned seed) {
    config.issue.pipeline = one.organisation;
    config.issue.aware = one.aware;
    config.issue.policy = one.policy;
    config.issue.commit = one.commit;
    config.issue.aware_yields = seed % 2 != 0;
    set_parameter(config, "issue.squeeze", seed % 4 / 2);
    config.issue.reorder_entries = 1 + seed % 4;
    cycles_ = under(one.organisation, body, {96, 1, 1});
    return last.timing.counters;
  }
  template <class Each>
  static void for_each_combination(Each each) {
    for (const char* organisation : kAllPipelines) {
      for (const char* aware : kForesights) {
        for (const char* policy : {"barrel", "lrr", "gto"}) {
          for (const Commit commit : {Commit::any, Commit::reorder, Commit::hold})
            each({organisation, aware, policy, commit});
        }
      }
    }
  }
  static uint64_t slots_of(const Counters& counters, Cause cause) {
    return counters.slots[static_cast<unsigned>(cause)];
  }
  Cycle cycles_ = 0;
};

TEST_P(StagedLaws, every_organisation_does_the_same_work_and_accounts_for_every_slot) {
  if (GetParam() % 4 != 0) BANKSHOT_LEAVE_OUT_IF_SANITIZED();
  const unsigned seed = GetParam();
  const bool global = seed % 3 != 0;
  const std::string body = program(seed, global);
  std::vector<uint32_t> memory;
  Counters first;
  for_each_combination([&](const Combination& one) {
    SCOPED_TRACE(one.organisation + " " + one.aware + " " + one.policy + " " +
                 std::to_string(static_cast<int>(one.commit)));
    const Counters c = run(one, body, seed);  // with the laws of expect_conservation
    if (memory.empty()) {
      memory = out;
      first = c;
      ASSERT_NE(memory[95], 0u);
      ASSERT_GT(c.shared_wavefronts, c.shared_ideal);
    }
    ASSERT_EQ(out, memory);
    ASSERT_EQ(c.warp_instructions, first.warp_instructions);
    ASSERT_EQ(c.thread_instructions, first.thread_instructions);
    ASSERT_EQ(c.shared_accesses, first.shared_accesses);
    ASSERT_EQ(c.shared_wavefronts, first.shared_wavefronts);
    ASSERT_EQ(c.shared_ideal, first.shared_ideal);
    ASSERT_EQ(c.bank_lanes, first.bank_lanes);
    ASSERT_EQ(c.global_accesses, first.global_accesses);
    // Each access was foreseen, rightly or not, if any was.
    const uint64_t foreseen = c.foreseen_right + c.foreseen_over + c.foreseen_under;
    ASSERT_EQ(foreseen, one.aware == "none" ? 0 : c.shared_accesses);
    if (one.aware == "exact") {
      ASSERT_EQ(c.foreseen_right, c.shared_accesses);
    }
    // Nobody waits for what is not there.
    if (one.aware == "none" || config.issue.aware_yields) {
      ASSERT_EQ(slots_of(c, Cause::foreseen), 0u);
    }
    if (one.commit != Commit::reorder || one.policy == "barrel") {
      ASSERT_EQ(slots_of(c, Cause::reorder), 0u);
    }
    if (one.organisation == "queued") {
      ASSERT_EQ(slots_of(c, Cause::bank_conflict), 0u);
      ASSERT_EQ(slots_of(c, Cause::pipeline), 0u);
    } else {
      ASSERT_EQ(slots_of(c, Cause::scratchpad_busy), 0u);
    }
    if (!global) {
      ASSERT_EQ(slots_of(c, Cause::pipeline), 0u);
    }
    // Section 3.2.1: conflicts of any degree stop nobody where the safe distance is kept.
    if (one.organisation == "elastic" && one.aware == "exact" && !config.issue.aware_yields && !global) {
      ASSERT_EQ(slots_of(c, Cause::bank_conflict), 0u);
    }
  });
}
INSTANTIATE_TEST_SUITE_P(programs, StagedLaws, ::testing::Range(0u, 12u));

// Where somebody could always issue, each further cycle of the banks is one in which all stages in front of them stand.
TEST_F(StagedTest, every_conflict_costs_all_stages_a_cycle_where_others_come_behind) {
  std::mt19937 random(5);
  uint64_t conflicts = 0;
  for (int round = 0; round < 30; ++round) {
    std::string body = ".shared .align 4 .b8 s[16384]; mov.u32 %r1, %laneid;";
    for (unsigned stride = 0; stride < 8; ++stride)
      body += "mul.lo.u32 %r" + std::to_string(stride + 2) + ", %r1, " + std::to_string(4 * (1 + random() % 16)) + ";";
    body += movs(28);  // addresses are there by then
    for (unsigned k = 0; k < 40; ++k) {
      const std::string r = "%r" + std::to_string(10 + k % 28), at = "[%r" + std::to_string(2 + random() % 8) + "]";
      body += random() % 3 == 0   ? "st.shared.u32 " + at + ", %r1;"
              : random() % 2 == 0 ? "ld.shared.u32 " + r + ", " + at + ";"
                                  : "mov.u32 " + r + ", 1;";
    }
    under("unified", body + movs(28) + "ret;", {round % 2 == 0 ? 32u : 64u, 1, 1});
    const Counters& c = last.timing.counters;
    conflicts += c.shared_wavefronts - c.shared_ideal;
    ASSERT_EQ(slots(Cause::bank_conflict), c.shared_wavefronts - c.shared_ideal);
    // … and each of them is one that conflicts cost.
    ASSERT_EQ(c.conflict_cycles_exposed, slots(Cause::bank_conflict));
  }
  EXPECT_GT(conflicts, 1000u);
}

// What issued last may be held up beyond the cycle in which a launch is stopped.
TEST_F(StagedTest, slots_of_a_launch_that_is_stopped_add_up) {
  for (const char* organisation : kAllPipelines) {
    config.issue.pipeline = organisation;
    for (Cycle most = 1; most < 80; ++most) {
      options.max_cycles = most;
      chip.reset();
      const auto launch = simulate(
          kernel(address(4) + "ld.shared.u32 %r3, [%r2]; ld.shared.u32 %r4, [%r2];" + movs(3) + "ret;"), {1}, {64});
      ASSERT_TRUE(launch);
      const Counters& c = launch->timing.counters;
      ASSERT_EQ(std::accumulate(c.slots.begin(), c.slots.end(), uint64_t{0}), c.cycles) << organisation << ' ' << most;
    }
  }
}

// Floating-point additions that nobody wants the result of, as the loop that machine code makes of them: the banks are
// asked for again and again, behind the back of the scheduler. Two lanes share a word.
const char* const kLoop =
    ".shared .align 4 .b8 s[4096]; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 1; mul.lo.u32 %r2, "
    "%r2, 8;"
    "mov.u32 %r3, 0; st.shared.u32 [%r2], %r3; bar.sync 0; mov.f32 %f1, 0f3f800000; red.shared.add.f32 [%r2], %f1; "
    "mov.u32 %r4, 1;"
    "red.shared.add.f32 [%r2], %f1; atom.shared.add.f32 %f2, [%r2], %f1; bar.sync 0; ld.shared.u32 %r5, [%r2]; "
    "mul.wide.u32 %rd2, %r1, 4;"
    "add.u64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r5; ret;";

TEST_F(StagedTest, atomics_that_are_loops_end_in_every_organisation_and_commitment) {
  options.max_cycles = 100'000;
  for (const char* organisation : kAllPipelines) {
    for (const char* aware : {"none", "last"}) {
      for (const char* policy : {"barrel", "lrr"}) {
        config.issue.aware = aware;
        config.issue.policy = policy;
        config.issue.commit = Commit::any;
        const Cycle any = under(organisation, kLoop, {96, 1, 1});
        for (const unsigned entries : {64u, 1u}) {
          SCOPED_TRACE(std::string(organisation) + " " + aware + " " + policy + " " + std::to_string(entries));
          config.issue.commit = Commit::reorder;
          config.issue.reorder_entries = entries;
          const Cycle cycles = under(organisation, kLoop, {96, 1, 1});
          ASSERT_FALSE(last.timing.partial);
          if (entries == 64) {
            EXPECT_EQ(cycles, any);
          }
          for (unsigned thread = 0; thread < 96; ++thread)
            ASSERT_EQ(out[thread], 0x40c00000u) << "6.0: three by each of two lanes";
          EXPECT_GT(slots(Cause::atomic), 0u);
        }
      }
    }
  }
}

// What waits stands in somebody's line: the slots of all lines and of no line are those of the launch.
TEST_F(StagedTest, stalls_have_a_line) {
  config.issue.aware = "last";
  for (const char* organisation : {"unified", "split", "elastic"}) {
    under(organisation, program(4, true), {96, 1, 1});
    std::array<uint64_t, kCauses> of_lines{};
    for (const LineTiming& line : last.timing.lines) {
      for (unsigned k = 0; k < kCauses; ++k) of_lines[k] += line.counters.slots[k];
    }
    for (const Cause cause : {Cause::bank_conflict, Cause::pipeline, Cause::foreseen, Cause::sub_warp}) {
      EXPECT_EQ(of_lines[static_cast<unsigned>(cause)], slots(cause)) << organisation << " " << name(cause);
    }
  }
}

}  // namespace
}  // namespace bankshot::timing
