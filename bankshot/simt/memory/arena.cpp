#include "bankshot/simt/memory/arena.hpp"

#include <sys/mman.h>

#include <new>

namespace bankshot::simt {

Arena::~Arena() {
  if (start_ != nullptr) munmap(start_, bytes_);
}

std::byte* Arena::reserve(size_t bytes) {
  constexpr size_t kUnit = size_t{1} << 16;
  bytes = (bytes / kUnit + 1) * kUnit;
  if (bytes <= bytes_) return start_;
  if (start_ != nullptr) munmap(start_, bytes_);
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  madvise(start, bytes, MADV_NOHUGEPAGE);  // rows of warps may lie megabytes apart, touched at their begin only
  start_ = static_cast<std::byte*>(start);
  bytes_ = bytes;
  return start_;
}

}  // namespace bankshot::simt
