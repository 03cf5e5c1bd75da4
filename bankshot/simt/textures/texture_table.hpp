// Textures and surfaces by the handle that a kernel holds.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "bankshot/texture/texture.hpp"

namespace bankshot::simt {

/// Objects have small handles that are never given twice, so that a destroyed one can be named. A .texref or .surfref
/// variable of a module is its own handle: its address.
/// Lookups may run concurrently with each other, not with changes.
class TextureTable {
 public:
  uint64_t add(texture::Texture texture);
  /// @return false if there is no such object
  bool remove(uint64_t handle);
  /// What a variable stands for from now on.
  void bind(uint64_t variable, texture::Texture texture) { table_[variable] = std::move(texture); }
  void unbind(uint64_t variable) { table_.erase(variable); }

  const texture::Texture* find(uint64_t handle) const;
  bool was_destroyed(uint64_t handle) const { return handle != 0 && handle < next_ && find(handle) == nullptr; }

 private:
  uint64_t next_ = 1;
  std::unordered_map<uint64_t, texture::Texture> table_;
};

}  // namespace bankshot::simt
