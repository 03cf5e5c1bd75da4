// The kinds of notices: what SARIF calls rules.
#pragma once

#include <span>
#include <string_view>

#include "bankshot/simt/checks/finding.hpp"

namespace bankshot::formats {

enum class Level : uint8_t { error, warning, note };
std::string_view name(Level level);  ///< "error", as SARIF has it

struct Rule {
  std::string_view id;     ///< "bank-conflict"; it never changes
  std::string_view name;   ///< "BankConflict"
  std::string_view brief;  ///< one sentence
  std::string_view full;   ///< what it means
  std::string_view help;   ///< what to do
  std::string_view uri;    ///< a page that explains the subject
  Level level = Level::warning;
};

/// All of them; documents refer to them by index.
std::span<const Rule> rules();
const Rule& rule(std::string_view id);  ///< @param id  must be that of a rule
const Rule& rule(simt::Finding::Kind kind);

}  // namespace bankshot::formats
