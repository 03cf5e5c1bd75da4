// The functions of <bankshot/bankshot.h>. Nothing is thrown across them: what goes wrong is in bankshot_error().
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/library/atomics_machine.hpp"
#include "bankshot/library/certificate.hpp"
#include "bankshot/library/described_launch.hpp"
#include "bankshot/library/static_report.hpp"
#include "bankshot/report/json/patterns_json.hpp"
#include "bankshot/report/json/rules_json.hpp"
#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/access/passes.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/search/search.hpp"
#include "bankshot/verify/check.hpp"
#include "include/bankshot/bankshot.h"

using namespace bankshot;

struct bankshot_hash {
  scratchpad::BankHash hash;
};
struct bankshot_banks {
  scratchpad::Rules rules;
  unsigned warp_size = 32;
};
struct bankshot_patterns {
  scratchpad::PatternSet set;
  unsigned warp_size = 32;
};

namespace {

thread_local std::string last_error;

/// What a call failed by.
struct Wrong {
  std::string message;
};

template <class T>
T value_of(Result<T> result) {
  if (!result) throw Wrong{result.error().message};
  return std::move(*result);
}

/// A pointer of the caller's that must not be null.
template <class T>
T* given(T* pointer, const char* name) {
  if (pointer == nullptr) throw Wrong{fmt::format("{} is null", name)};
  return pointer;
}

void keep(std::string_view message) noexcept {
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();  // there is no memory even for that
  }
}

/// What f returns, or `failed`.
template <class F, class R = decltype(std::declval<F>()())>
R guarded(R failed, F f) {
  try {
    return f();
  } catch (const Wrong& wrong) {
    keep(wrong.message);
  } catch (const std::exception& error) {
    keep(error.what());
  }
  return failed;
}

template <class F>
int guarded_status(F f) {
  return guarded(1, [&] {
    f();
    return 0;
  });
}

char* copy_of(const std::string& text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw Wrong{"out of memory"};
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

/// An access of the caller's, every lane of it looked at.
struct LaneAccess {
  std::array<uint32_t, scratchpad::kMaxLanes> addresses{};
  scratchpad::AccessKind kind = scratchpad::AccessKind::load;
};

/// The bytes a lane may access, least and most. Source: PTX ISA, the types of these instructions.
std::pair<unsigned, unsigned> widths_of(scratchpad::AccessKind kind) {
  using K = scratchpad::AccessKind;
  switch (kind) {
    case K::load:
    case K::store: return {1, 16};
    case K::atomic:
    case K::cas: return {2, 16};
    case K::increment: return {4, 4};
    case K::copy: return {4, 16};
    case K::ldmatrix: return {16, 16};
  }
  return {1, 16};
}

LaneAccess access_of(unsigned warp_size, bankshot_kind kind, unsigned width, const uint32_t* addresses,
                     uint64_t lanes) {
  if (kind < 0 || static_cast<size_t>(kind) >= scratchpad::kAccessKindNames.size())
    throw Wrong{fmt::format("{} is not a kind of access", static_cast<int>(kind))};
  LaneAccess access;
  access.kind = static_cast<scratchpad::AccessKind>(kind);
  const auto [least, most] = widths_of(access.kind);
  if (!std::has_single_bit(width) || width < least || width > most)
    throw Wrong{least == most
                    ? fmt::format("{}: a lane must access {} bytes, not {}", scratchpad::name(access.kind), most, width)
                    : fmt::format("{}: the bytes per lane must be a power of two from {} to {}, not {}",
                                  scratchpad::name(access.kind), least, most, width)};
  if (warp_size < 64 && lanes >> warp_size != 0)
    throw Wrong{fmt::format("lane {} is active, but a warp has {} lanes", 63 - std::countl_zero(lanes), warp_size)};
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    access.addresses[lane] = given(addresses, "addresses")[lane];
    if (access.addresses[lane] % width != 0)
      throw Wrong{
          fmt::format("lane {}: address {} is not a multiple of {} bytes", lane, access.addresses[lane], width)};
  }
  return access;
}

/// The hash with as many address bits as the patterns need: more than any row has change nothing.
scratchpad::BankHash fitted(scratchpad::BankHash hash, const scratchpad::PatternSet& set) {
  const scratchpad::HashSize size = scratchpad::size_of(set);
  if (hash.bank_bits != size.bank_bits)
    throw Wrong{fmt::format("the hash is for {} banks, but there are {}", hash.banks(), 1u << size.bank_bits)};
  hash.address_bits = std::max(hash.address_bits, size.address_bits);
  return hash;
}

using scratchpad::kMostWeight;

