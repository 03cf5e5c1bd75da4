// Rows between registers and host memory.
#pragma once

#include "bankshot/simt/isa/lanes/lane_addresses.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// Row of element `e` of the value, kNone for a sink.
inline u32 value_row(Warp& w, const Instr* i, unsigned e) {
  return i->op[3] == 1 ? i->op[1] : w.worker->program->lists[i->op[1]][e];
}

/// f(R*) with the integer type R of registers of this many bytes, signed if T is: what a T that is loaded becomes.
template <class T, class F>
[[gnu::always_inline]] inline void as_register(unsigned register_bytes, F f) {
  if (register_bytes == 2) return f(static_cast<std::conditional_t<std::is_signed_v<T>, s16, u16>*>(nullptr));
  if (register_bytes == 4) return f(static_cast<std::conditional_t<std::is_signed_v<T>, s32, u32>*>(nullptr));
  f(static_cast<std::conditional_t<std::is_signed_v<T>, s64, u64>*>(nullptr));
}

/// to[l] = s[l], converted.
template <class R, class S>
inline void convert_row(R* to, const S* s) {
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) to[l] = static_cast<R>(s[l]);
}

/// Writes a row to registers, through f(R* to) that fills all lanes of a row. Lanes that are off keep what they have.
template <class R, class F>
[[gnu::always_inline]] inline void fill_row(Warp& w, u32 op, F f) {
  if (w.active == kAllLanes) return f(w.row<R>(op));
  R all[kLanes];
  f(all);
  blend(w.row<R>(op), all, w.active);
}

/// Extends a loaded row into registers wider than the type, or copies it.
template <class T>
void put_row(Warp& w, u32 op, unsigned register_bytes, const T* t) {
  if (op == OperandRef::kNone) return;
  as_register<T>(register_bytes, [&w, op, t]<class R>(R*) { fill_row<R>(w, op, [t](R* to) { convert_row(to, t); }); });
}

/// The same for a value that all lanes loaded.
template <class T>
[[gnu::always_inline]] inline void put_value(Warp& w, u32 op, unsigned register_bytes, T value) {
  if (op == OperandRef::kNone) return;
  as_register<T>(register_bytes, [&w, op, value]<class R>(R*) {
    fill_row<R>(w, op, [value](R* to) {
      const R one = static_cast<R>(value);
      for (int l = 0; l < kLanes; ++l) to[l] = one;
    });
  });
}

/// The low bytes of registers that may be wider than the type.
template <class T>
const T* get_row(Warp& w, u32 op, unsigned register_bytes, T* t) {
  if (register_bytes == sizeof(T)) return w.row<const T>(op);
  if (register_bytes == 2) convert_row(t, w.row<const u16>(op));
  if (register_bytes == 4) convert_row(t, w.row<const u32>(op));
  if (register_bytes == 8) convert_row(t, w.row<const u64>(op));
  return t;
}

#if defined(__AVX512F__) && BANKSHOT_LANES == 32
/// What groups of eight lanes have in common: tiles of 8 or 16 threads a row make these, and a gather costs much more.
enum class Eights : u8 { lines, points, neither };

/// @param bytes  distance of neighbours in a line
inline Eights eights_of(const u32* offset, int bytes) {
  const __m512i first = _mm512_set_epi32(8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m512i step =
      _mm512_mullo_epi32(_mm512_set_epi32(7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi32(bytes));
  const __m512i low = _mm512_loadu_si512(offset), high = _mm512_loadu_si512(offset + 16);
  const __m512i d = _mm512_sub_epi32(low, _mm512_permutexvar_epi32(first, low));
  const __m512i e = _mm512_sub_epi32(high, _mm512_permutexvar_epi32(first, high));
  if ((_mm512_cmpneq_epi32_mask(d, step) | _mm512_cmpneq_epi32_mask(e, step)) == 0) return Eights::lines;
  const __m512i both = _mm512_or_si512(d, e);
  return _mm512_test_epi32_mask(both, both) == 0 ? Eights::points : Eights::neither;
}

inline Eights eights_of(const u64* offset, int bytes) {
  const __m512i step = _mm512_mullo_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(bytes));
  __m512i off_line = _mm512_setzero_si512(), off_point = off_line;
  for (int k = 0; k < 32; k += 8) {
    const __m512i d = _mm512_sub_epi64(_mm512_loadu_si512(offset + k), _mm512_set1_epi64(static_cast<s64>(offset[k])));
    off_line = _mm512_or_si512(off_line, _mm512_xor_si512(d, step));
    off_point = _mm512_or_si512(off_point, d);
  }
  if (_mm512_test_epi64_mask(off_line, off_line) == 0) return Eights::lines;
  return _mm512_test_epi64_mask(off_point, off_point) == 0 ? Eights::points : Eights::neither;
}
#endif

/// The byte at an offset. Of global memory, whose offsets are addresses, the base is null: pointers to nothing cannot
/// be counted on from.
template <class Byte>
inline Byte* at_offset(Byte* base, u64 offset) {
  return reinterpret_cast<Byte*>(reinterpret_cast<uintptr_t>(base) + offset);
}

/// t[l] = the T at base + offset[l]
template <class T, class Offset>
inline void gather_row(T* t, const std::byte* base, const Offset* offset) {
#if defined(__AVX512F__) && BANKSHOT_LANES == 32
  if constexpr (sizeof(T) == 4) {
    const Eights eights = eights_of(offset, 4);
    for (int k = 0; k < 32; k += 8) {
      auto* const at = reinterpret_cast<__m256i*>(t + k);
      if (eights == Eights::lines) {
        _mm256_storeu_si256(at, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at_offset(base, offset[k]))));
      } else if (eights == Eights::points) {
        s32 one;
        std::memcpy(&one, at_offset(base, offset[k]), 4);
        _mm256_storeu_si256(at, _mm256_set1_epi32(one));
      } else if constexpr (sizeof(Offset) == 4) {
        const __m256i where = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(offset + k));
        _mm256_storeu_si256(at, _mm256_i32gather_epi32(reinterpret_cast<const int*>(base), where, 1));
      } else {
        _mm256_storeu_si256(at, _mm512_i64gather_epi32(_mm512_loadu_si512(offset + k), base, 1));
      }
    }
    return;
  }
