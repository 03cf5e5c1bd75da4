// The rules of the banks, by architecture.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bankshot/scratchpad/access/phases.hpp"
#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::scratchpad {

constexpr unsigned kMinBanks = 2, kMaxPorts = 64, kMaxCasPasses = 4;

/// What an access does, as far as the banks tell the difference.
enum class AccessKind : uint8_t {
  load,
  store,
  atomic,
  increment,  ///< an atomic that adds 1 to 32 bits and whose result is unused
  cas,        ///< an atomic compare-and-swap
  copy,       ///< writes data read from global memory, lane by lane: cp.async
  ldmatrix,   ///< reads lines of a matrix, which are given to other lanes
};
inline constexpr std::array<std::string_view, 7> kAccessKindNames = {"load", "store", "atomic",  "increment",
                                                                     "cas",  "copy",  "ldmatrix"};
inline std::string_view name(AccessKind kind) { return kAccessKindNames[static_cast<size_t>(kind)]; }
std::optional<AccessKind> access_kind_named(std::string_view name);
/// All names as an error message lists them: "load", …, "copy" or "ldmatrix", in quotes.
std::string access_kind_list();
inline bool is_atomic(AccessKind kind) {
  return kind == AccessKind::atomic || kind == AccessKind::increment || kind == AccessKind::cas;
}
inline bool reads(AccessKind kind) { return kind != AccessKind::store && kind != AccessKind::copy; }
inline bool writes(AccessKind kind) { return kind != AccessKind::load && kind != AccessKind::ldmatrix; }

/// How the lanes of a warp are served, by architecture; the numbers come from the GPU file.
/// Source: docs/wavefronts.md, with the evidence for each rule.
struct Rules {
  static constexpr unsigned kTables = 6;

  unsigned banks = 32;       ///< a power of two, kMinBanks to kMaxBanks
  unsigned bank_bytes = 4;   ///< 4, or 8 (Kepler's 8-byte mode)
  unsigned lanes_b32 = 32;   ///< neighbouring lanes served together for accesses of at most 32 bits
  unsigned lanes_b64 = 16;   ///< … of 64 bits: two half-warps
  unsigned lanes_b128 = 8;   ///< … of 128 bits: four quarter-warps
  bool merge_pairs = false;  ///< 64- and 128-bit loads whose lanes n and n^1 (or n and n^2) agree take half the phases
  bool combines_increments = false;  ///< AccessKind::increment: the lanes on one word are counted, and served together
  unsigned cas_passes = 1;           ///< passes in which AccessKind::cas serves what other atomics do in one, 1 to 4
  unsigned ports = 1;                ///< words that each bank delivers in a pass, 1 to kMaxPorts
  std::optional<BankHash> hash;      ///< of bank words, with as many banks; none: word modulo banks

  /// Phases of lanes that are not neighbours, in the order of kPhaseKeys; empty: lanes_b32, lanes_b64 and lanes_b128
  /// say it.
  std::array<PhaseTable, kTables> tables;

  bool operator==(const Rules&) const = default;
  /// @param word  address in units of bank_bytes
  unsigned bank(uint32_t word) const { return hash ? hash->bank(word) : word % banks; }
};

/// A table of phases as GPU files and JSON name it. Loads and stores have their own; atomics have none.
struct PhaseKey {
  std::string_view name;  ///< "load_b128"
  AccessKind kind;        ///< load or store
  unsigned width;         ///< bytes a lane: 4 stands for at most 4
};
/// The key of each of Rules::tables.
inline constexpr std::array<PhaseKey, Rules::kTables> kPhaseKeys = {{{"load_b32", AccessKind::load, 4},
                                                                     {"store_b32", AccessKind::store, 4},
                                                                     {"load_b64", AccessKind::load, 8},
                                                                     {"store_b64", AccessKind::store, 8},
                                                                     {"load_b128", AccessKind::load, 16},
                                                                     {"store_b128", AccessKind::store, 16}}};

/// Whether so many lanes of `width` bytes may be served together: they need no more bytes than all banks deliver at
/// once. One lane always may: 16 bytes from 2 banks of 4 take two passes.
inline bool fits_banks(const Rules& rules, unsigned lanes, unsigned width) {
  return lanes == 1 || lanes * width <= rules.banks * rules.bank_bytes;
}
/// Whether one lane of `width` bytes already needs more than all banks deliver at once.
inline bool lane_exceeds_banks(const Rules& rules, unsigned width) { return width > rules.banks * rules.bank_bytes; }
inline constexpr std::string_view kTooManyBytes = "that many lanes need more bytes than all banks deliver at once";
/// Whether each phase of a table of Rules::tables fits the banks.
inline bool phases_fit(const Rules& rules, size_t table) {
  return std::ranges::all_of(rules.tables[table],
                             [&](LaneMask phase) { return fits_banks(rules, phase.count(), kPhaseKeys[table].width); });
}

/// The table of an access, null if it has none. @param width  bytes a lane: 1, 2, 4, 8, 16 or, in a cache, 32
inline const PhaseTable* table_of(const Rules& rules, AccessKind kind, unsigned width) {
  if (is_atomic(kind) || width > 16) return nullptr;
  const unsigned by_width = width <= 4 ? 0 : width == 8 ? 1 : 2;
  const PhaseTable& table = rules.tables[2 * by_width + (writes(kind) ? 1 : 0)];
  return table.empty() ? nullptr : &table;
}

/// Neighbouring lanes that are served together in such accesses, not regarding merge_pairs; 0 if a table says which
/// are.
inline unsigned neighbours_together(const Rules& rules, AccessKind kind, unsigned width) {
  if (table_of(rules, kind, width) != nullptr) return 0;
  return width <= 4 ? rules.lanes_b32 : width == 8 ? rules.lanes_b64 : std::max(1u, rules.lanes_b128 * 16 / width);
}

/// Whether lanes on one word are served one after the other.
inline bool lanes_take_turns(const Rules& rules, AccessKind kind) {
  return kind == AccessKind::copy || (is_atomic(kind) && !(kind == AccessKind::increment && rules.combines_increments));
}
/// Passes in which a bank serves one word, or one lane of those that take turns.
inline unsigned passes_each(const Rules& rules, AccessKind kind) {
  return kind == AccessKind::cas ? rules.cas_passes : 1;
}

/// Whether all active lanes n and n^1, or all n and n^2, read the same address: the condition of merge_pairs.
bool lanes_agree_in_pairs(const uint32_t* addresses, LaneMask active);

/// The phases of one access; the arguments are those of cost(). Refers to the rules.
inline Phases phases_of(const Rules& rules, AccessKind kind, unsigned width, const uint32_t* addresses,
                        LaneMask active) {
  if (const PhaseTable* table = table_of(rules, kind, width)) return Phases::of(*table);
  const unsigned lanes = neighbours_together(rules, kind, width);
  const bool merged = rules.merge_pairs && (width == 8 || width == 16) && kind == AccessKind::load &&
                      lanes_agree_in_pairs(addresses, active);
  return Phases::neighbours(merged ? 2 * lanes : lanes);
}

/// Sets Rules::hash to what a spec says, over all address bits that hashes work on; to nothing if that is word modulo
/// banks.
/// @return why the spec does not suit these banks, or nothing
std::optional<Error> set_bank_hash(Rules& rules, std::string_view spec);

}  // namespace bankshot::scratchpad
