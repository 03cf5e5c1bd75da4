// A bank hash as JSON, in reports and in what searches find. docs/json.md.
#pragma once

#include <string>

#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::report {

/// {"class":"bitvector-xor","k1":0,"k2":5,"mask":7,"rows":[…]}; class and parameters as hash_text.hpp has them.
std::string hash_to_json(const scratchpad::BankHash& hash);

}  // namespace bankshot::report
