#include "bankshot/cuda/embedded/redirect.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace bankshot::cuda::embedded {
namespace {

/// ff 25 disp32: jmp *disp32(%rip); the address follows at once. (Intel SDM, volume 2, JMP.)
constexpr unsigned char kOpcode[6] = {0xff, 0x25, 0, 0, 0, 0};

}  // namespace

bool write_jumps(std::span<const Jump> jumps) {
  if (jumps.empty()) return true;
  const auto by_place = [](const Jump& a, const Jump& b) { return a.from < b.from; };
  const auto [first, last] = std::minmax_element(jumps.begin(), jumps.end(), by_place);
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(first->from) & ~(page - 1);
  const uintptr_t end = reinterpret_cast<uintptr_t>(last->from) + kJumpBytes;
  void* const pages = reinterpret_cast<void*>(begin);
  if (mprotect(pages, end - begin, PROT_READ | PROT_WRITE) != 0) return false;
  std::vector<std::array<std::byte, kJumpBytes>> before(jumps.size());
  for (size_t k = 0; k < jumps.size(); ++k) std::memcpy(before[k].data(), jumps[k].from, kJumpBytes);
  for (const Jump& jump : jumps) {
    std::memcpy(jump.from, kOpcode, sizeof kOpcode);
    std::memcpy(jump.from + sizeof kOpcode, &jump.to, sizeof jump.to);
  }
  if (mprotect(pages, end - begin, PROT_READ | PROT_EXEC) == 0) return true;
  // What was there comes back; without a way to run it the process could not go on either way.
  for (size_t k = jumps.size(); k-- > 0;) std::memcpy(jumps[k].from, before[k].data(), kJumpBytes);
  mprotect(pages, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC);
  return false;
}

bool is_jump(const std::byte* code) { return std::memcmp(code, kOpcode, sizeof kOpcode) == 0; }

bool is_empty_function(const std::byte* code) {
  constexpr unsigned char kReturn = 0xc3, kEndBranch[4] = {0xf3, 0x0f, 0x1e, 0xfa};
  // The bytes of the nops that compilers pad with (Intel SDM, volume 2, NOP: recommended multi-byte sequences), and
  // int3.
  constexpr unsigned char kPadding[] = {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x80, 0x44, 0x40, 0x00, 0x90, 0xcc};
  size_t at = std::memcmp(code, kEndBranch, sizeof kEndBranch) == 0 ? sizeof kEndBranch : 0;
  if (static_cast<unsigned char>(code[at++]) != kReturn || reinterpret_cast<uintptr_t>(code) % 16 != 0) return false;
  for (; at < kJumpBytes; ++at)
    if (std::find(std::begin(kPadding), std::end(kPadding), static_cast<unsigned char>(code[at])) == std::end(kPadding))
      return false;
  return true;
}

}  // namespace bankshot::cuda::embedded
