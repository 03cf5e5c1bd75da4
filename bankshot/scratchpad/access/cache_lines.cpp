#include "bankshot/scratchpad/access/cache_lines.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/scratchpad/base/clones.hpp"

namespace bankshot::scratchpad {
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

/// Finds lines among those that were found before: most are looked for in vain where lanes are scattered.
class KnownLines {
 public:
  /// @return the index of a line, `count` if it is new; then the next one has that index
  [[gnu::always_inline]] inline unsigned find(const LineRequest* request, unsigned count, uint64_t line) {
    uint8_t& last = last_[line * 0x9e3779b97f4a7c15u >> 56];
    unsigned at = last == 0 ? count : last - 1u;
    if (at != count && request[at].line != line) {
      for (at = 0; at < count && request[at].line != line; ++at) {
      }
    }
    last = static_cast<uint8_t>(at + 1);
    return at;
  }

 private:
  std::array<uint8_t, 256> last_{};  ///< by hash of the line: 1 + index of the last one; 0: there was none
};

/// Lines, their sectors and bytes. @param request, bytes  room for one a lane @return how many lines
[[gnu::always_inline]] inline unsigned collect(const uint64_t* address, uint64_t lanes, unsigned width,
                                               unsigned line_bytes, unsigned sector_bytes, LineRequest* request,
                                               Bytes* bytes) {
  KnownLines known;
  const int sector_bits = std::countr_zero(sector_bytes);
  const uint64_t mask = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  unsigned count = 0, at = 0;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint64_t a = address[std::countr_zero(rest)], line = a & ~uint64_t{line_bytes - 1};
    if (count == 0 || request[at].line != line) {
      at = known.find(request, count, line);
      if (at == count) {
        request[count++] = {line, 0, 0, 1};
        bytes[at] = {};
      }
    }
    const uint64_t byte = a - line;
    const auto first = static_cast<unsigned>(byte >> sector_bits);
    const auto last = static_cast<unsigned>((byte + width - 1) >> sector_bits);
    request[at].sectors |= static_cast<uint8_t>((2u << last) - (1u << first));
    bytes[at][byte / 64] |= mask << (byte % 64);
  }
  return count;
}

uint8_t most_on_one(const uint64_t* address, uint64_t lanes, uint64_t line, unsigned line_bytes) {
  std::array<uint64_t, kMaxLanes> mine;
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
  std::array<Bytes, kMaxLanes> bytes;
  to.count = collect(address, lanes, width, line_bytes, sector_bytes, to.request.data(), bytes.data());
  for (unsigned k = 0; k < to.count; ++k) {
    to.request[k].full = full_sectors(bytes[k], line_bytes, sector_bytes);
    if (atomic) to.request[k].lanes = most_on_one(address, lanes, to.request[k].line, line_bytes);
  }
}

BANKSHOT_CLONES
TouchedLines touched_lines(const uint64_t* address, uint64_t lanes, unsigned width, unsigned line_bytes,
                           unsigned sector_bytes) {
  std::array<LineRequest, kMaxLanes> request;
  std::array<Bytes, kMaxLanes> bytes;
  TouchedLines all;
  all.lines = collect(address, lanes, width, line_bytes, sector_bytes, request.data(), bytes.data());
  for (unsigned k = 0; k < all.lines; ++k) {
    all.sectors += static_cast<unsigned>(std::popcount(request[k].sectors));
    for (unsigned part = 0; part < line_bytes / 64; ++part)
      all.bytes += static_cast<unsigned>(std::popcount(bytes[k][part]));
  }
  return all;
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

}  // namespace bankshot::scratchpad
