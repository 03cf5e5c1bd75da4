// tex and tld4, the queries, and where their texels lie. Source: PTX ISA, texture instructions.
#include <bit>
#include <cstring>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/textures/texture_lanes.hpp"
#include "bankshot/simt/textures/texture_run.hpp"
#include "bankshot/simt/textures/texture_table.hpp"

namespace bankshot::simt {
namespace {

using texture::Texel;
using texture::Texture;

void put(Warp& w, const TextureOp::Value& value, unsigned lane, uint32_t word) {
  if (value.row == OperandRef::kNone) return;
  if (value.bytes == 2)
    w.row<uint16_t>(value.row)[lane] = static_cast<uint16_t>(word);
  else
    w.row<uint32_t>(value.row)[lane] = word;
}

/// What f16 forms write: floats are rounded, integers lose their upper half.
uint16_t half_of(const Texture& texture, uint32_t word) {
  return reads_floats(texture.format, texture.sampler.reading) ? texture::float_to_half(std::bit_cast<float>(word))
                                                               : static_cast<uint16_t>(word);
}

void put_texel(Warp& w, const TextureOp& op, const Texture& texture, unsigned lane, const Texel& texel) {
  for (unsigned k = 0; k < op.values; ++k) {
    uint32_t word = texel[k];
    if (op.packed) {
      word = half_of(texture, texel[2 * k]) | static_cast<uint32_t>(half_of(texture, texel[2 * k + 1])) << 16;
    } else if (op.element_bytes == 2) {
      word = half_of(texture, word);
    }
    put(w, op.value[k], lane, word);
  }
}

/// OpenCL's numbers, which PTX takes. Source: PTX ISA, "Channel Data Type and Channel Order Fields"
uint32_t data_type(texture::Channel channel) {
  using C = texture::Channel;
  switch (channel) {
    case C::snorm8: return 0x10D0;
    case C::snorm16: return 0x10D1;
    case C::unorm8: return 0x10D2;
    case C::unorm16: return 0x10D3;
    case C::s8: return 0x10D7;
    case C::s16: return 0x10D8;
    case C::s32: return 0x10D9;
    case C::u8: return 0x10DA;
    case C::u16: return 0x10DB;
    case C::u32: return 0x10DC;
    case C::f16: return 0x10DD;
    case C::f32: return 0x10DE;
  }
  return 0;
}

uint32_t channel_order(unsigned channels) { return channels == 1 ? 0x10B0 : channels == 2 ? 0x10B2 : 0x10B5; }

/// wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border are 0 to 4. Source: PTX ISA, "Sampler properties"
uint32_t address_mode(texture::Address mode) {
  constexpr uint32_t kNumbers[] = {0, 3, 1, 4};
  return kNumbers[static_cast<size_t>(mode)];
}

uint32_t answer(const TextureOp& op, const Texture& texture, int32_t lod) {
  using Q = TextureQuery;
  const auto number = static_cast<size_t>(lod < 0 ? 0 : lod);
  if (number >= texture.levels.size()) return 0;
  const texture::Level& level = texture.levels[number];
  const texture::Sampler& sampler = texture.sampler;
  switch (op.query) {
    case Q::width: return level.width;
    case Q::height: return texture.shape == texture::Shape::line ? 0 : level.height;
    case Q::depth: return texture.shape == texture::Shape::volume ? level.depth : 0;
    case Q::channel_data_type: return data_type(texture.format.channel);
    case Q::channel_order: return channel_order(texture.format.channels);
    case Q::normalized_coords: return sampler.normalised_coordinates ? 1 : 0;
    case Q::array_size: return texture.layered ? texture.layers() : 0;
    case Q::num_mipmap_levels: return static_cast<uint32_t>(texture.levels.size());
    case Q::num_samples: return 1;
    case Q::filter_mode: return sampler.filter == texture::Filter::linear ? 1 : 0;
    case Q::addr_mode_0: return address_mode(sampler.address[0]);
    case Q::addr_mode_1: return address_mode(sampler.address[1]);
    case Q::addr_mode_2: return address_mode(sampler.address[2]);
    case Q::memory_layout: return texture.is_buffer || texture.is_pitched ? 1 : 0;
  }
  return 0;
}

void add_address(TexelAddresses& to, unsigned lane, unsigned& at, uint64_t address) {
  if (address == 0 || at == to.row.size()) return;
  if (at == to.count) to.row[to.count++].lanes = 0;
  to.row[at].lanes |= uint64_t{1} << lane;
  to.row[at].address[lane] = address;
  ++at;
}

void add_addresses(const Warp& w, const TextureOp& op, const Texture& texture, unsigned lane, TexelAddresses& to) {
  unsigned at = 0;
  if (op.is_surface) {
    const texture::SurfaceRequest request = surface_request_of(w, op, texture, lane);
    const texture::SurfacePlace place = texture::place(texture, request, op.outside);
    to.width = request.bytes;
    if (place.kind == texture::SurfacePlace::Kind::inside) add_address(to, lane, at, place.address);
    return;
  }
  to.width = texel_bytes(texture.format);
  const texture::Request request = request_of(w, op, texture, lane);
  if (op.kind == TextureOp::Kind::gather) {
    for (const auto& tap : texture::gather_taps(texture, request)) add_address(to, lane, at, tap.address);
    return;
  }
  const texture::Taps taps = texture::taps(texture, request);
  for (unsigned k = 0; k < taps.count; ++k) add_address(to, lane, at, taps.tap[k].address);
}

}  // namespace

const Instr* run_texture(Warp& w, const Instr* i) {
  const TextureOp& op = texture_op_of(w, i);
  TextureLookup lookup(w, i);
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Texture* const texture = lookup.of(lane);
    if (texture == nullptr) return nullptr;
    const texture::Request request = request_of(w, op, *texture, lane);
    const Texel texel = op.kind == TextureOp::Kind::gather ? texture::gather(*texture, request, op.component)
                                                           : texture::fetch(*texture, request);
    put_texel(w, op, *texture, lane, texel);
  }
  if (op.predicate != OperandRef::kNone) w.predicate(op.predicate) |= w.active;
  return i + 1;
}

