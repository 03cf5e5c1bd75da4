// Under a sanitizer the tests take ten times as long, and look for other mistakes than wrong numbers.
#pragma once

namespace bankshot {

#ifdef BANKSHOT_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How often a test does one thing with other numbers.
constexpr int repetitions(int usual) { return kSanitized ? (usual + 7) / 8 : usual; }

}  // namespace bankshot

/// Leaves out a test that computes for seconds, in code that smaller tests run as well.
#define BANKSHOT_LEAVE_OUT_IF_SANITIZED() \
  if (bankshot::kSanitized) GTEST_SKIP() << "left out under a sanitizer: smaller tests run the same code"
