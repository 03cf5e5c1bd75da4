// Texture and surface references of the driver interface: .texref and .surfref variables of modules, and what they are
// bound to. Deprecated, but there as long as PTX may declare them.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "bankshot/cuda/textures/textures.hpp"

namespace bankshot::cuda {

struct TextureReference {
  uint64_t variable = 0;  ///< address of the .texref or .surfref; 0 for one that cuTexRefCreate made
  bool is_bound = false;  ///< it has a resource
  int format = 0x20;      ///< CUarray_format, and the channels; of arrays their own
  int channels = 1;
  TextureDescription description;
};

class TextureReferences {
 public:
  /// The reference of a variable, made at the first request.
  TextureReference* of_variable(uint64_t address, bool surface);
  TextureReference* create();
  /// @return false if it was not made by create()
  bool destroy(const void* handle);
  /// Null if the handle is invalid.
  TextureReference* find(const void* handle, bool surface) const;
  void clear();

 private:
  std::unordered_map<const void*, std::unique_ptr<TextureReference>> table_;
  std::map<uint64_t, TextureReference*> by_variable_;
};

/// The texture and surface objects and the texture references of a process.
struct TextureTables {
  TextureObjects objects;
  TextureReferences references;
  void clear() {
    objects.clear();
    references.clear();
  }
};

/// Makes the reference's current state visible to kernels. Settings that contradict each other leave it unbound, since
/// more may follow.
void rebind(const TextureContext& context, const TextureReference& reference);

}  // namespace bankshot::cuda
