// Digests: every byte counts.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bankshot/support/digest.hpp"

namespace bankshot {
namespace {

TEST(Digest128, every_byte_and_the_length_count) {
  const auto of = [](std::vector<unsigned char> bytes) {
    Digest digest;
    digest.add(bytes.data(), bytes.size());
    return digest.text();
  };
  std::vector<unsigned char> bytes(21, 7);
  const std::string whole = of(bytes);
  EXPECT_EQ(whole, of(bytes));
  EXPECT_EQ(whole.size(), 32u);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<unsigned char> other = bytes;
    other[i] ^= 0x80;
    EXPECT_NE(of(other), whole) << i;
  }
  EXPECT_NE(of({}), of({0}));
  EXPECT_NE(of({0}), of({0, 0}));
}

TEST(Digest128, texts_do_not_run_into_each_other) {
  Digest a, b;
  a.add_text("ab");
  a.add_text("c");
  b.add_text("a");
  b.add_text("bc");
  EXPECT_NE(a.text(), b.text());
}

}  // namespace
}  // namespace bankshot
