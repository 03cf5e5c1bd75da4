// Atomics of 128 bits and of vectors, registers of 128 bits, the stack. Source: PTX ISA 9.0, atom, red, mov, alloca.
// What they do does not depend on the host's instruction set: it is in simt/access
// and simt/control.
#include "bankshot/simt/access/wide_atomic.hpp"
#include "bankshot/simt/control/stack.hpp"
#include "bankshot/simt/isa/lanes/families.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// Sixteen bytes at the most; .noftz is required of halves, as everywhere.
Handler select_vector(const Match& m) {
  const unsigned count = m.has("v8") ? 8 : m.has("v4") ? 4 : 2;
  const bool floats = m.type == ptx::Type::f32;
  if (ptx::bits(m.type) / 8 * count > 16 || m.has("noftz") == floats || (floats && !m.has("add"))) return nullptr;
  return &run_wide_atomic;
}

}  // namespace

#define BANKSHOT_PLACE "{.sem}{.scope}{.space}"
#define BANKSHOT_SCOPES "scope = cta cluster gpu sys; "
#define BANKSHOT_SETS "sem = relaxed acquire release acq_rel; " BANKSHOT_SCOPES
#define BANKSHOT_ANYWHERE BANKSHOT_SETS "space = global shared shared::cta shared::cluster"
#define BANKSHOT_VECTORS \
  BANKSHOT_SCOPES "space = global; op = add min max; vec = v2 v4 v8; type = f32 f16 bf16 f16x2 bf16x2"

void wide_atomic_rows(Rows& rows) {
  rows.push_back({"atom" BANKSHOT_PLACE ".op{.noftz}{.L2::cache_hint}.vec.type d, [a], b",
                  "sem = relaxed acquire release acq_rel; " BANKSHOT_VECTORS, Unit::memory, select_vector,
                  &lower_wide_atomic});
  rows.push_back({"red" BANKSHOT_PLACE ".op{.noftz}{.L2::cache_hint}.vec.type [a], b",
                  "sem = relaxed release; " BANKSHOT_VECTORS, Unit::memory, select_vector, &lower_wide_atomic});
  rows.push_back({"atom" BANKSHOT_PLACE ".exch{.L2::cache_hint}.b128 d, [a], b", BANKSHOT_ANYWHERE, Unit::memory,
                  always(&run_wide_atomic), &lower_wide_atomic});
  rows.push_back({"atom" BANKSHOT_PLACE ".cas{.L2::cache_hint}.b128 d, [a], b, c", BANKSHOT_ANYWHERE, Unit::memory,
                  always(&run_wide_atomic), &lower_wide_atomic});
  rows.push_back(
      {"alloca.type d, a, alignment:imm", "type = u32 u64", Unit::memory, always(&run_alloca), &lower_alloca});
  rows.push_back({"stacksave.type d", "type = u32 u64", Unit::memory, always(&run_stack_save), &lower_stack_save});
  rows.push_back(
      {"stackrestore.type a", "type = u32 u64", Unit::memory, always(&run_stack_restore), &lower_stack_restore});
  rows.push_back({"mov.b128 d, a", "", Unit::memory, always(&run_wide_move), &lower_wide_move});
}

#undef BANKSHOT_PLACE
#undef BANKSHOT_SCOPES
#undef BANKSHOT_SETS
#undef BANKSHOT_ANYWHERE
#undef BANKSHOT_VECTORS

}  // namespace bankshot::simt::BANKSHOT_ISA
