// Rows of the table of instructions that no rule of this folder covers, and the tests that do. A row of another opcode
// needs a rule (conformance.hpp), one more row of these a test there and its count here.
#pragma once

#include <string_view>

namespace bankshot::simt::conformance {

struct Elsewhere {
  std::string_view opcode;
  unsigned rows;          ///< of the table that have it
  std::string_view file;  ///< below tests
  std::string_view why;   ///< no rule about the values of a lane
};

constexpr std::string_view kLanes = "values of other lanes", kMemory = "memory", kFlow = "where lanes go and wait",
                           kMatrix = "matrices of a whole warp", kTexture = "textures and surfaces",
                           kAddress = "addresses", kHint = "nothing to see but that it runs";

constexpr Elsewhere kElsewhere[] = {
    {"cvta", 1, "unit/engine_members_test.cpp", kAddress},
    {"isspacep", 1, "unit/engine_members_test.cpp", kAddress},
    {"istypep", 1, "unit/engine_texture_test.cpp", kTexture},
    {"ld", 1, "ptx/memory_test.cpp", kMemory},
    {"st", 1, "ptx/memory_test.cpp", kMemory},
    {"st", 1, "unit/engine_cluster_test.cpp", kMemory},  // st.async
    {"ldu", 1, "ptx/memory_test.cpp", kMemory},
    {"atom", 6, "ptx/atomic_test.cpp", kMemory},
    {"atom", 3, "unit/engine_wide_atomic_test.cpp", kMemory},
    {"red", 4, "ptx/atomic_test.cpp", kMemory},
    {"red", 1, "unit/engine_wide_atomic_test.cpp", kMemory},
    {"red", 1, "unit/engine_cluster_test.cpp", kMemory},  // red.async
    {"mov.b128", 1, "unit/engine_wide_atomic_test.cpp", kMemory},
    {"alloca", 1, "unit/engine_wide_atomic_test.cpp", kMemory},
    {"stacksave", 1, "unit/engine_wide_atomic_test.cpp", kMemory},
    {"stackrestore", 1, "unit/engine_wide_atomic_test.cpp", kMemory},
    {"mapa", 1, "unit/engine_cluster_test.cpp", kAddress},
    {"getctarank", 1, "unit/engine_cluster_test.cpp", kAddress},
    {"tensormap", 3, "unit/engine_tensor_copy_test.cpp", kMemory},
    {"cp", 12, "unit/engine_async_test.cpp", kMemory},
    {"cp", 6, "unit/engine_tensor_copy_test.cpp", kMemory},
    {"mbarrier", 9, "unit/engine_async_test.cpp", kMemory},
    {"shfl", 2, "ptx/warp_test.cpp", kLanes},
    {"vote", 6, "ptx/warp_test.cpp", kLanes},
    {"match", 4, "ptx/warp_test.cpp", kLanes},
    {"activemask", 1, "ptx/warp_test.cpp", kLanes},
    {"elect", 1, "ptx/warp_test.cpp", kLanes},
    {"redux", 3, "ptx/warp_test.cpp", kLanes},
    {"mma", 13, "unit/rows_tensor_test.cpp", kMatrix},
    {"wmma", 25, "unit/engine_matrix_test.cpp", kMatrix},
    {"ldmatrix", 2, "unit/engine_matrix_test.cpp", kMatrix},
    {"stmatrix", 2, "unit/engine_matrix_test.cpp", kMatrix},
    {"movmatrix", 1, "unit/engine_matrix_test.cpp", kMatrix},
    {"tex", 2, "unit/engine_texture_test.cpp", kTexture},
    {"tld4", 1, "unit/engine_texture_test.cpp", kTexture},
    {"txq", 2, "unit/engine_texture_test.cpp", kTexture},
    {"suld", 1, "unit/engine_texture_test.cpp", kTexture},
    {"sust", 2, "unit/engine_texture_test.cpp", kTexture},
    {"sured", 2, "unit/engine_texture_test.cpp", kTexture},
    {"suq", 1, "unit/engine_texture_test.cpp", kTexture},
    {"bra", 1, "unit/engine_flow_test.cpp", kFlow},
    {"brx", 1, "unit/engine_flow_test.cpp", kFlow},
    {"call", 1, "unit/engine_calls_test.cpp", kFlow},
    {"ret", 1, "unit/engine_calls_test.cpp", kFlow},
    {"exit", 1, "unit/engine_flow_test.cpp", kFlow},
    {"trap", 1, "unit/engine_progress_test.cpp", kFlow},
    {"bar", 4, "unit/engine_sync_test.cpp", kFlow},
    {"barrier", 3, "unit/engine_sync_test.cpp", kFlow},
    {"barrier", 2, "unit/engine_cluster_test.cpp", kFlow},
    {"membar", 1, "unit/engine_flow_test.cpp", kFlow},
    {"fence", 2, "unit/engine_sync_test.cpp", kFlow},
    {"fence", 1, "unit/engine_cluster_test.cpp", kFlow},
    {"fence", 4, "unit/engine_tensor_copy_test.cpp", kFlow},
    {"nanosleep", 1, "timing/chip_order_test.cpp", kFlow},
    {"prefetch", 1, "ptx/hints_test.cpp", kHint},
    {"prefetchu", 1, "ptx/hints_test.cpp", kHint},
    {"discard", 1, "ptx/hints_test.cpp", kHint},
    {"applypriority", 1, "ptx/hints_test.cpp", kHint},
    {"createpolicy", 3, "ptx/hints_test.cpp", kHint},
    {"brkpt", 1, "ptx/hints_test.cpp", kHint},
    {"griddepcontrol", 1, "ptx/hints_test.cpp", kHint},
    {"pmevent", 1, "ptx/hints_test.cpp", kHint},
    {"setmaxnreg", 1, "ptx/hints_test.cpp", kHint},
};

}  // namespace bankshot::simt::conformance
