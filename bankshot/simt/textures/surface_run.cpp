// suld, sust, sured. Source: PTX ISA, surface instructions.
#include <algorithm>
#include <bit>
#include <cstring>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/textures/texture_lanes.hpp"
#include "bankshot/simt/textures/texture_run.hpp"

namespace bankshot::simt {
namespace {

using texture::Texture;

uint64_t get(const Warp& w, const TextureOp::Value& value, unsigned lane) {
  if (value.bytes == 2) return w.row<const uint16_t>(value.row)[lane];
  if (value.bytes == 4) return w.row<const uint32_t>(value.row)[lane];
  return w.row<const uint64_t>(value.row)[lane];
}

void put(Warp& w, const TextureOp::Value& value, unsigned lane, uint64_t word) {
  if (value.row == OperandRef::kNone) return;
  if (value.bytes == 2)
    w.row<uint16_t>(value.row)[lane] = static_cast<uint16_t>(word);
  else if (value.bytes == 4)
    w.row<uint32_t>(value.row)[lane] = static_cast<uint32_t>(word);
  else
    w.row<uint64_t>(value.row)[lane] = word;
}

void load(Warp& w, const TextureOp& op, unsigned lane, const std::byte* from) {
  for (unsigned k = 0; k < op.values; ++k) {
    uint64_t word = 0;
    if (from != nullptr) std::memcpy(&word, from + k * op.element_bytes, op.element_bytes);
    put(w, op.value[k], lane, word);
  }
}

void store(const Warp& w, const TextureOp& op, const Texture& surface, unsigned lane, std::byte* to) {
  if (!op.formatted) {
    for (unsigned k = 0; k < op.values; ++k) {
      const uint64_t word = get(w, op.value[k], lane);
      std::memcpy(to + k * op.element_bytes, &word, op.element_bytes);
    }
    return;
  }
  texture::Texel words{};
  for (unsigned k = 0; k < op.values; ++k) words[k] = static_cast<uint32_t>(get(w, op.value[k], lane));
  std::byte texel[16];
  encode(surface.format, words, texel);
  // Channels that no operand is for stay as they are.
  const unsigned channels = std::min<unsigned>(op.values, surface.format.channels);
  std::memcpy(to, texel, size_t{channels} * texture::channel_bytes(surface.format.channel));
}

template <class T>
T reduced(SurfaceReduction op, T a, T b) {
  switch (op) {
    case SurfaceReduction::add:
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    case SurfaceReduction::min: return std::min(a, b);
    case SurfaceReduction::max: return std::max(a, b);
    case SurfaceReduction::bit_and: return a & b;
    case SurfaceReduction::bit_or: return a | b;
  }
  return a;
}

/// CTAs on other threads may do so at the same time.
template <class T>
void reduce_at(SurfaceReduction op, std::byte* to, uint64_t value) {
  T* const at = reinterpret_cast<T*>(to);
  T old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(at, &old, reduced(op, old, static_cast<T>(value)), true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
}

void reduce(const Warp& w, const TextureOp& op, const Texture& surface, unsigned lane, std::byte* to) {
  const uint64_t value = get(w, op.value[0], lane);
  const bool is_signed = op.formatted ? texture::is_signed(surface.format.channel) : op.is_signed;
  if (op.element_bytes == 8)
    return is_signed ? reduce_at<int64_t>(op.reduction, to, value) : reduce_at<uint64_t>(op.reduction, to, value);
  return is_signed ? reduce_at<int32_t>(op.reduction, to, value) : reduce_at<uint32_t>(op.reduction, to, value);
}

const Instr* refuse(Warp& w, const Instr* i, const TextureOp& op, unsigned lane, const texture::SurfaceRequest& request,
                    const Texture& surface, texture::SurfacePlace::Kind kind) {
  const texture::Level& level = surface.levels[0];
  std::string at = std::to_string(request.at[0]);
  if (op.shape != texture::Shape::line) at += ", " + std::to_string(request.at[1]);
  if (op.shape == texture::Shape::volume) at += ", " + std::to_string(request.at[2]);
  if (op.layered) at += ", layer " + std::to_string(static_cast<int32_t>(request.layer));
  const std::string access = "surface access at (" + at + ") of " + std::to_string(request.bytes) + " bytes";
  if (kind == texture::SurfacePlace::Kind::misaligned) {
    return fault(w, i, Fault::Kind::misaligned, static_cast<int>(lane), 0,
                 access + ": x, in bytes, is not a multiple of the size of the access");
  }
  return fault(w, i, Fault::Kind::trap, static_cast<int>(lane), 0,
               access + " is outside of a surface of " + std::to_string(level.width) + " x " +
                   std::to_string(level.height) + " x " + std::to_string(level.depth) + " elements of " +
                   std::to_string(texel_bytes(surface.format)) + " bytes" +
                   (request.in_bytes ? "; x counts bytes" : ""));
}

}  // namespace

const Instr* run_surface(Warp& w, const Instr* i) {
  const TextureOp& op = texture_op_of(w, i);
  TextureLookup lookup(w, i);
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Texture* const surface = lookup.of(lane);
    if (surface == nullptr) return nullptr;
    const texture::SurfaceRequest request = surface_request_of(w, op, *surface, lane);
    const texture::SurfacePlace place = texture::place(*surface, request, op.outside);
    if (place.kind == texture::SurfacePlace::Kind::trap || place.kind == texture::SurfacePlace::Kind::misaligned)
      return refuse(w, i, op, lane, request, *surface, place.kind);
    if (op.kind == TextureOp::Kind::reduce && op.formatted && request.bytes != 4) {
      return fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), 0,
                   "sured.p needs a surface of one 32-bit channel, this one has elements of " +
                       std::to_string(request.bytes) + " bytes");
    }
    auto* const at =
        place.kind == texture::SurfacePlace::Kind::inside ? reinterpret_cast<std::byte*>(place.address) : nullptr;
    if (op.kind == TextureOp::Kind::load) {
      load(w, op, lane, at);
    } else if (at != nullptr) {
      op.kind == TextureOp::Kind::store ? store(w, op, *surface, lane, at) : reduce(w, op, *surface, lane, at);
    }
  }
  return i + 1;
}

}  // namespace bankshot::simt
