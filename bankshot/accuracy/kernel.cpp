#include "bankshot/accuracy/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "bankshot/measure/buffer.hpp"

namespace bankshot::accuracy {
namespace {

constexpr std::string_view kBegin = R"(.address_size 64
.extern .shared .align 16 .b8 scratch[];
.visible .entry bench(
  .param .u64 data, .param .u64 out, .param .u32 count, .param .u32 a, .param .u32 b, .param .u32 c)
{
  .reg .pred %p<8>, %repeat;
  .reg .b16 %h<16>;
  .reg .b32 %r<128>, %used<4>, %x, %y, %zero, %turn, %pass, %thread, %threads, %block, %blocks, %lane, %warp, %count, %a, %b, %c;
  .reg .b64 %d<64>, %u, %v, %data, %out, %begin, %end, %place;
  ld.param.u64 %data, [data];
  ld.param.u64 %out, [out];
  ld.param.u32 %count, [count];
  ld.param.u32 %a, [a];
  ld.param.u32 %b, [b];
  ld.param.u32 %c, [c];
  mov.u32 %thread, %tid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  and.b32 %lane, %thread, 31;
  shr.u32 %warp, %thread, 5;
  mov.u32 %zero, 0;
  mov.u32 %used0, 0;
  mov.u32 %used1, 0;
  mov.u32 %used2, 0;
  mov.u32 %used3, 0;
)";

/// ptxas compiles bar.sync to BAR.SYNC.DEFER_BLOCKING: a warp that arrives early reads the clock before the others have
/// arrived (on an H200, rates of many warps came out up to a third too low). After another barrier all arrive together.
constexpr std::string_view kComeTogether = "  bar.sync 0;\n";

/// The clock's highest bit is 0.
constexpr std::string_view kReadBegin = R"(  bar.sync 0;
  mov.u64 %begin, %clock64;
  mov.b64 {%turn, %zero}, %begin;
  shr.u32 %zero, %zero, 31;
)";

constexpr std::string_view kReadEnd = "  mov.u64 %end, %clock64;\n";

constexpr std::string_view kStore = R"(  mad.lo.u32 %turn, %block, %threads, %thread;
  mul.wide.u32 %place, %turn, 16;
  add.u64 %out, %out, %place;
  st.global.u64 [%out], %begin;
  st.global.u64 [%out+8], %end;
)";

}  // namespace

std::string text_of(const Kernel& kernel) {
  std::string text = fmt::format(".version {}\n.target sm_{}\n", kernel.target > 90 ? "8.6" : "7.8", kernel.target);
  text += kBegin;
  text += kernel.setup;
  if (kernel.warmed_up) text += fmt::format("  mov.u32 %pass, 0;\nonce_more:\n{}{}", kNoUnroll, kComeTogether);
  if (kernel.clocked) text += kReadBegin;
  text += kernel.timed;
  if (kernel.clocked) text += kReadEnd;
  text += kernel.tail;
  if (kernel.warmed_up)
    text += "  add.u32 %pass, %pass, 1;\n  setp.lt.u32 %repeat, %pass, 2;\n  @%repeat bra once_more;\n";
  if (kernel.clocked) text += kStore;
  return text + "  ret;\nwrong:\n  trap;\n  ret;\n}\n";
}

std::string unrolled(std::string_view statements, unsigned times, unsigned modulo) {
  std::string text;
  for (unsigned k = 0; k < times; ++k) {
    const std::string number = std::to_string(k % modulo);
    for (const char one : statements) {
      if (one == '#') {
        text += number;
      } else {
        text += one;
      }
    }
  }
  return text;
}

std::string loop(std::string_view statements, std::string_view count, std::string_view name) {
  return fmt::format(
      "  mov.u32 %turn, 0;\n{1}:\n{0}  add.u32 %turn, %turn, 1;\n  setp.lt.u32 %p7, %turn, {2};\n  @%p7 bra {1};\n",
      statements, name, count);
}

std::string wait_for(std::string_view name, unsigned bits) {
  // No benchmark ever computes this number.
  return fmt::format("  setp.eq.b{} %p7, {}, 0x7eadbeef;\n  @%p7 bra wrong;\n", bits, name);
}

