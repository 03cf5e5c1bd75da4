// PTX text -> module.
#pragma once

#include <string_view>

#include "bankshot/ptx/module.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::ptx {

/// Parses PTX of ISA version 6.0 and later (older versions parse too). Never throws on input and never aborts.
/// @return the module, or every error found (the parser goes on after an error at the next `;` or `}`)
Result<Module, Diagnostics> parse(std::string_view text);

}  // namespace bankshot::ptx
