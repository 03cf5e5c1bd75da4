#include "bankshot/gpu/keys.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::gpu {
namespace {

/// The value behind a pointer to member of Gpu, or of its banks.
template <auto kMember>
constexpr auto at = [](Gpu& gpu) -> auto& { return gpu.*kMember; };
template <auto kMember>
constexpr auto in_machine = [](Gpu& gpu) -> auto& { return gpu.machine.*kMember; };
template <auto kMember>
constexpr auto in_banks = [](Gpu& gpu) -> auto& { return gpu.machine.scratchpad.*kMember; };

using scratchpad::Rules;
using scratchpad::TxConfig;
using simt::Machine;

constexpr uint64_t kTera = uint64_t{1} << 40;

std::string set_name(Gpu& gpu, const std::string& text) {
  if (text.empty() || text.size() > 255) return "must have 1 to 255 characters";  // cudaDeviceProp::name has 256
  gpu.name = text;
  return {};
}

std::string set_capability(Gpu& gpu, const std::string& text) {
  char rest = 0;
  const bool good =
      text.size() <= 5 && std::sscanf(text.c_str(), "%2u.%1u%c", &gpu.compute_major, &gpu.compute_minor, &rest) == 2;
  return good ? "" : "must be like \"9.0\"";
}

/// The hash of as many banks as the scratchpad has: `banks` comes before it in the table.
std::string set_hash(Gpu& gpu, const std::string& spec) {
  const auto error = scratchpad::set_bank_hash(gpu.machine.scratchpad, spec);
  return error ? "is not a bank hash: " + error->message : "";
}

std::string hash_text(const Gpu& gpu) {
  const auto& hash = gpu.machine.scratchpad.hash;
  return hash ? scratchpad::spec(*hash) : "none";
}

std::string set_accesses(Gpu& gpu, const std::string& text) {
  gpu.as_written = text == "as-written";
  return gpu.as_written || text == "joined" ? "" : "= \"" + text + "\" is not known; there are joined, as-written";
}

/// One of two words for a flag.
template <auto kMember, const std::string_view& kFalse, const std::string_view& kTrue>
constexpr Text kEither = {
    [](const Gpu& gpu) { return std::string(gpu.machine.transactions.*kMember ? kTrue : kFalse); },
    [](Gpu& gpu, const std::string& text) -> std::string {
      gpu.machine.transactions.*kMember = text == kTrue;
      if (text == kTrue || text == kFalse) return {};
      return fmt::format("= \"{}\" is not known; there are {}, {}", text, kFalse, kTrue);
    }};
constexpr std::string_view kLocal = "local", kPerfect = "perfect", kBloom = "bloom", kExact = "exact", kOne = "one",
                           kSeparate = "separate", kOverlap = "overlap";

constexpr Text kSignatureHash = {
    [](const Gpu& gpu) {
      const auto* hash = gpu.machine.transactions.hash;
      return std::string(hash != nullptr ? hash->name : scratchpad::signature_hashes()[0].name);
    },
    [](Gpu& gpu, const std::string& text) -> std::string {
      const auto* hash = scratchpad::find_signature_hash(text);
      gpu.machine.transactions.hash = hash == scratchpad::signature_hashes().data() ? nullptr : hash;
      if (hash != nullptr) return {};
      std::string names;
      for (const auto& known : scratchpad::signature_hashes())
        names += (names.empty() ? "" : ", ") + std::string(known.name);
      return "= \"" + text + "\" is not known; there are " + names;
    }};

/// Phases of lanes that are not neighbours.
template <size_t kTable>
constexpr Text kPhases = {[](const Gpu& gpu) { return scratchpad::phases_text(gpu.machine.scratchpad.tables[kTable]); },
                          [](Gpu& gpu, const std::string& text) -> std::string {
                            const Result<scratchpad::PhaseTable> table = scratchpad::parse_phases(text);
                            if (!table) return "is not a table of phases: " + table.error().message;
                            gpu.machine.scratchpad.tables[kTable] = *table;
                            return {};
                          },
                          true};

template <size_t kTable>
constexpr Key kPhaseKey = {.section = "scratchpad",
                           .name = scratchpad::kPhaseKeys[kTable].name,
                           .value = kPhases<kTable>,
                           .meaning = "phases of such accesses, if their lanes are not neighbours",
                           .optional = true};

constexpr auto kTx = [](Gpu& gpu) -> unsigned& { return gpu.machine.transactions.filter_bits; };

constexpr std::array kKeys = {
    Key{"gpu", "name", Text{[](const Gpu& gpu) { return gpu.name; }, set_name}, 0, 0,
        "name reported by cudaGetDeviceProperties"},
    Key{"gpu", "compute_capability",
        Text{[](const Gpu& gpu) { return std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor); },
             set_capability},
        0, 0, "CUDA compute capability"},
    Key{.section = "gpu",
        .name = "accesses",
        .value =
            Text{[](const Gpu& gpu) { return std::string(gpu.as_written ? "as-written" : "joined"); }, set_accesses},
        .meaning = "joined: ptxas merges neighbouring accesses; as-written: programs are not compiled by ptxas",
        .optional = true},
    Key{"gpu", "warp_size", +in_machine<&Machine::warp_size>, 4, 64, "lanes of a warp", true, true},
    Key{"gpu", "sms", +in_machine<&Machine::sms>, 1, 4096, "streaming multiprocessors"},
    Key{"clocks", "core_khz", +at<&Gpu::core_khz>, 1000, 100'000'000, "highest SM clock, kHz"},
    Key{"clocks", "issue_khz", +at<&Gpu::issue_khz>, 1000, 100'000'000,
        "clock in which schedulers issue and the SM is timed, kHz; default: core_khz", false, true},
    Key{"clocks", "memory_khz", +at<&Gpu::memory_khz>, 1000, 100'000'000, "memory clock, kHz"},
    Key{"memory", "global_bytes", +at<&Gpu::global_bytes>, kMega, kTera, "device memory, bytes"},
    Key{"memory", "l2_bytes", +at<&Gpu::l2_bytes>, 0, kTera, "second-level cache, bytes"},
    Key{"memory", "constant_bytes", +at<&Gpu::constant_bytes>, 0, kMega, "constant memory, bytes"},
    Key{"memory", "bus_bits", +at<&Gpu::memory_bus_bits>, 8, 65536, "width of the memory bus, bits"},
    Key{"sm", "shared_bytes", +at<&Gpu::shared_per_sm>, 1024, kMega, "shared memory of an SM, bytes"},
    Key{"sm", "shared_per_block_bytes", +at<&Gpu::shared_per_block>, 1024, kMega,
        "shared memory a block can use by default, bytes"},
    Key{"sm", "shared_per_block_optin_bytes", +at<&Gpu::shared_per_block_optin>, 1024, kMega,
        "shared memory a block can use after cudaFuncSetAttribute, bytes"},
    Key{"sm", "shared_reserved_per_block_bytes", +at<&Gpu::shared_reserved_per_block>, 0, 65536,
        "shared memory the system reserves for each block, bytes"},
    Key{"sm", "registers", +at<&Gpu::registers_per_sm>, 1024, 16 * kMega, "32-bit registers of an SM"},
    Key{"sm", "registers_per_block", +at<&Gpu::registers_per_block>, 1024, 16 * kMega, "32-bit registers of a block"},
    Key{"sm", "max_threads", +at<&Gpu::max_threads_per_sm>, 32, 65536, "resident threads of an SM"},
    Key{"sm", "max_threads_per_block", +at<&Gpu::max_threads_per_block>, 32, 65536, "threads of a block"},
    Key{"sm", "max_warps", +at<&Gpu::max_warps_per_sm>, 1, 4096, "resident warps of an SM"},
    Key{"sm", "max_blocks", +at<&Gpu::max_blocks_per_sm>, 1, 1024, "resident blocks of an SM"},
    Key{"scratchpad", "banks", +in_banks<&Rules::banks>, scratchpad::kMinBanks, scratchpad::kMaxBanks,
        "banks of shared memory", true},
    Key{"scratchpad", "bank_bytes", +in_banks<&Rules::bank_bytes>, 4, 8, "bytes a bank delivers at once", true},
    Key{"scratchpad", "lanes_b32", +in_banks<&Rules::lanes_b32>, 1, 64,
        "lanes served together, accesses of up to 32 bits", true},
    Key{"scratchpad", "lanes_b64", +in_banks<&Rules::lanes_b64>, 1, 64, "lanes served together, 64-bit accesses", true},
    Key{"scratchpad", "lanes_b128", +in_banks<&Rules::lanes_b128>, 1, 64, "lanes served together, 128-bit accesses",
        true},
    kPhaseKey<0>,
    kPhaseKey<1>,
    kPhaseKey<2>,
    kPhaseKey<3>,
    kPhaseKey<4>,
    kPhaseKey<5>,
    Key{"scratchpad", "merge_pairs", +in_banks<&Rules::merge_pairs>, 0, 0,
        "64- and 128-bit loads whose lanes agree in pairs take half the phases", false, true},
    Key{"scratchpad", "combines_increments", +in_banks<&Rules::combines_increments>, 0, 0,
        "for atomics that add 1, lanes on one word are counted instead of taking turns", false, true},
    Key{"scratchpad", "cas_passes", +in_banks<&Rules::cas_passes>, 1, scratchpad::kMaxCasPasses,
        "passes of a compare-and-swap for each pass of another atomic", false, true},
    Key{"scratchpad", "ports", +in_banks<&Rules::ports>, 1, 64, "words that each bank delivers in a pass", false, true},
    Key{"scratchpad", "hash", Text{hash_text, set_hash}, 0, 0, "bank hash of the hardware, written as for --bank-hash",
        false, true},
    Key{"transactions", "unit", kEither<&TxConfig::perfect, kLocal, kPerfect>, 0, 0,
        "transactions on shared memory (GPU-LocalTM): local, or perfect, which charges nothing", false, true},
    Key{"transactions", "detection", kEither<&TxConfig::exact, kBloom, kExact>, 0, 0,
        "detection of conflicts: bloom, with Bloom filters of each bank and thread, or exact, word by word", false,
        true},
    Key{"transactions", "filter_bits", +kTx, 4, 32, "bits of a Bloom filter", true, true},
    Key{"transactions", "filter_hash", kSignatureHash, 0, 0,
        "hash of a word's position in its bank: modulo, xor, multiply", false, true},
    Key{"transactions", "sets", kEither<&TxConfig::separate, kOne, kSeparate>, 0, 0,
        "one set of all words that a thread accesses, or separate sets of words read and written", false, true},
    Key{"transactions", "warps", kEither<&TxConfig::exclusive, kOverlap, kOne>, 0, 0,
        "warps of a CTA in transactions: overlap, or one warp at a time", false, true},
};

