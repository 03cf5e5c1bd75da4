#include "bankshot/report/json/patterns_json.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/report/json/json_parts.hpp"
#include "bankshot/report/json/rules_json.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/support/json_error.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using scratchpad::Pattern;
using scratchpad::PatternSet;

/// Thrown and caught in this file only; becomes the Error of patterns_from_json.
struct BadPattern {
  std::string message;
};

[[noreturn]] void fail(const std::string& place, const std::string& why) { throw BadPattern{place + ": " + why}; }

uint64_t whole(const json& value, const std::string& place, uint64_t least, uint64_t most) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() < least || value.get<uint64_t>() > most) {
    fail(place, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value.get<uint64_t>();
}

uint64_t number_or(const json& object, const std::string& place, const char* key, uint64_t otherwise, uint64_t least,
                   uint64_t most) {
  const auto found = object.find(key);
  return found == object.end() ? otherwise : whole(*found, place + key, least, most);
}

bool flag(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return false;
  if (!found->is_boolean()) fail(key, "must be true or false");
  return found->get<bool>();
}

scratchpad::AccessKind kind_of(const json& object, const std::string& place) {
  const auto found = object.find("kind");
  if (found == object.end()) return scratchpad::AccessKind::load;
  if (found->is_string()) {
    if (const auto kind = scratchpad::access_kind_named(found->get_ref<const std::string&>())) return *kind;
  }
  fail(place + "kind", "must be " + scratchpad::access_kind_list());
}

Pattern pattern(const json& object, const PatternSet& set, unsigned lanes, const std::string& place) {
  if (!object.is_object()) fail(place, "must be an object");
  Pattern p;
  const std::string inside = place + ".";
  p.weight = number_or(object, inside, "weight", 1, 1, scratchpad::kMostWeight);
  p.width = static_cast<unsigned>(number_or(object, inside, "width", 4, 1, 16));
  if (!std::has_single_bit(p.width)) fail(inside + "width", "must be 1, 2, 4, 8 or 16 bytes");
  p.kind = kind_of(object, inside);
  const auto addresses = object.find("addresses");
  if (addresses == object.end() || !addresses->is_array())
    fail(inside + "addresses", "must be a list of word addresses");
  if (addresses->size() > lanes)
    fail(inside + "addresses", std::to_string(addresses->size()) + " lanes, but a warp has " + std::to_string(lanes));
  for (size_t lane = 0; lane < addresses->size(); ++lane) {
    const json& address = (*addresses)[lane];
    if (address.is_null()) continue;  // a lane that is off
    const std::string at = inside + "addresses[" + std::to_string(lane) + "]";
    if (address.is_number_unsigned() && address.get<uint64_t>() >> set.address_bits != 0) {
      fail(at, std::to_string(address.get<uint64_t>()) + " is beyond the " + std::to_string(set.address_bits) +
                   " address bits");
    }
    p.words[lane] = static_cast<uint32_t>(whole(address, at, 0, (uint64_t{1} << set.address_bits) - 1));
    if (p.width > 4 && p.words[lane] % (p.width / 4) != 0)
      fail(at, fmt::format("must be a multiple of {}, the words of a lane", p.width / 4));
    p.mask |= uint64_t{1} << lane;
  }
  return p;
}

/// The banks that a document names.
PatternBanks banks_of(const json& document) {
  const Result<scratchpad::Rules> rules = read_rules(document);
  if (!rules) throw BadPattern{rules.error().message};
  PatternBanks banks{*rules, 0};
  banks.rules.hash.reset();  // patterns are counted under the requested hash
  banks.warp_size = static_cast<unsigned>(
      number_or(document, "", "warp_size", banks.rules.banks > 32 ? 64 : 32, 1, scratchpad::kMaxLanes));
  return banks;
}

/// Lanes that were sorted by the phases of one GPU tell nothing of another that serves other lanes together.
void refuse_other_phases(const scratchpad::Rules& own, const PatternSet& set) {
  for (size_t k = 0; k < set.patterns.size(); ++k) {
    if (scratchpad::keeps_its_cost(own, set.rules, set.patterns[k])) continue;
    fail("patterns[" + std::to_string(k) + "]",
         "its lanes are sorted for banks that serve other groups of lanes together: trace with --gpu set to the GPU to "
         "count for, or with --as-is");
  }
}

PatternSet read(std::string_view text, const PatternBanks* instead) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::exception& error) {
    throw BadPattern{json_error(error.what())};
  }
  if (!document.is_object()) fail("document", "must be an object");
  const auto schema = document.find("schema");
  if (schema != document.end() && *schema == "bankshot/instruction-patterns/1")
    fail("schema", "these patterns are split by instruction: use bankshot search --per-instruction");
  if (schema != document.end() && *schema != "bankshot/patterns/1") fail("schema", "must be \"bankshot/patterns/1\"");
  PatternSet set;
  set.sorted = flag(document, "sorted");
  const PatternBanks banks = instead != nullptr ? *instead : banks_of(document);
  set.rules = banks.rules;
  const auto least_bits = static_cast<uint64_t>(std::countr_zero(set.rules.banks * set.rules.bank_bytes / 4));
  set.address_bits =
      static_cast<unsigned>(number_or(document, "", "address_bits", 14, least_bits, scratchpad::kMaxAddressBits));
  const auto patterns = document.find("patterns");
  if (patterns == document.end() || !patterns->is_array()) fail("patterns", "must be a list");
  if (patterns->empty()) fail("patterns", "is empty: there are no patterns");
  for (size_t k = 0; k < patterns->size(); ++k) {
    set.patterns.push_back(pattern((*patterns)[k], set, banks.warp_size, "patterns[" + std::to_string(k) + "]"));
  }
  if (instead != nullptr && set.sorted) refuse_other_phases(banks_of(document).rules, set);
  return set;
}

}  // namespace

Result<PatternSet> patterns_from_json(std::string_view text, const PatternBanks* instead) {
  try {
    return read(text, instead);
  } catch (const BadPattern& bad) {
    return Error{bad.message};
  }
}

std::string patterns_to_json(const PatternSet& set, const RunReport* run) {
  scratchpad::Rules rules = set.rules;
  rules.hash.reset();
  ordered_json document = {{"schema", "bankshot/patterns/1"}};
  if (run != nullptr) document["accesses"] = accesses_json(run->machine_code, run->checked);
  document.update(rules_json(rules, false));
  const bool wide =
      std::any_of(set.patterns.begin(), set.patterns.end(), [](const Pattern& p) { return p.mask >> 32; });
  if (wide && rules.banks <= 32) document["warp_size"] = scratchpad::kMaxLanes;
  document["address_bits"] = set.address_bits;
  if (set.sorted) document["sorted"] = true;
  document["patterns"] = ordered_json::array();
  std::vector<ordered_json> list;
  for (const Pattern& p : set.patterns) list.push_back(pattern_json(p));
  // A pattern a line: short enough to read, long enough to write.
  std::string text = document.dump();
  text.resize(text.size() - std::string_view("[]}").size());
  for (size_t k = 0; k < list.size(); ++k) text += (k == 0 ? "[\n" : ",\n") + list[k].dump();
  return text + "]}\n";
}

}  // namespace bankshot::report
