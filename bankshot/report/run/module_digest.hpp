// What identifies the PTX of a module.
#pragma once

#include <string>
#include <string_view>

namespace bankshot::report {

/// ModuleId::digest of a text: 16 hexadecimal digits.
std::string module_digest(std::string_view ptx);

}  // namespace bankshot::report
