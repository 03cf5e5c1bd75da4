// Asynchronous copies and the barriers that tell of them. Source: PTX ISA 9.0, sections 9.7.9.25 and 9.7.13.15. What
// they do does not depend on the host's instruction set: it is in simt/async.
#include "bankshot/simt/async/async_copy.hpp"
#include "bankshot/simt/async/mbarrier.hpp"
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/lower/lower_async.hpp"
#include "bankshot/simt/lower/lower_control.hpp"
#include "bankshot/simt/lower/lower_memory.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

Handler select_bulk(const Match& m) {
  if (m.has("bulk_group")) return &run_bulk_store;
  return m.has("global") ? &run_bulk_load : &run_bulk_move;
}

}  // namespace

// An order and the scope it holds in are written together, or neither is.
#define BANKSHOT_RELAXED "order = relaxed.cta relaxed.cluster; "
#define BANKSHOT_ARRIVING "order = relaxed.cta relaxed.cluster release.cta release.cluster; "
#define BANKSHOT_WAITING "order = relaxed.cta relaxed.cluster acquire.cta acquire.cluster; op = test_wait try_wait; "
#define BANKSHOT_OWN "space = shared shared::cta"
#define BANKSHOT_ANY BANKSHOT_OWN " shared::cluster"

void async_rows(Rows& rows) {
  const auto add = [&](std::string_view syntax, std::string_view sets, Handler handler, Lower lower) {
    rows.push_back({syntax, sets, Unit::memory, always(handler), lower});
  };
  add("cp.async.cop.space.global{.L2::cache_hint}{.pf} [d], [a], bytes:imm, b:u32",
      "cop = ca cg; space = shared shared::cta; pf = L2::64B L2::128B L2::256B", &run_async_copy, &lower_async_copy);
  add("cp.async.commit_group", "", &no_operation, &lower_nothing);
  add("cp.async.wait_group n:imm", "", &no_operation, &lower_async_wait);
  add("cp.async.wait_all", "", &no_operation, &lower_async_wait);
  // With an arrival that it adds itself the copies, which are there, change nothing.
  add("cp.async.mbarrier.arrive{.space}.b64 [a]", BANKSHOT_OWN, &no_operation, &lower_async_arrive);
  add("cp.async.mbarrier.arrive.noinc{.space}.b64 [a]", BANKSHOT_OWN, &run_mbarrier_arrive, &lower_async_arrive);

  rows.push_back(
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster}{.L2::cache_hint} [d], "
       "[a], "
       "bytes:u32, [barrier], ctas:u16",
       "", Unit::memory, select_bulk, &lower_bulk_copy});
  rows.push_back(
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint} [d], [a], bytes:u32, [barrier]",
       "", Unit::memory, select_bulk, &lower_bulk_copy});
  rows.push_back(
      {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [d], [a], bytes:u32, [barrier]", "",
       Unit::memory, select_bulk, &lower_bulk_copy});
  rows.push_back(
      {"cp.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask} [d], [a], bytes:u32, mask:b16", "",
       Unit::memory, select_bulk, &lower_bulk_copy});
  add("cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [a], bytes:u32", "", &no_operation, &lower_bulk_prefetch);
  add("cp.async.bulk.commit_group", "", &no_operation, &lower_nothing);
  add("cp.async.bulk.wait_group{.read} n:imm", "", &no_operation, &lower_async_wait);

  add("mbarrier.init{.space}.b64 [a], b:u32", BANKSHOT_OWN, &run_mbarrier_init, &lower_mbarrier);
  add("mbarrier.inval{.space}.b64 [a]", BANKSHOT_OWN, &run_mbarrier_inval, &lower_mbarrier);
  add("mbarrier.expect_tx{.order}{.space}.b64 [a], b:u32", BANKSHOT_RELAXED BANKSHOT_ANY, &run_mbarrier_expect,
      &lower_mbarrier);
  add("mbarrier.complete_tx{.order}{.space}.b64 [a], b:u32", BANKSHOT_RELAXED BANKSHOT_ANY, &run_mbarrier_complete,
      &lower_mbarrier);
  // Of a barrier of another CTA there is no state: d is _ then.
  for (const bool drops : {false, true}) {
    const Handler handler = drops ? &run_mbarrier_arrive_drop : &run_mbarrier_arrive;
    add(drops ? "mbarrier.arrive_drop{.expect_tx}{.order}{.space}.b64 d, [a], b:u32"
              : "mbarrier.arrive{.expect_tx}{.order}{.space}.b64 d, [a], b:u32",
        BANKSHOT_ARRIVING BANKSHOT_ANY, handler, &lower_mbarrier_arrive);
    add(drops ? "mbarrier.arrive_drop.noComplete{.release.cta}{.space}.b64 d, [a], b:u32"
              : "mbarrier.arrive.noComplete{.release.cta}{.space}.b64 d, [a], b:u32",
        BANKSHOT_OWN, handler, &lower_mbarrier_arrive);
  }
  add("mbarrier.op{.order}{.space}.b64 p, [a], b:b64", BANKSHOT_WAITING BANKSHOT_OWN, &run_mbarrier_test,
      &lower_mbarrier_test);
  add("mbarrier.op.parity{.order}{.space}.b64 p, [a], b:u32", BANKSHOT_WAITING BANKSHOT_OWN, &run_mbarrier_test_parity,
      &lower_mbarrier_test);
  add("mbarrier.pending_count.b64 d:u32, a", "", &run_mbarrier_pending, &lower_mbarrier_pending);
}

#undef BANKSHOT_RELAXED
#undef BANKSHOT_ARRIVING
#undef BANKSHOT_WAITING
#undef BANKSHOT_OWN
#undef BANKSHOT_ANY

}  // namespace bankshot::simt::BANKSHOT_ISA
