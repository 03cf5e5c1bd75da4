// Where shared variables lie, worked by hand. ptxas 13.0 places them so: a kernel that names `second` alone has it at
// 0.
#include <gtest/gtest.h>

#include <string>

#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/shared_layout.hpp"
#include "tests/unit/ptx/ptx_helpers.hpp"

namespace bankshot::ptx {
namespace {

using Offsets = std::map<std::string, uint32_t>;

constexpr const char* kVariables = R"(
.shared .align 4 .b8 first[20];
.shared .align 8 .b8 second[12];
.extern .shared .align 32 .b8 dynamic[];
)";
constexpr const char* kFunction = ".func f()\n{\n.shared .align 4 .b8 inside[6];\nst.shared.u8 [inside], 1;\nret;\n}\n";

Offsets offsets(const std::string& rest) {
  const Module module = parsed(kHeader + rest);
  Offsets all;
  for (const auto& [variable, offset] : SharedLayout(module).offsets(*find_kernel(module, "k")))
    all[variable->name] = offset;
  return all;
}

TEST(SharedLayout, AKernelHasTheVariablesThatItNames) {
  const std::string kernel =
      ".entry k()\n{\n.shared .align 16 .b8 own[5];\nst.shared.u8 [second], 1;\nst.shared.u8 [own], 1;\nret;\n}\n";
  EXPECT_EQ(offsets(kVariables + kernel), (Offsets{{"second", 0}, {"own", 16}, {"dynamic", 32}}));
}

TEST(SharedLayout, OneThatCallsHasThoseOfAllFunctions) {
  const std::string kernel = ".entry k()\n{\n.shared .align 4 .b8 own[5];\ncall f;\nret;\n}\n";
  EXPECT_EQ(offsets(std::string(kVariables) + kFunction + kernel),
            (Offsets{{"first", 0}, {"second", 24}, {"inside", 36}, {"own", 44}, {"dynamic", 64}}));
}

TEST(SharedLayout, VariablesWhoseAddressIsKeptStayWhereTheyAre) {
  const std::string pointer = ".global .align 8 .u64 where = second;\n";
  const std::string kernel = ".entry k()\n{\nst.shared.u8 [second], 1;\nret;\n}\n";
  EXPECT_EQ(offsets(kVariables + pointer + kernel), (Offsets{{"first", 0}, {"second", 24}, {"dynamic", 64}}));
}

}  // namespace
}  // namespace bankshot::ptx
