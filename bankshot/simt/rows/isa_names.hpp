// What users may ask for: BANKSHOT_ISA.
#pragma once

#include <string_view>

namespace bankshot::simt {

/// The instruction sets of the host with rows for warps of 32 lanes, whether or not this build and this host have them.
inline constexpr std::string_view kIsaNames[] = {"portable", "avx2", "avx512"};

/// The widest that this host has, whether or not this build has rows for it.
std::string_view host_isa();

}  // namespace bankshot::simt