std::string load(std::string_view space, unsigned words, unsigned k, std::string_view address) {
  const unsigned r = words * k;
  switch (words) {
    case 2: return fmt::format("  ld.{}.v2.u32 {{%r{}, %r{}}}, [{}];\n", space, r, r + 1, address);
    case 4:
      return fmt::format("  ld.{}.v4.u32 {{%r{}, %r{}, %r{}, %r{}}}, [{}];\n", space, r, r + 1, r + 2, r + 3, address);
    default: return fmt::format("  ld.{}.u32 %r{}, [{}];\n", space, r, address);
  }
}

std::string use(unsigned words, unsigned k) {
  if (words == 1) return fmt::format("  xor.b32 %used{0}, %used{0}, %r{1};\n", k % 4, k);
  std::string text;
  for (unsigned r = words * k; r < words * (k + 1); r += 2)
    text += fmt::format("  lop3.b32 %used{0}, %used{0}, %r{1}, %r{2}, 0x96;\n", k % 4, r, r + 1);  // exclusive or
  return text;
}

std::string wait_for_used() {
  return wait_for("%used0") + wait_for("%used1") + wait_for("%used2") + wait_for("%used3");
}

Result<double> run(measure::Runner& runner, const Kernel& kernel, const Grid& grid, Arguments arguments) {
  if (const auto error = runner.load(text_of(kernel))) return *error;
  std::vector<uint64_t> clocks(kernel.clocked ? size_t{2} * grid.blocks * grid.threads : 1);
  const Result<uint64_t> out = runner.allocate(clocks.size() * sizeof(uint64_t));
  if (!out) return out.error();
  const measure::Buffer buffer(runner, *out);
  arguments.out = buffer.address();
  const measure::Launch launch{
      "bench", {grid.threads}, grid.shared_bytes, std::as_bytes(std::span(&arguments, 1)), {grid.blocks}};
  if (const auto error = runner.launch(launch)) return *error;
  if (!kernel.clocked) return runner.elapsed_ns();
  if (const auto error = runner.copy_out(std::as_writable_bytes(std::span(clocks)), buffer.address())) return *error;
  uint64_t first = ~uint64_t{0}, last = 0;
  for (size_t k = 0; k < clocks.size(); k += 2) {
    first = std::min(first, clocks[k]);
    last = std::max(last, clocks[k + 1]);
  }
  return static_cast<double>(last - first);
}

std::optional<Error> sweep(measure::Runner& runner, uint64_t address, uint64_t bytes, uint32_t blocks) {
  Kernel kernel;
  kernel.clocked = false;
  kernel.setup =
      "  mad.lo.u32 %x, %block, %threads, %thread;\n  mul.lo.u32 %y, %blocks, %threads;\n"
      "  mul.wide.u32 %u, %x, 16;\n  add.u64 %u, %u, %data;\n  mul.wide.u32 %v, %y, 16;\n"
      "  mul.wide.u32 %d1, %count, 16;\n  add.u64 %d1, %d1, %data;\n";
  kernel.timed =
      "sweep:\n  setp.ge.u64 %p0, %u, %d1;\n  @%p0 bra swept;\n"
      "  ld.volatile.global.v4.u32 {%r0, %r1, %r2, %r3}, [%u];\n  add.u64 %u, %u, %v;\n  bra sweep;\nswept:\n";
  Arguments arguments;
  arguments.data = address;
  arguments.count = static_cast<uint32_t>(bytes / 16);
  const Result<double> time = run(runner, kernel, {blocks, 512, 0}, arguments);
  return time ? std::nullopt : std::optional(time.error());
}

Result<uint64_t> fact(const measure::Device& device, const std::string& key) {
  uint64_t value = 0;
  if (const auto found = device.facts.find(key); found != device.facts.end()) {
    std::string digits = found->second;
    std::erase(digits, '_');
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc() && end == digits.data() + digits.size()) return value;
  }
  return Error{fmt::format("{} does not tell its {}", device.name, key)};
}

unsigned architecture(const measure::Device& device) { return 10 * device.major + device.minor; }

}  // namespace bankshot::accuracy
