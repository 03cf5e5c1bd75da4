#include "bankshot/report/json/patterns_json.hpp"

#include <algorithm>
#include <bit>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json_parts.hpp"
#include "bankshot/scratchpad/hash_text.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using scratchpad::Pattern;
using scratchpad::PatternSet;

/// Thrown and caught in this file only; becomes the Error of patterns_from_json.
struct Bad {
  std::string message;
};

[[noreturn]] void fail(const std::string& place, const std::string& why) { throw Bad{place + ": " + why}; }

uint64_t whole(const json& value, const std::string& place, uint64_t least, uint64_t most) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() < least || value.get<uint64_t>() > most) {
    fail(place, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value.get<uint64_t>();
}

uint64_t member(const json& object, const std::string& place, const char* key, uint64_t otherwise, uint64_t least,
                uint64_t most) {
  const auto found = object.find(key);
  return found == object.end() ? otherwise : whole(*found, place + key, least, most);
}

scratchpad::AccessKind kind_of(const json& object, const std::string& place) {
  const auto found = object.find("kind");
  if (found == object.end() || *found == "load") return scratchpad::AccessKind::load;
  if (*found == "store") return scratchpad::AccessKind::store;
  if (*found == "atomic") return scratchpad::AccessKind::atomic;
  fail(place + "kind", "must be \"load\", \"store\" or \"atomic\"");
}

Pattern pattern(const json& object, const PatternSet& set, const std::string& place) {
  if (!object.is_object()) fail(place, "must be an object");
  Pattern p;
  const std::string inside = place + ".";
  p.weight = member(object, inside, "weight", 1, 1, uint64_t{1} << 40);
  p.width = static_cast<unsigned>(member(object, inside, "width", 4, 1, 16));
  if (!std::has_single_bit(p.width)) fail(inside + "width", "must be 1, 2, 4, 8 or 16 bytes");
  p.kind = kind_of(object, inside);
  const auto addresses = object.find("addresses");
  if (addresses == object.end() || !addresses->is_array())
    fail(inside + "addresses", "must be a list of word addresses");
  const size_t most = set.rules.banks > 32 ? 64 : 32;
  if (addresses->size() > most)
    fail(inside + "addresses", std::to_string(addresses->size()) + " lanes, but a warp has " + std::to_string(most));
  for (size_t lane = 0; lane < addresses->size(); ++lane) {
    const json& address = (*addresses)[lane];
    if (address.is_null()) continue;  // a lane that is off
    const std::string at = inside + "addresses[" + std::to_string(lane) + "]";
    if (address.is_number_unsigned() && address.get<uint64_t>() >> set.address_bits != 0) {
      fail(at, std::to_string(address.get<uint64_t>()) + " is beyond the " + std::to_string(set.address_bits) +
                   " address bits");
    }
    p.words[lane] = static_cast<uint32_t>(whole(address, at, 0, (uint64_t{1} << set.address_bits) - 1));
    if (p.width > 4 && p.words[lane] % (p.width / 4) != 0) fail(at, "is no multiple of the width");
    p.mask |= uint64_t{1} << lane;
  }
  return p;
}

/// One of some numbers.
unsigned choice(const json& document, const char* key, unsigned otherwise, std::initializer_list<unsigned> allowed) {
  const uint64_t value = member(document, "", key, otherwise, 0, 1000);
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    std::string list;
    for (unsigned a : allowed)
      list += (list.empty() ? "" : a == *(allowed.end() - 1) ? " or " : ", ") + std::to_string(a);
    fail(key, "must be " + list);
  }
  return static_cast<unsigned>(value);
}

