// The keys of the timing half: what a GPU that can be simulated says besides.
#include "bankshot/gpu/keys.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "bankshot/timing/chip/components.hpp"

namespace bankshot::gpu {
namespace {

using namespace timing;

/// The value behind a pointer to member of a part of Gpu::timing.
template <auto kPart, auto kMember>
constexpr auto in = [](Gpu& gpu) -> auto& { return (*gpu.timing).*kPart.*kMember; };
template <UnitClass kClass, auto kMember>
constexpr auto in_unit = [](Gpu& gpu) -> auto& { return gpu.timing->units[static_cast<unsigned>(kClass)].*kMember; };

/// The place of a name among those known; none: `wrong` says so.
size_t place_of(const std::string& name, const std::vector<Component>& known, std::string& wrong) {
  std::string names;
  for (size_t k = 0; k < known.size(); ++k) {
    if (known[k].name == name) return k;
    names += (names.empty() ? "" : ", ") + known[k].name;
  }
  wrong = "= \"" + name + "\" is not known; there are " + names;
  return 0;
}

/// The name of a component, one of those that kList names.
template <auto kPart, auto kMember, std::vector<Component> (*kList)()>
constexpr Text kName = {[](const Gpu& gpu) { return (*gpu.timing).*kPart.*kMember; },
                        [](Gpu& gpu, const std::string& text) {
                          (*gpu.timing).*kPart.*kMember = text;
                          std::string wrong;
                          place_of(text, kList(), wrong);
                          return wrong;
                        }};

constexpr Text kCarveouts = {
    [](const Gpu& gpu) {
      std::string all;
      for (const unsigned kb : gpu.timing->l1.carveouts_kb) all += (all.empty() ? "" : ", ") + std::to_string(kb);
      return all;
    },
    [](Gpu& gpu, const std::string& text) -> std::string {
      std::vector<unsigned>& all = gpu.timing->l1.carveouts_kb;
      all.clear();
      for (size_t at = 0; at < text.size();) {
        const size_t comma = std::min(text.find(',', at), text.size());
        const size_t begin = std::min(text.find_first_not_of(' ', at), comma);
        unsigned kb = 0;
        const auto [end, error] = std::from_chars(text.data() + begin, text.data() + comma, kb);
        if (error != std::errc() || end != text.data() + comma || kb > 1024 || (!all.empty() && kb <= all.back()))
          return "must be increasing numbers of KB, such as \"0\", \"32\", \"64\"";
        all.push_back(kb);
        at = comma + 1;
      }
      return {};
    },
    true};

constexpr Text kCommit = {[](const Gpu& gpu) { return commits()[static_cast<size_t>(gpu.timing->issue.commit)].name; },
                          [](Gpu& gpu, const std::string& text) {
                            std::string wrong;
                            gpu.timing->issue.commit = static_cast<Commit>(place_of(text, commits(), wrong));
                            return wrong;
                          }};

constexpr auto kIssue = &Config::issue;
constexpr auto kWarpgroup = &Config::warpgroup;
constexpr auto kTensorMemory = &Config::tensor_memory;
constexpr auto kLoadStore = &Config::load_store;
constexpr auto kScratchpad = &Config::scratchpad;
constexpr auto kLaunch = &Config::launch;
constexpr auto kL1 = &Config::l1;
constexpr auto kNet = &Config::interconnect;
constexpr auto kL2 = &Config::l2;
constexpr auto kDram = &Config::dram;

constexpr uint64_t kLong = kLongCycles;
constexpr uint64_t kMostKhz = 100'000'000;

template <UnitClass kClass>
constexpr std::array<Key, 3> unit_keys(std::string_view section) {
  return {Key{section, "count", +in_unit<kClass, &UnitConfig::count>, 1, 64,
              "units of an SM; scheduler s issues to unit s modulo this number, and to any unit beyond the number of "
              "schedulers"},
          Key{section, "lanes", +in_unit<kClass, &UnitConfig::lanes>, 1, 64, "lanes that one unit starts per cycle"},
          Key{section, "latency", +in_unit<kClass, &UnitConfig::latency>, 1, kLong,
              "cycles from issue until a dependent instruction can issue"}};
}

constexpr std::array kUnits = {
    unit_keys<UnitClass::alu>("units.alu"),
    unit_keys<UnitClass::multiply>("units.multiply"),
    unit_keys<UnitClass::fp16>("units.fp16"),
    unit_keys<UnitClass::fp32>("units.fp32"),
    unit_keys<UnitClass::fp64>("units.fp64"),
    unit_keys<UnitClass::sfu>("units.sfu"),
    unit_keys<UnitClass::warp>("units.warp"),
    std::array<Key, 3>{
        Key{"units.tensor", "count", +in_unit<UnitClass::tensor, &UnitConfig::count>, 1, 64,
            "units of an SM for matrix products, assigned as above; a GPU without this section computes them in fp32"},
        Key{"units.tensor", "lanes", +in_unit<UnitClass::tensor, &UnitConfig::lanes>, 1, 65536,
            "multiply-adds of 16-bit factors that one unit starts per cycle; of 8 bits twice as many, of tf32 half, of "
            "f64 a sixteenth"},
        Key{"units.tensor", "latency", +in_unit<UnitClass::tensor, &UnitConfig::latency>, 1, kLong,
            "cycles from issue until a dependent instruction can issue"}},
};
static_assert(kUnits.size() == kUnitClasses, "every class has its section");

constexpr std::array kBefore = {
    Key{"issue", "schedulers", +in<kIssue, &IssueConfig::schedulers>, 1, 64, "warp schedulers of an SM"},
    Key{"issue", "width", +in<kIssue, &IssueConfig::width>, 1, 8,
        "instructions of one warp that a scheduler issues per cycle"},
    Key{"issue", "simd_lanes", +in<kIssue, &IssueConfig::simd_lanes>, 1, 64, "lanes of the datapath", true},
    Key{"issue", "branch_cycles", +in<kIssue, &IssueConfig::branch_cycles>, 0, kLong,
        "cycles after a taken branch in which its warp cannot issue"},
    Key{"issue", "barrier_cycles", +in<kIssue, &IssueConfig::barrier_cycles>, 1, kLong,
        "cycles from the last arrival at a barrier until its warps can issue"},
    Key{"issue", "barrier_warp_cycles", +in<kIssue, &IssueConfig::barrier_warp_cycles>, 0, kLong,
        "cycles in which an SM registers one warp's arrival at a barrier", false, true},
    Key{"issue", "policy", kName<kIssue, &IssueConfig::policy, schedulers>, 0, 0, "warp scheduler"},
    Key{"issue", "pipeline", kName<kIssue, &IssueConfig::pipeline, pipelines>, 0, 0, "organisation of the pipeline"},
    Key{"issue", "aware", kName<kIssue, &IssueConfig::aware, foresights>, 0, 0,
        "how bank conflicts are predicted, so that memory accesses can avoid them", false, true},
    Key{"issue", "aware_yields", +in<kIssue, &IssueConfig::aware_yields>, 0, 0,
        "memory accesses issue into predicted conflicts if nothing else can issue", false, true},
    Key{"issue", "replays", +in<kIssue, &IssueConfig::replays>, 0, 0,
        "an access issues again for each further wavefront of shared memory, line of global memory, word of constants; "
        "pipeline = queued",
        false, true},
    Key{"issue", "commit", kCommit, 0, 0, "order of a warp's results: any, reorder, hold", false, true},
    Key{"issue", "reorder_entries", +in<kIssue, &IssueConfig::reorder_entries>, 1, 64,
        "instructions of a warp in its reorder buffer", false, true},
};

constexpr std::array kAfter = {
    Key{"launch", "cycles", +in<kLaunch, &LaunchConfig::cycles>, 0, kLong,
        "cycles from the beginning of a launch until its first CTAs start", false, true},
    Key{"launch", "cta_cycles", +in<kLaunch, &LaunchConfig::cta_cycles>, 0, kLong,
        "cycles from the end of a CTA until its successor starts", false, true},
    Key{"warpgroup", "lanes", +in<kWarpgroup, &WarpgroupConfig::lanes>, 1, 65536,
        "multiply-adds of 16-bit factors of a wgmma that one tensor unit starts per cycle; of 8 bits twice as many, of "
        "tf32 half"},
    Key{"warpgroup", "least_cycles", +in<kWarpgroup, &WarpgroupConfig::least_cycles>, 1, 4096,
        "cycles from one wgmma to the next, at least"},
    Key{"warpgroup", "latency", +in<kWarpgroup, &WarpgroupConfig::latency>, 1, kLong,
        "cycles from the end of a wgmma in the tensor units until wgmma.wait_group lets warps go on"},
    Key{"tensor_memory", "product_columns", +in<kTensorMemory, &TensorMemoryConfig::product_columns>, 1, 256,
        "columns of its sums that a tcgen05.mma computes per cycle"},
    Key{"tensor_memory", "least_cycles", +in<kTensorMemory, &TensorMemoryConfig::least_cycles>, 1, 4096,
        "cycles of a tcgen05.mma, at least"},
    Key{"tensor_memory", "latency", +in<kTensorMemory, &TensorMemoryConfig::latency>, 1, kLong,
        "cycles from the end of a tcgen05.mma or .cp in its unit until tcgen05.commit arrives at its mbarrier"},
    Key{"tensor_memory", "alloc_cycles", +in<kTensorMemory, &TensorMemoryConfig::alloc_cycles>, 1, kLong,
        "cycles of tcgen05.alloc, once enough columns are free"},
    Key{"tensor_memory", "load_bytes", +in<kTensorMemory, &TensorMemoryConfig::load_bytes>, 1, 4096,
        "bytes that tcgen05.ld reads per cycle, of each quarter of the lanes"},
    Key{"tensor_memory", "store_bytes", +in<kTensorMemory, &TensorMemoryConfig::store_bytes>, 1, 4096,
        "bytes that tcgen05.st writes per cycle, of each quarter of the lanes"},
    Key{"tensor_memory", "access_latency", +in<kTensorMemory, &TensorMemoryConfig::access_latency>, 1, kLong,
        "cycles from the end of a tcgen05.ld or .st until tcgen05.wait lets the warp go on"},
    Key{"load_store", "lanes", +in<kLoadStore, &LoadStoreConfig::lanes>, 1, 64,
        "lanes whose addresses are generated per cycle"},
    Key{"load_store", "queue", +in<kLoadStore, &LoadStoreConfig::queue>, 1, 4096,
        "accesses to global and local memory that can wait for the lookup of their lines"},
    Key{"load_store", "constant_latency", +in<kLoadStore, &LoadStoreConfig::constant_latency>, 1, kLong,
        "cycles of ld.const and ld.param; one more for each further word of a warp"},
    Key{"load_store", "stores", +in<kLoadStore, &LoadStoreConfig::stores>, 1, 65536,
        "store and atomic packets of an SM that can be in flight"},
    Key{"load_store", "sub_core_queue", +in<kLoadStore, &LoadStoreConfig::sub_core_queue>, 1, 4096,
        "memory instructions of a scheduler that have issued and still hold their operands; default: any number", false,
        true},
    Key{"load_store", "sub_core_cycles", +in<kLoadStore, &LoadStoreConfig::sub_core_cycles>, 1, kLong,
        "cycles between two of these instructions that release their operands", false, true},
    Key{"load_store", "operand_cycles", +in<kLoadStore, &LoadStoreConfig::operand_cycles>, 1, kLong,
        "cycles from issue until such an instruction can release its operands", false, true},
    Key{"scratchpad", "latency", +in<kScratchpad, &ScratchpadConfig::latency>, 1, kLong,
        "cycles from issue until a dependent instruction can issue, without conflicts"},
    Key{"scratchpad", "hash_cycles", +in<kScratchpad, &ScratchpadConfig::hash_cycles>, 0, kLong,
        "cycles that a configurable bank hash adds to every access"},
    Key{"scratchpad", "atomics", kName<kScratchpad, &ScratchpadConfig::atomics, atomics_units>, 0, 0,
        "unit for shared-memory atomics"},
    Key{"l1", "bytes", +in<kL1, &L1Config::bytes>, 0, kMega,
        "first-level cache of an SM, bytes, including shared memory if l1.carveouts_kb is given; 0: no cache"},
    Key{"l1", "carveouts_kb", kCarveouts, 0, 0, "possible sizes of shared memory in it, KB", false, true},
    Key{"l1", "line_bytes", +in<kL1, &L1Config::line_bytes>, 64, 256, "bytes of a line", true},
    Key{"l1", "sector_bytes", +in<kL1, &L1Config::sector_bytes>, 32, 256,
        "bytes of a sector: the memory system fetches sectors one by one", true},
    Key{"l1", "banks", +in<kL1, &L1Config::banks>, 8, 64,
        "banks of its data, 4 bytes wide; default: it has no bank conflicts", true, true},
    Key{"l1", "ways", +in<kL1, &L1Config::ways>, 1, 4096, "lines of a set; if not given, l1.sets determines it", false,
        true},
    Key{"l1", "sets", +in<kL1, &L1Config::sets>, 1, 4096, "number of sets, at every size", false, true},
    Key{"l1", "tags", +in<kL1, &L1Config::tags>, 1, 64, "lines of an access that are looked up per cycle", false, true},
    Key{"l1", "latency", +in<kL1, &L1Config::latency>, 1, kLong,
        "cycles from issue until a dependent instruction can issue, on a hit"},
    Key{"l1", "mshrs", +in<kL1, &L1Config::mshrs>, 1, 65536, "lines that can be outstanding"},
    Key{"l1", "global", +in<kL1, &L1Config::global>, 0, 0, "global loads are cached; local memory always is"},
    Key{"interconnect", "khz", +in<kNet, &InterconnectConfig::khz>, 1000, kMostKhz, "clock, kHz"},
    Key{"interconnect", "latency", +in<kNet, &InterconnectConfig::latency>, 1, kLong, "cycles of the SM, each way"},
    Key{"interconnect", "flit_bytes", +in<kNet, &InterconnectConfig::flit_bytes>, 1, 4096,
        "bytes that a port moves per cycle"},
    Key{"interconnect", "header_bytes", +in<kNet, &InterconnectConfig::header_bytes>, 1, 4096,
        "bytes of a packet besides its data"},
    Key{"interconnect", "group_sms", +in<kNet, &InterconnectConfig::group_sms>, 1, 4096,
        "SMs of a group, which share a port for stores and atomics; default: each has its own", false, true},
    Key{"interconnect", "group_percent", +in<kNet, &InterconnectConfig::group_percent>, 100, 100'000,
        "throughput of a group's port for stores and atomics, in percent of one SM's port", false, true},
    Key{"l2", "khz", +in<kL2, &L2Config::khz>, 1000, kMostKhz, "clock, kHz"},
    Key{"l2", "line_bytes", +in<kL2, &L2Config::line_bytes>, 64, 256, "bytes of a line", true},
    Key{"l2", "ways", +in<kL2, &L2Config::ways>, 1, 4096, "lines of a set"},
    Key{"l2", "latency", +in<kL2, &L2Config::latency>, 1, kLong, "cycles from tag lookup until data leaves, on a hit"},
    Key{"l2", "ports", +in<kL2, &L2Config::ports>, 1, 64, "lookups of a channel per cycle"},
    Key{"l2", "flit_bytes", +in<kL2, &L2Config::flit_bytes>, 1, 4096,
        "bytes that a channel's port moves per cycle of the interconnect; default: interconnect.flit_bytes", false,
        true},
    Key{"l2", "data_bytes", +in<kL2, &L2Config::data_bytes>, 1, 4096,
        "bytes that a channel reads or writes per cycle; default: a line", false, true},
    Key{"l2", "write_bytes", +in<kL2, &L2Config::write_bytes>, 1, 4096,
        "bytes that a channel writes per cycle; default: l2.data_bytes", false, true},
    Key{"l2", "dram_bytes", +in<kL2, &L2Config::dram_bytes>, 1, 4096,
        "bytes that a channel exchanges with its DRAM per cycle; default: as many as the DRAM moves", false, true},
    Key{"l2", "dram_turn", +in<kL2, &L2Config::dram_turn>, 0, 1000,
        "additional cycles when the direction of that exchange changes", false, true},
    Key{"l2", "mshrs", +in<kL2, &L2Config::mshrs>, 1, 65536, "lines of a channel that can be outstanding"},
    Key{"l2", "atomic_cycles", +in<kL2, &L2Config::atomic_cycles>, 0, kLong,
        "cycles for each further lane of an atomic on the same word; different words do not wait for each other"},
    Key{"dram", "khz", +in<kDram, &DramConfig::khz>, 1000, kMostKhz, "command clock, kHz"},
    Key{"dram", "channels", +in<kDram, &DramConfig::channels>, 1, 1024, "channels, each with its part of the L2"},
    Key{"dram", "interleave_bytes", +in<kDram, &DramConfig::interleave_bytes>, 16, kMega,
        "consecutive bytes on one channel", true},
    Key{"dram", "hashed_channels", +in<kDram, &DramConfig::hashed_channels>, 0, 0,
        "higher address bits are folded into the choice of the channel"},
    Key{"dram", "burst_bytes", +in<kDram, &DramConfig::burst_bytes>, 4, 4096, "bytes that one column command moves",
        true},
    Key{"dram", "burst_cycles", +in<kDram, &DramConfig::burst_cycles>, 1, 1000,
        "cycles for which these bytes occupy the data bus"},
    Key{"dram", "banks", +in<kDram, &DramConfig::banks>, 1, 1024, "banks of a channel", true},
    Key{"dram", "row_bytes", +in<kDram, &DramConfig::row_bytes>, 16, kMega,
        "bytes of a row of a bank, over all chips of the channel", true},
    Key{"dram", "queue", +in<kDram, &DramConfig::queue>, 1, 65536, "requests that the controller chooses from"},
    Key{"dram", "latency", +in<kDram, &DramConfig::latency>, 0, kLong,
        "cycles of the controller, from the last data of a read on the bus until the cache has them"},
    Key{"dram", "cl", +in<kDram, &DramConfig::cl>, 1, 1000, "cycles from a read command to its data"},
    Key{"dram", "rcd", +in<kDram, &DramConfig::rcd>, 1, 1000, "cycles from opening a row to its first column command"},
    Key{"dram", "rp", +in<kDram, &DramConfig::rp>, 1, 1000, "cycles to close a row"},
    Key{"dram", "ras", +in<kDram, &DramConfig::ras>, 1, 1000, "minimum cycles that a row is open"},
    Key{"dram", "rc", +in<kDram, &DramConfig::rc>, 1, 1000, "minimum cycles between openings of rows of one bank"},
    Key{"dram", "rrd", +in<kDram, &DramConfig::rrd>, 1, 1000,
        "minimum cycles between openings of rows of different banks"},
    Key{"dram", "ccd", +in<kDram, &DramConfig::ccd>, 1, 1000, "minimum cycles between column commands"},
    Key{"dram", "wr", +in<kDram, &DramConfig::wr>, 1, 1000,
        "cycles from the end of a write's data until its row may close"},
    Key{"dram", "cwl", +in<kDram, &DramConfig::cwl>, 1, 1000, "cycles from a write command to its data"},
    Key{"dram", "wtr", +in<kDram, &DramConfig::wtr>, 1, 1000,
        "cycles from the end of a write's data to a read command"},
};

Key key_of(const Parameter& parameter) {
  return {parameter.section, parameter.name,    &parameter, parameter.least,
          parameter.most,    parameter.meaning, false,      !parameter.required};
}

bool is_parameter(const Key& key) { return std::holds_alternative<const Parameter*>(key.value); }

/// Where a parameter of a kind's component goes: behind the key that chooses the component, else behind its section.
std::vector<Key>::iterator place_of(std::vector<Key>& keys, const ComponentKind& kind, const Parameter& parameter) {
  if (parameter.section == kind.section) {
    const auto chooser =
        std::ranges::find_if(keys, [&](const Key& key) { return key.section == kind.section && key.name == kind.key; });
    return std::find_if_not(chooser + 1, keys.end(),
                            [&](const Key& key) { return key.section == kind.section && is_parameter(key); });
  }
  for (const std::string_view section : {parameter.section, kind.section}) {
    const auto last = std::find_if(keys.rbegin(), keys.rend(), [&](const Key& key) { return key.section == section; });
    if (last != keys.rend()) return last.base();
  }
  return keys.end();
}

/// Adds the keys that the components of a kind declare. Several components may share one.
void add_parameters(std::vector<Key>& keys, const ComponentKind& kind) {
  for (const Component& component : kind.all()) {
    for (const Parameter* parameter : component.parameters) {
      const auto is_same = [&](const Key& key) {
        return key.section == parameter->section && key.name == parameter->name;
      };
      if (std::ranges::none_of(keys, is_same)) keys.insert(place_of(keys, kind, *parameter), key_of(*parameter));
    }
  }
}

std::vector<Key> all_keys() {
  std::vector<Key> all(kBefore.begin(), kBefore.end());
  for (const auto& unit : kUnits) all.insert(all.end(), unit.begin(), unit.end());
  all.insert(all.end(), kAfter.begin(), kAfter.end());
  for (const ComponentKind& kind : component_kinds()) add_parameters(all, kind);
  return all;
}

constexpr std::array kTimingRelations = {
    Relation{"sm", "max_warps", [](const Gpu& g) { return g.max_warps_per_sm <= 64; },
             "a simulated SM can have at most 64 warps"},
    Relation{"issue", "replays",
             [](const Gpu& g) { return !g.timing->issue.replays || g.machine.warp_size == g.timing->issue.simd_lanes; },
             "needs issue.simd_lanes = gpu.warp_size"},
    Relation{"issue", "simd_lanes", [](const Gpu& g) { return g.machine.warp_size % g.timing->issue.simd_lanes == 0; },
             "must divide gpu.warp_size"},
    Relation{"l1", "sector_bytes", [](const Gpu& g) { return g.timing->l1.sector_bytes <= g.timing->l1.line_bytes; },
             "must not exceed l1.line_bytes"},
    Relation{"l1", "ways", [](const Gpu& g) { return (g.timing->l1.ways == 0) != (g.timing->l1.sets == 0); },
             "give exactly one of l1.ways and l1.sets"},
    Relation{"l1", "bytes",
             [](const Gpu& g) {
               const L1Config& l1 = g.timing->l1;
               return l1.bytes % (l1.line_bytes * std::max({1u, l1.ways, l1.sets})) == 0;
             },
             "must be a whole number of sets of lines (l1.ways or l1.sets)"},
    Relation{"l1", "carveouts_kb",
             [](const Gpu& g) {
               const L1Config& l1 = g.timing->l1;
               const auto fits = [&](unsigned kb) {
                 return kb * 1024 < l1.bytes && (l1.bytes - kb * 1024) % (l1.line_bytes * l1.sets) == 0;
               };
               return l1.carveouts_kb.empty() || l1.bytes == 0 ||
                      (l1.sets != 0 && std::ranges::all_of(l1.carveouts_kb, fits));
             },
             "each must leave a whole number of l1.sets in l1.bytes"},
    Relation{"load_store", "sub_core_queue",
             [](const Gpu& g) {
               const LoadStoreConfig& m = g.timing->load_store;
               return (m.sub_core_queue != 0) == (m.sub_core_cycles != 0) &&
                      (m.sub_core_queue != 0) == (m.operand_cycles != 0);
             },
             "give load_store.sub_core_queue, sub_core_cycles and operand_cycles together"},
    Relation{"interconnect", "group_sms",
             [](const Gpu& g) {
               return (g.timing->interconnect.group_sms == 0) == (g.timing->interconnect.group_percent == 0);
             },
             "give interconnect.group_sms and group_percent together"},
    Relation{"l2", "write_bytes",
             [](const Gpu& g) { return g.timing->l2.write_bytes == 0 || g.timing->l2.data_bytes != 0; },
             "needs l2.data_bytes"},
    Relation{"l2", "dram_turn",
             [](const Gpu& g) { return g.timing->l2.dram_turn == 0 || g.timing->l2.dram_bytes != 0; },
             "needs l2.dram_bytes"},
    Relation{"l2", "line_bytes", [](const Gpu& g) { return g.timing->l2.line_bytes == g.timing->l1.line_bytes; },
             "must equal l1.line_bytes"},
    Relation{"memory", "l2_bytes",
             [](const Gpu& g) {
               const Config& t = *g.timing;
               return g.l2_bytes % (uint64_t{t.dram.channels} * t.l2.line_bytes * t.l2.ways) == 0;
             },
             "must be a whole number of sets of l2.ways lines in each of dram.channels"},
    Relation{"dram", "interleave_bytes",
             [](const Gpu& g) { return g.timing->dram.interleave_bytes >= g.timing->l2.line_bytes; },
             "must hold a whole line (l2.line_bytes): a line lies on one channel"},
    Relation{"dram", "burst_bytes",
             [](const Gpu& g) { return g.timing->dram.burst_bytes <= g.timing->l1.sector_bytes; },
             "must not exceed l1.sector_bytes: a sector is a whole number of bursts"},
    Relation{"dram", "row_bytes", [](const Gpu& g) { return g.timing->dram.row_bytes >= g.timing->dram.burst_bytes; },
             "must hold a whole burst (dram.burst_bytes)"},
    Relation{"dram", "rc", [](const Gpu& g) { return g.timing->dram.rc >= g.timing->dram.ras + g.timing->dram.rp; },
             "must be at least dram.ras + dram.rp: a row is open for dram.ras and then closes in dram.rp"},
};

}  // namespace

std::span<const Key> timing_keys() {
  static const std::vector<Key> keys = all_keys();
  return keys;
}

bool may_be_left_out(std::string_view section) {
  if (section == "transactions" || section == "launch") return true;
  if (section == "warpgroup" || section == "tensor_memory" || section == "units.tensor" || section == "units.fp16")
    return true;
  // A section in which only components have keys.
  const auto is_other = [&](const Key& key) { return key.section == section && !is_parameter(key); };
  return std::ranges::none_of(keys(), is_other) && std::ranges::none_of(timing_keys(), is_other);
}

std::vector<Broken> broken_timing_relations(const Gpu& gpu) {
  std::vector<Broken> all;
  if (!gpu.timing) return all;
  const auto check = [&](std::span<const Relation> relations) {
    for (const Relation& relation : relations) {
      if (!relation.holds(gpu)) all.push_back({relation.section, relation.name, std::string(relation.message)});
    }
  };
  check(kTimingRelations);
  for (const ComponentKind& kind : component_kinds()) {
    const Component component = chosen(kind, *gpu.timing);
    const std::string_view lack = component.lacks == nullptr ? std::string_view() : component.lacks(*gpu.timing);
    if (!lack.empty()) all.push_back({kind.section, kind.key, std::string(lack)});
  }
  for (const Key& key : timing_keys()) {
    const auto* parameter = std::get_if<const Parameter*>(&key.value);
    if (parameter == nullptr || (*parameter)->at_most == nullptr) continue;
    const Parameter& bound = *(*parameter)->at_most;
    if (gpu.timing->parameters[**parameter] > gpu.timing->parameters[bound])
      all.push_back({key.section, key.name, "must not exceed " + bound.key()});
  }
  return all;
}

}  // namespace bankshot::gpu
