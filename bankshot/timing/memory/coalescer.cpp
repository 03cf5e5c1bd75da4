#include "bankshot/timing/memory/coalescer.hpp"

#include <algorithm>
#include <bit>

namespace bankshot::timing {
namespace {

/// Bytes of a line that are accessed.
using Bytes = std::array<uint64_t, 4>;  // lines of up to 256 bytes

uint8_t full_sectors(const Bytes& bytes, unsigned line_bytes, unsigned sector_bytes) {
  uint8_t full = 0;
  for (unsigned begin = 0; begin < line_bytes; begin += sector_bytes) {
    bool all = true;
    for (unsigned byte = begin; byte < begin + sector_bytes; byte += std::min(64u, sector_bytes)) {
      const uint64_t want = sector_bytes >= 64 ? ~uint64_t{0} : ((uint64_t{1} << sector_bytes) - 1) << (byte % 64);
      all &= (bytes[byte / 64] & want) == want;
    }
    if (all) full |= static_cast<uint8_t>(1u << (begin / sector_bytes));
  }
  return full;
}

bool is_contiguous(const uint64_t* address, uint64_t lanes, unsigned width) {
  const int first = std::countr_zero(lanes), count = std::popcount(lanes);
  if (lanes >> first != (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1)) return false;
  uint64_t off = 0;
  for (int k = 0; k < count; ++k) off |= address[first + k] ^ (address[first] + static_cast<uint64_t>(k) * width);
  return off == 0;
}

/// The lines of a range of bytes.
void add_range(uint64_t begin, uint64_t end, unsigned line_bytes, unsigned sector_bytes, LineRequests& to) {
  for (uint64_t line = begin & ~uint64_t{line_bytes - 1}; line < end; line += line_bytes) {
    const uint64_t from = std::max(begin, line), until = std::min<uint64_t>(end, line + line_bytes);
    LineRequest request{line, 0, 0, 1};
    for (uint64_t sector = 0; sector < line_bytes / sector_bytes; ++sector) {
      const uint64_t first = line + sector * sector_bytes, behind = first + sector_bytes;
      if (first >= until || behind <= from) continue;
      request.sectors |= static_cast<uint8_t>(1u << sector);
      if (first >= from && behind <= until) request.full |= static_cast<uint8_t>(1u << sector);
    }
    to.request[to.count++] = request;
  }
}

uint8_t most_on_one(const uint64_t* address, uint64_t lanes, uint64_t line, unsigned line_bytes) {
  std::array<uint64_t, scratchpad::kMaxLanes> mine;
  size_t count = 0;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint64_t a = address[std::countr_zero(rest)];
    if ((a & ~uint64_t{line_bytes - 1}) == line) mine[count++] = a;
  }
  std::sort(mine.begin(), mine.begin() + count);
  unsigned most = 1, run = 1;
  for (size_t k = 1; k < count; ++k) {
    run = mine[k] == mine[k - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return static_cast<uint8_t>(most);
}

}  // namespace

unsigned LineRequests::sectors() const {
  unsigned sum = 0;
  for (unsigned k = 0; k < count; ++k) sum += static_cast<unsigned>(std::popcount(request[k].sectors));
  return sum;
}

void coalesce(const uint64_t* address, uint64_t lanes, unsigned width, unsigned line_bytes, unsigned sector_bytes,
              bool atomic, LineRequests& to) {
  to.count = 0;
  if (is_contiguous(address, lanes, width)) {
    const uint64_t begin = address[std::countr_zero(lanes)];
    return add_range(begin, begin + width * static_cast<uint64_t>(std::popcount(lanes)), line_bytes, sector_bytes, to);
  }
  std::array<Bytes, scratchpad::kMaxLanes> bytes;
  const uint64_t mask = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  unsigned at = 0;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint64_t a = address[std::countr_zero(rest)], line = a & ~uint64_t{line_bytes - 1};
    if (to.count == 0 || to.request[at].line != line) {
      for (at = 0; at < to.count && to.request[at].line != line; ++at) {
      }
      if (at == to.count) {
        to.request[to.count++] = {line, 0, 0, 1};
        bytes[at] = {};
      }
    }
    const uint64_t byte = a - line;
    for (uint64_t sector = byte / sector_bytes; sector <= (byte + width - 1) / sector_bytes; ++sector) {
      to.request[at].sectors |= static_cast<uint8_t>(1u << sector);
    }
    bytes[at][byte / 64] |= mask << (byte % 64);
  }
  for (unsigned k = 0; k < to.count; ++k) {
    to.request[k].full = full_sectors(bytes[k], line_bytes, sector_bytes);
    if (atomic) to.request[k].lanes = most_on_one(address, lanes, to.request[k].line, line_bytes);
  }
}

void merge_lines(const LineRequests& more, LineRequests& to) {
  for (unsigned k = 0; k < more.count; ++k) {
    const LineRequest& one = more.request[k];
    const auto end = to.request.begin() + to.count;
    const auto same =
        std::find_if(to.request.begin(), end, [&](const LineRequest& there) { return there.line == one.line; });
    if (same == end) {
      to.request[to.count++] = one;
      continue;
    }
    same->sectors |= one.sectors;
    same->full |= one.full;
    same->lanes = std::max(same->lanes, one.lanes);
  }
}

}  // namespace bankshot::timing