constexpr std::string_view kTooManyBytes = scratchpad::kTooManyBytes;

/// Each phase of a table fits the banks.
template <size_t kTable>
constexpr Relation kPhasesFit = {"scratchpad", scratchpad::kPhaseKeys[kTable].name,
                                 [](const Gpu& gpu) { return scratchpad::phases_fit(gpu.machine.scratchpad, kTable); },
                                 kTooManyBytes};
/// So do neighbouring lanes.
template <auto kLanes, unsigned kWidth>
constexpr auto kLanesFit = [](const Gpu& gpu) {
  return scratchpad::fits_banks(gpu.machine.scratchpad, gpu.machine.scratchpad.*kLanes, kWidth);
};

constexpr std::array kRelations = {
    Relation{"sm", "shared_per_block_optin_bytes",
             [](const Gpu& g) { return g.shared_per_block_optin <= g.shared_per_sm; },
             "a block cannot have more shared memory than its SM (sm.shared_bytes)"},
    Relation{"sm", "shared_per_block_bytes",
             [](const Gpu& g) { return g.shared_per_block <= g.shared_per_block_optin; },
             "must not exceed sm.shared_per_block_optin_bytes"},
    Relation{"sm", "registers_per_block", [](const Gpu& g) { return g.registers_per_block <= g.registers_per_sm; },
             "a block cannot have more registers than its SM (sm.registers)"},
    Relation{"sm", "max_threads_per_block",
             [](const Gpu& g) { return g.max_threads_per_block <= g.max_threads_per_sm; },
             "a block cannot have more threads than its SM (sm.max_threads)"},
    Relation{"sm", "max_warps",
             [](const Gpu& g) { return g.max_warps_per_sm * g.machine.warp_size >= g.max_threads_per_sm; },
             "too few warps for sm.max_threads"},
    Relation{"clocks", "issue_khz", [](const Gpu& g) { return g.issue_khz <= g.core_khz; },
             "must not exceed clocks.core_khz"},
    Relation{"scratchpad", "hash",
             [](const Gpu& g) {
               return !g.machine.scratchpad.hash || g.machine.scratchpad.hash->banks() == g.machine.scratchpad.banks;
             },
             "is for another number of banks; set it again after scratchpad.banks"},
    Relation{"scratchpad", "lanes_b32", kLanesFit<&Rules::lanes_b32, 4>, kTooManyBytes},
    Relation{"scratchpad", "lanes_b64", kLanesFit<&Rules::lanes_b64, 8>, kTooManyBytes},
    Relation{"scratchpad", "lanes_b128", kLanesFit<&Rules::lanes_b128, 16>, kTooManyBytes},
    kPhasesFit<0>,
    kPhasesFit<1>,
    kPhasesFit<2>,
    kPhasesFit<3>,
    kPhasesFit<4>,
    kPhasesFit<5>,
    Relation{"scratchpad", "merge_pairs",
             [](const Gpu& g) {
               const auto neighbours = [&](unsigned width) {
                 return scratchpad::table_of(g.machine.scratchpad, scratchpad::AccessKind::load, width) == nullptr;
               };
               return !g.machine.scratchpad.merge_pairs || (neighbours(8) && neighbours(16));
             },
             "needs phases of neighbouring lanes, but load_b64 or load_b128 has others"},
};

