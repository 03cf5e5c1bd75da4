#include "bankshot/report/json/rules_json.hpp"

#include <algorithm>
#include <bit>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/hash_json.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using scratchpad::Rules;

/// A number of the rules: its key and what it may be. `width`: it counts lanes that are served together, of so many
/// bytes.
struct Number {
  const char* key;
  unsigned Rules::* value;
  unsigned least, most;
  bool power_of_two = true;
  unsigned width = 0;
};
constexpr Number kNumbers[] = {{"banks", &Rules::banks, scratchpad::kMinBanks, scratchpad::kMaxBanks},
                               {"bank_bytes", &Rules::bank_bytes, 4, 8},
                               {"lanes_b32", &Rules::lanes_b32, 1, 64, true, 4},
                               {"lanes_b64", &Rules::lanes_b64, 1, 64, true, 8},
                               {"lanes_b128", &Rules::lanes_b128, 1, 64, true, 16},
                               {"ports", &Rules::ports, 1, scratchpad::kMaxPorts, false},
                               {"cas_passes", &Rules::cas_passes, 1, scratchpad::kMaxCasPasses, false}};

struct Flag {
  const char* key;
  bool Rules::* value;
};
constexpr Flag kFlags[] = {{"merge_pairs", &Rules::merge_pairs}, {"combines_increments", &Rules::combines_increments}};

Error wrong(std::string_view key, const std::string& what) { return Error{std::string(key) + ": must be " + what}; }

/// Lanes that are not said are the usual ones, or as many as the banks have bytes for. Banks come before lanes in the
/// table.
std::optional<Error> read_number(const json& object, const Number& number, Rules& rules) {
  const auto found = object.find(number.key);
  unsigned& own = rules.*number.value;
  if (found == object.end()) {
    if (number.width != 0) own = std::clamp(rules.banks * rules.bank_bytes / number.width, 1u, own);
    return std::nullopt;
  }
  const uint64_t value = found->is_number_unsigned() ? found->get<uint64_t>() : 0;
  if (value < number.least || value > number.most || (number.power_of_two && !std::has_single_bit(value))) {
    return wrong(number.key, std::string(number.power_of_two ? "a power of two" : "a whole number") + " from " +
                                 std::to_string(number.least) + " to " + std::to_string(number.most));
  }
  own = static_cast<unsigned>(value);
  if (number.width != 0 && !scratchpad::fits_banks(rules, own, number.width))
    return Error{std::string(number.key) + ": " + std::string(scratchpad::kTooManyBytes)};
  return std::nullopt;
}

/// A table of phases is a list with a text for each phase, its lanes.
std::optional<Error> read_table(const json& object, size_t which, Rules& rules) {
  const std::string_view key = scratchpad::kPhaseKeys[which].name;
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  std::string text;
  if (!found->is_array()) return wrong(key, "a list of strings like \"0-3 20-23\"");
  for (const json& phase : *found) {
    if (!phase.is_string()) return wrong(key, "a list of strings like \"0-3 20-23\"");
    text += (text.empty() ? "" : ",") + phase.get<std::string>();
  }
  const Result<scratchpad::PhaseTable> phases = scratchpad::parse_phases(text);
  if (!phases) return Error{std::string(key) + ": " + phases.error().message};
  rules.tables[which] = *phases;
  if (!scratchpad::phases_fit(rules, which))
    return Error{std::string(key) + ": " + std::string(scratchpad::kTooManyBytes)};
  return std::nullopt;
}

ordered_json table_json(const scratchpad::PhaseTable& table) {
  ordered_json list = ordered_json::array();
  std::string text = scratchpad::phases_text(table);
  for (size_t end; !text.empty(); text.erase(0, end == std::string::npos ? end : end + 2)) {
    end = text.find(", ");
    list.push_back(text.substr(0, end));
  }
  return list;
}

/// k1, k2 and mask follow from the rows.
Result<scratchpad::BankHash> read_hash(const json& object, unsigned banks) {
  const unsigned bank_bits = static_cast<unsigned>(std::countr_zero(banks));
  const auto found = object.is_object() ? object.find("address_bits") : object.end();
  if (found == object.end() || !found->is_number_unsigned() || found->get<uint64_t>() < bank_bits ||
      found->get<uint64_t>() > scratchpad::kMaxAddressBits) {
    return Error{"address_bits must be from " + std::to_string(bank_bits) + " to " +
                 std::to_string(scratchpad::kMaxAddressBits)};
  }
  const scratchpad::HashSize size{found->get<unsigned>(), bank_bits};
  for (const scratchpad::HashClass& c : scratchpad::hash_classes()) {  // a class that is not linear has no rows
    if (!c.parameters.empty() || object.value("class", json()) != c.name) continue;
    if (const Result<scratchpad::BankHash> hash = c.parse({}, size); hash && !hash->linear()) return *hash;
  }
  std::vector<uint32_t> rows;
  for (const json& row : object.value("rows", json::array())) {
    if (!row.is_number_unsigned() || row.get<uint64_t>() > UINT32_MAX) return Error{"rows must hold whole numbers"};
    rows.push_back(row.get<uint32_t>());
  }
  return scratchpad::rows_hash(size, rows);
}

}  // namespace

ordered_json rules_json(const Rules& rules, bool all) {
  const Rules usual;
  ordered_json object = ordered_json::object();
  for (const Number& number : kNumbers) {
    if (all || number.value == &Rules::banks || rules.*number.value != usual.*number.value)
      object[number.key] = rules.*number.value;
  }
  for (const Flag& flag : kFlags) {
    if (all || rules.*flag.value) object[flag.key] = rules.*flag.value;
  }
  for (size_t k = 0; k < Rules::kTables; ++k) {
    if (!rules.tables[k].empty()) object[std::string(scratchpad::kPhaseKeys[k].name)] = table_json(rules.tables[k]);
  }
  if (rules.hash) {
    object["hash"] = ordered_json::parse(hash_to_json(*rules.hash));
    object["hash"]["address_bits"] = rules.hash->address_bits;
  }
  return object;
}

Result<Rules> read_rules(const json& object) {
  Rules rules;
  if (!object.is_object()) return Error{"must be an object"};
  for (const Number& number : kNumbers) {
    if (const auto error = read_number(object, number, rules)) return *error;
  }
  for (size_t k = 0; k < Rules::kTables; ++k) {
    if (const auto error = read_table(object, k, rules)) return *error;
  }
  for (const Flag& flag : kFlags) {
    const auto found = object.find(flag.key);
    if (found == object.end()) continue;
    if (!found->is_boolean()) return wrong(flag.key, "true or false");
    rules.*flag.value = found->get<bool>();
  }
  if (const auto hash = object.find("hash"); hash != object.end()) {
    const Result<scratchpad::BankHash> read = read_hash(*hash, rules.banks);
    if (!read) return Error{"hash: " + read.error().message};
    rules.hash = *read;
  }
  return rules;
}

}  // namespace bankshot::report
