#include "bankshot/search/transcript.hpp"

namespace bankshot::search {

void Transcript::enter(unsigned depth, uint32_t row) {
  if (depth <= kept_) add(static_cast<int32_t>(row));
}

void Transcript::leave(unsigned depth, bool has_children) {
  if (depth <= kept_) add(depth == kept_ && has_children ? kEnumerate : kEnd);
}

void Transcript::append(const Transcript& other) {
  Transcript same = other;  // what was forgotten of the others is forgotten of it, too
  while (same.kept_ > kept_) same.forget_deepest();
  numbers_.insert(numbers_.end(), same.numbers_.begin(), same.numbers_.end());
  while (numbers_.size() > limit_ && kept_ > top_) forget_deepest();
}

void Transcript::add(int32_t number) {
  numbers_.push_back(number);
  while (numbers_.size() > limit_ && kept_ > top_) forget_deepest();
}

void Transcript::forget_deepest() {
  --kept_;
  std::vector<int32_t> shorter;
  unsigned depth = top_;
  bool had_children = false;  // of the last node of depth kept_
  for (int32_t number : numbers_) {
    if (number > 0) {
      ++depth;
      had_children = depth > kept_;
      if (depth <= kept_) shorter.push_back(number);
    } else {
      if (depth < kept_) shorter.push_back(number);
      if (depth == kept_) shorter.push_back(had_children ? kEnumerate : number);
      --depth;
    }
  }
  numbers_ = std::move(shorter);
}

}  // namespace bankshot::search