#endif
  for (int l = 0; l < kLanes; ++l) std::memcpy(&t[l], at_offset(base, offset[l]), sizeof(T));
}

/// Vectors of E elements, those of all lanes one after the other, as a row for each element, and back.
template <class U, unsigned E>
inline void split_vectors(U (*t)[kLanes], const std::byte* vectors) {
  const U* const v = reinterpret_cast<const U*>(vectors);
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
#pragma GCC unroll 8
    for (unsigned e = 0; e < E; ++e) t[e][l] = v[E * static_cast<unsigned>(l) + e];
  }
}
template <class U, unsigned E>
inline void join_vectors(std::byte* vectors, const U (*t)[kLanes]) {
  U* const v = reinterpret_cast<U*>(vectors);
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
#pragma GCC unroll 8
    for (unsigned e = 0; e < E; ++e) v[E * static_cast<unsigned>(l) + e] = t[e][l];
  }
}

/// move_rows() of vectors of E elements.
template <class T, unsigned E, bool Store, class Offset>
void move_vectors(Warp& w, const Instr* i, std::byte* base, const Offset* offset, bool contiguous) {
  using U = Bits<sizeof(T)>;
  constexpr size_t kBytes = E * sizeof(T);
  const u32* const list = w.worker->program->lists[i->op[1]].data();
  alignas(64) U t[E][kLanes];
  alignas(64) std::byte room[kLanes * kBytes];
  if constexpr (Store) {
    for (unsigned e = 0; e < E; ++e) {
      const U* const row = get_row(w, list[e], i->op[2], t[e]);
      if (row != t[e]) std::memcpy(t[e], row, sizeof t[e]);
    }
    if (contiguous && w.active == kAllLanes) return join_vectors<U, E>(at_offset(base, offset[0]), t);
    join_vectors<U, E>(room, t);
    // In lane order: of several lanes on one address the last one wins.
    for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
      const int l = __builtin_ctzll(rest);
      std::memcpy(at_offset(base, offset[l]), room + kBytes * static_cast<unsigned>(l), kBytes);
    }
  } else {
    if (contiguous) {
      split_vectors<U, E>(t, at_offset(base, offset[0]));
    } else {
      for (int l = 0; l < kLanes; ++l)
        std::memcpy(room + kBytes * static_cast<unsigned>(l), at_offset(base, offset[l]), kBytes);
      split_vectors<U, E>(t, room);
    }
    for (unsigned e = 0; e < E; ++e) put_row(w, list[e], i->op[2], reinterpret_cast<const T*>(t[e]));
  }
}

/// Loads into or stores from the value rows; all offsets are in range and aligned, lanes that are off hold one that is.
template <class T, bool Store, class Offset>
inline void move_rows(Warp& w, const Instr* i, std::byte* base, const Offset* offset, bool contiguous) {
  switch (i->op[3]) {
    case 2: return move_vectors<T, 2, Store>(w, i, base, offset, contiguous);
    case 4: return move_vectors<T, 4, Store>(w, i, base, offset, contiguous);
    case 8: return move_vectors<T, 8, Store>(w, i, base, offset, contiguous);
    default: break;
  }
  if constexpr (Store) {
    T room[kLanes];
    const T* const row = get_row(w, i->op[1], i->op[2], room);
    if (contiguous && w.active == kAllLanes) {
      std::memcpy(at_offset(base, offset[0]), row, sizeof(T) * kLanes);
      return;
    }
#if defined(__AVX512F__) && BANKSHOT_LANES == 32
    if constexpr (sizeof(T) == 4) {
      if (w.active == kAllLanes && eights_of(offset, 4) == Eights::lines) {
        for (int k = 0; k < 32; k += 8) std::memcpy(at_offset(base, offset[k]), row + k, 32);
        return;
      }
    }
#endif
    // In lane order: of several lanes on one address the last one wins.
    for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
      const int l = __builtin_ctzll(rest);
      std::memcpy(at_offset(base, offset[l]), &row[l], sizeof(T));
    }
  } else {
    const bool direct = i->op[2] == sizeof(T) && w.active == kAllLanes && i->op[1] != OperandRef::kNone;
    T room[kLanes];
    T* const t = direct ? w.row<T>(i->op[1]) : room;
    if (contiguous) {
      std::memcpy(t, at_offset(base, offset[0]), sizeof(T) * kLanes);
    } else {
      gather_row(t, base, offset);
    }
    if (!direct) put_row(w, i->op[1], i->op[2], t);
  }
}

}  // namespace bankshot::simt::BANKSHOT_ISA
