#include "bankshot/simt/textures/texture_table.hpp"

namespace bankshot::simt {

uint64_t TextureTable::add(texture::Texture texture) {
  table_.emplace(next_, std::move(texture));
  return next_++;
}

bool TextureTable::remove(uint64_t handle) { return handle < next_ && table_.erase(handle) != 0; }

const texture::Texture* TextureTable::find(uint64_t handle) const {
  const auto at = table_.find(handle);
  return at == table_.end() ? nullptr : &at->second;
}

}  // namespace bankshot::simt