/// Sums of conflicts and of a search do not wrap below this.
void check_weights(const scratchpad::PatternSet& set) {
  uint64_t all = 0;
  for (const scratchpad::Pattern& pattern : set.patterns) {
    const uint64_t phases = scratchpad::phases(set.rules, pattern).size();
    if (pattern.weight > kMostWeight / std::max<uint64_t>(1, phases) || (all += pattern.weight * phases) > kMostWeight)
      throw Wrong{fmt::format("the weights of all phases of the accesses add up to more than {}", kMostWeight)};
  }
}

/// The caller's options, or all 0. Members that the caller's version does not have are 0, too; so a member must not be
/// added where an earlier structure has padding at its end.
/// @param least  the size of the structure in the version that introduced it
template <class T>
T options_of(const T* options, size_t least = sizeof(T)) {
  T all{};
  if (options == nullptr) return all;
  if (options->size < least)
    throw Wrong{fmt::format("size is {}, but the structure has {} bytes", options->size, sizeof all)};
  std::memcpy(&all, options, std::min(options->size, sizeof all));
  return all;
}

}  // namespace

const char* bankshot_version(void) { return BANKSHOT_VERSION; }
const char* bankshot_error(void) { return last_error.c_str(); }
void bankshot_free(char* text) { std::free(text); }

bankshot_hash* bankshot_hash_parse(const char* spec, unsigned banks, unsigned address_bits) {
  return guarded<>(static_cast<bankshot_hash*>(nullptr), [&] {
    if (!std::has_single_bit(banks) || banks < scratchpad::kMinBanks || banks > scratchpad::kMaxBanks)
      throw Wrong{
          fmt::format("{} banks: the number must be a power of two from 2 to {}", banks, scratchpad::kMaxBanks)};
    const scratchpad::HashSize size{address_bits, static_cast<unsigned>(std::countr_zero(banks))};
    if (address_bits < size.bank_bits || address_bits > scratchpad::kMaxAddressBits)
      throw Wrong{fmt::format("{} address bits: the number must be from {} to {}", address_bits, size.bank_bits,
                              scratchpad::kMaxAddressBits)};
    return new bankshot_hash{value_of(scratchpad::parse_hash(given(spec, "spec"), size))};
  });
}
void bankshot_hash_free(bankshot_hash* hash) { delete hash; }
unsigned bankshot_hash_bank(const bankshot_hash* hash, uint32_t word) {
  return hash == nullptr ? 0 : hash->hash.bank(word);
}
int bankshot_hash_is_in_place(const bankshot_hash* hash) {
  return guarded<>(0, [&] { return hash != nullptr && scratchpad::is_in_place(hash->hash) ? 1 : 0; });
}
char* bankshot_hash_spec(const bankshot_hash* hash) {
  return guarded<>(static_cast<char*>(nullptr),
                   [&] { return copy_of(scratchpad::fixed_spec(given(hash, "hash")->hash)); });
}
char* bankshot_hash_source(const bankshot_hash* hash) {
  return guarded<>(static_cast<char*>(nullptr),
                   [&] { return copy_of(scratchpad::cpp_source(given(hash, "hash")->hash)); });
}

bankshot_banks* bankshot_banks_of(const char* gpu) {
  return guarded<>(static_cast<bankshot_banks*>(nullptr), [&] {
    const gpu::Gpu found = value_of(gpu::find_gpu(given(gpu, "gpu")));
    return new bankshot_banks{found.machine.scratchpad, found.machine.warp_size};
  });
}
bankshot_banks* bankshot_banks_read(const char* json) {
  return guarded<>(static_cast<bankshot_banks*>(nullptr), [&] {
    const auto object = nlohmann::json::parse(given(json, "json"), nullptr, false);
    if (!object.is_object()) throw Wrong{"the rules of the banks must be a JSON object"};
    return new bankshot_banks{value_of(report::read_rules(object)), scratchpad::kMaxLanes};
  });
}
void bankshot_banks_free(bankshot_banks* banks) { delete banks; }
unsigned bankshot_banks_count(const bankshot_banks* banks) { return banks == nullptr ? 0 : banks->rules.banks; }
unsigned bankshot_banks_width(const bankshot_banks* banks) { return banks == nullptr ? 0 : banks->rules.bank_bytes; }
int bankshot_banks_set_hash(bankshot_banks* banks, const bankshot_hash* hash) {
  return guarded_status([&] {
    scratchpad::Rules& rules = given(banks, "banks")->rules;
    if (hash != nullptr && hash->hash.banks() != rules.banks)
      throw Wrong{fmt::format("the hash is for {} banks, but there are {}", hash->hash.banks(), rules.banks)};
    rules.hash = hash == nullptr ? std::nullopt : std::optional(hash->hash);
  });
}

