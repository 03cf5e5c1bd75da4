// What atomics on shared memory cost in the units that there are, worked out by hand.
#include <cmath>

#include "bankshot/scratchpad/atomics/atomics_model.hpp"
#include "bankshot/timing/sm/operation.hpp"
#include "chip_harness.hpp"
#include "tests/unit/ptx/access_helpers.hpp"

namespace bankshot::timing {
namespace {

class AtomicsUnits : public ChipTest {
 protected:
  void use(const std::string& unit) {
    config.scratchpad.atomics = unit;
    set_locks(config, {10, 32, 18, 36, 32, 108, 120, 32});  // ICCD'13, section III; TPDS'13, section 2.1
    chip.reset();
  }
  void hash(const std::string& lock_hash, std::optional<scratchpad::BankHash> bank_hash) {
    config.lock_hash = *scratchpad::parse_lock_hash(lock_hash, lock_size(config));
    config.rules.hash = std::move(bank_hash);
    chip.reset();
  }

  static constexpr const char* kShared = ".shared .align 4 .b8 s[36864]; mov.u32 %r1, %tid.x;";
  /// Cycles from the issue of an atomic of one warp until its result can be used, with the addresses of equation 1 of
  /// ICCD'13.
  uint64_t latency(uint32_t stride, uint32_t conflicts,
                   const std::string& atomic = "atom.shared.add.u32 %r3, [%r2], 1;",
                   const std::string& use = "add.u32 %r4, %r3, 1;") {
    const std::string body = std::string(kShared) + "setp.lt.u32 %p1, %r1, " + std::to_string(conflicts) +
                             "; mul.lo.u32 %r2, %r1, " + std::to_string(stride) +
                             "; selp.u32 %r2, %r2, %r1, %p1; shl.b32 %r2, %r2, 2;" + atomic + use + "ret;";
    // mov 0, setp 4, mul 5, selp 9, shl 13, the atomic 17; behind its result the use and the exit.
    return cycles(body) - 17 - 2;
  }
};

TEST_F(AtomicsUnits, the_lock_unit_takes_what_its_states_take) {
  use("lock");
  EXPECT_EQ(latency(0, 1), 32u + 18 + 36 + 32);
  EXPECT_EQ(slots(Cause::atomic), 117u) << "all cycles but that of issue";
  EXPECT_EQ(latency(0, 2), 2 * 118u);    // ICCD'13, figure 5a
  EXPECT_EQ(latency(32, 2), 118u + 68);  // figure 5b
  EXPECT_EQ(latency(256, 5), 472u);      // figure 5c: the first extra lock conflict
  EXPECT_EQ(latency(256, 32), 6160u);
}

// The unit and the closed model are two descriptions of one loop: with one warp they agree in every cycle.
TEST_F(AtomicsUnits, one_warp_is_the_closed_model) {
  use("lock");
  for (const bool hashed : {false, true}) {
    scratchpad::LockGeometry geometry;
    if (hashed) {
      hash("xor", scratchpad::fixed_xor_hash({14, 5}));
      geometry.bank_hash = scratchpad::fixed_xor_hash({14, 5});
    }
    geometry.locks = config.lock_hash;
    scratchpad::LockWalker walker(geometry);
    for (const uint32_t stride : {0u, 1u, 32u, 33u, 256u, 288u}) {
      for (const uint32_t conflicts : {1u, 2u, 3u, 7u, 8u, 19u, 32u}) {
        std::vector<uint32_t> words;
        for (uint32_t id = 0; id < 32; ++id) words.push_back(id < conflicts ? id * stride : id);
        const auto model = scratchpad::latency(walker.walk(words.data(), 32), {118, 118, 32, 36});
        EXPECT_EQ(latency(stride, conflicts), model.total()) << stride << " " << conflicts << " " << hashed;
      }
    }
  }
}

TEST_F(AtomicsUnits, a_configurable_hash_delays_each_read_and_each_write) {
  use("lock");
  config.scratchpad.hash_cycles = 1;
  EXPECT_EQ(latency(0, 1), 120u);
  EXPECT_EQ(latency(0, 3), 360u);
}

// Two warps want the same words. The first reads and locks at 12 and unlocks at 12 + 50 + 1; the second reads at 13 in
// vain and is back at 13 + 32 + 18 + 32.
TEST_F(AtomicsUnits, warps_compete_for_locks) {
  use("lock");
  const std::string front = std::string(kShared) + "and.b32 %r2, %r1, 31; shl.b32 %r2, %r2, 2;";
  const std::string back = "atom.shared.add.u32 %r3, [%r2], 1; add.u32 %r4, %r3, 1; ret;";
  EXPECT_EQ(cycles(front + back, {64, 1, 1}), 13u + 82 + 118 + 2);
  // The same lock, not the same word: the second warp's words are 1,024 further on.
  EXPECT_EQ(
      cycles(
          std::string(kShared) +
              "and.b32 %r2, %r1, 31; mad.lo.u32 %r2, %r1, 0, %r2; shr.u32 %r5, %r1, 5; mad.lo.u32 %r2, %r5, 1024, %r2;"
              "shl.b32 %r2, %r2, 2;" +
              back,
          {64, 1, 1}),
      cycles(std::string(kShared) +
                 "and.b32 %r2, %r1, 31; mad.lo.u32 %r2, %r1, 0, %r2; shr.u32 %r5, %r1, 5;"
                 "mad.lo.u32 %r2, %r5, 0, %r2; shl.b32 %r2, %r2, 2;" +
                 back,
             {64, 1, 1}));
  // Locks of their own: the second warp has its result at 131, when the first one's exit is in its way.
  EXPECT_EQ(cycles(std::string(kShared) + "shl.b32 %r2, %r1, 2; and.b32 %r2, %r2, 4095;" + back, {64, 1, 1}),
            13u + 118 + 1 + 2);
}

// TPDS'13, section 2.2: how many lanes of two warps collide does not matter, how many warps do does.
TEST_F(AtomicsUnits, colliding_warps_count_and_colliding_lanes_do_not) {
  use("lock");
  const auto run = [&](unsigned lanes, unsigned warps) {
    // Lane l of warp w: word l if l < lanes, else a word of its own.
    return cycles(std::string(kShared) + "and.b32 %r2, %r1, 31; setp.ge.u32 %p1, %r2, " + std::to_string(lanes) +
                      "; @%p1 mov.u32 %r2, %r1; shl.b32 %r2, %r2, 2; atom.shared.add.u32 %r3, [%r2], 1; add.u32 %r4, "
                      "%r3, 1; ret;",
                  {32 * warps, 1, 1});
  };
  EXPECT_EQ(run(1, 4), run(8, 4));
  EXPECT_EQ(run(1, 4), run(31, 4));
  EXPECT_EQ(run(1, 4), run(32, 4) + 36) << "who gets no lock at all writes nothing and is back sooner";
  EXPECT_LT(run(1, 2), run(1, 4));
  EXPECT_LT(run(1, 4), run(1, 8));
  EXPECT_LT(run(1, 8), latency(0, 8) + 19) << "collisions between warps cost less than those inside one";
}

// Many warps that poll keep the banks busy. One that holds locks must get its turn to write, or all wait for it.
TEST_F(AtomicsUnits, warps_that_poll_do_not_keep_others_from_the_banks) {
  use("lock");
  set_locks(config,
            {10, 16, 9, 18, 16, 54, 60, 16});  // the same in cycles of issue: 32 warps ask for more than the banks have
  chip.reset();
  // Copies of 128 words, one of each word: lanes l and l + 16 on one word, l and l + 8 on one lock, 16 words in a bank.
  const auto run = [&](unsigned warps) {
    return cycles(std::string(kShared) +
                      "and.b32 %r2, %r1, 15; mul.lo.u32 %r2, %r2, 512; mov.u32 %r5, 0; loop:"
                      "red.shared.add.u32 [%r2], 1; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 12; @%p1 bra loop; ret;",
                  {32 * warps, 1, 1});
  };
  const uint64_t alone = run(1);
  for (const unsigned warps : {2u, 8u, 16u, 24u, 32u}) EXPECT_LE(run(warps), warps * alone) << warps;
}

// CTAs of an SM have words and, as far as there are enough, locks of their own: eight CTAs of a warp are a CTA of eight
// warps with a row each. Only who has which row differs.
TEST_F(AtomicsUnits, ctas_compete_for_locks_only_where_their_words_alias) {
  config.sms = 1;
  const std::string loop =
      "mov.u32 %r5, 0; loop: atom.shared.add.f32 %f1, [%r2], %f1; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 20; @%p1 "
      "bra "
      "loop; ret;";
  const auto run = [&](unsigned ctas, unsigned bytes) {  // of one warp each, or of one with them all
    const std::string array =
        ".shared .align 4 .b8 s[" + std::to_string(bytes) + "]; mov.f32 %f1, 0f00000000; mov.u32 %r1, %tid.x; ";
    const std::string lane = "and.b32 %r2, %r1, 31; shl.b32 %r2, %r2, 2;";
    const std::string row = "shr.u32 %r3, %r1, 5; mad.lo.u32 %r2, %r3, " + std::to_string(bytes / 8) + ", %r2;";
    return ctas == 1 ? cycles(array + lane + row + loop, {256, 1, 1})
                     : cycles(array + lane + row + loop, {32, 1, 1}, {ctas, 1, 1});
  };
  for (const char* unit : {"lock", "native"}) {
    use(unit);
    const uint64_t together = run(1, 1024), apart = run(8, 128);
    EXPECT_NEAR(static_cast<double>(apart), static_cast<double>(together), 0.02 * static_cast<double>(together))
        << unit;
    // 4 KB a CTA are 1,024 words: all CTAs have the same locks.
    const uint64_t aliased = run(8, 4096);
    if (std::string(unit) == "lock") {
      EXPECT_GT(aliased, 2 * apart);
    } else {
      EXPECT_EQ(aliased, apart);
    }
  }
}

// Lane 31 adds to global memory, the others to one word of shared memory, all by one instruction.
TEST_F(AtomicsUnits, an_atomic_of_both_memories_is_served_by_the_banks_too) {
  for (const char* unit : {"lock", "native", "loadlike"}) {
    use(unit);
    const std::string front =
        std::string(kShared) + "cvta.shared.u64 %rd1, s; ld.param.u64 %rd2, [out]; setp.lt.u32 %p1, %r1, 31;";
    cycles(front + "selp.b64 %rd3, %rd1, %rd2, %p1; red.add.u32 [%rd3], 1; ret;");
    EXPECT_EQ(last.timing.counters.shared_wavefronts, 31u) << unit;
    EXPECT_EQ(out[0], 1u);
    EXPECT_EQ(last.timing.counters.l1_atomics, 1u);
  }
}

TEST_F(AtomicsUnits, many_warps_on_few_words_come_to_their_end) {
  use("lock");
  const std::string body =
      ".shared .align 4 .b8 s[4096]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 7; shl.b32 %r2, %r2, 2; mov.u32 %r6, 0;"
      "st.shared.u32 [%r2], %r6; bar.sync 0; mov.u32 %r5, 0; loop: red.shared.add.u32 [%r2], 1; add.u32 %r5, %r5, 1;"
      "setp.lt.u32 %p1, %r5, 5; @%p1 bra loop; bar.sync 0; ld.shared.u32 %r3, [%r2]; ld.param.u64 %rd1, [out];"
      "cvt.u64.u32 %rd2, %r2; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r3; ret;";
  cycles(body, {256, 1, 1});
  for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(out[k], 256u / 8 * 5);
  // Four lanes of a warp on each word: 4 reads and 4 writes of each of 8 * 5 additions at least, a write and a read of
  // all words.
  EXPECT_GE(last.timing.counters.shared_wavefronts, 8u * 5 * 8 + 8 + 8);
}

// Lane 0's path waits at the barrier when the other lanes' atomic issues, and warp 1 arrives before that has come to
// its end.
TEST_F(AtomicsUnits, a_barrier_in_another_path_waits_for_the_atomic) {
  use("lock");
  const std::string body = std::string(kShared) +
                           "mov.u32 %r5, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra there; setp.ge.u32 %p2, %r1, 32;"
                           "@%p2 bra there; shl.b32 %r2, %r1, 2; red.shared.add.u32 [%r2], 1; there: bar.sync 0; ret;";
  EXPECT_GE(cycles(body, {64, 1, 1}), 118u);
  const std::string apart =
      std::string(kShared) +
      "setp.eq.u32 %p1, %r1, 0; @%p1 bra here; setp.ge.u32 %p2, %r1, 32; @%p2 bra here; shl.b32 %r2, %r1, 2;"
      "red.shared.add.u32 [%r2], 1; bar.sync 0; ret; here: bar.sync 0; ret;";
  EXPECT_GE(cycles(apart, {64, 1, 1}), 118u);
}

// The store is answered while the first atomic is in flight: that must not let the warp go on.
TEST_F(AtomicsUnits, answers_of_global_memory_do_not_end_an_atomic) {
  use("lock");
  const std::string body =
      std::string(kShared) +
      "shl.b32 %r2, %r1, 2; ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r1; red.shared.add.u32 [%r2], 1;"
      "red.shared.add.u32 [%r2], 1; red.shared.add.u32 [%r2], 1; ret;";
  const Cycle first = 9;  // mov 0, shl 4, ld 5, st 10 … the first atomic behind them
  EXPECT_GE(cycles(body), first + 3 * 118);
  EXPECT_LE(last.timing.counters.cycles, first + 3 * 118 + 4);
}

TEST_F(AtomicsUnits, loadlike_costs_what_a_load_costs) {
  use("loadlike");
  EXPECT_EQ(latency(0, 32), 10u);
  EXPECT_EQ(latency(32, 32), 10u + 31);
}

TEST_F(AtomicsUnits, native_lanes_on_one_word_take_turns) {
  use("native");
  EXPECT_EQ(latency(0, 1), 10u);
  EXPECT_EQ(latency(0, 32), 10u + 31);
  EXPECT_EQ(latency(32, 32), 10u + 31);
}

TEST_F(AtomicsUnits, native_increments_may_be_combined) {
  use("native");
  const std::string increment = "red.shared.add.u32 [%r2], 1;", two = "red.shared.add.u32 [%r2], 2;",
                    use_it = "ld.shared.u32 %r3, [%r2]; add.u32 %r4, %r3, 1;";
  const auto wavefronts = [&](const std::string& atomic) {
    latency(0, 32, atomic, use_it);
    return last.timing.counters.shared_wavefronts - 1;
  };
  EXPECT_EQ(wavefronts(increment), 32u);
  config.rules.combines_increments = true;
  chip.reset();
  EXPECT_EQ(wavefronts(increment), 1u);
  EXPECT_EQ(wavefronts("atom.shared.add.u32 %r7, [%r2], 1;"), 1u) << "nobody reads %r7";
  EXPECT_EQ(wavefronts("red.shared.inc.u32 [%r2], 0xffffffff;"), 1u);
  EXPECT_EQ(wavefronts("red.shared.inc.u32 [%r2], 7;"), 32u);
  EXPECT_EQ(wavefronts(two), 32u);
  EXPECT_EQ(wavefronts("red.shared.add.u32 [%r2], %r1;"), 32u);
  latency(0, 32, "atom.shared.add.u32 %r3, [%r2], 1;");
  EXPECT_EQ(last.timing.counters.shared_wavefronts, 32u) << "the result is wanted";
}

// On different words 2 passes in place of 1, on one word 64 in place of 32.
TEST_F(AtomicsUnits, a_compare_and_swap_may_take_two_passes) {
  use("native");
  const std::string cas = "atom.shared.cas.b32 %r3, [%r2], 7, 8;";
  EXPECT_EQ(latency(32, 1, cas), 10u);
  EXPECT_EQ(latency(0, 32, cas), 10u + 31);
  config.rules.cas_passes = 2;
  chip.reset();
  EXPECT_EQ(latency(32, 1, cas), 10u + 1);
  EXPECT_EQ(last.timing.counters.shared_ideal, last.timing.counters.shared_wavefronts);
  EXPECT_EQ(latency(0, 32, cas), 10u + 63);
}

// A load (10), the addition (4), a compare-and-swap (10) and the branch that depends on it (4): 28. Of lanes on one
// bank one succeeds in each round. Of those on different words the load takes as many passes as there are left.
TEST_F(AtomicsUnits, native_float_additions_are_loops) {
  use("native");
  const std::string atomic = "atom.shared.add.f32 %f3, [%r2], 0f3F800000;", use_it = "add.f32 %f4, %f3, %f3;";
  EXPECT_EQ(latency(0, 1, atomic, use_it), 28u);
  for (const uint32_t n : {2u, 3u, 32u}) EXPECT_EQ(latency(0, n, atomic, use_it), 28 * n);
  EXPECT_EQ(latency(32, 4, atomic, use_it), 4 * 28u + 3 + 2 + 1);
  config.rules.cas_passes = 2;
  chip.reset();
  EXPECT_EQ(latency(0, 3, atomic, use_it), 3 * 29u);
}

// The second warp reads at 13 what the first writes at 12 + 14, so its own swap at 27 fails.
TEST_F(AtomicsUnits, a_swap_fails_if_another_warp_was_there_meanwhile) {
  use("native");
  const std::string body = std::string(kShared) +
                           "and.b32 %r2, %r1, 31; shl.b32 %r2, %r2, 2; atom.shared.add.f32 %f3, [%r2], 0f3F800000;"
                           "add.f32 %f4, %f3, %f3; ret;";
  EXPECT_EQ(cycles(body, {64, 1, 1}), 13u + 28 + 28 + 2);
}

TEST(AtomicForms, are_those_of_machine_code) {
  using enum AtomicForm;
  for (const auto& [text, form] : {std::pair{"atom.shared.add.u32", machine},
                                   {"red.shared.max.s32", machine},
                                   {"atom.shared.cas.b32", machine},
                                   {"atom.shared.cas.b64", machine},
                                   {"atom.shared.exch.b64", machine},
                                   {"atom.shared.add.u64", loop},
                                   {"atom.shared.and.b64", loop},
                                   {"red.shared.add.f32", loop},
                                   {"atom.shared.add.f64", loop},
                                   {"atom.shared.add.noftz.f16x2", loop},
                                   {"atom.shared.cas.b16", loop},
                                   {"atom.shared.cas.b128", loop}}) {
    EXPECT_EQ(atomic_form(ptx::access_named(text)), form) << text;
  }
}

// Stores of before come to their end while a warp waits for its atomic; that is no reason to go on.
TEST_F(AtomicsUnits, what_global_memory_completes_does_not_wake_a_warp_from_its_atomic) {
  use("lock");
  const auto between_clocks = [&](const std::string& store) {
    cycles(std::string(kShared) + "ld.param.u64 %rd1, [out]; shl.b32 %r2, %r1, 2; " + store +
           "mov.u32 %r5, %clock;"
           "atom.shared.add.u32 %r3, [%r2], 1; mov.u32 %r6, %clock; sub.u32 %r7, %r6, %r5; st.global.u32 [%rd1+4], "
           "%r7; ret;");
    return out[1];
  };
  EXPECT_GE(between_clocks(""), 118u);
  EXPECT_EQ(between_clocks("st.global.u32 [%rd1], %r1; add.u32 %r4, %r2, 0; add.u32 %r4, %r4, 0;"),
            between_clocks("add.u32 %r4, %r2, 0; add.u32 %r4, %r4, 0;"));
}

// A clock that is twice as fast as issue counts two a cycle: Fermi's.
TEST_F(AtomicsUnits, clock_counts_in_its_own_clock) {
  const std::string body =
      "mov.u32 %r1, %clock; mov.u32 %r2, %clock; sub.u32 %r3, %r2, %r1; ld.param.u64 %rd1, [out]; st.global.u32 "
      "[%rd1], %r3; ret;";
  cycles(body, {1, 1, 1});
  EXPECT_EQ(out[0], 1u);
  config.clock_khz = 2 * config.core_khz;
  chip.reset();
  cycles(body, {1, 1, 1});
  EXPECT_EQ(out[0], 2u);
}

}  // namespace
}  // namespace bankshot::timing
