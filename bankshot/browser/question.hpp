// What questions have in common. Readers return errors as values: WebAssembly has no exceptions here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::browser {

/// One access of a warp.
struct Access {
  scratchpad::AccessKind kind = scratchpad::AccessKind::load;
  unsigned width = 4;                                     ///< bytes a lane
  uint64_t weight = 1;                                    ///< how many accesses are like it
  uint64_t mask = 0;                                      ///< lanes that take part
  std::array<uint32_t, scratchpad::kMaxLanes> offsets{};  ///< in bytes, multiples of `width`
  unsigned lanes = 0;                                     ///< listed, those that are off included
};

/// A whole number of `object`, `otherwise` if it is not there.
Result<uint64_t> number(const nlohmann::json& object, const char* key, uint64_t otherwise, uint64_t least,
                        uint64_t most);
/// The same of texts and flags.
Result<std::string> text(const nlohmann::json& object, const char* key, const std::string& otherwise);
Result<bool> flag(const nlohmann::json& object, const char* key, bool otherwise);

/// `rules`, as docs/json.md has `scratchpad`, and `hash`, a spec, which replaces the one of the rules.
Result<scratchpad::Rules> read_rules(const nlohmann::json& question);

/// `offsets`, `width`, `kind`, `weight` of an object.
Result<Access> read_access(const nlohmann::json& object);

/// `accesses` of a question, each as a pattern, with the least address bits that hashes of these banks have.
Result<scratchpad::PatternSet> read_patterns(const nlohmann::json& question, const scratchpad::Rules& rules);

}  // namespace bankshot::browser