const Instr* run_texture_query(Warp& w, const Instr* i) {
  const TextureOp& op = texture_op_of(w, i);
  TextureLookup lookup(w, i);
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Texture* const texture = lookup.of(lane);
    if (texture == nullptr) return nullptr;
    const int32_t lod = op.lod == OperandRef::kNone ? 0 : w.row<const int32_t>(op.lod)[lane];
    put(w, op.value[0], lane, answer(op, *texture, lod));
  }
  return i + 1;
}

const Instr* run_texture_is_type(Warp& w, const Instr* i) {
  const TextureOp& op = texture_op_of(w, i);
  const Worker& worker = *w.worker;
  uint64_t is = 0;
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t handle = w.row<const uint64_t>(i->op[0])[lane];
    const Texture* const found = worker.textures->find(handle);
    bool yes = found != nullptr && found->is_surface == op.is_surface;
    for (const GlobalInfo& global : worker.program->globals) {
      yes |= global.address == handle && global.opaque == (op.is_surface ? "surfref" : "texref");
    }
    is |= uint64_t{yes} << lane;
  }
  if (op.predicate != OperandRef::kNone) {
    uint64_t& p = w.predicate(op.predicate);
    p = (p & ~w.active) | (is & w.active);
  }
  return i + 1;
}

void texel_addresses_of(const Warp& w, const Instr* i, uint64_t lanes, TexelAddresses& to) {
  to.count = 0;
  const TextureOp& op = texture_op_of(w, i);
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Texture* const found = w.worker->textures->find(w.row<const uint64_t>(i->op[0])[lane]);
    if (found == nullptr || found->is_surface != op.is_surface || !misfit(op, *found).empty()) continue;
    add_addresses(w, op, *found, lane, to);
  }
}

}  // namespace bankshot::simt
