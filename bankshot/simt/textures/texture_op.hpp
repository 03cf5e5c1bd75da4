// Texture and surface instructions: their operands, and how they run. The same for every instruction set of the host.
#pragma once

#include <array>
#include <cstdint>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/simt/state/instr.hpp"
#include "bankshot/simt/state/warp.hpp"
#include "bankshot/texture/sample.hpp"
#include "bankshot/texture/surface.hpp"

namespace bankshot::simt {

/// What txq and suq ask for.
enum class TextureQuery : uint8_t {
  width,
  height,
  depth,
  channel_data_type,
  channel_order,
  normalized_coords,
  array_size,
  num_mipmap_levels,
  num_samples,
  filter_mode,
  addr_mode_0,
  addr_mode_1,
  addr_mode_2,
  memory_layout
};

/// sured.op
enum class SurfaceReduction : uint8_t { add, min, max, bit_and, bit_or };

/// The operands of a texture or surface instruction: Instr::aux is its index in LoadedProgram::texture_ops. Rows are
/// those of OperandRef. Instr::op[0] is the row of the handles, 64 bits; Instr::small is Space::tex.
struct TextureOp {
  enum class Kind : uint8_t { fetch, gather, load, store, reduce, query, type_query };
  enum class Lod : uint8_t { base, level, gradient };
  static constexpr uint32_t kNone = OperandRef::kNone;
  struct Value {
    uint32_t row = kNone;
    uint8_t bytes = 4;  ///< of the register
  };

  Kind kind = Kind::fetch;
  texture::Shape shape = texture::Shape::line;
  bool layered = false;
  bool is_surface = false;  ///< the handle must be a surface's
  bool by_number = false;   ///< coordinates are .s32
  bool formatted = false;   ///< sust.p, sured.p
  Lod lod_mode = Lod::base;
  texture::Outside outside = texture::Outside::trap;
  TextureQuery query = TextureQuery::width;
  SurfaceReduction reduction = SurfaceReduction::add;
  bool is_signed = false;     ///< sured.min and max
  uint8_t component = 0;      ///< tld4
  uint8_t element_bytes = 4;  ///< in memory (suld, sust, sured), or of a component (tex: 2 for f16)
  bool packed = false;        ///< tex.v2.f16x2: two components a register
  uint8_t values = 0;
  std::array<Value, 4> value;  ///< what is written, or of stores read
  uint32_t predicate = kNone;  ///< d|p: whether the texels are resident
  uint32_t layer = kNone;
  std::array<uint32_t, 3> at{kNone, kNone, kNone};
  uint32_t lod = kNone;
  std::array<uint32_t, 3> dx{kNone, kNone, kNone}, dy{kNone, kNone, kNone};
};

inline bool is_texture(const Instr& i) { return i.small == static_cast<uint8_t>(ptx::Space::tex); }

const Instr* run_texture(Warp& w, const Instr* i);          ///< tex, tld4
const Instr* run_surface(Warp& w, const Instr* i);          ///< suld, sust, sured
const Instr* run_texture_query(Warp& w, const Instr* i);    ///< txq, suq
const Instr* run_texture_is_type(Warp& w, const Instr* i);  ///< istypep

/// The texels that an instruction accesses, row by row: the first one of each lane, the second …
struct TexelAddresses {
  struct Row {
    uint64_t lanes = 0;
    std::array<uint64_t, scratchpad::kMaxLanes> address;
  };
  unsigned width = 4;  ///< bytes of each
  unsigned count = 0;
  std::array<Row, texture::Taps::kMost> row;
};
/// What the border or nothing answers is not among them; nor is what would be a fault.
void texel_addresses_of(const Warp& w, const Instr* i, uint64_t lanes, TexelAddresses& to);

}  // namespace bankshot::simt
