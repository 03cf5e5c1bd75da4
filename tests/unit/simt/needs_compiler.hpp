// For tests of native code: what there is on this host.
#pragma once

#include <gtest/gtest.h>

#include "bankshot/simt/run/compiling.hpp"

/// Ends the test: as skipped on a host or in a build without a compiler of kernels, as failed if the compiler is
/// broken.
#define BANKSHOT_NEEDS_COMPILER()                                                                  \
  do {                                                                                             \
    const ::bankshot::simt::NativeProblem bankshot_problem = ::bankshot::simt::compiler_problem(); \
    ASSERT_FALSE(bankshot_problem.is_fault) << bankshot_problem.why;                               \
    if (!bankshot_problem.why.empty()) GTEST_SKIP() << bankshot_problem.why;                       \
  } while (false)
