// CUDA contexts. The driver interface exposes them, the runtime interface works on the primary one. All contexts of the
// device share its memory and engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace bankshot::cuda {

struct Context {
  unsigned flags = 0;
  uint64_t id = 0;
};

/// Requires the session's lock.
class Contexts {
 public:
  static Contexts& get();

  Context* primary() { return &primary_; }
  unsigned primary_uses = 0;  ///< calls of cuDevicePrimaryCtxRetain less those of …Release
  bool runtime_uses = false;  ///< the runtime interface works on the primary context
  bool initialised = false;   ///< cuInit was called

  Context* create(unsigned flags);
  /// @return false if create() did not make it, or it is destroyed already
  bool destroy(Context* context);
  bool is_valid(const Context* context) const;
  /// Whether any context is in use. The device is reset when the last one goes.
  bool any() const { return runtime_uses || primary_uses > 0 || !created_.empty(); }

 private:
  Context primary_{0, 1};
  uint64_t next_id_ = 2;
  std::unordered_map<const Context*, std::unique_ptr<Context>> created_;
};

/// A thread's stack of contexts; its top is current. It owns nothing, so that calls from static destructors, which run
/// after the main thread's thread-local objects are destroyed, still find it.
class ContextStack {
 public:
  bool empty() const { return size_ == 0; }
  Context* back() const { return items_[size_ - 1]; }
  void pop_back() { --size_; }
  /// @return false if it is full
  bool push_back(Context* context) {
    if (size_ == kMost) return false;
    items_[size_++] = context;
    return true;
  }

 private:
  static constexpr size_t kMost = 128;
  Context* items_[kMost];
  size_t size_;
};
ContextStack& context_stack();

/// The current context of the calling thread, or null.
Context* current_context();

/// Initialises the primary context for the runtime interface.
void initialise_primary_context();
/// The same, and makes it current in the calling thread unless another context is.
void use_primary_context();
/// The same, and makes it current in place of the thread's current context.
void bind_primary_context();

}  // namespace bankshot::cuda
