#include "bankshot/support/demangle.hpp"

#include <gtest/gtest.h>

namespace bankshot {
namespace {

TEST(Demangle, names_of_cpp_are_those_of_the_source) {
  EXPECT_EQ(demangle("_Z5scalePfi"), "scale(float*, int)");
  EXPECT_EQ(demangle("scale"), "scale");
  EXPECT_EQ(demangle("_Z"), "_Z");
  EXPECT_EQ(demangle("_Z1fB5cxx11v"), "f[abi:cxx11]()");
}

/// Names that Numba 0.68 made; its tags are the number of the compilation and a hash of the options.
TEST(Demangle, names_of_numba_are_those_of_python) {
  EXPECT_EQ(
      demangle("_ZN8__main__4coopB2v8B92cw51cXTLSUwv1sDUaKthqaNgoKmjgOR3W3CwAkMXLaJtQYkOIgxJU0gCqOkEJoHkbttqdVhoqls"
               "pQGNFHSgJ5BnXagIAE5ArrayIfLi1E1C7mutable7alignedE"),
      "__main__.coop(Array<float, 1, C, mutable, aligned>)");
  EXPECT_EQ(demangle("_ZN1m5outer12_3clocals_3e1kB3v12B2cwEi"), "m.outer.<locals>.k(int)");
  EXPECT_EQ(demangle("_ZN1m15gr_c3_b6_c3_9feB2v1B2cwEi"), "m.größe(int)");
  EXPECT_EQ(demangle("_ZN1m13_f0_9d_94_bc1B2v1B2cwEi"), "m.𝔼1(int)");
  EXPECT_EQ(demangle("_ZN1m15tile_32_c3_row1B2v1B2cwEi"), "m.tile_32_c3_row1(int)");
  EXPECT_EQ(demangle("_ZN1m12_3clambda_3e1kB2v1Ei"), "m::_3clambda_3e::k[abi:v1](int)");  // one tag only: not Numba's
}

}  // namespace
}  // namespace bankshot