int bankshot_access(const bankshot_banks* banks, bankshot_kind kind, unsigned width, const uint32_t* addresses,
                    uint64_t lanes, bankshot_cost* cost) {
  return guarded_status([&] {
    const auto& [rules, warp_size] = *given(banks, "banks");
    const LaneAccess access = access_of(warp_size, kind, width, addresses, lanes);
    *given(cost, "cost") = {};
    if (lanes == 0) return;
    const scratchpad::Cost found = scratchpad::cost(rules, access.kind, width, access.addresses.data(), lanes);
    const scratchpad::Shape shape = scratchpad::classify(rules, width, access.addresses.data(), lanes);
    *cost = {found.wavefronts, found.ideal, found.position, static_cast<uint32_t>(shape.pattern),
             shape.pattern == scratchpad::PatternClass::stride ? shape.stride_bytes : 0};
  });
}

int bankshot_access_services(const bankshot_banks* banks, bankshot_kind kind, unsigned width, const uint32_t* addresses,
                             uint64_t lanes, bankshot_service* services, size_t room) {
  return guarded(-1, [&] {
    const auto& [rules, warp_size] = *given(banks, "banks");
    const LaneAccess access = access_of(warp_size, kind, width, addresses, lanes);
    if (lanes == 0) return 0;
    uint32_t number = 0;
    size_t count = 0;
    for (const scratchpad::Pass& pass : scratchpad::passes(rules, access.kind, width, access.addresses.data(), lanes)) {
      for (size_t slot = 0; slot < pass.lanes.size(); ++slot) {  // [port * banks + bank]
        if (pass.lanes[slot].empty()) continue;
        if (count++ < room)
          given(services, "services")[count - 1] = {number, static_cast<uint32_t>(slot % rules.banks), pass.word[slot],
                                                    pass.lanes[slot].bits(), pass.phase.bits()};
      }
      ++number;
    }
    return static_cast<int>(count);
  });
}

bankshot_patterns* bankshot_patterns_new(const bankshot_banks* banks) {
  return guarded<>(static_cast<bankshot_patterns*>(nullptr), [&] {
    auto* const patterns = new bankshot_patterns{{}, given(banks, "banks")->warp_size};
    patterns->set.rules = banks->rules;
    scratchpad::fit_address_bits(patterns->set, scratchpad::kUsualAddressBits);
    return patterns;
  });
}
bankshot_patterns* bankshot_patterns_read(const char* json) {
  return guarded<>(static_cast<bankshot_patterns*>(nullptr), [&] {
    return new bankshot_patterns{value_of(report::patterns_from_json(given(json, "json"))), scratchpad::kMaxLanes};
  });
}
void bankshot_patterns_free(bankshot_patterns* patterns) { delete patterns; }
int bankshot_patterns_add(bankshot_patterns* patterns, bankshot_kind kind, unsigned width, const uint32_t* addresses,
                          uint64_t lanes, uint64_t weight) {
  return guarded_status([&] {
    scratchpad::PatternSet& set = given(patterns, "patterns")->set;
    const LaneAccess access = access_of(patterns->warp_size, kind, width, addresses, lanes);
    if (lanes == 0) throw Wrong{"no lane is active in the access"};
    if (weight == 0 || weight > kMostWeight)
      throw Wrong{fmt::format("weight {}: it must be 1 to {}", weight, kMostWeight)};
    scratchpad::Pattern pattern{weight, access.kind, width, lanes, {}};
    for (size_t lane = 0; lane < access.addresses.size(); ++lane) pattern.words[lane] = access.addresses[lane] / 4;
    scratchpad::PatternSet alone{set.rules, false, 0, {pattern}};
    if (!scratchpad::fit_address_bits(alone, 0)) {
      throw Wrong{
          fmt::format("an address is beyond the {} words that bank hashes cover", 1u << scratchpad::kMaxAddressBits)};
    }
    set.address_bits = std::max(set.address_bits, alone.address_bits);
    set.patterns.push_back(pattern);
    set.sorted = false;
  });
}
int bankshot_patterns_conflicts(const bankshot_patterns* patterns, const bankshot_hash* hash, uint64_t* conflicts) {
  return guarded_status([&] {
    const scratchpad::PatternSet& set = given(patterns, "patterns")->set;
    const scratchpad::BankHash used =
        hash == nullptr ? scratchpad::modulo_hash(scratchpad::size_of(set)) : fitted(hash->hash, set);
    check_weights(set);
    *given(conflicts, "conflicts") = scratchpad::excess(set.rules, set, used);
  });
}

