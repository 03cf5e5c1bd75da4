// Accesses through multicast objects. Source: PTX ISA 9.0, multimem. What they do does not depend on the host's
// instruction set: it is in simt/access.
#include "bankshot/simt/access/multimem.hpp"
#include "bankshot/simt/isa/lanes/families.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

Handler select_multimem(const Match& m) { return is_multimem_form(m) ? &run_multimem : nullptr; }

}  // namespace

// An order and the scope it holds in are written together.
#define BANKSHOT_SCOPES(sem) sem ".cta " sem ".cluster " sem ".gpu " sem ".sys "
#define BANKSHOT_ORDERS(sem) "order = " BANKSHOT_SCOPES("relaxed") BANKSHOT_SCOPES(sem) "weak; "
#define BANKSHOT_TYPES "vec = v2 v4 v8; type = u32 s32 u64 s64 b32 b64 f32 f64 f16 bf16 f16x2 bf16x2"
#define BANKSHOT_SMALL_TYPES " e4m3 e5m2 e4m3x2 e5m2x2 e4m3x4 e5m2x4"

void multimem_rows(Rows& rows) {
  rows.push_back({"multimem.ld_reduce{.order}{.global}.op{.vec}.type d, a:addr",
                  BANKSHOT_ORDERS("acquire") "op = add min max and or xor; " BANKSHOT_TYPES BANKSHOT_SMALL_TYPES,
                  Unit::memory, select_multimem, &lower_multimem});
  rows.push_back(
      {"multimem.ld_reduce{.order}{.global}.add.acc{.vec}.type d, a:addr",
       BANKSHOT_ORDERS(
           "acquire") "acc = acc::f32 acc::f16; vec = v2 v4 v8; type = f16 bf16 f16x2 bf16x2" BANKSHOT_SMALL_TYPES,
       Unit::memory, select_multimem, &lower_multimem});
  rows.push_back({"multimem.st{.order}{.global}{.vec}.type a:addr, b",
                  BANKSHOT_ORDERS("release") BANKSHOT_TYPES BANKSHOT_SMALL_TYPES, Unit::memory, select_multimem,
                  &lower_multimem});
  rows.push_back({"multimem.red{.order}{.global}.op{.vec}.type a:addr, b",
                  "order = " BANKSHOT_SCOPES("relaxed") "release.cta release.cluster release.gpu release.sys; op = add "
                                                        "min max and or xor; " BANKSHOT_TYPES,
                  Unit::memory, select_multimem, &lower_multimem});
}

#undef BANKSHOT_SCOPES
#undef BANKSHOT_ORDERS
#undef BANKSHOT_TYPES
#undef BANKSHOT_SMALL_TYPES

}  // namespace bankshot::simt::BANKSHOT_ISA
