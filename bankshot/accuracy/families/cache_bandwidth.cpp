// Bandwidth of the caches with all SMs at once.
#include <fmt/format.h>

#include <algorithm>

#include "bankshot/accuracy/condition.hpp"
#include "bankshot/accuracy/families/families.hpp"
#include "bankshot/accuracy/kernel.hpp"
#include "bankshot/measure/buffer.hpp"

namespace bankshot::accuracy {
namespace {

struct Caches {
  uint64_t bytes = 0;    ///< that are read again and again
  bool apart = false;    ///< SMs begin at places of their own; else all at the same one
  std::string_view how;  ///< of ld.global
};

constexpr uint32_t kThreads = 1024, kUnrolled = 4, kWords = 2;  // words of a lane: a double
/// No L1 is larger: a block that reads more finds nothing there when it comes round again.
constexpr uint64_t kLargestL1 = 256 * 1024;
/// Where launches are not timed exactly, so many times as much is read: then they take milliseconds.
constexpr uint64_t kTimesInexact = 1024;

/// @param begin  bytes from the block's place in the buffer where it begins
/// @param each   bytes that each block reads
/// One block a SM reads the buffer round and round, 8 bytes a lane, as gpu-benches' gpu-cache and gpu-l2-cache do.
Result<double> time_of(measure::Runner& runner, const Caches& caches, uint64_t address, uint32_t blocks, uint64_t begin,
                       uint64_t each) {
  const uint64_t turn = uint64_t{kThreads} * kUnrolled * kWords * 4;
  Kernel kernel;
  kernel.clocked = false;
  std::string loads, uses;
  for (uint32_t k = 0; k < kUnrolled; ++k) {
    loads += load(fmt::format("global.{}", caches.how), kWords, k, fmt::format("%u+{}", k * kThreads * kWords * 4));
    // Of the first word only. ptxas reads no more then, but the same sectors come from the cache.
    uses += fmt::format("  xor.b32 %used{}, %used{}, %r{};\n", k, k, kWords * k);
  }
  // %x: where the block reads, %a: bytes of the buffer, a multiple of what a turn reads.
  kernel.setup = fmt::format(
      "  mad.lo.u32 %x, %block, %b, %c;\n  rem.u32 %x, %x, %a;\n  mul.wide.u32 %v, %thread, {};\n"
      "  add.u64 %v, %v, %data;\n",
      kWords * 4);
  kernel.timed = loop(fmt::format("  cvt.u64.u32 %u, %x;\n  add.u64 %u, %u, %v;\n{}{}  add.u32 %x, %x, {};\n"
                                  "  setp.ge.u32 %p0, %x, %a;\n  @%p0 mov.u32 %x, 0;\n",
                                  loads, uses, turn)) +
                 wait_for_used();
  Arguments arguments;
  arguments.data = address;
  arguments.count = static_cast<uint32_t>(std::max<uint64_t>(1, each / turn));
  arguments.a = static_cast<uint32_t>(caches.bytes);
  arguments.b = caches.apart ? static_cast<uint32_t>(caches.bytes / blocks / turn * turn) : 0;
  arguments.c = static_cast<uint32_t>(begin);
  return run(runner, kernel, {blocks, kThreads, 0}, arguments);
}

Result<Reading> measure_caches(measure::Runner& runner, const Caches& wanted) {
  const Result<uint64_t> sms = fact(runner.device(), "gpu.sms");
  if (!sms) return sms.error();
  const auto blocks = static_cast<uint32_t>(*sms);
  const Result<uint64_t> l2 = fact(runner.device(), "memory.l2_bytes");
  if (!l2) return l2.error();
  Caches caches = wanted;
  // Of twice as much as L2 holds, nothing is there when it is read again: other lines have been read since.
  const bool from_dram = caches.bytes >= 2 * *l2;
  if (from_dram) caches.bytes = 2 * *l2;
  const uint64_t turn = uint64_t{kThreads} * kUnrolled * kWords * 4;
  caches.bytes = std::max(turn, caches.bytes / turn * turn);
  const uint64_t others = from_dram ? *l2 + *l2 / 4 : 0;
  const Result<uint64_t> address = runner.allocate(caches.bytes + others);
  if (!address) return address.error();
  const measure::Buffer buffer(runner, *address);
  const uint64_t swept = from_dram ? buffer.address() + caches.bytes : buffer.address();
  if (const auto error = sweep(runner, swept, from_dram ? others : caches.bytes, 2 * blocks)) return *error;
  // L1 is empty when a launch begins, and while some warps still miss, others hit: of two lengths the difference is
  // taken. The second goes on where the first ended, so that nothing is in L2 because of it.
  const uint64_t share = caches.apart ? caches.bytes / blocks : caches.bytes;
  const uint64_t times = runner.device().exact_time ? 1 : kTimesInexact;
  const uint64_t timed = times * (share > kLargestL1 ? 128 * 1024 : 512 * 1024);
  const Result<double> shorter = time_of(runner, caches, buffer.address(), blocks, 0, timed);
  if (!shorter) return shorter.error();
  const Result<double> longer = time_of(runner, caches, buffer.address(), blocks, timed, 2 * timed);
  if (!longer) return longer.error();
  return Reading{static_cast<double>(timed * blocks) / (*longer - *shorter), Dimension::per_time};
}

}  // namespace

std::optional<Plan> plan_cache_bandwidth(const Row& row) {
  std::optional<Caches> caches;
  if (row.quantity == "cache bandwidth, all SMs read the same buffer") {
    const auto kilobytes = number_after(row.condition, "");
    if (kilobytes && *kilobytes >= 1) caches = Caches{static_cast<uint64_t>(*kilobytes) * 1024, false, "ca"};
  } else if (row.quantity == "L2 bandwidth") {
    const auto kilobytes = number_after(row.condition, "total data ");
    if (kilobytes && *kilobytes >= 1) caches = Caches{static_cast<uint64_t>(*kilobytes) * 1024, true, "ca"};
  }
  if (!caches) return std::nullopt;
  return Plan{fmt::format("caches {} {} {}", caches->bytes, caches->apart, caches->how),
              true,
              [caches](measure::Runner& runner) { return measure_caches(runner, *caches); },
              {.bytes = caches->bytes, .divided = caches->apart},
              caches->apart ? "it gives more than L2 can deliver, as SMs share what they read" : std::string_view()};
}

}  // namespace bankshot::accuracy
