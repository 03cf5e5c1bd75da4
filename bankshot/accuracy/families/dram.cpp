// Streams through DRAM: every thread does one element of arrays that no cache holds, with as many blocks on an SM as
// the row says. Source: gpu-benches, gpu-stream.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bankshot/accuracy/condition.hpp"
#include "bankshot/accuracy/families/families.hpp"
#include "bankshot/accuracy/kernel.hpp"
#include "bankshot/measure/buffer.hpp"

namespace bankshot::accuracy {
namespace {

struct Stream {
  std::string_view name;
  unsigned counted = 8;  ///< bytes of an element that the bandwidth counts
  unsigned arrays = 1;   ///< that it has
  std::string_view statements;
};

/// %u is the thread's place in the first array, %d20 %d21 %d22 that in three others, elements are doubles; %d30 and
/// %d31 are constants. Neighbours of a stencil are read beyond the ends of the array, where there is room.
constexpr std::array kStreams = {
    Stream{"init", 8, 1, "  st.global.f64 [%u], %d30;\n"},
    Stream{"read", 8, 2,
           "  ld.global.f64 %d0, [%d20];\n  setp.eq.f64 %p0, %d0, %d30;\n  @%p0 st.global.f64 [%u], %d0;\n"},
    Stream{"scale", 16, 2, "  ld.global.f64 %d0, [%d20];\n  mul.f64 %d0, %d0, %d30;\n  st.global.f64 [%u], %d0;\n"},
    Stream{"triad, 3 arrays", 24, 3,
           "  ld.global.f64 %d0, [%d20];\n  ld.global.f64 %d1, [%d21];\n  fma.rn.f64 %d0, %d0, %d30, %d1;\n"
           "  st.global.f64 [%u], %d0;\n"},
    Stream{"triad", 32, 4,
           "  ld.global.f64 %d0, [%d20];\n  ld.global.f64 %d1, [%d21];\n  ld.global.f64 %d2, [%d22];\n"
           "  fma.rn.f64 %d0, %d0, %d2, %d1;\n  st.global.f64 [%u], %d0;\n"},
    Stream{"3pt", 16, 2,
           "  ld.global.f64 %d0, [%d20];\n  ld.global.f64 %d1, [%d20+8];\n  ld.global.f64 %d2, [%d20+16];\n"
           "  mul.f64 %d0, %d0, %d30;\n  fma.rn.f64 %d0, %d1, %d31, %d0;\n  fma.rn.f64 %d0, %d2, %d30, %d0;\n"
           "  st.global.f64 [%u], %d0;\n"},
    Stream{"5pt", 16, 2,
           "  ld.global.f64 %d0, [%d20];\n  ld.global.f64 %d1, [%d20+8];\n  ld.global.f64 %d2, [%d20+16];\n"
           "  ld.global.f64 %d3, [%d20+24];\n  ld.global.f64 %d4, [%d20+32];\n  mul.f64 %d0, %d0, %d30;\n"
           "  fma.rn.f64 %d0, %d1, %d31, %d0;\n  fma.rn.f64 %d0, %d2, %d30, %d0;\n  fma.rn.f64 %d0, %d3, %d31, %d0;\n"
           "  fma.rn.f64 %d0, %d4, %d30, %d0;\n  st.global.f64 [%u], %d0;\n"},
};

/// Bytes of each array, at most. Published runs have 512 MB, of which this is the steady part; where launches are not
/// timed exactly, arrays are as large as that.
constexpr uint64_t kArray = 8 * 1024 * 1024, kTimesInexact = 64;
constexpr uint64_t kRoom = 64;

Kernel kernel_of(const Stream& stream) {
  Kernel kernel;
  kernel.clocked = false;
  kernel.setup =
      "  mad.lo.u32 %x, %block, %threads, %thread;\n  setp.ge.u32 %p1, %x, %count;\n  @%p1 bra past;\n"
      "  mul.wide.u32 %v, %x, 8;\n  add.u64 %u, %data, %v;\n  cvt.u64.u32 %d10, %a;\n  add.u64 %d20, %u, %d10;\n"
      "  add.u64 %d21, %d20, %d10;\n  add.u64 %d22, %d21, %d10;\n  mov.b64 %d30, 0x3ff3333333333333;\n"
      "  mov.b64 %d31, 0xbff0000000000000;\n";
  kernel.timed = stream.statements;
  kernel.tail = "past:\n";
  return kernel;
}

/// Dynamic shared memory with which no more than `resident` blocks fit on an SM.
Result<uint32_t> spoiler(const measure::Device& device, uint32_t resident) {
  const Result<uint64_t> all = fact(device, "sm.shared_bytes");
  const Result<uint64_t> most = fact(device, "sm.shared_per_block_optin_bytes");
  if (!all) return all.error();
  if (!most) return most.error();
  return static_cast<uint32_t>(std::min(*most, *all / (resident + 1) + 1024));
}

Result<Reading> measure_stream(measure::Runner& runner, const Stream& stream, uint32_t threads, uint32_t all_threads) {
  const Result<uint64_t> sms = fact(runner.device(), "gpu.sms"), l2 = fact(runner.device(), "memory.l2_bytes");
  if (!sms) return sms.error();
  if (!l2) return l2.error();
  const uint32_t resident = std::max(1u, static_cast<uint32_t>(all_threads / threads / *sms));
  const Result<uint32_t> shared = spoiler(runner.device(), resident);
  if (!shared) return shared.error();
  // A few dozen blocks for each place there is: the blocks of a round end at about the same time.
  const uint64_t times = runner.device().exact_time ? 1 : kTimesInexact;
  const uint64_t elements = times * std::clamp<uint64_t>(uint64_t{all_threads} * 24, kArray / 64, kArray / 8);
  // The same stream has gone through as much before as L2 holds: lines that come in send out what it left there,
  // written or not, as in the middle of a long run.
  const uint64_t before = (*l2 + *l2 / 4) / stream.counted;
  const Result<uint64_t> address = runner.allocate(stream.arrays * (8 * (elements + before) + 2 * kRoom));
  if (!address) return address.error();
  const measure::Buffer buffer(runner, *address);
  const Kernel kernel = kernel_of(stream);
  const auto time_of = [&](uint64_t data, uint64_t count) {
    Arguments arguments;
    arguments.data = data;
    arguments.count = static_cast<uint32_t>(count);
    arguments.a = static_cast<uint32_t>(8 * count + kRoom);
    return run(runner, kernel, {static_cast<uint32_t>((count + threads - 1) / threads), threads, *shared}, arguments);
  };
  const uint64_t first = stream.arrays * (8 * elements + kRoom);
  if (const auto warm = time_of(buffer.address() + first, before); !warm) return warm.error();
  const Result<double> time = time_of(buffer.address(), elements);
  if (!time) return time.error();
  return Reading{static_cast<double>(elements * stream.counted) / *time, Dimension::per_time};
}

}  // namespace

std::optional<Plan> plan_dram(const Row& row) {
  constexpr std::string_view kQuantity = "DRAM stream bandwidth ";
  if (!row.quantity.starts_with(kQuantity)) return std::nullopt;
  std::string name = row.quantity.substr(kQuantity.size());
  if (row.condition.ends_with(", 3 arrays")) name += ", 3 arrays";
  const auto block = number_after(row.condition, "block "), threads = number_after(row.condition, ", ");
  const auto stream =
      std::find_if(kStreams.begin(), kStreams.end(), [&](const Stream& one) { return one.name == name; });
  if (stream == kStreams.end() || !block || !threads || *block < 1 || *block > 1024 || *threads < *block) {
    return std::nullopt;
  }
  const auto per_block = static_cast<uint32_t>(*block), all = static_cast<uint32_t>(*threads);
  const Stream chosen = *stream;
  return Plan{fmt::format("dram {} {} {}", name, per_block, all),
              true,
              [=](measure::Runner& runner) { return measure_stream(runner, chosen, per_block, all); },
              {.bytes = Footprint::kPastL2}};
}

}  // namespace bankshot::accuracy
