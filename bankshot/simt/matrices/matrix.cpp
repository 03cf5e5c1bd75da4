#include "bankshot/simt/matrices/matrix.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/paths.hpp"
#include "bankshot/simt/matrices/fragment.hpp"
#include "bankshot/simt/state/checker.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {
namespace {

using ptx::Space;
using Way = Fragment::Way;

constexpr unsigned kLanes = 32;
constexpr uint64_t kAll = 0xffffffff;

constexpr unsigned kLineBytes = 16;  // of ldmatrix and stmatrix

/// What the lanes of a warp access at once, and the bytes they get or give.
struct Lanes {
  unsigned count = kLanes;  ///< lanes from 0 on that take part
  unsigned width = 4;       ///< bytes a lane, a power of two
  std::array<uint64_t, kLanes> address;
  alignas(64) std::array<std::byte, kLanes * 16> bytes;  ///< of lane l from l * width on
};

/// A core of 16-bit elements, line by line, and its mirror image.
using Core16 = std::array<std::array<uint16_t, 8>, 8>;
constexpr size_t kCoreBytes = sizeof(Core16);

void mirror(const std::byte* from, std::byte* to) {
  Core16 in, out;
  std::memcpy(&in, from, kCoreBytes);
  for (size_t line = 0; line < 8; ++line) {
    for (size_t k = 0; k < 8; ++k) out[k][line] = in[line][k];
  }
  std::memcpy(to, &out, kCoreBytes);
}

template <size_t Width, class Address>
void copy_lanes(Lanes& lanes, const Address* address, bool store, std::byte* base) {
  std::byte* const bytes = lanes.bytes.data();
  for (unsigned l = 0; l < lanes.count; ++l) {
    auto* const there =
        reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(base) + address[l]);  // base may be null
    std::memcpy(store ? there : bytes + l * Width, store ? bytes + l * Width : there, Width);
  }
}

/// All addresses are good. @param address  by lane @param base  is added to them
template <class Address>
void copy_all(Lanes& lanes, const Address* address, bool store, std::byte* base) {
  switch (lanes.width) {
    case 1: return copy_lanes<1>(lanes, address, store, base);
    case 2: return copy_lanes<2>(lanes, address, store, base);
    case 4: return copy_lanes<4>(lanes, address, store, base);
    case 8: return copy_lanes<8>(lanes, address, store, base);
    default: return copy_lanes<16>(lanes, address, store, base);
  }
}

/// Whether all lanes are in [begin, end) and on multiples of their width.
template <class Address>
bool all_within(const Lanes& lanes, const Address* address, uint64_t begin, uint64_t end) {
  if (end - begin < lanes.width) return false;
  uint64_t wrong = 0;
  for (unsigned l = 0; l < lanes.count; ++l) {
    wrong |= static_cast<uint64_t>(address[l] - begin > end - begin - lanes.width) | (address[l] & (lanes.width - 1));
  }
  return wrong == 0;
}

/// Makes generic addresses of shared memory offsets. @return the lanes that are there
uint64_t find_shared(const Warp& w, const Lanes& lanes, Space space,
                     std::array<uint32_t, scratchpad::kMaxLanes>& offsets) {
  uint64_t shared = 0;
  for (unsigned l = 0; l < lanes.count; ++l) {
    const int64_t offset = shared_offset(w, space, lanes.address[l]);
    const bool own = offset >= 0 && !is_elsewhere(*w.cta, static_cast<uint64_t>(offset));
    offsets[l] =
        static_cast<uint32_t>(own ? byte_in_cta(static_cast<uint64_t>(offset)) : static_cast<uint64_t>(offset));
    shared |= static_cast<uint64_t>(offset >= 0) << l;
  }
  return shared;
}

