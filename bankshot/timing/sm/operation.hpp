// What a timing model needs to know of an instruction, looked up once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bankshot/ptx/access.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/timing/atomics/atomic_form.hpp"
#include "bankshot/timing/base/config.hpp"

namespace bankshot::timing {

struct Operation {
  /// A call is a call or a function's ret; exit is a kernel's ret, too. An order is a fence that only the CTA's threads
  /// see.
  enum class Kind : uint8_t {
    arithmetic,
    branch,
    call,
    barrier,
    fence,
    order,
    sleep,
    exit,
    load,
    store,
    atomic,
    constant,
    tx_begin,
    tx_commit,
    copy,  ///< cp.async: a load whose data goes to shared memory
    copy_commit,
    copy_wait,
    bulk,         ///< cp.async.bulk to shared memory
    bulk_store,   ///< … from shared to global memory
    bulk_reduce,  ///< cp.reduce.async.bulk there: takes effect in the order of atomics
    bulk_commit,
    bulk_wait,
    bulk_wait_read,  ///< until the groups are written, or have been read
    mbarrier,        ///< an operation on a word of shared memory
    product,         ///< wgmma.mma_async: of a warpgroup
    product_commit,
    product_wait,
    tensor_product,  ///< tcgen05.mma; the following are tcgen05, too
    tensor_copy,     ///< .cp
    tensor_shift,
    tensor_commit,
    tensor_load,
    tensor_store,
    tensor_wait_load,
    tensor_wait_store,
    tensor_alloc,
    tensor_free,
  };
  Kind kind = Kind::arithmetic;
  UnitClass unit = UnitClass::alu;  ///< atomic: of its arithmetic
  AtomicForm form = AtomicForm::machine;
  scratchpad::AccessKind shared_kind = scratchpad::AccessKind::load;  ///< what it does to the banks, if anything
  bool passes_l1 = false;                                             ///< load, copy: past the first-level cache
  bool reads_l1 = false;                                              ///< ptx::Access::reads_l1()
  bool strong = false;  ///< volatile, relaxed, acquire, release …: takes effect at the memory partition
  bool crosses =
      false;          ///< an asynchronous store or copy to shared memory, or on a barrier there, perhaps another CTA's
  bool pair = false;  ///< .cta_group::2: reaches tensor memory of both CTAs, or is ordered with what does
  bool texture = false;  ///< load, store, atomic of a texture or surface: its texels' addresses come with the access
  uint8_t width = 4;     ///< load, store, atomic, copy: bytes a lane; of textures the texture knows
  uint8_t slots = 1;     ///< issue slots: the machine instructions that it becomes; 0: it is part of another one
  uint16_t reads = 0, writes = 0;
  uint32_t uses = 0;  ///< where its registers begin in Operations::registers
  uint32_t work = 0;  ///< tensor: multiply-adds of 16-bit factors that it is worth; else 0, its lanes

  uint8_t chain = 0, special = 0;  ///< of a sequence (a division): optimise::Sequence
  bool is_sequence() const { return chain != 0; }
  /// tcgen05 instructions that take time.
  bool is_tensor() const { return kind >= Kind::tensor_product; }
  /// What goes through the unit of tensor memory.
  bool is_tensor_work() const { return is_tensor() && kind <= Kind::tensor_shift; }
  /// Several instructions of its unit, one behind the other.
  bool in_pieces() const {
    return slots > 1 && !is_sequence() && (unit == UnitClass::alu || unit == UnitClass::multiply);
  }
  bool is_access() const {
    return kind == Kind::load || kind == Kind::store || kind == Kind::atomic || kind == Kind::copy;
  }
};

/// The registers of an instruction by number: those that it reads, then those that it writes.
struct RegisterUses {
  const uint32_t* registers = nullptr;
  unsigned reads = 0, writes = 0;
  std::span<const uint32_t> read() const { return {registers, reads}; }
  std::span<const uint32_t> written() const { return {registers + reads, writes}; }
};

/// A program as a timing model sees it.
struct Operations {
  std::vector<Operation> of;  ///< one for each Instr
  /// Registers by number, those read first: a kernel's from 0 on, those of functions behind any kernel's.
  std::vector<uint32_t> registers;
  uint32_t of_functions = 0;  ///< one more than the highest number of all

  RegisterUses uses_of(const Operation& operation) const {
    return {registers.data() + operation.uses, operation.reads, operation.writes};
  }
};
Operations operations(const simt::LoadedProgram& program);

/// The pipeline that executes a row's unit.
UnitClass unit_class(simt::Unit unit);

/// What machine code makes of an atomic.
AtomicForm atomic_form(const ptx::Access& access);

}  // namespace bankshot::timing
