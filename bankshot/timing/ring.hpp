// A first-in, first-out queue in one array, which grows when it is full and never shrinks: no allocation in steady state.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace bankshot::timing {

template <class T>
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  T& front() { return items_[first_]; }
  const T& front() const { return items_[first_]; }
  void pop() {
    first_ = (first_ + 1) & (items_.size() - 1);
    --size_;
  }
  void push(const T& item) {
    if (size_ == items_.size()) grow();
    items_[(first_ + size_) & (items_.size() - 1)] = item;
    ++size_;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.empty() ? 16 : 2 * items_.size());  // always a power of two
    for (size_t k = 0; k < size_; ++k) larger[k] = items_[(first_ + k) & (items_.size() - 1)];
    items_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> items_;
  size_t first_ = 0, size_ = 0;
};

}  // namespace bankshot::timing
