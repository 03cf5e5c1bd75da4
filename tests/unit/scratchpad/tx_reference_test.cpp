// Conflict detection of every organisation against a reference that keeps sets of words, over random accesses of two
// warps, of 32 or 64 lanes.
#include <map>
#include <random>
#include <set>

#include "tests/sanitized.hpp"
#include "tx_helpers.hpp"

namespace bankshot::scratchpad {
namespace {

constexpr uint32_t kBytes = 8190;  // the last word is a part of one
constexpr unsigned kThreads = 128;

/// What threads have read and written, word by word; the filters' bits are worked out from the words.
class Reference {
 public:
  Reference(const Rules& rules, const TxConfig& config) : rules_(rules), config_(config) {}

  /// Lanes that conflict. Each bank serves a lane after the other; who conflicts is out when the pass is over.
  uint64_t access(AccessKind kind, unsigned width, const std::array<uint32_t, kMaxLanes>& addresses, uint64_t mask,
                  unsigned first, unsigned lanes_together) {
    uint64_t out = 0;
    passes = 0;
    for (unsigned begin = 0; begin < kMaxLanes; begin += lanes_together) {
      std::map<unsigned, std::vector<std::pair<unsigned, uint32_t>>> queues;  // by bank
      for (unsigned lane = begin; lane < begin + lanes_together; ++lane) {
        if ((mask >> lane & 1) == 0) continue;
        for (uint32_t at = addresses[lane] / rules_.bank_bytes; at * rules_.bank_bytes < addresses[lane] + width;
             ++at) {
          queues[rules_.bank(at)].emplace_back(lane, at);
        }
      }
      for (size_t pass = 0;; ++pass) {
        bool any = false;
        std::map<std::pair<unsigned, uint32_t>, unsigned> served;  // by lane and word
        for (const auto& [bank, queue] : queues) {
          if (pass >= queue.size()) continue;
          any = true;
          if ((out >> queue[pass].first & 1) == 0) served[queue[pass]] = bank;
        }
        if (!any) break;
        ++passes;
        uint64_t now = 0;
        for (const auto& [request, bank] : served) serve(kind, request.second, first, request.first, now);
        for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
          if ((now >> lane & 1) != 0) release(first + lane);
        }
        out |= now;
      }
    }
    conflicts += static_cast<uint64_t>(__builtin_popcountll(out));
    conflicting_accesses += out != 0 ? 1 : 0;
    return out;
  }

  void release(unsigned thread) {
    read_[thread].clear();
    written_[thread].clear();
  }
  const std::set<uint32_t>& written(unsigned thread) { return written_[thread]; }
  bool has_nothing(unsigned thread) { return read_[thread].empty() && written_[thread].empty(); }

  uint64_t conflicts = 0, false_conflicts = 0, read_conflicts = 0, conflicting_accesses = 0;
  unsigned passes = 0;  ///< of the last access

 private:
  uint32_t bit(uint32_t word) const {
    uint32_t position = word / rules_.banks;
    const std::string_view hash = config_.hash != nullptr ? config_.hash->name : "modulo";
    if (hash == "multiply") {
      return static_cast<uint32_t>(uint64_t{position} * 2'654'435'761u % (uint64_t{1} << 32) * config_.filter_bits >>
                                   32);
    }
    if (hash == "modulo") return position % config_.filter_bits;
    uint32_t bits = 0;
    for (; position != 0; position /= config_.filter_bits) bits ^= position % config_.filter_bits;
    return bits;
  }
  bool alike(uint32_t a, uint32_t b) const {
    return config_.exact ? a == b : rules_.bank(a) == rules_.bank(b) && bit(a) == bit(b);
  }

  void serve(AccessKind kind, uint32_t word, unsigned first, unsigned lane, uint64_t& now) {
    const unsigned thread = first + lane;
    const bool writes = kind != AccessKind::load;
    bool hit = false, truly = false, was_written = false;
    for (unsigned other = 0; other < kThreads; ++other) {
      if (other == thread) continue;
      for (const uint32_t theirs : written_[other]) {
        hit |= alike(theirs, word);
        truly |= theirs == word;
        was_written |= theirs == word;
      }
      if (config_.separate && !writes) continue;
      for (const uint32_t theirs : read_[other]) {
        hit |= alike(theirs, word);
        truly |= theirs == word;
      }
    }
    EXPECT_TRUE(hit || !truly) << "no organisation overlooks a conflict";
    if (!hit) {
      (writes ? written_ : read_)[thread].insert(word);
      return;
    }
    if ((now >> lane & 1) == 0) {
      false_conflicts += truly ? 0 : 1;
      read_conflicts += truly && !writes && !was_written ? 1 : 0;
    }
    now |= uint64_t{1} << lane;
  }

