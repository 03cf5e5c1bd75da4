// The settings that a plan may vary: the one place that knows their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bankshot/sweep/plan/value.hpp"

namespace bankshot::sweep {

enum class SettingKind : uint8_t {
  gpu,
  program,
  arguments,
  bank_hash,
  lock_hash,
  component,  ///< scheduler, pipeline, atomics, aware
  sample,
  seed,      ///< {seed} in texts
  variable,  ///< let.NAME: {NAME} in texts
  key,       ///< SECTION.KEY of a GPU's file
  unknown,
};

SettingKind kind_of(std::string_view name);

/// Why a name is not one of a setting, with those that there are; empty if it is.
std::string name_problem(std::string_view name);

/// Why a setting cannot have this value on any machine; empty if it can, as far as that is known without one.
std::string value_problem(std::string_view name, const Value& value);

/// Whether a setting is one of the machine, and not of what it runs: program, arguments, seed, variable.
bool is_of_machine(std::string_view name);

/// The column of a table that a setting has: "l1_bytes" of "l1.bytes", "size" of "let.size".
std::string column_of(std::string_view name);

}  // namespace bankshot::sweep