/// A text as TOML has it, in quotes.
std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    const auto code = static_cast<unsigned char>(c);
    all += code < 0x20 || code == 0x7f ? fmt::format("\\u{:04x}", code) : std::string(1, c);
  }
  return all + '"';
}

/// "a, b" as ["a", "b"].
std::string quoted_list(std::string text) {
  std::string all;
  while (!text.empty()) {
    const size_t end = text.find(", ");
    all += (all.empty() ? "" : ", ") + quoted(text.substr(0, end));
    text.erase(0, end == std::string::npos ? end : end + 2);
  }
  return "[" + all + "]";
}

}  // namespace

std::span<const Key> keys() { return kKeys; }
std::vector<Broken> broken_relations(const Gpu& gpu) {
  std::vector<Broken> all;
  for (const Relation& relation : kRelations) {
    if (!relation.holds(gpu)) all.push_back({relation.section, relation.name, std::string(relation.message)});
  }
  return all;
}

bool is_said(const Gpu& gpu, const Key& key) {
  if (!key.optional && !may_be_left_out(key.section)) return true;
  if (const auto* text = std::get_if<Text>(&key.value); text != nullptr && text->list) return !text->get(gpu).empty();
  uint64_t value = 0;
  const std::string text = value_text(gpu, key);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc() || allows(key, value);
}