/// One access of the warp: counted at the site, checked, done. @return false after a fault
bool move(Warp& w, const Instr* i, Lanes& lanes, bool store) {
  using scratchpad::AccessKind;
  const auto space = static_cast<Space>(i->small & MemorySmall::kSpaceMask);
  const uint64_t taking_part = lanes.count == kLanes ? kAll : (uint64_t{1} << lanes.count) - 1;
  if (Checker* const checks = w.worker->checks) {
    checks->access(w, i, store ? hazards::AccessKind::write : hazards::AccessKind::read, space, taking_part,
                   lanes.address.data(), lanes.width);
  }
  if (space != Space::global) {
    std::array<uint32_t, scratchpad::kMaxLanes> offsets;
    const uint64_t shared = find_shared(w, lanes, space, offsets);
    count_in_cluster(w, i->aux, store ? AccessKind::store : AccessKind::ldmatrix, lanes.width, offsets.data(), shared);
    if (shared == taking_part && all_within(lanes, offsets.data(), 0, w.cta->shared_bytes)) {
      copy_all(lanes, offsets.data(), store, w.cta->shared);
      return true;
    }
  }
  const Worker::Hit& hit = w.worker->last_hit(i);
  if (space != Space::shared && hit.begin < hit.end && (hit.writable || !store) &&
      all_within(lanes, lanes.address.data(), hit.begin, hit.end)) {
    copy_all(lanes, lanes.address.data(), store, nullptr);
    return true;
  }
  for (unsigned l = 0; l < lanes.count; ++l) {
    std::byte* const own = lanes.bytes.data() + l * lanes.width;
    const bool fine = store ? store_lane(w, i, space, lanes.address[l], lanes.width, l, own)
                            : load_lane(w, i, space, lanes.address[l], lanes.width, l, own);
    if (!fine) return false;
  }
  return true;
}

/// A matrix in memory: its first element and the distance of its rows (columns) in elements.
struct Where {
  uint64_t base = 0, stride = 0;
};

Where where(const Warp& w, const Instr* i) { return {lane_address(w, i, 0), w.row<const uint32_t>(i->op[2])[0]}; }

/// All lanes name the same matrix. @return false after a fault
bool agree(Warp& w, const Instr* i) {
  const Where first = where(w, i);
  const uint32_t* const strides = w.row<const uint32_t>(i->op[2]);
  for (unsigned l = 1; l < kLanes; ++l) {
    if (lane_address(w, i, l) == first.base && strides[l] == first.stride) continue;
    fault(w, i, Fault::Kind::partial_warp, static_cast<int>(l), lane_address(w, i, l),
          "all lanes have to give the same address and stride of the matrix, but lane " + std::to_string(l) +
              " gives others than lane 0");
    return false;
  }
  return true;
}

/// A fragment on its way: which lanes access what, core by core.
class Mover {
 public:
  Mover(Warp& w, const Instr* i, bool store)
      : w_(w),
        i_(i),
        store_(store),
        fragment_(Fragment::unpacked(i->op[3])),
        way_(static_cast<Way>(i->op[4])),
        at_(where(w, i)),
        rows_(w.worker->program->lists[i->op[1]]) {
    lanes_.width = fragment_.width(way_);
  }

  /// @return false after a fault
  bool run() {
    const unsigned cores = fragment_.cores();
    const unsigned at_once = way_ == Way::matrices ? std::min(cores, 4u) : 1;
    for (unsigned core = 0; core < cores; core += at_once) {
      const bool fine = way_ == Way::matrices   ? matrices(core, at_once)
                        : way_ == Way::elements ? elements(core)
                                                : groups(core);
      if (!fine) return false;
    }
    // The further registers of f16 matrices hold what the first ones hold.
    const unsigned size = kLanes * fragment_.register_bytes();
    for (size_t k = fragment_.registers(); !store_ && k < rows_.size(); ++k) {
      std::memcpy(reg(k), reg(k - fragment_.registers()), size);
    }
    return true;
  }

 private:
  std::byte* reg(size_t index) const { return w_.row<std::byte>(rows_[index]); }

  uint64_t address(Fragment::Place place) const {
    return at_.base + fragment_.distance(place, at_.stride) * bits(fragment_.element) / 8;
  }

