// Rows between registers and host memory.
#pragma once

#include "bankshot/simt/isa/lane_addresses.hpp"
#include "bankshot/simt/program.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// Row of element `e` of the value, kNone for a sink.
inline u32 value_row(Warp& w, const Instr* i, unsigned e) {
  return i->op[3] == 1 ? i->op[1] : w.worker->program->lists[i->op[1]][e];
}

/// Extends a loaded row into registers wider than the type, or copies it.
template <class T>
void put_row(Warp& w, u32 op, unsigned register_bytes, const T* t) {
  if (op == OperandRef::kNone) return;
  const auto widen = [&]<class R>(R*) {
    if (w.active == kAllLanes) {
      R* const d = w.row<R>(op);
      BANKSHOT_LANE_LOOP
      for (int l = 0; l < kLanes; ++l) d[l] = static_cast<R>(t[l]);
    } else {
      R wide[kLanes];
      BANKSHOT_LANE_LOOP
      for (int l = 0; l < kLanes; ++l) wide[l] = static_cast<R>(t[l]);
      blend(w.row<R>(op), wide, w.active);
    }
  };
  // Sign extension follows from T being signed.
  if (register_bytes == 2) return widen(static_cast<std::conditional_t<std::is_signed_v<T>, s16, u16>*>(nullptr));
  if (register_bytes == 4) return widen(static_cast<std::conditional_t<std::is_signed_v<T>, s32, u32>*>(nullptr));
  widen(static_cast<std::conditional_t<std::is_signed_v<T>, s64, u64>*>(nullptr));
}

/// The low bytes of registers that may be wider than the type.
template <class T>
const T* get_row(Warp& w, u32 op, unsigned register_bytes, T* t) {
  if (register_bytes == sizeof(T)) return w.row<const T>(op);
  const auto narrow = [&]<class R>(const R* s) {
    BANKSHOT_LANE_LOOP
    for (int l = 0; l < kLanes; ++l) t[l] = static_cast<T>(s[l]);
  };
  if (register_bytes == 2) narrow(w.row<const u16>(op));
  if (register_bytes == 4) narrow(w.row<const u32>(op));
  if (register_bytes == 8) narrow(w.row<const u64>(op));
  return t;
}

/// t[l] = the T at base + offset[l]
template <class T, class Offset>
inline void gather_row(T* t, const std::byte* base, const Offset* offset) {
#if defined(__AVX512F__) && BANKSHOT_LANES == 32
  if constexpr (sizeof(T) == 4 && sizeof(Offset) == 4) {
    for (int k = 0; k < 32; k += 16) {
      _mm512_storeu_si512(t + k, _mm512_i32gather_epi32(_mm512_loadu_si512(offset + k), base, 1));
    }
    return;
  }
  if constexpr (sizeof(T) == 4 && sizeof(Offset) == 8) {
    for (int k = 0; k < 32; k += 8) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(t + k), _mm512_i64gather_epi32(_mm512_loadu_si512(offset + k), base, 1));
    }
    return;
  }
#endif
  for (int l = 0; l < kLanes; ++l) std::memcpy(&t[l], base + offset[l], sizeof(T));
}

/// Loads into or stores from the value rows; all offsets are in range and aligned, lanes that are off hold one that is.
template <class T, bool Store, class Offset>
inline void move_rows(Warp& w, const Instr* i, std::byte* base, const Offset* offset, bool contiguous) {
  const unsigned elements = i->op[3];
  if constexpr (Store) {
    T room[8][kLanes];
    const T* rows[8];
    for (unsigned e = 0; e < elements; ++e) rows[e] = get_row(w, value_row(w, i, e), i->op[2], room[e]);
    if (elements == 1 && contiguous && w.active == kAllLanes) {
      std::memcpy(base + offset[0], rows[0], sizeof(T) * kLanes);
      return;
    }
    // In lane order: of several lanes on one address the last one wins.
    for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
      const int l = __builtin_ctzll(rest);
      for (unsigned e = 0; e < elements; ++e) std::memcpy(base + offset[l] + e * sizeof(T), &rows[e][l], sizeof(T));
    }
  } else {
    const bool direct = elements == 1 && i->op[2] == sizeof(T) && w.active == kAllLanes && i->op[1] != OperandRef::kNone;
    T room[kLanes];
    T* const t = direct ? w.row<T>(i->op[1]) : room;
    for (unsigned e = 0; e < elements; ++e) {
      if (contiguous && elements == 1) {
        std::memcpy(t, base + offset[0], sizeof(T) * kLanes);
      } else {
        gather_row(t, base + e * sizeof(T), offset);
      }
      if (!direct) put_row(w, value_row(w, i, e), i->op[2], t);
    }
  }
}

}  // namespace bankshot::simt::BANKSHOT_ISA
