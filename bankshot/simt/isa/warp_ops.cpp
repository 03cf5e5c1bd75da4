// Lanes of a warp that talk to each other: shfl, vote, match, activemask, elect. Source: PTX ISA, "Parallel
// synchronization and communication instructions" and shfl. Reductions: warp_redux.cpp.
#include "bankshot/simt/isa/lanes/members.hpp"
#include "bankshot/simt/lower/lower_control.hpp"
#include "bankshot/simt/lower/lower_warp.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

enum class Shuffle { up, down, bfly, idx };

/// t[l] = a[source[l]]
void permute_lanes(u32* t, const u32* a, const u32* source) {
#if defined(__AVX512F__) && BANKSHOT_LANES == 32
  const __m512i low = _mm512_loadu_si512(a), high = _mm512_loadu_si512(a + 16);
  _mm512_storeu_si512(t, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(source), high));
  _mm512_storeu_si512(t + 16, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(source + 16), high));
#elif defined(__AVX2__) && BANKSHOT_LANES == 32
  const auto eight = [](const u32* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); };
  const __m256i parts[] = {eight(a), eight(a + 8), eight(a + 16), eight(a + 24)};
  for (int l = 0; l < kLanes; l += 8) {
    const __m256i from = eight(source + l);
    __m256 of[4];  // the lane of each part; bits 3 and 4 of its number say which part it is of
    for (int k = 0; k < 4; ++k) of[k] = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(parts[k], from));
    const __m256 odd = _mm256_castsi256_ps(_mm256_slli_epi32(from, 28));
    const __m256 upper = _mm256_castsi256_ps(_mm256_slli_epi32(from, 27));
    const __m256 chosen =
        _mm256_blendv_ps(_mm256_blendv_ps(of[0], of[1], odd), _mm256_blendv_ps(of[2], of[3], odd), upper);
    _mm256_storeu_ps(reinterpret_cast<f32*>(t + l), chosen);
  }
#else
  for (int l = 0; l < kLanes; ++l) t[l] = a[source[l]];
#endif
}

/// The manual's pseudo-code for all lanes. c holds the clamp value in bits 0-4 and the segment mask in bits 8-12, so a
/// warp of 64 lanes shuffles in two halves. A source lane that does not execute gives an undefined value in the manual;
/// here zero, as public programs expect of hardware: the reduction of the CUDA samples sums with shuffles in which half
/// of the lanes have left, and comes out right only so.
template <Shuffle Mode>
void shuffle(Warp& w, const Instr* i) {
  const u32* const a = w.row<const u32>(i->op[2]);
  const u32* const b = w.row<const u32>(i->op[3]);
  const u32* const c = w.row<const u32>(i->op[4]);
  u32 source[kLanes], inside[kLanes], t[kLanes];
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
    const s32 lane = l & 31, bval = static_cast<s32>(b[l] & 31);
    const s32 cval = static_cast<s32>(c[l] & 31), segment = static_cast<s32>(c[l] >> 8 & 31);
    const s32 most = (lane & segment) | (cval & ~segment), least = lane & segment;
    const s32 j = Mode == Shuffle::up     ? lane - bval
                  : Mode == Shuffle::down ? lane + bval
                  : Mode == Shuffle::bfly ? lane ^ bval
                                          : least | (bval & ~segment);
    const bool good = Mode == Shuffle::up ? j >= most : j <= most;
    inside[l] = good ? 1 : 0;
    source[l] = static_cast<u32>((l & ~31) | (good ? j : lane));
  }
  permute_lanes(t, a, source);
  if (w.active != kAllLanes) {
    uint64_t absent = 0;
    for (int l = 0; l < kLanes; ++l) {
      const bool there = (w.active >> source[l] & 1) != 0;
      absent |= static_cast<uint64_t>(!there) << l;
      t[l] = there ? t[l] : 0;
    }
    if ((absent & w.active) != 0 && i->op[0] != OperandRef::kNone) rely_on(*w.worker, LeftOpen::absent_lane);
  }
  if (i->op[1] != OperandRef::kNone) write_predicate(w, i->op[1], mask_of(inside));
  if (i->op[0] != OperandRef::kNone) blend(w.row<u32>(i->op[0]), t, w.active);
}