  /// Cores of A or B, each as 8 lines of 16 bytes in memory, which are its lines or across them.
  bool matrices(unsigned first, unsigned count) {
    const bool mirrored = !fragment_.lines_in_memory();
    lanes_.count = count * kCoreLines;
    for (unsigned k = 0; k < count; ++k) {
      Fragment::Place place = fragment_.core(first + k);
      for (unsigned line = 0; line < kCoreLines; ++line) {
        lanes_.address[k * kCoreLines + line] = address(place);
        ++(mirrored ? place.across : place.line);
      }
    }
    if (!move(w_, i_, lanes_, false)) return false;
    for (unsigned k = 0; k < count; ++k) {
      const std::byte* const core = lanes_.bytes.data() + k * kCoreBytes;
      if (mirrored) {
        mirror(core, reg(first + k));
      } else {
        std::memcpy(reg(first + k), core, kCoreBytes);
      }
    }
    return true;
  }

  /// The group of each lane at once: neighbours in memory.
  bool groups(unsigned core) {
    const bool mirrored = way_ == Way::transposed;
    const Fragment::Place first = fragment_.core(core);
    for (unsigned l = 0; l < kLanes; ++l) {
      Fragment::Place place = first;
      (mirrored ? place.across : place.line) += l / kCoreGroups;
      (mirrored ? place.line : place.across) += l % kCoreGroups * fragment_.group();
      lanes_.address[l] = address(place);
    }
    if (store_) exchange(core);
    if (!move(w_, i_, lanes_, store_)) return false;
    if (!store_) exchange(core);
    return true;
  }

  /// Between the bytes in the order of memory and the registers of a core.
  void exchange(unsigned core) {
    std::byte* const bytes = lanes_.bytes.data();
    if (way_ == Way::transposed) return store_ ? mirror(reg(core), bytes) : mirror(bytes, reg(core));
    const size_t registers = fragment_.registers_of_core(), size = fragment_.register_bytes();
    for (size_t l = 0; l < kLanes; ++l) {
      for (size_t k = 0; k < registers; ++k) {
        std::byte* const here = reg(core * registers + k) + l * size;
        std::byte* const there = bytes + (l * registers + k) * size;
        std::memcpy(store_ ? there : here, store_ ? here : there, size);
      }
    }
  }

  bool elements(unsigned core) {
    const unsigned registers = fragment_.registers_of_core(), size = fragment_.register_bytes(),
                   each = fragment_.group() / registers;
    const Fragment::Place first = fragment_.core(core);
    for (unsigned k = 0; k < fragment_.group(); ++k) {
      std::byte* const row = reg(core * registers + k / each) + k % each * lanes_.width;
      for (unsigned l = 0; l < kLanes; ++l) {
        Fragment::Place place = first;
        place.line += l / kCoreGroups;
        place.across += l % kCoreGroups * fragment_.group() + k;
        lanes_.address[l] = address(place);
        if (store_) std::memcpy(lanes_.bytes.data() + l * lanes_.width, row + l * size, lanes_.width);
      }
      if (!move(w_, i_, lanes_, store_)) return false;
      for (unsigned l = 0; l < kLanes && !store_; ++l) {
        std::memcpy(row + l * size, lanes_.bytes.data() + l * lanes_.width, lanes_.width);
      }
    }
    return true;
  }

  Warp& w_;
  const Instr* const i_;
  const bool store_;
  const Fragment fragment_;
  const Way way_;
  const Where at_;
  const std::vector<uint32_t>& rows_;
  Lanes lanes_;
};

const Instr* move_fragment(Warp& w, const Instr* i, bool store) {
  if (!whole_warp(w, i) || !agree(w, i)) return nullptr;
  return Mover(w, i, store).run() ? i + 1 : nullptr;
}

/// ldmatrix and stmatrix: lane 8 j + r gives line r of matrix j.
bool lines_of(Warp& w, const Instr* i, Lanes& lanes) {
  lanes.count = static_cast<unsigned>(w.worker->program->lists[i->op[1]].size()) * kCoreLines;
  lanes.width = kLineBytes;
  const auto space = static_cast<Space>(i->small & MemorySmall::kSpaceMask);
  for (unsigned l = 0; l < lanes.count; ++l) {
    lanes.address[l] = lane_address(w, i, l);
    const int64_t offset = shared_offset(w, space, lanes.address[l]);
    if (offset >= 0 && !is_elsewhere(*w.cta, static_cast<uint64_t>(offset))) continue;
    fault(w, i, Fault::Kind::illegal_address, static_cast<int>(l), lanes.address[l],
          "the address is not one of the CTA's own shared memory");
    return false;
  }
  return true;
}

