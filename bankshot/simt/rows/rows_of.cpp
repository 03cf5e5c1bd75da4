// Which tables of rows this build has and this host can run.
#include "bankshot/simt/rows/isa_names.hpp"
#include "bankshot/simt/rows/row.hpp"

namespace bankshot::simt {

// Each is compiled from simt/isa with its own flags: see bankshot_isa in CMakeLists.txt.
namespace portable {
const Rows& rows();
}
namespace wide {
const Rows& rows();
}
#if defined(__x86_64__) && defined(BANKSHOT_WIDE_ISAS)
namespace avx2 {
const Rows& rows();
}
namespace avx512 {
const Rows& rows();
}
#endif

namespace {

/// The levels are those of the x86-64 psABI: v3 has AVX2 and FMA, v4 has AVX-512 F, BW, CD, DQ and VL.
bool host_has([[maybe_unused]] int level) {
#if defined(__x86_64__)
  return level == 3 ? __builtin_cpu_supports("x86-64-v3") != 0 : __builtin_cpu_supports("x86-64-v4") != 0;
#else
  return false;
#endif
}

}  // namespace

const Rows* rows_of(std::string_view isa) {
  if (isa == "portable") return &portable::rows();
  if (isa == "wide") return &wide::rows();
#if defined(__x86_64__) && defined(BANKSHOT_WIDE_ISAS)
  if (isa == "avx2" && host_has(3)) return &avx2::rows();
  if (isa == "avx512" && host_has(4)) return &avx512::rows();
#endif
  return nullptr;
}

std::string_view host_isa() { return host_has(4) ? "avx512" : host_has(3) ? "avx2" : "portable"; }
std::string_view best_isa() { return rows_of(host_isa()) != nullptr ? host_isa() : "portable"; }

}  // namespace bankshot::simt