template <Shuffle Mode>
constexpr Handler kShuffle = &gathered<&shuffle<Mode>, SyncOperands{"dpaaam"}>;

Handler select_shuffle(const Match& m) {
  if (m.has("up")) return kShuffle<Shuffle::up>;
  if (m.has("down")) return kShuffle<Shuffle::down>;
  return m.has("bfly") ? kShuffle<Shuffle::bfly> : kShuffle<Shuffle::idx>;
}

enum class Vote { all, any, uni };

template <Vote Mode>
void vote(Warp& w, const Instr* i) {
  const uint64_t a = w.predicate_value(i->op[1]);
  uint64_t result = 0;
  for_groups(w, i->op[2], [&](uint64_t group, uint64_t lanes) {
    const uint64_t yes = a & group;
    const bool holds = Mode == Vote::all ? yes == group : Mode == Vote::any ? yes != 0 : yes == group || yes == 0;
    if (holds) result |= lanes;
  });
  write_predicate(w, i->op[0], result);
}

/// @param value  given a group, what its lanes get
template <class Value>
void write_groups(Warp& w, u32 d, u32 membermask, Value value) {
  if (d == OperandRef::kNone) return;
  u32 t[kLanes];
  uint64_t written = 0;
  for_groups(w, membermask, [&](uint64_t group, uint64_t lanes) {
    const u32 x = value(group);
    if (written == 0) {
      for (int l = 0; l < kLanes; ++l) t[l] = x;
    } else {
      for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) t[__builtin_ctzll(rest)] = x;
    }
    written |= lanes;
  });
  blend(w.row<u32>(d), t, written);
}

void ballot(Warp& w, const Instr* i) {
  const uint64_t a = w.predicate_value(i->op[1]);
  write_groups(w, i->op[0], i->op[2], [a](uint64_t group) { return static_cast<u32>(a & group); });
}

template <Vote Mode>
constexpr Handler kVote = &gathered<&vote<Mode>, SyncOperands{"pqm---"}>;

Handler select_vote(const Match& m) {
  if (m.has("all")) return kVote<Vote::all>;
  return m.has("any") ? kVote<Vote::any> : kVote<Vote::uni>;
}

/// The lanes of `group` whose value is that of lane `first`.
template <class T>
uint64_t equal_lanes(const T* a, uint64_t group, int first) {
  uint64_t same = 0;
  for (uint64_t rest = group; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    same |= static_cast<uint64_t>(a[l] == a[first]) << l;
  }
  return same;
}

template <class T>
void match_any(Warp& w, const Instr* i) {
  const T* const a = w.row<const T>(i->op[2]);
  u32 t[kLanes] = {};
  uint64_t written = 0;
  for_groups(w, i->op[3], [&](uint64_t group, uint64_t lanes) {
    written |= lanes;
    while (lanes != 0) {
      const uint64_t same = equal_lanes(a, group | lanes, __builtin_ctzll(lanes));
      for (uint64_t rest = same & lanes; rest != 0; rest &= rest - 1)
        t[__builtin_ctzll(rest)] = static_cast<u32>(same & group);
      lanes &= ~same;
    }
  });
  if (i->op[0] != OperandRef::kNone) blend(w.row<u32>(i->op[0]), t, written);
}

template <class T>
void match_all(Warp& w, const Instr* i) {
  const T* const a = w.row<const T>(i->op[2]);
  const auto agree = [&](uint64_t group) {
    return group != 0 && equal_lanes(a, group, __builtin_ctzll(group)) == group;
  };
  uint64_t yes = 0;
  for_groups(w, i->op[3], [&](uint64_t group, uint64_t lanes) {
    if (agree(group)) yes |= lanes;
  });
  write_groups(w, i->op[0], i->op[3], [&](uint64_t group) { return agree(group) ? static_cast<u32>(group) : 0; });
  write_predicate(w, i->op[1], yes);
}