/// The elements of a line, which are packed, each in the low bits of a byte. What is above them in memory is padding.
void unpack_line(std::byte* line, unsigned bits) {
  std::array<uint8_t, kLineBytes + 1> packed{};
  std::memcpy(packed.data(), line, kLineBytes);
  for (unsigned k = 0; k < kLineBytes; ++k) {
    const unsigned at = k * bits, two = packed[at / 8] | packed[at / 8 + 1] << 8;
    line[k] = static_cast<std::byte>(two >> at % 8 & ((1u << bits) - 1));
  }
}

/// A byte of a register of lane l, by line and place in the line, where matrices of bytes are transposed.
struct BytePlace {
  unsigned line, column;
};
/// m16n16, of two registers: columns l / 4 and l / 4 + 8 of the lines 4 (l % 4) to 4 (l % 4) + 3.
BytePlace loaded_byte(unsigned l, unsigned reg, unsigned byte) { return {4 * (l % 4) + byte, l / 4 + 8 * reg}; }
/// m16n8: the lines are columns of the matrix, of which the lane holds what it holds of an accumulator.
BytePlace stored_byte(unsigned l, unsigned byte) { return {2 * (l % 4) + byte % 2, l / 4 + byte / 2 * 8}; }

/// Leaves lanes at the instruction until the rest of their warp has come. @return false if it cannot
bool wait_for_others(Warp& w, const Instr* i) {
  Path& current = w.paths[static_cast<size_t>(w.current)];
  if (i != w.segment) count(w, i - 1, current.mask);
  save(w, i);
  current.state = Path::State::at_aligned;
  reunite(w);
  return any_may_come(w);
}

}  // namespace

bool whole_warp(Warp& w, const Instr* i) {
  if (in_transaction(w)) {
    refuse_in_transaction(w, i, "a matrix instruction");
    return false;
  }
  if (w.active == kAll) return true;
  const uint64_t missing = ~w.active & kAll, ended = missing & ~w.alive;
  if (ended == 0 && wait_for_others(w, i)) return false;
  const auto lanes = [](uint64_t mask) { return std::to_string(std::popcount(mask)); };
  const bool one = std::popcount(missing) == 1;
  const std::string are = one ? "it is" : "they are", have = one ? "it has" : "they have";
  fault(w, i, Fault::Kind::partial_warp, std::countr_zero(w.active), 0,
        "all 32 lanes of the warp have to execute this instruction together (.aligned), but " + lanes(missing) +
            (one ? " does not: " : " do not: ") +
            (ended == missing ? have + " ended, or the block has no such threads"
             : ended == 0     ? are + " elsewhere in the program"
                              : lanes(ended) + " have ended, the others are elsewhere in the program"));
  return false;
}

const Instr* run_whole_warp(Warp& w, const Instr* i) { return whole_warp(w, i) ? i + 1 : nullptr; }

const Instr* run_wmma_load(Warp& w, const Instr* i) { return move_fragment(w, i, false); }
const Instr* run_wmma_store(Warp& w, const Instr* i) { return move_fragment(w, i, true); }

const Instr* run_ldmatrix(Warp& w, const Instr* i) {
  Lanes lanes;
  if (!whole_warp(w, i) || !lines_of(w, i, lanes) || !move(w, i, lanes, false)) return nullptr;
  const std::vector<uint32_t>& rows = w.worker->program->lists[i->op[1]];
  for (size_t k = 0; k < rows.size(); ++k) {
    const std::byte* const core = lanes.bytes.data() + k * kCoreBytes;
    if (i->op[2] != 0) {
      mirror(core, w.row<std::byte>(rows[k]));
    } else {
      std::memcpy(w.row<std::byte>(rows[k]), core, kCoreBytes);
    }
  }
  return i + 1;
}