int bankshot_search(const bankshot_patterns* patterns, const bankshot_search_options* options, bankshot_found* found) {
  return guarded_status([&] {
    const scratchpad::PatternSet& set = given(patterns, "patterns")->set;
    if (given(found, "found")->size < sizeof *found)
      throw Wrong{fmt::format("size is {}, but the structure has {} bytes", found->size, sizeof *found)};
    *found = {.size = found->size};
    const bankshot_search_options wanted = options_of(options, offsetof(bankshot_search_options, plain_low_bits));
    const std::string name = wanted.hash_class == nullptr ? "gf2" : wanted.hash_class;
    const scratchpad::HashClass* const hash_class = scratchpad::find_searchable_class(name);
    if (hash_class == nullptr) throw Wrong{scratchpad::unknown_class(name)};
    if (set.patterns.empty()) throw Wrong{"there are no accesses to search on"};
    check_weights(set);
    if (const auto error = search::cannot_search(set.rules, set.patterns)) throw Wrong{error->message};
    if (!(wanted.seconds >= 0 && wanted.seconds <= 1e6)) throw Wrong{"seconds must be 0 to 1000000"};
    const search::Method method = search::methods_of(*hash_class).front();
    search::SearchOptions how;
    how.in_place = wanted.in_place != 0;
    how.plain_low_bits = wanted.plain_low_bits;
    how.threads = std::max(1u, wanted.threads);
    how.proof = method == search::Method::optimal;
    if (wanted.seconds != 0) how.time_limit = std::chrono::milliseconds(static_cast<int64_t>(wanted.seconds * 1000));
    const search::Problem problem = search::problem(set.rules, set);
    const search::Found best = value_of(search::find(problem, name, method, how));
    found->conflicts = best.excess;
    found->without = scratchpad::excess(set.rules, set, scratchpad::modulo_hash(scratchpad::size_of(set)));
    found->lower_bound = best.lower_bound;
    found->is_proved = best.status == search::Status::optimal || best.status == search::Status::exhaustive ? 1 : 0;
    auto hash = std::make_unique<bankshot_hash>(bankshot_hash{best.hash});
    if (best.proof) found->certificate = copy_of(verify::to_json(library::certificate_of(problem, how, best)));
    found->hash = hash.release();
  });
}
char* bankshot_verify(const char* certificate) {
  return guarded<>(static_cast<char*>(nullptr), [&] {
    const verify::Verdict verdict = verify::check(value_of(verify::from_json(given(certificate, "certificate"))));
    if (!verdict.proved) throw Wrong{verdict.text};
    return copy_of(verdict.text);
  });
}

int bankshot_atomics(const char* gpu, const uint32_t* words, unsigned count, bankshot_atomics_cost* cost) {
  return guarded_status([&] {
    const gpu::Gpu found = value_of(gpu::find_gpu(given(gpu, "gpu")));
    if (!found.timing) throw Wrong{found.file + " has no timing sections, so its atomics have no model"};
    const library::AtomicsMachine machine = value_of(library::atomics_machine(found, {}));
    if (count == 0 || count > found.machine.warp_size)
      throw Wrong{fmt::format("{} lanes, but a warp has 1 to {}", count, found.machine.warp_size)};
    for (unsigned lane = 0; lane < count; ++lane) {
      if (given(words, "words")[lane] >> machine.address_bits != 0)
        throw Wrong{fmt::format("words[{}]: {} is beyond the {} words that the model covers", lane, words[lane],
                                1u << machine.address_bits)};
    }
    const scratchpad::AtomicsCost of = machine.model(words, count);
    *given(cost, "cost") = {of.cycles.total(), of.rounds, of.lock_degree, of.bank_degree};
  });
}

char* bankshot_analyse(const char* ptx, const char* gpu, const bankshot_launch* launch) {
  return guarded<>(static_cast<char*>(nullptr), [&] {
    const bankshot_launch wanted = options_of(given(launch, "launch"));
    const gpu::Gpu found = value_of(gpu::find_gpu(given(gpu, "gpu")));
    library::DescribedLaunch described;
    described.block = given(wanted.block, "block");
    if (wanted.grid != nullptr) described.grid = wanted.grid;
    for (const char* const* p = wanted.parameters; p != nullptr && *p != nullptr; ++p)
      described.parameters.emplace_back(*p);
    const std::vector<std::string> kernels =
        wanted.kernel == nullptr ? std::vector<std::string>{} : std::vector<std::string>{wanted.kernel};
    const library::NamedText text{"PTX", given(ptx, "ptx")};
    const bool joined = wanted.as_written == 0;
    auto analysed = library::analyse(described, text.name, std::span(&text, 1), found, kernels, joined);
    if (!analysed) throw Wrong{analysed.error().message};
    if (analysed->kernels.empty()) throw Wrong{analysed->failures.front()};
    return copy_of(library::static_json(*analysed, text.name, found, joined));
  });
}