  const Rules rules_;
  const TxConfig config_;
  std::map<unsigned, std::set<uint32_t>> read_, written_;
};

class TxReference : public ::testing::TestWithParam<Organisation> {};

TEST_P(TxReference, conflicts_are_those_of_the_sets_and_memory_is_what_was_committed) {
  std::mt19937 random(7);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (unsigned run = 0; run < 12; ++run) {
    Rules rules;
    rules.bank_bytes = run % 4 == 3 ? 8 : 4;
    if (run % 5 == 4 && rules.bank_bytes == 4) rules.hash = fixed_xor_hash({});
    TxMemory memory(GetParam().config, kBytes, rules, kThreads);
    Reference reference(rules, GetParam().config);
    std::vector<int> committed;
    for (uint32_t k = 0; k < kBytes; ++k) committed.push_back(memory.byte(k));
    const unsigned warp = run % 3 == 2 ? 64 : 32;
    const auto any = [&] { return (uint64_t{random()} << 32 | random()) >> (64 - warp); };
    const uint32_t few = run % 2 == 0 ? kBytes : 256 + kBytes / 16;  // words: many conflicts, or fewer
    for (unsigned turn = 0; turn < static_cast<unsigned>(repetitions(150)); ++turn) {
      const unsigned first = below(2) * warp;
      if (below(6) == 0) {
        const uint64_t lanes = any() & any();
        const bool commits = below(2) == 0;
        for (unsigned lane = 0; lane < warp; ++lane) {
          if ((lanes >> lane & 1) == 0) continue;
          for (const uint32_t word : reference.written(first + lane)) {
            for (uint32_t k = word * rules.bank_bytes; commits && k < std::min(kBytes, (word + 1) * rules.bank_bytes);
                 ++k) {
              committed[k] = memory.byte(k);
            }
          }
          reference.release(first + lane);
        }
        commits ? memory.transactions().commit(first, lanes) : memory.transactions().abort(first, lanes);
      } else {
        const unsigned width = 1u << below(5);
        const auto kind = static_cast<AccessKind>(below(3));
        const uint64_t active = below(3) == 0 ? any() : any() & any() & any();
        std::array<uint32_t, kMaxLanes> addresses{};
        std::vector<LaneAt> lanes;
        for (unsigned lane = 0; lane < warp; ++lane) {
          if ((active >> lane & 1) == 0) continue;
          addresses[lane] =
              below(2) == 0 ? below((few - 1) / width) * width : (lane + first) * 16 + 4096 / 16 * below(2) * 16;
          lanes.push_back({lane, addresses[lane]});
        }
        const unsigned together = width <= rules.bank_bytes ? 64 : width == 8 ? rules.lanes_b64 : rules.lanes_b128;
        const uint64_t expected = reference.access(kind, width, addresses, active, first, together);
        const auto outcome = memory.access(kind, lanes, width, first);
        ASSERT_EQ(outcome.conflicts, expected) << run << ' ' << turn;
        ASSERT_EQ(outcome.passes, reference.passes);
        if (kind != AccessKind::load) memory.write(lanes, outcome.conflicts, width, below(256));
      }
    }
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      EXPECT_EQ(memory.transactions().owns_nothing(thread), reference.has_nothing(thread)) << thread;
    }
    EXPECT_EQ(memory.totals.conflicts, reference.conflicts);
    EXPECT_EQ(memory.totals.conflicting_accesses, reference.conflicting_accesses);
    EXPECT_EQ(memory.totals.false_conflicts, reference.false_conflicts);
    EXPECT_EQ(memory.totals.read_conflicts, reference.read_conflicts);
    EXPECT_GT(reference.conflicts, 0u);
    if (GetParam().config.exact) {
      EXPECT_EQ(reference.false_conflicts, 0u);
    }
    memory.transactions().abort(0, ~uint64_t{0});
    memory.transactions().abort(64, ~uint64_t{0});
    for (uint32_t k = 0; k < kBytes; ++k) ASSERT_EQ(memory.byte(k), committed[k]) << run << ": byte " << k;
    for (unsigned thread = 0; thread < kThreads; ++thread) EXPECT_TRUE(memory.transactions().owns_nothing(thread));
  }
}
INSTANTIATE_TEST_SUITE_P(all, TxReference, ::testing::ValuesIn(organisations()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bankshot::scratchpad