const Instr* run_ldmatrix_bytes(Warp& w, const Instr* i) {
  Lanes lanes;
  if (!whole_warp(w, i) || !lines_of(w, i, lanes) || !move(w, i, lanes, false)) return nullptr;
  std::byte* const bytes = lanes.bytes.data();
  for (unsigned line = 0; line < lanes.count && i->op[3] < 8; ++line) unpack_line(bytes + line * kLineBytes, i->op[3]);
  const std::vector<uint32_t>& rows = w.worker->program->lists[i->op[1]];
  for (unsigned k = 0; k < rows.size(); ++k) {
    auto* const row = w.row<std::byte>(rows[k]);
    if (i->op[2] == 0) {
      std::memcpy(row, bytes + k * kCoreBytes, kCoreBytes);
      continue;
    }
    const std::byte* const matrix = bytes + k / 2 * 2 * kCoreBytes;
    for (unsigned at = 0; at < kLanes * 4; ++at) {
      const BytePlace place = loaded_byte(at / 4, k % 2, at % 4);
      row[at] = matrix[place.line * kLineBytes + place.column];
    }
  }
  return i + 1;
}

const Instr* run_stmatrix_bytes(Warp& w, const Instr* i) {
  Lanes lanes;
  if (!whole_warp(w, i) || !lines_of(w, i, lanes)) return nullptr;
  const std::vector<uint32_t>& rows = w.worker->program->lists[i->op[1]];
  for (unsigned k = 0; k < rows.size(); ++k) {
    const auto* const row = w.row<const std::byte>(rows[k]);
    std::byte* const matrix = lanes.bytes.data() + k * kCoreBytes;
    for (unsigned at = 0; at < kLanes * 4; ++at) {
      const BytePlace place = stored_byte(at / 4, at % 4);
      matrix[place.line * kLineBytes + place.column] = row[at];
    }
  }
  return move(w, i, lanes, true) ? i + 1 : nullptr;
}

const Instr* run_stmatrix(Warp& w, const Instr* i) {
  Lanes lanes;
  if (!whole_warp(w, i) || !lines_of(w, i, lanes)) return nullptr;
  const std::vector<uint32_t>& rows = w.worker->program->lists[i->op[1]];
  for (size_t k = 0; k < rows.size(); ++k) {
    std::byte* const core = lanes.bytes.data() + k * kCoreBytes;
    if (i->op[2] != 0) {
      mirror(w.row<std::byte>(rows[k]), core);
    } else {
      std::memcpy(core, w.row<std::byte>(rows[k]), kCoreBytes);
    }
  }
  return move(w, i, lanes, true) ? i + 1 : nullptr;
}

const Instr* run_movmatrix(Warp& w, const Instr* i) {
  if (!whole_warp(w, i)) return nullptr;
  mirror(w.row<std::byte>(i->op[1]), w.row<std::byte>(i->op[0]));
  return i + 1;
}

/// ldmatrix and stmatrix: as many lanes give lines as there are lines.
static bool moves_lines(const Instr& i) {
  return i.body == &run_ldmatrix || i.body == &run_stmatrix || i.body == &run_ldmatrix_bytes ||
         i.body == &run_stmatrix_bytes;
}

unsigned matrix_piece(const Instr& i) {
  if (moves_lines(i)) return kLineBytes;
  const Fragment f = Fragment::unpacked(i.op[3]);
  return f.lines() * f.across() * bits(f.element) / 8 / kLanes;
}

uint64_t matrix_addresses(const Warp& w, const Instr* i, LaneAddresses& to) {
  if (moves_lines(*i)) {
    const auto count = static_cast<unsigned>(w.worker->program->lists[i->op[1]].size()) * kCoreLines;
    for (unsigned l = 0; l < count; ++l) to.address[l] = lane_address(w, i, l);
    return (uint64_t{1} << count) - 1;
  }
  const Fragment f = Fragment::unpacked(i->op[3]);
  const Where at = where(w, i);
  const unsigned run = (f.lines_in_memory() ? f.across() : f.lines()) * bits(f.element) / 8, piece = matrix_piece(*i);
  for (unsigned l = 0; l < kLanes; ++l) {
    to.address[l] = at.base + l * piece / run * (at.stride * bits(f.element) / 8) + l * piece % run;
  }
  return kAll;
}

}  // namespace bankshot::simt
