#include "bankshot/simt/memory/zero_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bankshot/simt/memory/memory.hpp"
#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {
namespace {

constexpr size_t kLarge = size_t{1} << 16;  ///< bytes from which asking the host is cheap beside writing them
constexpr size_t kFew = 4;  ///< giving pages back pays below one in so many: touching them again is slow

/// Whether the host holds few of these pages. A hint only: it does not count those in swap.
bool is_mostly_untouched(std::byte* begin, size_t pages) {
  thread_local std::vector<unsigned char> held;
  held.resize(pages);
  if (mincore(begin, pages * kPage, held.data()) != 0) return false;
  const auto count = std::count_if(held.begin(), held.end(), [](unsigned char page) { return (page & 1) != 0; });
  return static_cast<size_t>(count) * kFew < pages;
}

}  // namespace

void zero_pages(std::byte* begin, size_t bytes) {
  const auto at = reinterpret_cast<uint64_t>(begin);
  const size_t head = round_up(at, kPage) - at;
  if (bytes < kLarge + head) {
    std::memset(begin, 0, bytes);
    return;
  }
  const size_t pages = (bytes - head) / kPage, whole = pages * kPage;
  if (!is_mostly_untouched(begin + head, pages) || madvise(begin + head, whole, MADV_DONTNEED) != 0)
    std::memset(begin + head, 0, whole);
  std::memset(begin, 0, head);
  std::memset(begin + head + whole, 0, bytes - head - whole);
}

}  // namespace bankshot::simt
