// Attributes of the device by number.
// Source: CUDA runtime API reference, enum cudaDeviceAttr; values of limits: CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability". Arrays and textures are held to those for textures and surfaces.
#include <algorithm>

#include "bankshot/cuda/device/device.hpp"

namespace bankshot::cuda {
namespace {

struct Row {
  int number;
  int (*value)(const DeviceInfo&);
};

template <int Value>
int fixed(const DeviceInfo&) {
  return Value;
}

// clang-format off
const Row kRows[] = {
    {1, [](const DeviceInfo& d) -> int { return d.sm.max_threads_per_block; }},
    {2, fixed<kMaxBlock[0]>},
    {3, fixed<kMaxBlock[1]>},
    {4, fixed<kMaxBlock[2]>},
    {5, fixed<kMaxGrid[0]>},
    {6, fixed<kMaxGrid[1]>},
    {7, fixed<kMaxGrid[2]>},
    {8, [](const DeviceInfo& d) -> int { return d.shared_by_default; }},
    {9, [](const DeviceInfo& d) -> int { return d.constant_memory; }},
    {10, [](const DeviceInfo& d) -> int { return d.sm.warp_size; }},
    {11, fixed<0x7fffffff>},                                                        // pitch
    {12, [](const DeviceInfo& d) -> int { return d.sm.registers_per_block; }},
    {13, [](const DeviceInfo& d) -> int { return d.clock_khz; }},
    {14, fixed<512>},                                                               // texture alignment
    {15, fixed<1>},                                                                 // copies overlap kernels
    {16, [](const DeviceInfo& d) -> int { return d.sms; }},
    {17, fixed<0>},                                                                 // kernel time limit
    {18, fixed<0>},                                                                 // integrated
    {19, fixed<1>},                                                                 // maps host memory
    {20, fixed<0>},                                                                 // compute mode: default
    {21, fixed<131072>}, {22, fixed<131072>}, {23, fixed<65536>},                   // textures …
    {24, fixed<16384>}, {25, fixed<16384>}, {26, fixed<16384>},
    {27, fixed<32768>}, {28, fixed<32768>}, {29, fixed<2048>},
    {30, fixed<512>},                                                               // surface alignment
    {31, fixed<1>},                                                                 // concurrent kernels
    {32, fixed<0>},                                                                 // ECC
    {33, fixed<kPciBus>}, {34, fixed<kPciDevice>},
    {35, fixed<0>},                                                                 // TCC driver
    {36, [](const DeviceInfo& d) -> int { return d.memory_clock_khz; }},
    {37, [](const DeviceInfo& d) -> int { return d.memory_bus_bits; }},
    {38, [](const DeviceInfo& d) -> int { return d.l2_bytes; }},
    {39, [](const DeviceInfo& d) -> int { return d.sm.max_warps * d.sm.warp_size; }},
    {40, fixed<2>},                                                                 // copy engines
    {41, fixed<1>},                                                                 // unified addressing
    {42, fixed<32768>}, {43, fixed<2048>}, {45, fixed<32768>}, {46, fixed<32768>},
    {47, fixed<8192>}, {48, fixed<8192>}, {49, fixed<32768>},
    {50, fixed<kPciDomain>},
    {51, fixed<32>},                                                                // texture pitch alignment
    {52, fixed<32768>}, {53, fixed<32768>}, {54, fixed<2046>},
    {55, fixed<32768>}, {56, fixed<131072>}, {57, fixed<65536>},                    // surfaces …
    {58, fixed<16384>}, {59, fixed<16384>}, {60, fixed<16384>},
    {61, fixed<32768>}, {62, fixed<2048>}, {63, fixed<32768>}, {64, fixed<32768>}, {65, fixed<2048>},
    {66, fixed<32768>}, {67, fixed<32768>}, {68, fixed<2046>},
    {69, fixed<268435456>}, {70, fixed<131072>}, {71, fixed<65000>}, {72, fixed<2097120>},
    {73, fixed<32768>}, {74, fixed<32768>},
    {75, [](const DeviceInfo& d) -> int { return d.major; }},
    {76, [](const DeviceInfo& d) -> int { return d.minor; }},
    {77, fixed<32768>},
    {78, fixed<1>},                                                                 // stream priorities
    {79, fixed<1>}, {80, fixed<1>},                                                 // L1 caches global, local
    {81, [](const DeviceInfo& d) -> int { return d.sm.shared; }},
    {82, [](const DeviceInfo& d) -> int { return d.sm.registers; }},
    {83, fixed<1>},                                                                 // managed memory
    {84, fixed<0>}, {85, fixed<0>},                                                 // multi-GPU board
    {86, fixed<0>},                                                                 // atomics with the host
    {87, [](const DeviceInfo& d) -> int { return d.minor == 0 && d.major < 12 ? 2 : 64; }},  // f32 to f64 throughput
    {88, [](const DeviceInfo& d) -> int { return d.pageable_memory; }}, {89, fixed<1>}, {90, fixed<1>}, {91, fixed<1>},
    {92, fixed<0>}, {93, fixed<0>}, {94, fixed<0>},
    {95, fixed<1>}, {96, fixed<0>},                                                 // cooperative, … on several GPUs
    {97, [](const DeviceInfo& d) -> int { return d.sm.shared_per_block; }},
    {98, fixed<0>},
    {99, fixed<1>},                                                                 // cudaHostRegister
    {100, fixed<0>}, {101, fixed<0>},
    {102, fixed<1>},                                                                // virtual memory management
    {103, fixed<0>}, {104, fixed<0>}, {105, fixed<0>},
    {106, [](const DeviceInfo& d) -> int { return d.sm.max_blocks; }},
    {107, fixed<0>},
    {108, [](const DeviceInfo& d) -> int { return d.major >= 8 ? d.l2_bytes / 4 * 3 : 0; }},  // persisting L2
    {109, [](const DeviceInfo& d) -> int { return d.major >= 8 ? 128 << 20 : 0; }},           // … and its window
    {110, fixed<0>},
    {111, [](const DeviceInfo& d) -> int { return d.sm.shared_reserved; }},
    {112, fixed<0>}, {113, fixed<0>}, {114, fixed<0>},
    {115, fixed<1>},                                                                // memory pools
    {116, fixed<0>}, {117, fixed<0>}, {118, fixed<0>}, {119, fixed<0>},
    {120, [](const DeviceInfo& d) -> int { return d.major >= 9 ? 1 : 0; }},         // clusters
    {121, fixed<0>}, {122, fixed<1>}, {123, fixed<1>},                              // … values that streams wait for
    {124, fixed<0>}, {125, fixed<0>},
    {126, fixed<1>}, {127, fixed<0>}, {128, fixed<0>}, {129, fixed<1>}, {130, fixed<0>}, {131, fixed<-1>},
    {132, [](const DeviceInfo& d) -> int { return d.major == 9 || d.major == 10 ? 1 : 0; }},  // multicast
    {133, fixed<0>}, {134, fixed<0>}, {135, fixed<0>}, {136, fixed<0>}, {137, fixed<0>}, {138, fixed<0>},
    {139, fixed<0>}, {140, fixed<0>}, {141, fixed<0>}, {142, fixed<0>}, {143, fixed<0>}, {144, fixed<0>},
    {145, fixed<0>}, {147, fixed<0>},
};
// clang-format on

}  // namespace

std::optional<int> attribute(const DeviceInfo& device, int number) {
  const auto row = std::ranges::lower_bound(kRows, number, {}, &Row::number);
  if (row == std::end(kRows) || row->number != number) return std::nullopt;
  return row->value(device);
}

}  // namespace bankshot::cuda
