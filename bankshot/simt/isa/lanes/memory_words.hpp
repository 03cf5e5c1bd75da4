// ld.shared of one word a lane by a full warp, without leaving the vector registers: what loops over tiles consist of.
#pragma once

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/isa/lanes/lanes.hpp"
#include "bankshot/simt/state/program.hpp"

#if defined(__AVX512F__) && BANKSHOT_LANES == 32
namespace bankshot::simt::BANKSHOT_ISA {

/// The words at base + offset of 16 lanes. Rows and columns of tiles make lanes that are neighbours or agree, all 16 or
/// by eights; a gather costs much more than their loads. @param first  the offset of lane 0
inline __m512i load_half(const std::byte* base, __m512i offset, u32 first) {
  const __m512i line = _mm512_set_epi32(60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4, 0);
  const __m512i d = _mm512_sub_epi32(offset, _mm512_set1_epi32(static_cast<s32>(first)));
  if (_mm512_cmpneq_epi32_mask(d, line) == 0) return _mm512_loadu_si512(base + first);
  if (_mm512_test_epi32_mask(d, d) == 0) return _mm512_set1_epi32(*reinterpret_cast<const s32*>(base + first));
  const u32 second = static_cast<u32>(_mm256_cvtsi256_si32(_mm512_extracti64x4_epi64(offset, 1)));
  const __m512i starts =
      _mm512_inserti64x4(_mm512_setzero_si512(), _mm256_set1_epi32(static_cast<s32>(second - first)), 1);
  const __m512i e = _mm512_sub_epi32(d, starts);
  const __m512i lines = _mm512_and_si512(line, _mm512_set1_epi32(31));
  if (_mm512_cmpneq_epi32_mask(e, lines) == 0) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(base + first));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low),
                              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(base + second)), 1);
  }
  if (_mm512_test_epi32_mask(e, e) == 0) {
    const __m256i low = _mm256_set1_epi32(*reinterpret_cast<const s32*>(base + first));
    return _mm512_inserti64x4(_mm512_castsi256_si512(low),
                              _mm256_set1_epi32(*reinterpret_cast<const s32*>(base + second)), 1);
  }
  return _mm512_i32gather_epi32(offset, base, 1);
}

/// @return false if the careful way must be taken; nothing was done then
inline bool load_shared_words(Warp& w, const Instr* i) {
  const u32 bytes = w.cta->shared_bytes;
  if (!(i->flags & InstrFlag::kOneWord) || w.active != kAllLanes || bytes < 4) return false;
  const u32* const base = w.row<const u32>(i->op[0]);
  const u32 offset = static_cast<u32>(i->imm) - w.cta->own_window, first = base[0] + offset, middle = base[16] + offset;
  const __m512i add = _mm512_set1_epi32(static_cast<s32>(offset)),
                last = _mm512_set1_epi32(static_cast<s32>(bytes - 4));
  const __m512i low = _mm512_add_epi32(_mm512_loadu_si512(base), add);
  const __m512i high = _mm512_add_epi32(_mm512_loadu_si512(base + 16), add);
  const auto outside = _mm512_cmpgt_epu32_mask(low, last) | _mm512_cmpgt_epu32_mask(high, last);
  if ((outside | _mm512_test_epi32_mask(_mm512_or_si512(low, high), _mm512_set1_epi32(3))) != 0) return false;
  if (w.worker->counting) {
    alignas(64) u32 offsets[kLanes];
    _mm512_store_si512(offsets, low);
    _mm512_store_si512(offsets + 16, high);
    count_shared(w, i->aux, scratchpad::AccessKind::load, 4, offsets, kAllLanes);
  }
  const __m512i a = load_half(w.cta->shared, low, first), b = load_half(w.cta->shared, high, middle);
  u32* const d = w.row<u32>(i->op[1]);
  _mm512_storeu_si512(d, a);
  _mm512_storeu_si512(d + 16, b);
  return true;
}

}  // namespace bankshot::simt::BANKSHOT_ISA
#endif
