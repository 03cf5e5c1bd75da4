// Names that PTX defines itself.
#pragma once

#include <string_view>

namespace bankshot::ptx {

/// %tid, %tid.x, %clock64, %envreg7 and so on. @param name  with the %
/// Source: PTX ISA manual, chapter 10 (special registers).
bool is_special_register(std::string_view name);

/// WARP_SZ, the only named constant. Source: PTX ISA manual, §4.4.
bool is_predefined_constant(std::string_view name);

}  // namespace bankshot::ptx
