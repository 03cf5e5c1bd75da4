#include "bankshot/cuda/interface/contexts.hpp"

namespace bankshot::cuda {

Contexts& Contexts::get() {
  static Contexts& contexts = *new Contexts;
  return contexts;
}

Context* Contexts::create(unsigned flags) {
  auto context = std::make_unique<Context>(Context{flags, next_id_++});
  Context* handle = context.get();
  created_[handle] = std::move(context);
  return handle;
}

bool Contexts::destroy(Context* context) { return created_.erase(context) != 0; }

bool Contexts::is_valid(const Context* context) const { return context == &primary_ || created_.contains(context); }

ContextStack& context_stack() {
  thread_local ContextStack contexts;  // zero: empty
  return contexts;
}

Context* current_context() {
  ContextStack& contexts = context_stack();
  // A context that another thread destroyed is not current any more.
  while (!contexts.empty() && !Contexts::get().is_valid(contexts.back())) contexts.pop_back();
  return contexts.empty() ? nullptr : contexts.back();
}

void initialise_primary_context() { Contexts::get().initialised = Contexts::get().runtime_uses = true; }

void use_primary_context() {
  initialise_primary_context();
  if (!current_context()) context_stack().push_back(Contexts::get().primary());
}

void bind_primary_context() {
  initialise_primary_context();
  if (current_context()) context_stack().pop_back();
  context_stack().push_back(Contexts::get().primary());
}

}  // namespace bankshot::cuda
