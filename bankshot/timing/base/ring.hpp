// A queue that keeps its memory.
#pragma once

#include <cstddef>
#include <vector>

namespace bankshot::timing {

/// First in, first out. Grows to what it once held, then allocates no more.
template <class T>
class Ring {
 public:
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  T& front() { return items_[begin_]; }
  const T& front() const { return items_[begin_]; }
  /// @param k  from the front, below size()
  T& operator[](size_t k) { return items_[(begin_ + k) & (items_.size() - 1)]; }
  const T& operator[](size_t k) const { return items_[(begin_ + k) & (items_.size() - 1)]; }
  /// The new last item, to be filled in: it may hold what an old one held.
  T& push() {
    if (count_ == items_.size()) grow();
    return items_[(begin_ + count_++) & (items_.size() - 1)];
  }
  void push(const T& item) { push() = item; }
  void pop() {
    begin_ = (begin_ + 1) & (items_.size() - 1);
    --count_;
  }
  void clear() { begin_ = count_ = 0; }

 private:
  void grow() {
    std::vector<T> more(items_.empty() ? 16 : 2 * items_.size());
    for (size_t k = 0; k < count_; ++k) more[k] = items_[(begin_ + k) & (items_.size() - 1)];
    items_ = std::move(more);
    begin_ = 0;
  }
  std::vector<T> items_;  ///< a power of two of them
  size_t begin_ = 0, count_ = 0;
};

}  // namespace bankshot::timing
