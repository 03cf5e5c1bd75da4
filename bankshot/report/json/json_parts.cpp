#include "bankshot/report/json/json_parts.hpp"

#include <bit>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/patterns_json.hpp"

namespace bankshot::report {

using nlohmann::ordered_json;

ordered_json rules_json(const scratchpad::Rules& rules) {
  ordered_json object = {
      {"banks", rules.banks},         {"bank_bytes", rules.bank_bytes}, {"lanes_b32", rules.lanes_b32},
      {"lanes_b64", rules.lanes_b64}, {"lanes_b128", rules.lanes_b128}, {"merge_b128", rules.merge_b128},
      {"ports", rules.ports}};
  if (rules.hash) {
    object["hash"] = ordered_json::parse(hash_to_json(*rules.hash));
    object["hash"]["address_bits"] = rules.hash->address_bits;
  }
  return object;
}

ordered_json pattern_json(const scratchpad::Pattern& pattern) {
  constexpr const char* kKinds[] = {"load", "store", "atomic"};
  ordered_json addresses = ordered_json::array();
  for (unsigned lane = 0; lane < static_cast<unsigned>(std::bit_width(pattern.mask)); ++lane) {
    addresses.push_back((pattern.mask >> lane & 1) != 0 ? ordered_json(pattern.words[lane]) : ordered_json(nullptr));
  }
  return {{"weight", pattern.weight},
          {"width", pattern.width},
          {"kind", kKinds[static_cast<size_t>(pattern.kind)]},
          {"addresses", std::move(addresses)}};
}

}  // namespace bankshot::report
