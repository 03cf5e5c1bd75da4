#include "bankshot/sass/opcodes.hpp"

#include <array>
#include <vector>

namespace bankshot::sass {
namespace {

using C = Class;

constexpr uint16_t kAnyForm = 0x1ff, kExact = 0xfff;
constexpr uint8_t kFirst = 70, kLast = 255;

/// In any form, on any architecture.
constexpr Row op(uint16_t opcode, std::string_view name, Class what, uint8_t written, uint8_t a = 0, uint8_t b = 0,
                 uint8_t c = 0, Shape shape = Shape::usual) {
  return {opcode, kAnyForm, kFirst, kLast, name, what, shape, written, a, b, c};
}

constexpr Row shaped(uint16_t opcode, std::string_view name, Class what, Shape shape, uint8_t written = 0,
                     uint8_t a = 0, uint8_t b = 0, uint8_t c = 0) {
  return op(opcode, name, what, written, a, b, c, shape);
}

constexpr Row exact(Row row) {
  row.mask = kExact;
  return row;
}

constexpr Row since(uint8_t architecture, Row row) {
  row.from = architecture;
  return row;
}

constexpr Row before(uint8_t architecture, Row row) {
  row.until = architecture - 1;
  return row;
}

/// The first row that fits holds.
constexpr Row kRows[] = {
    // Moves.
    exact(op(0x402, "MOV", C::move, 2)),  // MOV.64 of an immediate
    op(0x002, "MOV", C::move, kPair80, 0, kPair80),
    op(0x003, "P2R", C::move, 1, 1),
    op(0x004, "R2P", C::move, 0, 1),
    op(0x005, "CS2R", C::move, kPair80),
    exact(op(0x407, "SEL", C::move, 2, 2)),  // SEL.64
    exact(op(0x607, "SEL", C::move, 2, 2, 2, 0, Shape::two)),
    op(0x007, "SEL", C::move, 1, 1, 1),
    op(0x016, "PRMT", C::move, 1, 1, 1, 1),
    op(0x119, "S2R", C::move, 1),
    op(0x11c, "B2R", C::move, 1),
    shaped(0x1c3, "S2UR", C::move, Shape::uniform),
    op(0x0ca, "R2UR", C::move, 0, 1),
    op(0x1c2, "R2UR", C::move, 0, 1),
    shaped(0x0cb, "CS2UR", C::move, Shape::uniform),
    shaped(0x082, "UMOV", C::move, Shape::uniform),
    shaped(0x087, "USEL", C::move, Shape::uniform),
    shaped(0x096, "UPRMT", C::move, Shape::uniform),
    exact(op(0x355, "BMOV", C::move, 1)),
    exact(op(0x356, "BMOV", C::move, 0, 0, 1)),
    op(0x155, "BMOV", C::move, 0),
    op(0x156, "BMOV", C::move, 0),

    // Integers.
    op(0x00c, "ISETP", C::integer, 0, kPair80, kPair80),
    op(0x010, "IADD3", C::integer, 1, 1, 1, 1),
    op(0x011, "LEA", C::integer, 1, 1, 1, 1),
    op(0x012, "LOP3", C::integer, 1, 1, 1, 1),
    op(0x013, "IABS", C::integer, 1, 0, 1),
    op(0x014, "VABSDIFF", C::integer, 1, 1, 1, 1),
    op(0x015, "VABSDIFF4", C::integer, 1, 1, 1, 1),
    op(0x017, "IMNMX", C::integer, kPair74, kPair74, kPair74),
    op(0x019, "SHF", C::integer, 1, 1, 1, 1),
    op(0x01a, "SGXT", C::integer, 1, 1, 1),
    op(0x01b, "BMSK", C::integer, 1, 1, 1),
    op(0x01c, "PLOP3", C::integer, 0),
    op(0x024, "IMAD", C::integer, 1, 1, 1, 1),
    op(0x025, "IMAD", C::integer, 2, 1, 1, 2),  // IMAD.WIDE
    since(80, op(0x036, "VIADD", C::integer, 1, 1, 1)),
    op(0x026, "IDP", C::integer, 1, 1, 1, 1),
    op(0x027, "IMAD", C::integer, 1, 1, 1, 2),           // IMAD.HI
    since(100, op(0x035, "IADD", C::integer, 2, 2, 2)),  // IADD.64
    op(0x046, "VIADDMNMX", C::integer, 1, 1, 1, 1),
    op(0x048, "VIMNMX", C::integer, 1, 1, 1),
    op(0x100, "FLO", C::integer, 1, 0, 1),
    op(0x101, "BREV", C::integer, 1, 0, 1),
    op(0x109, "POPC", C::integer, 1, 0, 1),
    since(120, shaped(0x04a, "UVIMNMX", C::integer, Shape::uniform)),
    shaped(0x08c, "UISETP", C::integer, Shape::uniform),
    shaped(0x090, "UIADD3", C::integer, Shape::uniform),
    shaped(0x091, "ULEA", C::integer, Shape::uniform),
    shaped(0x092, "ULOP3", C::integer, Shape::uniform),
    shaped(0x097, "UIADD3", C::integer, Shape::uniform),
    shaped(0x099, "USHF", C::integer, Shape::uniform),
    shaped(0x09c, "UPLOP3", C::integer, Shape::uniform),
    shaped(0x0a4, "UIMAD", C::integer, Shape::uniform),
    shaped(0x0a5, "UIMAD", C::integer, Shape::uniform),
    shaped(0x0bd, "UFLO", C::integer, Shape::uniform),
    shaped(0x0bf, "UPOPC", C::integer, Shape::uniform),

    // Floating point.
    op(0x008, "FSEL", C::floating_point, 1, 1, 1),
    op(0x009, "FMNMX", C::floating_point, 1, 1, 1),
    op(0x00a, "FSET", C::floating_point, 1, 1, 1),
    op(0x00b, "FSETP", C::floating_point, 0, 1, 1),
    op(0x020, "FMUL", C::floating_point, 1, 1, 1),
    op(0x021, "FADD", C::floating_point, 1, 1, 1, 0, Shape::two),
    op(0x023, "FFMA", C::floating_point, 1, 1, 1, 1),
    op(0x028, "DMUL", C::floating_point, 2, 2, 2),
    op(0x029, "DADD", C::floating_point, 2, 2, 0, 2),
    op(0x02a, "DSETP", C::floating_point, 0, 2, 2, 0, Shape::two),
    op(0x02b, "DFMA", C::floating_point, 2, 2, 2, 2),
    op(0x030, "HADD2", C::floating_point, 1, 1, 1, 0, Shape::two),
    op(0x031, "HFMA2", C::floating_point, 1, 1, 1, 1),
    op(0x032, "HMUL2", C::floating_point, 1, 1, 1),
    op(0x033, "HSET2", C::floating_point, 1, 1, 1),
    op(0x034, "HSETP2", C::floating_point, 0, 1, 1),
    before(100, op(0x035, "HFMA2", C::floating_point, 1, 1, 1, 1)),  // HFMA2.MMA
    op(0x040, "HMNMX2", C::floating_point, 1, 1, 1),
    before(120, op(0x049, "FFMA2", C::floating_point, 2, 2, 2, 2)),
    before(120, op(0x04a, "FMUL2", C::floating_point, 2, 2, 2)),
    before(120, op(0x04b, "FADD2", C::floating_point, 2, 2, 2, 0, Shape::two)),
    op(0x076, "FMNMX3", C::floating_point, 1, 1, 1, 1),
    op(0x102, "FCHK", C::floating_point, 0, 1, 1),
    op(0x107, "FRND", C::floating_point, kConverted, 0, kConvertedFrom),
    op(0x113, "FRND", C::floating_point, kConverted, 0, kConvertedFrom),
    op(0x108, "MUFU", C::special, 1, 0, 1),
    shaped(0x056, "UFMUL", C::floating_point, Shape::uniform),

    // Conversions.
    op(0x039, "I2IP", C::conversion, 1, 1, 1, 1),
    op(0x03e, "F2FP", C::conversion, 1, 1, 1, 1),
    op(0x043, "F2IP", C::conversion, 1, 1, 1, 1),
    op(0x045, "I2FP", C::conversion, 1, 0, 1),
    shaped(0x05a, "UI2F", C::conversion, Shape::uniform),
    shaped(0x05c, "UF2I", C::conversion, Shape::uniform),
    shaped(0x05e, "UI2FP", C::conversion, Shape::uniform),
    op(0x104, "F2F", C::conversion, kConverted, 0, kConvertedFrom),
    op(0x105, "F2I", C::conversion, kConverted, 0, kConvertedFrom),
    op(0x106, "I2F", C::conversion, kConverted, 0, kConvertedFrom),
    op(0x110, "F2F", C::conversion, kConverted, 0, kConvertedFrom),
    op(0x111, "F2I", C::conversion, kConverted, 0, kConvertedFrom),
    op(0x112, "I2F", C::conversion, kConverted, 0, kConvertedFrom),

    // What lanes of a warp tell each other.
    op(0x006, "VOTE", C::warp, 1),
    shaped(0x086, "VOTEU", C::warp, Shape::uniform),
    shaped(0x02f, "ELECT", C::warp, Shape::uniform),
    op(0x03a, "MOVM", C::warp, kPair75, 1),
    op(0x0cc, "CREDUX", C::warp, 0, 1),
    op(0x1a1, "MATCH", C::warp, 1, kPair73),
    op(0x1c4, "REDUX", C::warp, 0, 1),
    shaped(0x189, "SHFL", C::warp, Shape::shuffle, 1, 1, 1, 1),

    // Shared memory.
    shaped(0x184, "LDS", C::shared_load, Shape::memory, kAccess, 1),
    shaped(0x188, "STS", C::shared_store, Shape::memory, 0, 1, kAccess),
    exact(shaped(0x58d, "ATOMS", C::shared_atomic, Shape::memory, 0, 1, kAccess, kAccess)),  // CAST.SPIN to a predicate
    shaped(0x18c, "ATOMS", C::shared_atomic, Shape::memory, kAccess, 1, kAccess),
    shaped(0x18d, "ATOMS", C::shared_atomic, Shape::memory, kAccess, 1, kAccess, kAccess),  // CAS
    shaped(0x03b, "LDSM", C::matrix_load, Shape::matrix),
    shaped(0x044, "STSM", C::matrix_store, Shape::matrix),
    shaped(0x1ae, "LDGSTS", C::async_copy, Shape::copy),
    shaped(0x1a7, "SYNCS", C::mbarrier, Shape::unknown),
    shaped(0x1b0, "ARRIVES", C::mbarrier, Shape::unknown),
    shaped(0x1b1, "SYNCS", C::mbarrier, Shape::unknown),
    shaped(0x1b2, "SYNCS", C::mbarrier, Shape::unknown),
    shaped(0x1bd, "STAS", C::cluster_store, Shape::memory, 0, 2, kAccess),
    shaped(0x1be, "REDAS", C::cluster_store, Shape::memory, 0, 2, kAccess),

    // Other memory.
    since(100, shaped(0x17e, "LDG", C::global_load, Shape::wide)),
    since(100, shaped(0x17f, "STG", C::global_store, Shape::wide)),
    shaped(0x180, "LD", C::generic_load, Shape::memory, kAccess, kAddress),
    shaped(0x181, "LDG", C::global_load, Shape::memory, kAccess, kAddress),
    shaped(0x182, "LDC", C::constant_load, Shape::constant, kAccess, 1),
    shaped(0x183, "LDL", C::local_load, Shape::memory, kAccess, 1),
    shaped(0x185, "ST", C::generic_store, Shape::memory, 0, kAddress, kAccess),
    shaped(0x186, "STG", C::global_store, Shape::memory, 0, kAddress, kAccess),
    shaped(0x187, "STL", C::local_store, Shape::memory, 0, 1, kAccess),
    shaped(0x18a, "ATOM", C::global_atomic, Shape::memory, kAccess, kAddress, kAccess),
    shaped(0x18b, "ATOM", C::global_atomic, Shape::memory, kAccess, kAddress, kAccess, kAccess),
    before(90, shaped(0x18e, "RED", C::global_atomic, Shape::memory, 0, kAddress, kAccess)),
    shaped(0x18e, "REDG", C::global_atomic, Shape::memory, 0, kAddress, kAccess),
    shaped(0x1a2, "ATOM", C::global_atomic, Shape::memory, kAccess, kAddress, kAccess),
    shaped(0x1a3, "ATOMG", C::global_atomic, Shape::memory, kAccess, kAddress, kAccess),
    shaped(0x1a4, "LDGMC", C::global_load, Shape::unknown),
    shaped(0x1a5, "LDGMC", C::global_load, Shape::unknown),
    shaped(0x1a6, "REDG", C::global_atomic, Shape::memory, 0, kAddress, kAccess),
    shaped(0x1a8, "ATOMG", C::global_atomic, Shape::memory, kAccess, kAddress, kAccess),
    shaped(0x1a9, "ATOMG", C::global_atomic, Shape::memory, kAccess, kAddress, kAccess, kAccess),
    shaped(0x0b9, "ULDC", C::constant_load, Shape::constant),
    shaped(0x1ac, "LDCU", C::constant_load, Shape::constant),
    op(0x1aa, "QSPC", C::other, 0, kAddress),

    // Bulk copies.
    shaped(0x1b4, "UTMALDG", C::bulk_copy, Shape::uniform),
    shaped(0x1b5, "UTMASTG", C::bulk_copy, Shape::uniform),
    shaped(0x1b6, "UTMAREDG", C::bulk_copy, Shape::uniform),
    shaped(0x1b7, "UTMACMDFLUSH", C::bulk_copy, Shape::uniform),
    shaped(0x1b8, "UTMAPF", C::bulk_copy, Shape::uniform),
    shaped(0x1b9, "UTMACCTL", C::bulk_copy, Shape::uniform),
    shaped(0x1ba, "UBLKCP", C::bulk_copy, Shape::uniform),
    shaped(0x1bb, "UBLKRED", C::bulk_copy, Shape::uniform),
    shaped(0x1bc, "UBLKPF", C::bulk_copy, Shape::uniform),

    // Textures and surfaces.
    shaped(0x160, "TEX", C::texture, Shape::unknown),
    shaped(0x161, "TEX", C::texture, Shape::unknown),
    shaped(0x163, "TLD4", C::texture, Shape::unknown),
    shaped(0x164, "TLD4", C::texture, Shape::unknown),
    shaped(0x166, "TLD", C::texture, Shape::unknown),
    shaped(0x167, "TLD", C::texture, Shape::unknown),
    shaped(0x16c, "TXD", C::texture, Shape::unknown),
    shaped(0x16d, "TXD", C::texture, Shape::unknown),
    shaped(0x16f, "TXQ", C::texture, Shape::unknown),
    shaped(0x170, "TXQ", C::texture, Shape::unknown),
    shaped(0x199, "SULD", C::texture, Shape::unknown),
    shaped(0x19a, "SULD", C::texture, Shape::unknown),
    shaped(0x19b, "SUST", C::texture, Shape::unknown),
    shaped(0x19c, "SUST", C::texture, Shape::unknown),
    shaped(0x19d, "SUST", C::texture, Shape::unknown),
    shaped(0x19e, "SUST", C::texture, Shape::unknown),
    shaped(0x19f, "SURED", C::texture, Shape::unknown),
    shaped(0x1a0, "SURED", C::texture, Shape::unknown),

    // Tensor cores.
    before(80, shaped(0x036, "HMMA", C::tensor, Shape::tensor)),  // of sm_70
    shaped(0x037, "IMMA", C::tensor, Shape::tensor),
    shaped(0x03c, "HMMA", C::tensor, Shape::tensor),
    shaped(0x03d, "BMMA", C::tensor, Shape::tensor),
    shaped(0x03f, "DMMA", C::tensor, Shape::tensor),
    shaped(0x07a, "QMMA", C::tensor, Shape::tensor),
    shaped(0x07f, "OMMA", C::tensor, Shape::tensor),
    shaped(0x1c5, "WARPGROUP", C::tensor, Shape::uniform),
    shaped(0x1e3, "UTCATOMSWS", C::tensor, Shape::uniform),
    shaped(0x1e6, "UTCSHIFT", C::tensor, Shape::uniform),
    shaped(0x1e7, "UTCCP", C::tensor, Shape::uniform),
    shaped(0x1e9, "UTCBAR", C::tensor, Shape::uniform),
    exact(shaped(0xdea, "UTCQMMA", C::tensor, Shape::uniform)),
    shaped(0x1ea, "UTCHMMA", C::tensor, Shape::uniform),
    shaped(0x1ed, "STTM", C::tensor, Shape::tensor),
    shaped(0x1ee, "LDTM", C::tensor, Shape::tensor),
    shaped(0x1f0, "HGMMA", C::tensor, Shape::tensor),
    shaped(0x1f1, "IGMMA", C::tensor, Shape::tensor),
    shaped(0x1f2, "BGMMA", C::tensor, Shape::tensor),
    shaped(0x1f3, "QGMMA", C::tensor, Shape::tensor),

    // Barriers and fences.
    shaped(0x11d, "BAR", C::barrier, Shape::meeting),
    exact(shaped(0x9c7, "UCGABAR_ARV", C::barrier, Shape::uniform)),
    exact(shaped(0xdc7, "UCGABAR_WAIT", C::barrier, Shape::uniform)),
    op(0x11a, "DEPBAR", C::fence, 0),
    op(0x18f, "CCTL", C::fence, 0, kAddress),
    op(0x192, "MEMBAR", C::fence, 0),
    exact(op(0x5ab, "CGAERRBAR", C::fence, 0)),
    op(0x1ab, "ERRBAR", C::fence, 0),
    op(0x1af, "LDGDEPBAR", C::fence, 0),
    shaped(0x1c6, "FENCE", C::fence, Shape::uniform),

    // Control.
    op(0x02d, "PREEXIT", C::control, 0),
    op(0x02e, "ACQBULK", C::control, 0),
    op(0x11b, "ENDCOLLECTIVE", C::control, 0),
    op(0x141, "BSYNC", C::control, 0),
    op(0x142, "BREAK", C::control, 0),
    exact(op(0x343, "CALL", C::control, 0, 2)),
    op(0x143, "CALL", C::control, 0),
    exact(op(0x344, "CALL", C::control, 0, 2)),
    op(0x144, "CALL", C::control, 0),
    op(0x145, "BSSY", C::control, 0),
    op(0x146, "YIELD", C::control, 0),
    op(0x147, "BRA", C::control, 0),
    shaped(0x148, "WARPSYNC", C::control, Shape::meeting),
    op(0x149, "BRX", C::control, 0, 2),
    op(0x14a, "JMP", C::control, 0),
    op(0x14c, "JMX", C::control, 0, 2),
    op(0x14d, "EXIT", C::control, 0),
    op(0x14e, "LEPC", C::control, 2),
    op(0x150, "RET", C::control, 0, 2),
    op(0x15b, "KILL", C::control, 0),
    op(0x15c, "BPT", C::control, 0),
    op(0x15d, "NANOSLEEP", C::control, 0, 0, 1),
    op(0x001, "PMTRIG", C::other, 0),
    op(0x04c, "UVIRTCOUNT", C::other, 0),
    op(0x118, "NOP", C::other, 0),
};

}  // namespace

const Row* find_row(uint64_t low, unsigned architecture) {
  // Rows by their low nine bits, in the order of the table.
  static const auto by_opcode = [] {
    std::array<std::vector<const Row*>, kAnyForm + 1> lists;
    for (const Row& row : kRows) lists[row.opcode & kAnyForm].push_back(&row);
    return lists;
  }();
  for (const Row* row : by_opcode[low & kAnyForm]) {
    if ((low & row->mask) == row->opcode && architecture >= row->from && architecture <= row->until) return row;
  }
  return nullptr;
}

}  // namespace bankshot::sass
