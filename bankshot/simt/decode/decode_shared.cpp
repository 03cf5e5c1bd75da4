// Where shared memory lies, for each function.
#include "bankshot/simt/decode/decoder.hpp"

namespace bankshot::simt {
namespace {

/// The first variable that does not lie in the window of shared memory, or null.
const ptx::Variable* too_far(const ptx::SharedLayout::Kernel& layout) {
  const ptx::Variable* first = nullptr;
  for (const auto& [variable, offset] : layout.offsets) {
    if (offset + size_of(*variable) <= Windows::kSharedBytes) continue;
    if (first == nullptr || offset < layout.offsets.at(first)) first = variable;
  }
  return first;
}

}  // namespace

void lay_out_shared(ModuleContext& context, const std::vector<const ptx::Function*>& bodies) {
  context.shared.resize(bodies.size());
  for (size_t k = 0; k < bodies.size(); ++k) {
    if (bodies[k] == nullptr) continue;
    ModuleContext::Shared& shared = context.shared[k];
    shared.layout = context.layout->of(*bodies[k]);
    shared.dynamic_base = static_cast<uint32_t>(context.layout->dynamic_base(shared.layout));
    if (const ptx::Variable* variable = too_far(shared.layout)) {
      context.diagnostics->push_back(
          {variable->position, "'" + variable->name + "' does not fit into shared memory", {}});
      return;
    }
  }
}

}  // namespace bankshot::simt
