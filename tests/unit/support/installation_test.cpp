#include "bankshot/support/installation.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace bankshot {
namespace {

TEST(Installation, own_file_of_a_program_is_the_program) {
  EXPECT_EQ(own_file(), std::filesystem::read_symlink("/proc/self/exe"));
}

}  // namespace
}  // namespace bankshot
