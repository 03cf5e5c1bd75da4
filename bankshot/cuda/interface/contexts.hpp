// Contexts, which the driver interface shows and the runtime interface uses. All contexts of the one device share its
// memory and engine; a context is who asks.
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
  unsigned primary_uses = 0;  ///< cuDevicePrimaryCtxRetain less …Release
  bool runtime_uses = false;  ///< the runtime interface works on the primary context
  bool initialised = false;   ///< cuInit was called

  Context* create(unsigned flags);
  /// @return false if it is no created context
  bool destroy(Context* context);
  bool is_valid(const Context* context) const;
  /// Whether anybody holds a context: when nobody does any more, the device is reset.
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

/// The runtime interface initialises the primary context, and has it.
void initialise_primary_context();
/// What the runtime interface does first: also makes the primary context current in a thread that has none.
void use_primary_context();
/// … in place of the thread's current one.
void bind_primary_context();

}  // namespace bankshot::cuda