scratchpad::Rules rules(const json& document) {
  scratchpad::Rules rules;
  rules.banks = choice(document, "banks", rules.banks, {8, 16, 32, 64});
  rules.bank_bytes = choice(document, "bank_bytes", rules.bank_bytes, {4, 8});
  rules.lanes_b32 = choice(document, "lanes_b32", rules.lanes_b32, {8, 16, 32, 64});
  rules.lanes_b64 = choice(document, "lanes_b64", rules.lanes_b64, {4, 8, 16, 32, 64});
  rules.lanes_b128 = choice(document, "lanes_b128", rules.lanes_b128, {2, 4, 8, 16, 32, 64});
  rules.ports = static_cast<unsigned>(member(document, "", "ports", rules.ports, 1, scratchpad::kMaxPorts));
  const auto merge = document.find("merge_b128");
  if (merge != document.end() && !merge->is_boolean()) fail("merge_b128", "must be true or false");
  rules.merge_b128 = merge != document.end() && merge->get<bool>();
  return rules;
}

PatternSet read(std::string_view text) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::exception& error) {
    throw Bad{std::string("not JSON: ") + error.what()};
  }
  if (!document.is_object()) fail("document", "must be an object");
  const auto schema = document.find("schema");
  if (schema != document.end() && *schema != "bankshot/patterns/1") fail("schema", "must be \"bankshot/patterns/1\"");
  PatternSet set;
  set.rules = rules(document);
  const auto least_bits = static_cast<uint64_t>(std::countr_zero(set.rules.banks * set.rules.bank_bytes / 4));
  set.address_bits =
      static_cast<unsigned>(member(document, "", "address_bits", 14, least_bits, scratchpad::kMaxAddressBits));
  const auto patterns = document.find("patterns");
  if (patterns == document.end() || !patterns->is_array()) fail("patterns", "must be a list");
  if (patterns->empty()) fail("patterns", "is empty: there is nothing to work on");
  for (size_t k = 0; k < patterns->size(); ++k) {
    set.patterns.push_back(pattern((*patterns)[k], set, "patterns[" + std::to_string(k) + "]"));
  }
  return set;
}

}  // namespace

Result<PatternSet> patterns_from_json(std::string_view text) {
  try {
    return read(text);
  } catch (const Bad& bad) {
    return Error{bad.message};
  }
}

std::string patterns_to_json(const PatternSet& set) {
  const scratchpad::Rules usual, &rules = set.rules;
  ordered_json document = {{"schema", "bankshot/patterns/1"}, {"banks", rules.banks}};
  if (rules.bank_bytes != usual.bank_bytes) document["bank_bytes"] = rules.bank_bytes;
  if (rules.lanes_b32 != usual.lanes_b32) document["lanes_b32"] = rules.lanes_b32;
  if (rules.lanes_b64 != usual.lanes_b64) document["lanes_b64"] = rules.lanes_b64;
  if (rules.lanes_b128 != usual.lanes_b128) document["lanes_b128"] = rules.lanes_b128;
  if (rules.merge_b128) document["merge_b128"] = true;
  if (rules.ports != usual.ports) document["ports"] = rules.ports;
  document["address_bits"] = set.address_bits;
  document["patterns"] = ordered_json::array();
  std::vector<ordered_json> list;
  for (const Pattern& p : set.patterns) list.push_back(pattern_json(p));
  // A pattern a line: short enough to read, long enough to write.
  std::string text = document.dump();
  text.resize(text.size() - std::string_view("[]}").size());
  for (size_t k = 0; k < list.size(); ++k) text += (k == 0 ? "[\n" : ",\n") + list[k].dump();
  return text + "]}\n";
}

std::string hash_to_json(const scratchpad::BankHash& hash) {
  json object = {{"class", scratchpad::class_name(hash)}};
  if (hash.kind == scratchpad::BankHash::Kind::linear) object["rows"] = hash.rows();
  if (const auto v = scratchpad::as_bitvector(hash); v && hash.kind == scratchpad::BankHash::Kind::linear) {
    object["k1"] = v->k1;
    object["k2"] = v->k2;
    object["mask"] = v->mask;
  }
  return object.dump();
}

}  // namespace bankshot::report
