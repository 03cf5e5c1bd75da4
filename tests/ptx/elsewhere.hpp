// Rows of the table of instructions that no rule of this folder covers: what they do is no rule about the values of one
// lane. Other tests look at them, and rows.all_are_executed (rows_executed_test.cpp) that each is executed by one. A
// row of another opcode needs a rule (conformance.hpp).
#pragma once

#include <algorithm>
#include <string_view>

#include "bankshot/simt/rows/row.hpp"

namespace bankshot::simt::conformance {

constexpr std::string_view kElsewhere[] = {
    // addresses
    "cvta", "isspacep", "mapa", "getctarank",
    // memory
    "ld", "st", "ldu", "atom", "red", "mov.b128", "mov.vec", "alloca", "stacksave", "stackrestore", "tensormap", "cp",
    "mbarrier", "multimem", "clusterlaunchcontrol",
    // more operands than a rule has
    "cvt.rs{.relu}.satfinite",
    // values of other lanes
    "shfl", "vote", "match", "activemask", "elect", "redux",
    // matrices of a whole warp
    "mma", "wmma", "wgmma", "tcgen05", "ldmatrix", "stmatrix", "movmatrix",
    // textures and surfaces
    "tex", "tld4", "txq", "suld", "sust", "sured", "suq", "istypep",
    // where lanes go and wait
    "bra", "brx", "call", "ret", "exit", "trap", "bar", "barrier", "membar", "fence", "nanosleep",
    // nothing to see but that it runs
    "prefetch", "prefetchu", "discard", "applypriority", "createpolicy", "brkpt", "griddepcontrol", "pmevent",
    "setmaxnreg"};

/// "mov.b128" means the rows that begin so, "ld" those of the opcode.
inline bool is_elsewhere(const Row& row) {
  return std::any_of(std::begin(kElsewhere), std::end(kElsewhere), [&](std::string_view name) {
    return name.find('.') == name.npos ? parse_form(row).opcode == name : row.syntax.starts_with(name);
  });
}

}  // namespace bankshot::simt::conformance
