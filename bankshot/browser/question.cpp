#include "bankshot/browser/question.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/rules_json.hpp"

namespace bankshot::browser {
namespace {

using nlohmann::json;
using scratchpad::Rules;

/// As many as a block has threads: more than enough for one access of each of its warps.
constexpr size_t kMostAccesses = 1024;

std::string lane_error(size_t lane, const std::string& why) { return "lane " + std::to_string(lane) + ": " + why; }

/// The offset of one lane; nothing if it is off.
Result<std::optional<uint32_t>> read_offset(const json& value, size_t lane, unsigned width) {
  if (value.is_null()) return std::optional<uint32_t>();
  if (!value.is_number_unsigned() || value.get<uint64_t>() > UINT32_MAX - 64)
    return Error{lane_error(lane, "its offset must be a whole number of bytes from 0 up, below 4 GB")};
  const uint32_t offset = value.get<uint32_t>();
  if (offset % width != 0) {
    return Error{lane_error(lane, "byte " + std::to_string(offset) + " is not a multiple of the " +
                                      std::to_string(width) + " bytes that it accesses; a GPU would fault")};
  }
  return std::optional(offset);
}

/// The start of an access without its offsets.
Result<Access> read_form(const json& object) {
  Access access;
  if (!object.is_object()) return Error{"an access must be an object"};
  const Result<uint64_t> width = number(object, "width", 4, 1, 16);
  if (!width) return width.error();
  access.width = static_cast<unsigned>(*width);
  if (!std::has_single_bit(access.width)) return Error{"width must be 1, 2, 4, 8 or 16 bytes"};
  const Result<uint64_t> weight = number(object, "weight", 1, 1, uint64_t{1} << 20);
  if (!weight) return weight.error();
  access.weight = *weight;
  const Result<std::string> kind = text(object, "kind", "load");
  if (!kind) return kind.error();
  const auto known = scratchpad::access_kind_named(*kind);
  if (!known) return Error{"kind must be " + scratchpad::access_kind_list()};
  access.kind = *known;
  return access;
}

}  // namespace

Result<uint64_t> number(const json& object, const char* key, uint64_t otherwise, uint64_t least, uint64_t most) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (!found->is_number_unsigned() || found->get<uint64_t>() < least || found->get<uint64_t>() > most) {
    return Error{std::string(key) + " must be a whole number from " + std::to_string(least) + " to " +
                 std::to_string(most)};
  }
  return found->get<uint64_t>();
}

Result<std::string> text(const json& object, const char* key, const std::string& otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (!found->is_string()) return Error{std::string(key) + " must be a text"};
  return found->get<std::string>();
}

Result<bool> flag(const json& object, const char* key, bool otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (!found->is_boolean()) return Error{std::string(key) + " must be true or false"};
  return found->get<bool>();
}

Result<Rules> read_rules(const json& question) {
  Result<Rules> rules = Rules{};
  if (const auto found = question.find("rules"); found != question.end()) rules = report::read_rules(*found);
  if (!rules) return Error{"rules: " + rules.error().message};
  if (question.contains("hash")) {
    const Result<std::string> spec = text(question, "hash", "");
    if (!spec) return spec.error();
    if (const auto error = scratchpad::set_bank_hash(*rules, *spec)) return Error{"hash: " + error->message};
  }
  return rules;
}

Result<Access> read_access(const json& object) {
  Result<Access> access = read_form(object);
  if (!access) return access;
  const auto offsets = object.find("offsets");
  if (offsets == object.end() || !offsets->is_array() || offsets->size() > scratchpad::kMaxLanes)
    return Error{"offsets must be a list of at most 64 byte offsets, one a lane, null for a lane that is off"};
  access->lanes = static_cast<unsigned>(offsets->size());
  for (size_t lane = 0; lane < offsets->size(); ++lane) {
    const auto offset = read_offset((*offsets)[lane], lane, access->width);
    if (!offset) return offset.error();
    if (!*offset) continue;
    access->offsets[lane] = **offset;
    access->mask |= uint64_t{1} << lane;
  }
  return access;
}

Result<scratchpad::PatternSet> read_patterns(const json& question, const Rules& rules) {
  scratchpad::PatternSet set;
  set.rules = rules;
  const auto accesses = question.find("accesses");
  if (accesses == question.end() || !accesses->is_array() || accesses->empty() || accesses->size() > kMostAccesses)
    return Error{"accesses must be a list of 1 to " + std::to_string(kMostAccesses) + " accesses"};
  for (size_t k = 0; k < accesses->size(); ++k) {
    const Result<Access> access = read_access((*accesses)[k]);
    if (!access) return Error{"access " + std::to_string(k) + ", " + access.error().message};
    scratchpad::Pattern pattern;
    pattern.weight = access->weight;
    pattern.kind = access->kind;
    pattern.width = access->width;
    pattern.mask = access->mask;
    std::ranges::transform(access->offsets, pattern.words.begin(), [](uint32_t offset) { return offset / 4; });
    if (pattern.mask != 0) set.patterns.push_back(pattern);
  }
  if (set.patterns.empty()) return Error{"all lanes are off"};
  scratchpad::merge_equal(set.patterns);
  if (!scratchpad::fit_address_bits(set, scratchpad::kUsualAddressBits))
    return Error{"an offset is beyond the 256 KB that hashes work on"};
  return set;
}

}  // namespace bankshot::browser
