// Bit patterns at which the rules of integers and floats change: ends of ranges, shift counts around the widths, and of
// each float format zeros, one, infinities, NaNs, the ends of the subnormal and normal numbers and of the integers they
// hold. Random tests draw from them; the order is part of what a seed means, so that new ones go to the end of a test's
// own list.
#pragma once

#include <cstdint>

namespace bankshot::testing {

/// Integers of all widths, and f16, bf16 and pairs of them.
constexpr uint64_t kEdges[] = {0,
                               1,
                               2,
                               31,
                               32,
                               33,
                               63,
                               64,
                               0x7f,
                               0x80,
                               0xff,
                               0x7fff,
                               0x8000,
                               0xffff,
                               0x7fffffff,
                               0x80000000,
                               0xffffffff,
                               0x7fffffffffffffff,
                               0x8000000000000000,
                               ~uint64_t{0},
                               0x3c00,
                               0x7c00,
                               0xfc00,
                               0x7e01,
                               0x03ff,
                               0x0400,
                               0x3f80,
                               0x7f80,
                               0x00ff00ff00ff00ff,
                               0x3c003c00,
                               0xbc013c00,
                               0x3f80bf80};
constexpr uint32_t kEdgesF32[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                  0x7fc00001, 0x7f800001, 0x00800000, 0x007fffff, 0x807fffff, 0x00000001,
                                  0x7f7fffff, 0x33800000, 0x3f7fffff, 0x4b000001, 0x4f000000, 0x4f800000,
                                  0xcf000000, 0x477fe000, 0x477ff000, 0x33000000};
constexpr uint64_t kEdgesF64[] = {0,
                                  uint64_t{1} << 63,
                                  0x3ff0000000000000,
                                  0xbff0000000000000,
                                  0x7ff0000000000000,
                                  0xfff0000000000000,
                                  0x7ff8000000000001,
                                  0x7ff0000000000001,
                                  0x0010000000000000,
                                  0x000fffffffffffff,
                                  0x7fefffffffffffff,
                                  0x41dfffffffc00000,
                                  0x41e0000000000000,
                                  0xc1e0000000000000,
                                  0x43e0000000000000,
                                  0x43f0000000000000,
                                  0x3ca0000000000000,
                                  0x3f80000040000000,
                                  0x36a0000000000000,
                                  0x380fffffffffffff};

}  // namespace bankshot::testing