constexpr SyncOperands kMatch32{"dpam--"}, kMatch64{"dpAm--"};

Handler select_match(const Match& m) {
  const bool wide = m.type == ptx::Type::b64;
  if (m.has("any")) return wide ? &gathered<&match_any<u64>, kMatch64> : &gathered<&match_any<u32>, kMatch32>;
  return wide ? &gathered<&match_all<u64>, kMatch64> : &gathered<&match_all<u32>, kMatch32>;
}

const Instr* active_mask(Warp& w, const Instr* i) {
  if (i->op[0] == OperandRef::kNone) return i + 1;
  u32 t[kLanes];
  for (int l = 0; l < kLanes; ++l) t[l] = static_cast<u32>(w.active);
  blend(w.row<u32>(i->op[0]), t, w.active);
  return i + 1;
}

/// The manual leaves the choice of the leader open but repeatable; it is the lowest lane here.
void elect(Warp& w, const Instr* i) {
  uint64_t leaders = 0;
  for_groups(w, i->op[2], [&](uint64_t group, uint64_t lanes) { leaders |= group & -group & lanes; });
  write_groups(w, i->op[0], i->op[2],
               [](uint64_t group) { return group == 0 ? 0 : static_cast<u32>(__builtin_ctzll(group)); });
  write_predicate(w, i->op[1], leaders);
}

/// bar.warp.sync: that all are there is all.
void meet(Warp& w, const Instr* i) {
  if (w.worker->checks == nullptr) return;
  for_groups(w, i->op[0], [&](uint64_t group, uint64_t) {
    if (group != 0) have_met(w, group);
  });
}

}  // namespace

void warp_rows(Rows& rows) {
  constexpr std::string_view kModes = "mode = up down bfly idx", kVotes = "mode = all any uni";
  rows.push_back({"shfl.sync.mode.b32 d|p, a, b, c, membermask", kModes, Unit::warp, select_shuffle, lower_shfl});
  rows.push_back({"shfl.mode.b32 d|p, a, b, c", kModes, Unit::warp, select_shuffle, lower_shfl});
  // Compilers write .sync before or after the mode.
  rows.push_back({"vote.sync.mode.pred p, a:pred, membermask", kVotes, Unit::warp, select_vote, lower_vote});
  rows.push_back({"vote.mode.sync.pred p, a:pred, membermask", kVotes, Unit::warp, select_vote, lower_vote});
  rows.push_back({"vote.mode.pred p, a:pred", kVotes, Unit::warp, select_vote, lower_vote});
  const auto ballot_row = [&](std::string_view syntax) {
    rows.push_back({syntax, "", Unit::warp, always(&gathered<&ballot, SyncOperands{"dqm---"}>), lower_vote});
  };
  ballot_row("vote.sync.ballot.b32 d, a:pred, membermask");
  ballot_row("vote.ballot.sync.b32 d, a:pred, membermask");
  ballot_row("vote.ballot.b32 d, a:pred");
  const auto match_row = [&](std::string_view syntax) {
    rows.push_back({syntax, "type = b32 b64", Unit::warp, select_match, lower_match});
  };
  match_row("match.any.sync.type d:b32, a, membermask");
  match_row("match.sync.any.type d:b32, a, membermask");
  match_row("match.all.sync.type d|p:b32, a, membermask");
  match_row("match.sync.all.type d|p:b32, a, membermask");
  rows.push_back({"activemask.b32 d", "", Unit::warp, always(&active_mask), lower_activemask});
  rows.push_back(
      {"elect.sync d|p, membermask", "", Unit::warp, always(&gathered<&elect, SyncOperands{"dpm---"}>), lower_elect});
  rows.push_back(
      {"bar.warp.sync a:u32", "", Unit::warp, always(&gathered<&meet, SyncOperands{"m-----"}>), &lower_warp_barrier});
  redux_rows(rows);
}

}  // namespace bankshot::simt::BANKSHOT_ISA
