// The rules of gpus/h100.toml against what an H200 counted: every access of hardware/h200_wavefronts.tsv.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/timing/atomics/atomics_unit.hpp"
#include "tests/device/wavefront_patterns.hpp"
#include "tests/paths.hpp"

namespace bankshot::gpu {
namespace {

using scratchpad::AccessKind;
using scratchpad::Cost;

struct Access {
  std::array<uint32_t, 64> address{};
  uint64_t lanes = 0;
};

/// What tests/device/wavefronts.cu accesses.
std::vector<Access> accesses(unsigned width, bool all_lanes, uint64_t seed) {
  const std::vector<uint32_t> offsets = device::patterns(width, all_lanes, seed);
  std::vector<Access> all(device::kCount);
  for (size_t k = 0; k < offsets.size(); ++k) {
    Access& access = all[k / device::kLanes];
    const size_t lane = k % device::kLanes;
    if (offsets[k] == device::kOff) continue;
    access.address[lane] = offsets[k];
    access.lanes |= uint64_t{1} << lane;
  }
  return all;
}

/// Banks that only count.
class Counted final : public timing::Banks {
 public:
  uint32_t passes = 0;

  timing::Cycle accepts(timing::Cycle now, unsigned) const override { return now; }
  timing::Passage serve(timing::Cycle now, unsigned, uint32_t, unsigned more, unsigned) override {
    passes += more;
    return {now, now + more, now + more};
  }
};

/// Wavefronts of all rounds of an atomic that machine code makes a loop of, as bankshot simulate has them.
Cost cost_of_loop(const Gpu& gpu, unsigned width, const Access& access) {
  const auto unit = timing::AtomicsRegistry::find(gpu.timing->scratchpad.atomics)->make(*gpu.timing);
  std::array<uint64_t, 64> offsets{};
  std::copy(access.address.begin(), access.address.end(), offsets.begin());
  Counted banks;
  const Cost once = cost(gpu.timing->rules, AccessKind::atomic, width, access.address.data(), access.lanes);
  timing::AtomicAccess one;
  one.form = timing::AtomicForm::loop;
  one.cost = once;
  one.rules = &gpu.timing->rules;
  one.width = width;
  one.lanes = access.lanes;
  one.offsets = offsets.data();
  EXPECT_TRUE(unit->charge(one, banks).keeps);
  while (unit->next_event() != timing::kNever) unit->advance(unit->next_event(), banks);
  return {banks.passes, 0, 0};
}

struct Measured {
  uint32_t wavefronts = 0,
           conflicts = 0;           ///< of the hardware's counters, less what other instructions of the kernel have
  std::vector<uint32_t> by_access;  ///< of the profiler
};

std::map<std::string, Measured> measured() {
  std::ifstream file(paths::source() + "/hardware/h200_wavefronts.tsv");
  std::map<std::string, Measured> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    Measured row;
    uint32_t others = 0;
    if (line.front() == '#' || !(words >> kind >> row.wavefronts >> row.conflicts >> others)) continue;
    row.wavefronts -= others;
    for (uint32_t number; words >> number;) row.by_access.push_back(number);
    all[kind] = row;
  }
  return all;
}

/// The kinds in the order of the program, which is that of their seeds.
struct Kind {
  const char* name;
  AccessKind kind;
  unsigned width;
  unsigned lines = 0;      ///< of matrices: lanes that take part
  unsigned otherwise = 0;  ///< accesses of which the profiler tells another number than the counter's sum allows
  bool loop = false;
  bool in_data_path = true;  ///< the counter counts it
};
using enum AccessKind;
const Kind kKinds[] = {
    {"load_b8", load, 1},
    {"load_b16", load, 2},
    {"load_b32", load, 4},
    {"load_b64", load, 8, 0, 5},
    {"load_v2_b32", load, 8, 0, 5},
    {"load_b128", load, 16, 0, 13},
    {"store_b8", store, 1},
    {"store_b16", store, 2},
    {"store_b32", store, 4},
    {"store_b64", store, 8},
    {"store_b128", store, 16},
    {"atom_add_u32", atomic, 4},
    {"red_add_u32", atomic, 4},
    {"red_add_one", increment, 4},
    {"red_max_s32", atomic, 4},
    {"red_or_b32", atomic, 4},
    {"atom_exch_b32", atomic, 4},
    {"atom_cas_b32", cas, 4},
    {"load_v2_b64", load, 16, 0, 14},
    {"atom_inc_u32", atomic, 4},
    {"atom_add_f32", atomic, 4, 0, 0, true},
    {"atom_add_u64", atomic, 8, 0, 13, true},
    {"atom_cas_b64", cas, 8},
    {"atom_exch_b64", atomic, 8},
    {"copy_4", copy, 4},
    {"copy_8", copy, 8},
    {"copy_16", copy, 16},
    {"copy_16_cg", copy, 16, 0, 87, false, false},  // comes from L2 and passes the data path of loads and stores by
    {"ldmatrix_x1", ldmatrix, 16, 8},
    {"ldmatrix_x2", ldmatrix, 16, 16},
    {"ldmatrix_x4", ldmatrix, 16, 32},
    {"ldmatrix_x4_trans", ldmatrix, 16, 32},
    {"stmatrix_x1", store, 16, 8},
    {"stmatrix_x2", store, 16, 16},
    {"stmatrix_x4", store, 16, 32},
    {"stmatrix_x4_trans", store, 16, 32},
};

TEST(H200, counts_the_wavefronts_that_the_rules_say) {
  const Result<Gpu> gpu = find_gpu("h100");
  ASSERT_TRUE(gpu) << gpu.error().message;
  const std::map<std::string, Measured> hardware = measured();
  ASSERT_EQ(hardware.size(), std::size(kKinds));
  size_t compared = 0;
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    const Measured& row = hardware.at(kind.name);
    ASSERT_EQ(row.by_access.size(), 96u);
    uint32_t wavefronts = 0, ideal = 0, otherwise = 0;
    const auto seed = static_cast<uint64_t>(1 + (&kind - kKinds));
    const std::vector<Access> all = accesses(kind.width, kind.lines != 0, seed);
    for (size_t k = 0; k < all.size(); ++k) {
      Access access = all[k];
      if (kind.lines != 0) access.lanes &= ~uint64_t{0} >> (64 - kind.lines);
      const Cost cost = kind.loop ? cost_of_loop(*gpu, kind.width, access)
                                  : scratchpad::cost(gpu->machine.scratchpad, kind.kind, kind.width,
                                                     access.address.data(), access.lanes);
      wavefronts += cost.wavefronts;
      ideal += cost.ideal;
      otherwise += cost.wavefronts != row.by_access[k] ? 1 : 0;
      if (kind.otherwise == 0) {
        EXPECT_EQ(cost.wavefronts, row.by_access[k]) << "access " << k;
      }
    }
    EXPECT_EQ(otherwise, kind.otherwise);
    EXPECT_EQ(row.wavefronts, kind.in_data_path ? wavefronts : 0);
    if (!kind.loop && kind.in_data_path) {
      // Of a compare-and-swap the counter has the conflicts of one of the two passes.
      EXPECT_EQ(row.conflicts, (wavefronts - ideal) / (kind.kind == cas ? 2 : 1));
    }
    compared += kind.in_data_path ? all.size() : 0;
  }
  EXPECT_EQ(compared, 35u * 96);
}

}  // namespace
}  // namespace bankshot::gpu
