// What was compiled of a kernel: docs/json.md.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bankshot/simt/state/compiled.hpp"

namespace bankshot::report {

nlohmann::ordered_json compiled_json(const simt::Compiled& compiled);
/// Reads the same. Throws json_values::Bad.
simt::Compiled read_compiled(const nlohmann::json& object);

}  // namespace bankshot::report
