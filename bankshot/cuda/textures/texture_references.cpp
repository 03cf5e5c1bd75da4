#include "bankshot/cuda/textures/texture_references.hpp"

namespace bankshot::cuda {
namespace {

std::unique_ptr<TextureReference> fresh(uint64_t variable, bool surface) {
  auto reference = std::make_unique<TextureReference>();
  reference->variable = variable;
  reference->description.is_surface = surface;
  return reference;
}

}  // namespace

TextureReference* TextureReferences::of_variable(uint64_t address, bool surface) {
  TextureReference*& known = by_variable_[address];
  if (known == nullptr) {
    auto reference = fresh(address, surface);
    known = reference.get();
    table_[known] = std::move(reference);
  }
  return known;
}

TextureReference* TextureReferences::create() {
  auto reference = fresh(0, false);
  TextureReference* const made = reference.get();
  table_[made] = std::move(reference);
  return made;
}

bool TextureReferences::destroy(const void* handle) {
  const TextureReference* const reference = find(handle, false);
  return reference != nullptr && reference->variable == 0 && table_.erase(handle) != 0;
}

TextureReference* TextureReferences::find(const void* handle, bool surface) const {
  const auto at = table_.find(handle);
  return at == table_.end() || at->second->description.is_surface != surface ? nullptr : at->second.get();
}

void TextureReferences::clear() {
  table_.clear();
  by_variable_.clear();
}

void rebind(const TextureContext& context, const TextureReference& reference) {
  if (reference.variable == 0) return;
  texture::Texture texture;
  if (reference.is_bound && make_texture(context, reference.description, texture) == Status::success) {
    context.made.bind(reference.variable, std::move(texture));
  } else {
    context.made.unbind(reference.variable);
  }
}

}  // namespace bankshot::cuda
