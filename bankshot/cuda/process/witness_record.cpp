#include "bankshot/cuda/process/witness_record.hpp"

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

namespace bankshot::cuda {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DynamicShared, most, unit)

void DynamicShared::add(const DynamicShared& other) {
  most = std::max(most, other.most);
  unit = std::gcd(unit, other.unit);
}

std::string to_json(const WitnessRecord& record) {
  const json root = {{"launches", record.launches}, {"dynamic_shared", record.dynamic_shared},
                     {"events", record.events},     {"named", record.named},
                     {"digest", record.digest},     {"left", record.left}};
  return root.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<WitnessRecord> witness_from_json(std::string_view text) {
  try {
    const json root = json::parse(text);
    return WitnessRecord{
        root.at("launches").get<uint64_t>(),  root.at("dynamic_shared").get<std::map<std::string, DynamicShared>>(),
        root.at("events").get<uint64_t>(),    root.at("named").get<std::vector<std::string>>(),
        root.at("digest").get<std::string>(), root.at("left").get<std::vector<std::string>>()};
  } catch (const json::exception& error) {
    return Error{error.what()};
  }
}

}  // namespace bankshot::cuda
