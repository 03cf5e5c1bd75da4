// What an instruction does to memory, read from its spelling once. Everything else that asks takes it from here:
// decoding, checking, timing, static analysis, rewriting, reports. Source: PTX ISA 9.0, sections of the instructions
// named.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

struct Access {
  enum class Kind : uint8_t {
    none,       ///< does nothing to memory
    load,       ///< ld, ldu, ldmatrix, wmma.load, wgmma.mma_async, tex, tld4, suld
    store,      ///< st, stmatrix, wmma.store, sust, st.async
    atomic,     ///< atom: a read and a write, and the old value comes back
    reduction,  ///< red, sured, red.async: the same without a result
    copy,       ///< cp.async, cp.async.bulk, cp.reduce.async.bulk: from memory to memory
    mbarrier,   ///< mbarrier.*, and cp.async.mbarrier.arrive: an operation on a barrier object in shared memory
    fence,      ///< fence, membar: orders other accesses
    commit,     ///< …commit_group: closes a group of copies
    wait,       ///< …wait_group, wait_all: waits for groups of copies
    hint,       ///< prefetch, discard, applypriority: changes no value
  };
  /// Whose addresses an access has.
  enum class Layout : uint8_t {
    lanes,     ///< each lane its own, for `bytes()` bytes
    matrix,    ///< the lines of a matrix, dealt out to the lanes of a warp
    bulk,      ///< a range of one lane
    tensor,    ///< a box of a tensor, by one lane
    texture,   ///< texels
    operands,  ///< of wgmma: matrices that descriptors describe, read by a warpgroup
  };
  enum class Order : uint8_t { weak, relaxed, acquire, release, acq_rel, seq_cst };
  /// Threads that an order holds among; none if it is not written.
  enum class Scope : uint8_t { none, cta, cluster, gpu, sys };
  enum class Operation : uint8_t { none, add, min, max, inc, dec, bit_and, bit_or, bit_xor, exch, cas };

  Kind kind = Kind::none;
  Layout layout = Layout::lanes;
  Space space = Space::generic;  ///< named first: of a copy where it writes; generic if none is named
  Space from = Space::generic;   ///< of a copy: where it reads
  Type type = Type::none;        ///< of an element
  uint8_t elements = 1;          ///< of .v2, .v4, .v8
  Order order = Order::weak;
  Scope scope = Scope::none;
  Operation operation = Operation::none;  ///< of an atomic, a reduction, or a copy that combines
  bool is_volatile = false;               ///< .volatile: relaxed, with the scope of the system
  bool is_mmio = false;                   ///< .mmio: relaxed, and performed as often as written
  bool refetches = false;                 ///< .cv: cached data is not used
  bool asynchronous = false;              ///< takes effect after the instruction: st.async, red.async, cp.async …
  bool to_barrier = false;                ///< an mbarrier learns of its bytes
  bool of_cluster = false;                ///< .shared::cluster: perhaps in the memory of another CTA
  bool read_only_wait = false;            ///< wait: until the groups have been read (.read)
  bool passes_l1 = false;                 ///< .cg: a load or copy past the first-level cache

  /// Bytes of a lane: of matrices, textures and copies, which do not say them so, 0.
  unsigned bytes() const;
  bool is_atomic() const { return kind == Kind::atomic || kind == Kind::reduction; }
  /// Reads or writes the memory of the program.
  bool touches_memory() const { return kind == Kind::load || kind == Kind::store || is_atomic() || kind == Kind::copy; }
  bool writes() const { return kind == Kind::store || is_atomic() || kind == Kind::copy; }
  bool acquires() const { return order == Order::acquire || order == Order::acq_rel || order == Order::seq_cst; }
  bool releases() const { return order == Order::release || order == Order::acq_rel || order == Order::seq_cst; }
  /// A strong operation of the memory model: ordered with others on the same place. Source: PTX ISA 9.0, section 8.4.
  bool is_strong() const { return is_atomic() || is_volatile || order != Order::weak; }
  /// May be in a loop that waits for another thread: what programs poll with.
  bool may_poll() const { return is_volatile || order != Order::weak || refetches; }
  /// May concern threads of other CTAs: it finds nothing in a first-level cache. Atomics never do, and say nothing
  /// here.
  bool leaves_cta() const { return is_volatile || (may_poll() && scope != Scope::cta); }
  /// A load that looks for its data in the first-level cache.
  bool reads_l1() const { return kind == Kind::load && !leaves_cta() && !passes_l1; }
  /// Its scope, if given, is not wider than a cluster.
  bool stays_in_cluster() const { return !is_volatile && (scope == Scope::cta || scope == Scope::cluster); }
};

Access access_of(std::string_view opcode, const std::vector<std::string>& modifiers);
inline Access access_of(const Instruction& instruction) { return access_of(instruction.opcode, instruction.modifiers); }

/// Whether an atomic adds the constant 1 to 32 bits, or increments them up to the largest number.
bool adds_one(const Access& access, const Instruction& instruction);

/// "add", as the instructions have it; Operation::none if there is none of that name.
Access::Operation operation_named(std::string_view name);

}  // namespace bankshot::ptx
