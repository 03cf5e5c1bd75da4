// atom and red: handlers on a hand-made warp.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <thread>

#include "bankshot/simt/decode/modifier_order.hpp"
#include "bankshot/simt/state/program.hpp"
#include "rows_half_runner.hpp"

namespace bankshot::simt::testing {
namespace {

/// A warp with shared and global memory. The instruction's registers: address in row 0, d in 1, b in 2, c in 3.
class Stage {
 public:
  static constexpr uint32_t kRow = 512, kSharedBytes = 1024;
  Memory memory{1 << 20};
  uint64_t global = *memory.allocate(1024, MemoryKind::device);
  alignas(64) std::array<std::byte, kSharedBytes> shared{};
  alignas(64) std::array<std::byte, 4 * kRow> registers{};
  LoadedProgram program;
  LaunchConfig config;
  KernelInfo kernel;
  Launch launch;
  Worker worker;
  Cta cta;
  Warp warp;
  scratchpad::Rules rules;
  Handler handler = nullptr;

  Stage(std::string_view isa, const std::string& text) {
    const std::vector<std::string> parts = split(text, '.');
    const std::vector<std::string> modifiers(parts.begin() + 1, parts.end());
    Match m;
    for (const Row& row : *rows_of(isa)) {
      const Form form = parse_form(row);
      if (handler == nullptr && form.opcode == parts[0] && match_in_any_order(form, modifiers, m))
        handler = row.select(m);
    }
    EXPECT_NE(handler, nullptr) << text;
    const ptx::Space space = m.has("shared")   ? ptx::Space::shared
                             : m.has("global") ? ptx::Space::global
                                               : ptx::Space::generic;
    program.code.resize(2);
    program.info.resize(2);
    program.texts = {text};
    program.lanes = lanes_of_isa(isa);
    Instr& i = program.code[0];
    i.run = i.body = handler;
    i.op[0] = 0;
    if (parts[0] == "atom") i.op[1] = kRow;
    i.op[2] = 2 * kRow;
    if (m.has("cas")) i.op[3] = 3 * kRow;
    i.small = static_cast<uint8_t>(space);
    i.flags = InstrFlag::kWide;
    i.aux = 0;
    kernel.name = "k";
    launch.config = &config;
    launch.kernel = &kernel;
    worker.launch = &launch;
    program.sites.push_back({0, 4, scratchpad::AccessKind::atomic});
    worker.program = &program;
    worker.memory = &memory;
    worker.counting = true;
    worker.rules = &rules;
    worker.sites.resize(1);
    worker.windows = {uint64_t{1} << 40, uint64_t{1} << 41};
    cta.shared = shared.data();
    cta.shared_bytes = kSharedBytes;
    warp.worker = &worker;
    warp.cta = &cta;
    warp.base[0] = registers.data();
    warp.polls = 1 << 20;
    warp.active = warp.alive = all_lanes(program.lanes);
  }
  template <class T>
  void set(unsigned row, unsigned lane, T value) {
    std::memcpy(&registers[row * kRow + lane * sizeof(T)], &value, sizeof(T));
  }
  template <class T>
  T get(unsigned row, unsigned lane) const {
    T value;
    std::memcpy(&value, &registers[row * kRow + lane * sizeof(T)], sizeof(T));
    return value;
  }
  /// All lanes at one address, with one operand.
  template <class T>
  void all(uint64_t address, T b, T c = {}) {
    for (unsigned l = 0; l < program.lanes; ++l) {
      set<uint64_t>(0, l, address);
      set<T>(2, l, b);
      set<T>(3, l, c);
    }
  }
  template <class T>
  T& in_shared(unsigned offset) {
    return *reinterpret_cast<T*>(&shared[offset]);
  }
  template <class T>
  T& in_global(unsigned offset) {
    return *reinterpret_cast<T*>(global + offset);
  }
  const Instr* run() { return program.code[0].run(warp, program.code.data()); }
  const Instr* next() const { return program.code.data() + 1; }
};

class AtomicRows : public OnEachIsa {};
BANKSHOT_ON_EACH_ISA(AtomicRows);

TEST_P(AtomicRows, lanes_on_one_word_are_served_in_ascending_order) {
  Stage stage(GetParam(), "atom.shared.add.u32");
  stage.all<uint32_t>(8, 3);
  stage.warp.active &= ~uint64_t{4};
  stage.in_shared<uint32_t>(8) = 100;
  EXPECT_EQ(stage.run(), stage.next());
  for (unsigned l = 0; l < stage.program.lanes; ++l)
    EXPECT_EQ(stage.get<uint32_t>(1, l), l == 2 ? 0 : 100 + 3 * (l - (l > 2)));
  EXPECT_EQ(stage.in_shared<uint32_t>(8), 100 + 3 * (stage.program.lanes - 1));
}

TEST_P(AtomicRows, shared_accesses_are_counted_once_a_warp_instruction) {
  Stage stage(GetParam(), "red.shared.add.u32");
  stage.all<uint32_t>(8, 1);
  stage.run();
  stage.run();
  EXPECT_EQ(stage.worker.sites[0].accesses, 2u);
  EXPECT_EQ(stage.worker.sites[0].lanes, 2u * stage.program.lanes);
  EXPECT_GT(stage.worker.sites[0].position, 0u);
  Stage global(GetParam(), "red.global.add.u32");
  global.all<uint32_t>(global.global, 1);
  global.run();
  EXPECT_EQ(global.worker.sites[0].accesses, 0u);
}

TEST_P(AtomicRows, a_histogram_has_all_its_values) {
  Stage stage(GetParam(), "red.shared.add.u32");
  std::mt19937 random(1);
  std::array<uint32_t, 64> expected{};
  for (int round = 0; round < 100; ++round) {
    stage.warp.active = (uint64_t{random()} << 32 | random() | 1) & all_lanes(stage.program.lanes);
    for (unsigned l = 0; l < stage.program.lanes; ++l) {
      const unsigned bin = random() % 64;
      stage.set<uint64_t>(0, l, 4 * bin);
      stage.set<uint32_t>(2, l, 1);
      expected[bin] += stage.warp.active >> l & 1;
    }
    stage.run();
  }
  for (unsigned bin = 0; bin < 64; ++bin) EXPECT_EQ(stage.in_shared<uint32_t>(4 * bin), expected[bin]);
}

/// One lane's operation on `old`: what is there afterwards, in shared and in global memory and with host atomics.
template <class T>
void expect_update(std::string_view isa, const std::string& operation, T old, T b, T c, T in_shared, T in_global) {
  for (const std::string space : {"shared", "global", "parallel"}) {
    Stage stage(isa, "atom." + (space == "parallel" ? "global" : space) + "." + operation);
    stage.worker.parallel = space == "parallel";
    T& place = space == "shared" ? stage.in_shared<T>(16) : stage.in_global<T>(16);
    for (int round = 0; round < 2; ++round) {  // the second time, global memory is found by the quick way
      place = old;
      stage.warp.active = 2;
      stage.all<T>(space == "shared" ? 16 : stage.global + 16, b, c);
      EXPECT_EQ(stage.run(), stage.next());
      EXPECT_EQ(stage.template get<T>(1, 1), old) << operation << " " << space;
      EXPECT_EQ(place, space == "shared" ? in_shared : in_global) << operation << " " << space;
    }
  }
}
template <class T>
void expect_update(std::string_view isa, const std::string& operation, T old, T b, T result) {
  expect_update<T>(isa, operation, old, b, {}, result, result);
}

TEST_P(AtomicRows, integer_operations) {
  const auto isa = GetParam();
  expect_update<uint32_t>(isa, "add.u32", 0xffffffff, 2, 1);
  expect_update<uint32_t>(isa, "add.s32", 5, static_cast<uint32_t>(-7), static_cast<uint32_t>(-2));
  expect_update<uint64_t>(isa, "add.u64", 0xffffffff, 1, uint64_t{1} << 32);
  expect_update<uint32_t>(isa, "min.u32", 0xffffffff, 2, 2);
  expect_update<uint32_t>(isa, "min.s32", 0xffffffff, 2, 0xffffffff);
  expect_update<uint32_t>(isa, "max.u32", 0xffffffff, 2, 0xffffffff);
  expect_update<uint32_t>(isa, "max.s32", 0xffffffff, 2, 2);
  expect_update<uint64_t>(isa, "min.s64", ~uint64_t{0}, 2, ~uint64_t{0});
  expect_update<uint64_t>(isa, "max.u64", ~uint64_t{0}, 2, ~uint64_t{0});
  expect_update<uint32_t>(isa, "and.b32", 12, 10, 8);
  expect_update<uint64_t>(isa, "or.b64", 12, uint64_t{1} << 40, (uint64_t{1} << 40) + 12);
  expect_update<uint32_t>(isa, "xor.b32", 12, 10, 6);
  expect_update<uint64_t>(isa, "exch.b64", 12, 10, 10);
  expect_update<uint32_t>(isa, "inc.u32", 4, 5, 5);
  expect_update<uint32_t>(isa, "inc.u32", 5, 5, 0);
  expect_update<uint32_t>(isa, "dec.u32", 0, 5, 5);
  expect_update<uint32_t>(isa, "dec.u32", 9, 5, 5);
  expect_update<uint32_t>(isa, "dec.u32", 5, 5, 4);
  expect_update<uint32_t>(isa, "cas.b32", 7, 7, 9, 9, 9);
  expect_update<uint32_t>(isa, "cas.b32", 7, 8, 9, 7, 7);
  expect_update<uint64_t>(isa, "cas.b64", 7, 7, 9, 9, 9);
  expect_update<uint16_t>(isa, "cas.b16", 7, 7, 9, 9, 9);
}

TEST_P(AtomicRows, floating_point_addition) {
  const auto isa = GetParam();
  expect_update<uint32_t>(isa, "add.f32", bits_of(1.5f), bits_of(2.0f), bits_of(3.5f));
  // Subnormal numbers are zeros in global memory only.
  expect_update<uint32_t>(isa, "add.f32", 1, 0x80000003, 0, 0x80000002, 0);
  expect_update<uint32_t>(isa, "add.f32", 0x00800000, 0x80800001, 0, 0x80000001, 0x80000000);
  expect_update<uint32_t>(isa, "add.f32", 0x7f800000, 0xff800000, 0x7fffffff);
  expect_update<uint64_t>(isa, "add.f64", bits_of(1.5), bits_of(5e-324), bits_of(1.5));
  expect_update<uint64_t>(isa, "add.f64", 1, 2, 3);
  expect_update<uint16_t>(isa, "add.noftz.f16", 1, 2, 3);
  expect_update<uint16_t>(isa, "add.noftz.bf16", 0x3f80, 0x4000, 0x4040);
  expect_update<uint32_t>(isa, "add.noftz.f16x2", 0x3c007bff, 0x40007bff, 0x42007c00);
  expect_update<uint32_t>(isa, "add.noftz.bf16x2", 0x3f800001, 0x40000001, 0x40400002);
}

TEST_P(AtomicRows, a_generic_address_may_lie_in_either_memory) {
  Stage stage(GetParam(), "atom.add.relaxed.gpu.u32");
  stage.all<uint32_t>(stage.global + 4, 1);
  for (unsigned l = 0; l < stage.program.lanes; l += 2)
    stage.set<uint64_t>(0, l, stage.worker.windows.shared + 4 * (l % 4));
  EXPECT_EQ(stage.run(), stage.next());
  EXPECT_EQ(stage.in_global<uint32_t>(4), stage.program.lanes / 2);
  EXPECT_EQ(stage.in_shared<uint32_t>(0), stage.program.lanes / 4);
  EXPECT_EQ(stage.in_shared<uint32_t>(8), stage.program.lanes / 4);
  EXPECT_EQ(stage.worker.sites[0].lanes, stage.program.lanes / 2);
}

TEST_P(AtomicRows, faults_name_what_is_wrong) {
  struct Case {
    const char* text;
    std::function<uint64_t(Stage&)> address;
    Fault::Kind kind;
  };
  const Case cases[] = {
      {"red.shared.add.u32", [](Stage&) { return Stage::kSharedBytes; }, Fault::Kind::out_of_shared},
      {"red.shared.add.u32", [](Stage&) { return 2; }, Fault::Kind::misaligned},
      {"red.shared.add.u64", [](Stage&) { return Stage::kSharedBytes - 4; }, Fault::Kind::misaligned},
      {"red.global.add.u32", [](Stage& s) { return s.global + 1024; }, Fault::Kind::illegal_address},
      {"red.add.u32", [](Stage& s) { return s.worker.windows.local + 16; }, Fault::Kind::illegal_address},
  };
  for (const Case& c : cases) {
    Stage stage(GetParam(), c.text);
    stage.all<uint32_t>(c.text[4] == 's' ? 0 : stage.global, 1);
    stage.set<uint64_t>(0, 3, c.address(stage));
    EXPECT_EQ(stage.run(), nullptr) << c.text;
    EXPECT_TRUE(stage.cta.faulted);
    EXPECT_EQ(stage.worker.fault.kind, c.kind) << c.text << ": " << stage.worker.fault.message;
    EXPECT_EQ(stage.worker.fault.thread.x, 3u % stage.config.block.x);
  }
}

TEST_P(AtomicRows, an_atomic_with_a_result_polls) {
  Stage stage(GetParam(), "atom.shared.add.u32");
  stage.all<uint32_t>(8, 1);
  stage.warp.polls = 5;
  stage.run();
  EXPECT_EQ(stage.warp.polls, 4);
  stage.program.code[0].op[1] = OperandRef::kNone;
  stage.run();
  EXPECT_EQ(stage.warp.polls, 4);
}

TEST_P(AtomicRows, host_threads_do_not_lose_updates) {
  for (const std::string operation : {"add.u32", "max.u32", "inc.u32", "add.f32"}) {
    Stage stages[2] = {{GetParam(), "red.global." + operation}, {GetParam(), "red.global." + operation}};
    constexpr int kRounds = 2000;
    std::vector<std::thread> threads;
    for (Stage& stage : stages) {
      stage.worker.parallel = true;
      // Both workers write to the first one's memory.
      stage.worker.memory = &stages[0].memory;
      threads.emplace_back([&] {
        const bool is_float = operation == "add.f32";
        for (int round = 0; round < kRounds; ++round) {
          stage.all<uint32_t>(stages[0].global, is_float                 ? bits_of(1.0f)
                                                : operation == "inc.u32" ? 0xffffffff
                                                : operation == "max.u32" ? round
                                                                         : 1);
          stage.run();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const uint32_t total = 2 * kRounds * stages[0].program.lanes, result = stages[0].in_global<uint32_t>(0);
    EXPECT_EQ(result, operation == "add.f32"   ? bits_of(static_cast<float>(total))
                      : operation == "max.u32" ? kRounds - 1
                                               : total)
        << operation;
  }
}

}  // namespace
}  // namespace bankshot::simt::testing
