// What scalar video instructions give, in integers of 128 bits: the rule of their plain forms, and with parts of
// registers and negated operands.
#pragma once

#include "conformance.hpp"

namespace bankshot::simt::conformance {

/// "", "b0" … "b3", "h0" or "h1"; of c there is none.
struct Selectors {
  std::string d, a, b;
};
/// vmad only.
struct Negated {
  bool a = false, b = false, c = false;
};

uint32_t scalar_video(const Spelling& s, const Selectors& selectors, const Negated& negated, uint32_t a, uint32_t b,
                      uint32_t c);

}  // namespace bankshot::simt::conformance
