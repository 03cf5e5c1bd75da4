// What one lane of a texture or surface instruction asks for, and of which texture.
#pragma once

#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/texture_op.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

inline const TextureOp& texture_op_of(const Warp& w, const Instr* i) { return w.worker->program->texture_ops[i->aux]; }

/// Handles of lanes, mostly all the same.
class TextureLookup {
 public:
  TextureLookup(Warp& w, const Instr* i) : w_(w), i_(i), op_(texture_op_of(w, i)) {}
  /// The texture of a lane, whose memory is there and which fits the instruction; null after a fault.
  const texture::Texture* of(unsigned lane);

 private:
  const texture::Texture* resolve(uint64_t handle, unsigned lane);
  Warp& w_;
  const Instr* i_;
  const TextureOp& op_;
  uint64_t handle_ = 0;
  const texture::Texture* texture_ = nullptr;
};

/// Whether the texture can be accessed by the instruction's geometry; "" or what is wrong.
std::string misfit(const TextureOp& op, const texture::Texture& texture);

texture::Request request_of(const Warp& w, const TextureOp& op, const texture::Texture& texture, unsigned lane);
texture::SurfaceRequest surface_request_of(const Warp& w, const TextureOp& op, const texture::Texture& surface,
                                           unsigned lane);

}  // namespace bankshot::simt
