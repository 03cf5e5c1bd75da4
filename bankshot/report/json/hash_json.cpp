#include "bankshot/report/json/hash_json.hpp"

#include <nlohmann/json.hpp>

#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::report {

std::string hash_to_json(const scratchpad::BankHash& hash) {
  nlohmann::json object = {{"class", scratchpad::class_name(hash)}};
  if (hash.linear()) object["rows"] = hash.rows();
  if (const auto v = scratchpad::as_bitvector(hash); v) {
    object["k1"] = v->k1;
    object["k2"] = v->k2;
    object["mask"] = v->mask;
  }
  return object.dump();
}

}  // namespace bankshot::report
