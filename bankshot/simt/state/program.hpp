// A decoded module.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/optimise/sequence.hpp"
#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/module.hpp"
#include "bankshot/ptx/places.hpp"
#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/simt/memory/arena.hpp"
#include "bankshot/simt/memory/memory.hpp"
#include "bankshot/simt/state/instr.hpp"
#include "bankshot/simt/state/instruction_hash.hpp"
#include "bankshot/simt/state/kernel.hpp"
#include "bankshot/simt/state/texture_op.hpp"
#include "bankshot/simt/state/unit.hpp"

namespace bankshot::simt {

struct Row;

/// Where an instruction stands in the text.
struct InstrInfo {
  uint32_t ptx_line = 0;
  uint32_t file = 0, line = 0;  ///< of the source, see ptx::Places; line 0: not known
  uint32_t chain = 0;           ///< of inlined calls
  uint32_t function = 0;
  uint16_t text = 0;    ///< index of "opcode.modifiers" in LoadedProgram::texts
  uint16_t joined = 1;  ///< how many instructions of the text it stands for
  uint8_t slots = 1;    ///< machine instructions that it becomes; 0: it is part of another one
  Unit unit = Unit::control;
  const Row* row = nullptr;        ///< of the table; null of what the decoder adds
  optimise::Sequence sequence;     ///< what machines do for it, if they have no such instruction
  ptx::Access access;              ///< what it does to memory
  bool adds_one = false;           ///< an atomic that adds 1 to 32 bits and whose result is unused
  uint8_t bytes = 0;               ///< an access or copy of lanes: bytes of each, of matrices those of a piece
  uint32_t work = 0;               ///< Unit::tensor: Row::work
  uint16_t reads = 0, writes = 0;  ///< how many registers it reads and writes: register_uses[uses …], reads first
  uint32_t uses = 0;
};

struct SiteInfo {
  uint32_t instr = 0;  ///< index of the instruction
  unsigned width = 0;  ///< bytes a lane
  scratchpad::AccessKind kind = scratchpad::AccessKind::load;
  bool matrix = false;    ///< of ldmatrix, stmatrix, wmma, wgmma: the lines of a matrix
  bool operands = false;  ///< … that a product reads by matrix descriptors
};

/// An instruction whose accesses of global memory are counted.
struct L1SiteInfo {
  uint32_t instr = 0;  ///< index of the instruction
  unsigned width = 0;  ///< bytes a lane
  scratchpad::AccessKind kind = scratchpad::AccessKind::load;
  bool reads = false;  ///< a load that looks for its data in the first-level cache
};
/// What run_l1_counted() wants to know of an instruction.
struct L1Op {
  Handler body = nullptr;  ///< the instruction proper
  uint32_t site = 0;       ///< index in LoadedProgram::l1_sites
};

/// What an instruction does to shared memory at its site: a copy writes or reads it, by its direction.
/// @param adds_one  InstrInfo::adds_one
inline scratchpad::AccessKind site_kind(const ptx::Access& access, bool adds_one) {
  using scratchpad::AccessKind;
  if (adds_one) return AccessKind::increment;
  if (access.operation == ptx::Access::Operation::cas) return AccessKind::cas;
  if (access.is_atomic()) return AccessKind::atomic;
  const bool fills = access.kind == ptx::Access::Kind::copy && access.space == ptx::Space::shared;
  if (fills && access.layout == ptx::Access::Layout::lanes) return AccessKind::copy;
  if (access.kind == ptx::Access::Kind::store || fills) return AccessKind::store;
  using Layout = ptx::Access::Layout;
  const bool lines = access.layout == Layout::matrix || access.layout == Layout::operands;
  return lines ? AccessKind::ldmatrix : AccessKind::load;
}

struct CopiedParam {
  uint32_t from = 0, to = 0;  ///< byte offsets in the caller's and the callee's local frame
  uint32_t bytes = 0;
};

/// What a call instruction needs in addition to its operands.
struct CallInfo {
  int32_t function = -1;               ///< -1: indirect, through a register
  Position position;                   ///< in the PTX text
  std::vector<CopiedParam> arguments;  ///< for a direct call; caller -> callee
  std::vector<CopiedParam> results;    ///< `from` in the callee's frame, `to` in the caller's
  // For an indirect call only offsets and sizes on the caller's side are known until the callee is.
};

/// An address operand.
struct AddressRef {
  uint32_t base = OperandRef::kNone;  ///< register row; kNone: the offset is all
  bool wide = true;                   ///< the register has 64 bits
  int64_t offset = 0;
  ptx::Space space = ptx::Space::generic;
};

/// What a copy between memories needs in addition to its instruction, which has the global side.
struct CopyInfo {
  AddressRef to, from, barrier;  ///< barrier: an mbarrier in shared memory that learns of the bytes
  unsigned bytes = 0;            ///< cp.async: of each lane
  uint32_t size =
      OperandRef::kNone;  ///< row of bytes: to be copied in bulk, or to be read by cp.async (the rest is zeroed)
  uint32_t ignored = OperandRef::kNone;  ///< predicate of lanes that read nothing
  uint32_t ctas = OperandRef::kNone;     ///< row: mask of the CTAs of the cluster that get the bytes
  bool to_pair = false;                  ///< .cta_group::2: the barrier may be that of the other CTA of a pair
  AddressRef tensor;                     ///< its descriptor
  std::vector<uint32_t> coordinates;     ///< rows, innermost dimension first; empty: no tensor
  std::vector<uint32_t> offsets;         ///< rows of 16 bits: im2col
  uint8_t reduction = 0;                 ///< what is done to the target: reduce.hpp; 0: it is overwritten
  ptx::Type type = ptx::Type::none;      ///< … to elements of this type
};

struct FunctionInfo {
  std::string name;
  bool is_entry = false;
  bool defined = false;           ///< decoded
  bool declared_body = false;     ///< the module has its body
  uint32_t begin = 0, end = 0;    ///< instructions [begin, end); `begin` is the entry point
  uint32_t register_bytes = 0;    ///< size of its frame in the warp's register stack
  uint32_t local_bytes = 0;       ///< size of its frame in a thread's stack, .param variables of calls included
  uint32_t local_alignment = 16;  ///< of that frame
  struct Param {
    uint32_t offset = 0, bytes = 0;
  };  ///< offset in the local frame
  std::vector<Param> parameters, returns;
  struct Register {
    uint32_t offset = 0, bytes = 0;  ///< of its row in the frame
    bool predicate = false;
  };
  std::vector<Register> all_registers;  ///< of its frame, by number
  std::vector<Register> unwritten;      ///< may be read before they were written: zero at the start
  uint32_t register_count = 0;          ///< numbers of its registers are below
  bool isolated = true;                 ///< nothing in it lets CTAs see each other
  std::string why_not_isolated;
  std::string why_all_ctas;  ///< the instruction through which its CTAs may learn of each other; empty: there is none
  std::string reduction;     ///< what its atomics do to global memory, if that is one thing only: "add.b32"
  bool has_calls = false;
  bool has_alloca = false;
  bool has_transactions = false;
  /// A place where it calls.
  struct Call {
    int32_t function = -1;
    uint32_t live = 0;
  };  ///< -1: indirect; 32-bit registers in use around it
  uint32_t live_registers = 0;  ///< 32-bit registers in use at once, at the most
  std::vector<Call> calls;
};

/// Special registers that are ours: what addresses of a CTA's shared memory begin with (Cta::own_window), and the
/// address of its dynamic shared memory.
inline constexpr std::string_view kOwnShared = "%shared", kOwnDynamicShared = "%dynamic_shared";

/// A special register that a program reads, with a row in the specials of the warp or of the CTA.
struct SpecialUse {
  std::string name;  ///< "%tid.x"
  uint32_t op = 0;
  unsigned bytes = 4;
  bool per_cta = false;  ///< the same for all warps of a CTA, another for every CTA
  uint32_t add = 0;      ///< kOwnShared, kOwnDynamicShared: is added
};

struct CheckedOp;  ///< checks.hpp

struct LoadedProgram {
  std::string name;
  ptx::SourceMap sources;
  std::vector<Instr> code;
  std::vector<InstrInfo> info;          ///< beside code
  std::vector<uint32_t> register_uses;  ///< registers by number in their function, predicates too: see InstrInfo
  uint64_t serial = 0;                  ///< no other program of this process has it
  std::vector<std::string> texts;
  std::vector<FunctionInfo> functions;
  std::vector<SiteInfo> sites;
  bool has_tiles = false;                            ///< some site has operands
  std::deque<InstructionHash> hashes;                ///< of single instructions
  std::vector<const InstructionHash*> hash_of_site;  ///< beside sites, null: the machine's; empty if there are none
  std::vector<L1SiteInfo> l1_sites;
  std::vector<L1Op> l1_ops;  ///< beside code, as far as there are l1_sites
  std::vector<CallInfo> calls;
  std::vector<CopyInfo> copies;
  std::vector<TextureOp> texture_ops;                     ///< operands of texture and surface instructions
  std::shared_ptr<const std::vector<CheckedOp>> checked;  ///< beside code, if accesses are checked
  std::vector<std::vector<uint32_t>> lists;  ///< operand lists: vectors of more than four, branch targets …
  std::vector<std::byte> constants;          ///< the constant pool, rows of `lanes`, while it is being made
  std::byte* constant_rows = nullptr;        ///< … and when it is finished
  Arena constant_arena;
  std::vector<SpecialUse> specials;
  uint32_t special_bytes = 0, cta_special_bytes = 0;
  std::vector<KernelInfo> kernels;
  std::vector<uint32_t> kernel_function;  ///< function index of each kernel
  std::vector<GlobalInfo> globals;
  unsigned lanes = 32;                  ///< lanes a row
  bool shares_runtime = false;          ///< kernels allocate memory or launch kernels: one host thread at a time
  Memory* memory = nullptr;             ///< where the globals live
  std::function<void()> forget_native;  ///< to be called before it goes, if there may be native code

  Source source_of(const Instr* instr) const;
  /// "kernel.cu:12", or "PTX line 34" where that is not known.
  std::string place_of(const Instr* instr) const;
  const InstrInfo& info_of(const Instr* instr) const { return info[static_cast<size_t>(instr - code.data())]; }
};

/// Whether a call passes what the function takes.
bool fits(const CallInfo& call, const FunctionInfo& function);

class Program : public LoadedProgram {
 public:
  ~Program();
};

}  // namespace bankshot::simt
