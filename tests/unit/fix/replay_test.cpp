// Recorded launches, repeated on a device.
#include <gtest/gtest.h>

#include <cstring>

#include "bankshot/cuda/launch/record_launch.hpp"
#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/fix/modules.hpp"
#include "bankshot/fix/replay.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/measure/runner_simulated.hpp"
#include "tests/paths.hpp"

namespace bankshot::fix {
namespace {

using cuda::RecordedLaunch;

constexpr const char* kBegin = ".version 7.0\n.target sm_70\n.address_size 64\n";

/// out[block * 32 + t] = in[block * 32 + 31 - t] + n + bias, through dynamic shared memory; thread 0 of each block adds
/// 1 to `count`.
const std::string kReverse = std::string(kBegin) + R"(
.visible .const .align 4 .u32 bias = 5;
.visible .global .align 4 .u32 count = 40;
.extern .shared .align 4 .b8 tile[];
.visible .entry reverse(.param .u64 in, .param .u32 n, .param .u64 out) {
  .reg .u64 %d<6>;
  .reg .u32 %r<16>;
  .reg .pred %p;
  ld.param.u64 %d0, [in];
  ld.param.u32 %r0, [n];
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.y;
  shl.b32 %r3, %r2, 5;
  add.u32 %r3, %r3, %r1;
  mul.wide.u32 %d2, %r3, 4;
  add.u64 %d3, %d0, %d2;
  ld.global.u32 %r4, [%d3];
  mov.u32 %r5, tile;
  shl.b32 %r6, %r1, 2;
  add.u32 %r7, %r5, %r6;
  st.shared.u32 [%r7], %r4;
  bar.sync 0;
  sub.u32 %r8, 124, %r6;
  add.u32 %r8, %r5, %r8;
  ld.shared.u32 %r9, [%r8];
  add.u32 %r9, %r9, %r0;
  ld.const.u32 %r10, [bias];
  add.u32 %r9, %r9, %r10;
  add.u64 %d4, %d1, %d2;
  st.global.u32 [%d4], %r9;
  setp.ne.u32 %p, %r1, 0;
  @%p bra DONE;
  red.global.add.u32 [count], 1;
DONE:
  ret;
}
.visible .entry swap(.param .align 8 .b8 both[16]) { ret; }
)";

gpu::Gpu v100() {
  auto gpu = gpu::load_gpu(paths::source() + "/gpus/v100.toml");
  EXPECT_TRUE(gpu) << gpu.error().message;
  return *gpu;
}

std::unique_ptr<measure::Runner> runner() {
  const gpu::Gpu gpu = v100();
  const auto config = cuda::simulated_config(gpu, {}, {});
  EXPECT_TRUE(config);
  auto made = measure::simulated_runner(gpu, *config);
  EXPECT_TRUE(made);
  return std::move(*made);
}

template <class T>
void put(std::vector<std::byte>& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
T get(const std::vector<std::byte>& bytes, size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The program's side: an engine with the module loaded, and what a launch of `reverse` gets.
struct Program {
  Program() : engine(options()) {
    auto loaded = engine.load(kReverse, "reverse.ptx");
    EXPECT_TRUE(loaded);
    program = *loaded;
    in = *engine.memory().allocate(256, simt::MemoryKind::device);
    out = *engine.memory().allocate(256, simt::MemoryKind::device);
    for (uint32_t k = 0; k < 64; ++k) reinterpret_cast<uint32_t*>(in)[k] = 1000 * k;
    put(params, 0, in);
    put(params, 8, uint32_t{7});
    put(params, 16, out);
    config.grid = {1, 2, 1};
    config.block = {32, 1, 1};
    config.dynamic_shared = 128;
    config.params = params;
  }

  static simt::EngineOptions options() {
    simt::EngineOptions options;
    options.machine = v100().machine;
    options.threads = 1;
    return options;
  }

  RecordedLaunch record(const char* kernel = "reverse") {
    return cuda::recorded(engine.memory(), *program, *info_of(*program, kernel), "digest", config);
  }
  std::string refusal() { return record().refusal; }

  simt::Engine engine;
  std::shared_ptr<simt::Program> program;
  uint64_t in = 0, out = 0;
  std::vector<std::byte> params = std::vector<std::byte>(24);
  simt::LaunchConfig config;
};

TEST(FixReplay, leaves_the_same_in_memory_as_the_program) {
  Program program;
  const RecordedLaunch launch = program.record();
  ASSERT_EQ(launch.refusal, "");
  EXPECT_EQ(launch.pointers, (std::vector<uint32_t>{0, 16}));
  ASSERT_EQ(launch.memory.size(), 4u);  // two allocations, two variables
  const auto device = runner();
  const auto replayed = replay(*device, launch, kReverse);
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_TRUE(replayed->repeats);
  EXPECT_GT(replayed->nanoseconds, 0);
  const auto ran = program.engine.launch(*program.program, "reverse", program.config);
  ASSERT_TRUE(ran) << ran.error().message;
  bool count_seen = false;
  for (size_t k = 0; k < launch.memory.size(); ++k) {
    const auto& one = launch.memory[k];
    EXPECT_EQ(std::memcmp(replayed->after[k].data(), reinterpret_cast<const void*>(one.address), one.contents.size()),
              0)
        << k;
    if (one.variable == "count") {
      count_seen = true;
      EXPECT_EQ(get<uint32_t>(one.contents, 0), 40u);
      EXPECT_EQ(get<uint32_t>(replayed->after[k], 0), 42u);  // two blocks, each launch anew
    }
    // in[31 - 0] + 7 + 5
    if (one.address == program.out) EXPECT_EQ(get<uint32_t>(replayed->after[k], 0), 31'012u);
  }
  EXPECT_TRUE(count_seen);
}

TEST(FixReplay, pointers_keep_their_offset_and_numbers_stay) {
  RecordedLaunch launch;
  launch.memory = {{1000, "", std::vector<std::byte>(24)}, {1024, "", std::vector<std::byte>(8)}};
  launch.parameters.resize(40);
  launch.pointers = {0, 8, 16, 24};
  put(launch.parameters, 0, uint64_t{1000});
  put(launch.parameters, 8, uint64_t{1023});
  put(launch.parameters, 16, uint64_t{1024});  // behind the first, and the second: the second
  put(launch.parameters, 24, uint64_t{1032});  // behind the second
  put(launch.parameters, 32, uint64_t{1000});  // a number
  const auto moved = relocated(launch, std::vector<uint64_t>{50'000, 70'000});
  EXPECT_EQ(get<uint64_t>(moved, 0), 50'000u);
  EXPECT_EQ(get<uint64_t>(moved, 8), 50'023u);
  EXPECT_EQ(get<uint64_t>(moved, 16), 70'000u);
  EXPECT_EQ(get<uint64_t>(moved, 24), 70'008u);
  EXPECT_EQ(get<uint64_t>(moved, 32), 1000u);
}

TEST(FixReplay, tells_a_variable_of_another_size) {
  Program program;
  RecordedLaunch launch = program.record();
  for (auto& one : launch.memory) {
    if (one.variable == "count") one.contents.resize(8);
  }
  const auto device = runner();
  const auto replayed = replay(*device, launch, kReverse);
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().message, "variable count has 4 bytes there and 8 here");
}

TEST(RecordedLaunch, a_pointer_behind_the_last_byte_is_one) {
  Program program;
  put(program.params, 16, program.out + 256);
  EXPECT_EQ(program.record().pointers, (std::vector<uint32_t>{0, 16}));
}

TEST(RecordedLaunch, is_read_as_it_was_written) {
  Program program;
  const RecordedLaunch launch = program.record();
  const std::string text = cuda::to_file(launch);
  const auto read = cuda::launch_from_file(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->module, "digest");
  EXPECT_EQ(read->kernel, "reverse");
  EXPECT_EQ(read->grid, (simt::Dim3{1, 2, 1}));
  EXPECT_EQ(read->block, (simt::Dim3{32, 1, 1}));
  EXPECT_EQ(read->dynamic_shared, 128u);
  EXPECT_EQ(read->parameters, launch.parameters);
  EXPECT_EQ(read->pointers, launch.pointers);
  ASSERT_EQ(read->memory.size(), launch.memory.size());
  for (size_t k = 0; k < launch.memory.size(); ++k) {
    EXPECT_EQ(read->memory[k].address, launch.memory[k].address);
    EXPECT_EQ(read->memory[k].variable, launch.memory[k].variable);
    EXPECT_EQ(read->memory[k].contents, launch.memory[k].contents);
  }
  EXPECT_EQ(cuda::to_file(*read), text);
}

TEST(RecordedLaunch, rejects_damaged_files) {
  Program program;
  RecordedLaunch launch = program.record();
  const std::string text = cuda::to_file(launch);
  const auto why = [](const std::string& damaged) {
    const auto read = cuda::launch_from_file(damaged);
    return read ? "" : read.error().message;
  };
  EXPECT_EQ(why(text.substr(0, 20)), "a recorded launch has no first line");
  EXPECT_EQ(why(text.substr(0, text.size() - 1)), "the size of a recorded launch differs from the size that it states");
  EXPECT_EQ(why(text + "x"), "the size of a recorded launch differs from the size that it states");
  EXPECT_NE(why("{}\n"), "");
  launch.pointers.push_back(17);  // of 24 bytes
  EXPECT_EQ(why(cuda::to_file(launch)), "a pointer of a recorded launch lies outside of its parameters");
}

TEST(RecordedLaunch, rejects_what_needs_more_than_its_memory) {
  Program program;
  EXPECT_EQ(program.refusal(), "");
  program.config.cooperative = true;
  EXPECT_EQ(program.refusal(), "it is launched cooperatively");
  program.config.cooperative = false;
  program.config.explicit_cluster = true;
  EXPECT_EQ(program.refusal(), "it is launched in clusters");
  program.config.explicit_cluster = false;

  reinterpret_cast<uint64_t*>(program.in)[3] = program.out + 8;
  EXPECT_EQ(program.refusal(), "its memory has pointers to memory");
  EXPECT_TRUE(program.record().memory.empty());
  reinterpret_cast<uint64_t*>(program.in)[3] = 0;

  put(program.params, 16, *program.engine.memory().allocate(256, simt::MemoryKind::managed));
  EXPECT_EQ(program.refusal(), "a parameter points to managed memory");
  put(program.params, 16, *program.engine.memory().allocate(256, simt::MemoryKind::pinned));
  EXPECT_EQ(program.refusal(), "a parameter points to memory that cudaMalloc did not allocate");
  program.engine.memory().free(program.out);
  put(program.params, 16, program.out);
  EXPECT_EQ(program.refusal(), "a parameter points to memory that is not allocated");

  std::vector<std::byte> both(16);
  put(both, 8, program.in);
  program.config.params = both;
  EXPECT_EQ(program.record("swap").refusal, "a parameter that is a structure has a pointer");
}

std::string why_not(const std::string& text) {
  const auto module = parse(kBegin + text);
  EXPECT_TRUE(module) << module.error().message;
  return cannot_replay(*module, "k");
}

TEST(FixReplay, rejects_code_that_needs_more_than_its_memory) {
  const std::string kPrint = ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n";
  const std::string kCall =
      "{ .param .b64 a; .param .b64 b; .param .b32 r; call.uni (r), vprintf, (a, b); }\n ret;\n}\n";
  EXPECT_EQ(why_not(".visible .entry k() { ret; }"), "");
  EXPECT_EQ(why_not(kPrint + ".visible .entry k() {\n" + kCall), "it calls vprintf");
  EXPECT_EQ(why_not(kPrint + ".visible .entry other() {\n" + kCall + ".visible .entry k() { ret; }"), "");
  EXPECT_EQ(why_not(kPrint + ".func f() {\n" + kCall + ".visible .entry k() { call.uni f; ret; }"), "it calls vprintf");
  EXPECT_EQ(why_not(".visible .entry k(.param .u64 t) {\n .reg .f32 %f<4>; .reg .u64 %d; .reg .f32 %x;\n"
                    "ld.param.u64 %d, [t];\n mov.f32 %x, 0f00000000;\n"
                    "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%d, {%x}];\n ret;\n}"),
            "it uses textures or surfaces: tex.1d.v4.f32.f32");
  EXPECT_EQ(why_not(".func f() { ret; }\n.visible .entry k() {\n .reg .u64 %d;\n mov.u64 %d, f;\n"
                    "P: .callprototype _ ();\n call %d, P;\n ret;\n}"),
            "it calls a function by a pointer");
}

}  // namespace
}  // namespace bankshot::fix
