#include "bankshot/simt/decode/unsupported.hpp"

#include <algorithm>

namespace bankshot::simt {
namespace {

constexpr std::string_view kNewer = "Build for sm_90 or older: only newer GPUs have it.";

struct Known {
  std::string_view opcode, modifier;  ///< or what it begins with
  std::string_view what, remedy;
};
constexpr Known kKnown[] = {
    {"add", "rs", "stochastic rounding", kNewer},
    {"sub", "rs", "stochastic rounding", kNewer},
    {"fma", "rs", "stochastic rounding", kNewer},
};

}  // namespace

Refusal refuse_modifier(std::string_view opcode, std::string_view modifier, std::string_view first_form) {
  const std::string name = "'." + std::string(modifier) + "' of '" + std::string(opcode) + "'";
  const auto* const known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) {
    return k.opcode == opcode && modifier.starts_with(k.modifier);
  });
  if (known == std::end(kKnown))
    return {"unknown modifier " + name,
            "docs/ptx.md lists the supported forms; the first is: " + std::string(first_form)};
  return {name + " is not supported: " + std::string(known->what), std::string(known->remedy)};
}

}  // namespace bankshot::simt
