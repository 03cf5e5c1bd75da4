// One instruction of NVIDIA machine code, as far as it is read to compare it with a model.
//
// Since sm_70 an instruction has 128 bits. What nearly all have in the same place:
//
//   bits 0..8    operation                                  bits 16..23  destination register
//   bits 9..11   form: which operands are registers         bits 24..31  first source, or the address
//   bits 12..14  predicate that guards it (7: always)       bits 32..39  second source, or 32 bits of immediate
//   bit 15       the guard is negated                       bits 64..71  third source
//   bits 40..63  offset of a memory access, signed          bits 73..75  its width
//   bit 91       the address has a uniform register         bits 105..   scheduling: not read
//
// Register 255 is RZ. Source: found by comparing what ptxas 12.9 and 13.0 write for PTX of our own with nvdisasm's
// text; there is no public page.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace bankshot::sass {

/// What an instruction does. Memory first; the order is not part of any format.
enum class Class : uint8_t {
  shared_load,    ///< LDS
  shared_store,   ///< STS
  shared_atomic,  ///< ATOMS
  matrix_load,    ///< LDSM
  matrix_store,   ///< STSM
  async_copy,     ///< LDGSTS: global to shared memory, past the registers
  mbarrier,       ///< SYNCS, ARRIVES: barriers that lie in shared memory
  global_load,    ///< LDG
  global_store,   ///< STG
  global_atomic,  ///< ATOMG, and ATOM and RED by a global or generic address
  generic_load,   ///< LD
  generic_store,  ///< ST
  cluster_store,  ///< STAS, REDAS: into the shared memory of another CTA
  local_load,     ///< LDL
  local_store,    ///< STL
  constant_load,  ///< LDC, LDCU, ULDC
  texture,        ///< TEX, TLD, SULD, SUST …
  bulk_copy,      ///< UBLKCP, UTMALDG …
  tensor,         ///< HMMA, IMMA, HGMMA, UTCHMMA …, and the loads and stores of tensor memory
  barrier,        ///< BAR, of a CTA or a cluster
  fence,          ///< MEMBAR, DEPBAR, CCTL, ERRBAR …
  control,        ///< BRA, EXIT, CALL, BSSY …
  move,           ///< MOV, SEL, PRMT, S2R, R2UR …
  warp,           ///< SHFL, VOTE, MATCH, REDUX …
  integer,
  floating_point,  ///< of any width, comparisons included
  special,         ///< MUFU
  conversion,      ///< I2F, F2I, F2F …
  other,           ///< NOP, and unknown instructions
};

/// "shared load"
std::string_view name_of(Class what);

/// `count` registers from `first` on: R4 and R5 of a 64-bit value are {4, 2}.
struct Registers {
  uint8_t first = 0;
  uint8_t count = 0;
  bool operator==(const Registers&) const = default;
};

constexpr int kNone = -1;

struct Instruction {
  uint32_t address = 0;  ///< bytes from the start of the function
  Class what = Class::other;
  std::string_view name;  ///< "LDS", without modifiers; empty if the operation is not known
  /// Of memory instructions, per lane: 1 to 32; 0 if unknown. LDSM and STSM: 4 per matrix, as many as registers.
  unsigned bytes = 0;
  int64_t offset = 0;           ///< immediate part of the address. async_copy: of the address in shared memory
  int base = kNone;             ///< register that the address is based on, or kNone
  unsigned scale = 1;           ///< the base is multiplied by it: 1, 4, 8 or 16
  int uniform_base = kNone;     ///< uniform register that is added to a shared or local address, or kNone
  bool guarded = false;         ///< has a predicate other than PT
  bool never = false;           ///< guarded by !PT: ptxas writes such a load before LDGSTS, and no lane executes it
  bool operands_known = false;  ///< `written` and `read` say all; otherwise they are empty
  std::array<Registers, 2> written_storage{};
  std::array<Registers, 6> read_storage{};
  uint8_t written_count = 0;
  uint8_t read_count = 0;
  uint32_t place = 0;     ///< index into Cubin::places; 0 = no source line known
  uint32_t ptx_line = 0;  ///< line of the PTX that ptxas read, from 1; 0 = not known

  /// General registers that it writes and reads, without RZ. Uniform registers and predicates are not listed.
  std::span<const Registers> written() const { return {written_storage.data(), written_count}; }
  std::span<const Registers> read() const { return {read_storage.data(), read_count}; }
};

/// Reads any 128 bits: an unknown operation is Class::other without a name.
/// @param architecture  75 for sm_75
Instruction decode(uint64_t low, uint64_t high, unsigned architecture);

}  // namespace bankshot::sass