bool allows(const Key& key, uint64_t value) {
  return value >= key.least && value <= key.most && (!key.power_of_two || std::has_single_bit(value));
}

std::string range_of(const Key& key) {
  return (key.power_of_two ? ", a power of two" : "") +
         (", from " + std::to_string(key.least) + " to " + std::to_string(key.most));
}

bool is_flag(const Key& key) {
  if (const auto* parameter = std::get_if<const timing::Parameter*>(&key.value)) return (*parameter)->is_flag();
  return std::holds_alternative<bool& (*)(Gpu&)>(key.value);
}

void set(Gpu& gpu, const Key& key, uint64_t value) {
  if (const auto* parameter = std::get_if<const timing::Parameter*>(&key.value)) {
    gpu.timing->parameters.set(**parameter, static_cast<unsigned>(value));
  } else if (const auto* narrow = std::get_if<unsigned& (*)(Gpu&)>(&key.value)) {
    (*narrow)(gpu) = static_cast<unsigned>(value);
  } else if (const auto* flag = std::get_if<bool& (*)(Gpu&)>(&key.value)) {
    (*flag)(gpu) = value != 0;
  } else {
    std::get<uint64_t& (*)(Gpu&)>(key.value)(gpu) = value;
  }
}

std::string value_text(const Gpu& gpu, const Key& key) {
  Gpu copy = gpu;  // a table of references is made for writing
  if (const auto* text = std::get_if<Text>(&key.value)) {
    return text->list ? quoted_list(text->get(copy)) : quoted(text->get(copy));
  }
  if (const auto* parameter = std::get_if<const timing::Parameter*>(&key.value)) {
    const unsigned value = copy.timing->parameters[**parameter];
    return !(*parameter)->is_flag() ? std::to_string(value) : value != 0 ? "true" : "false";
  }
  if (const auto* flag = std::get_if<bool& (*)(Gpu&)>(&key.value)) return (*flag)(copy) ? "true" : "false";
  if (const auto* narrow = std::get_if<unsigned& (*)(Gpu&)>(&key.value)) return std::to_string((*narrow)(copy));
  return std::to_string(std::get<uint64_t& (*)(Gpu&)>(key.value)(copy));
}

}  // namespace bankshot::gpu
