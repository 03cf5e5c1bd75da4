// What CTAs of a cluster do with each other, and with clusters that have not started. Source: PTX ISA 9.0,
// barrier.cluster, mapa, getctarank, clusterlaunchcontrol. What
// they do does not depend on the host's instruction set: it is in simt/control and simt/async.
#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/access/reduce.hpp"
#include "bankshot/simt/async/async_store.hpp"
#include "bankshot/simt/async/launch_control.hpp"
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/lower/lower_async.hpp"
#include "bankshot/simt/lower/lower_cluster.hpp"
#include "bankshot/simt/lower/lower_control.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

void cluster_rows(Rows& rows) {
  rows.push_back({"barrier.cluster.arrive{.sem}{.aligned}", "sem = release relaxed", Unit::barrier,
                  always(&run_cluster_arrive), &lower_nothing});
  rows.push_back({"barrier.cluster.wait{.sem}{.aligned}", "sem = acquire", Unit::barrier, always(&run_cluster_wait),
                  &lower_nothing});
  rows.push_back(
      {"mapa{.space}.type d, a, b:u32", "space = shared::cluster; type = u32 u64", Unit::memory,
       [](const Match& m) -> Handler { return m.type == ptx::Type::u64 ? &run_map_to_cta<u64> : &run_map_to_cta<u32>; },
       &lower_map_to_cta});
  rows.push_back(
      {"getctarank{.space}.type d:u32, a", "space = shared::cluster; type = u32 u64", Unit::memory,
       [](const Match& m) -> Handler { return m.type == ptx::Type::u64 ? &run_rank_of<u64> : &run_rank_of<u32>; },
       &lower_rank_of});
  rows.push_back(
      {"clusterlaunchcontrol.try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes{.multicast::cluster::all}."
       "b128 "
       "[d], [barrier]",
       "", Unit::memory, always(&run_try_cancel), &lower_try_cancel});
  rows.push_back({"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, a", "", Unit::alu,
                  always(&run_is_canceled), &lower_is_canceled});
  rows.push_back({"clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 d, a", "", Unit::alu,
                  always(&run_first_cta), &lower_first_cta});
  rows.push_back({"clusterlaunchcontrol.query_cancel.first.b32.b128 d, a",
                  "first = get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z", Unit::alu, always(&run_first_cta),
                  &lower_first_cta});
  rows.push_back(
      {"st.async{.weak}{.space}.mbarrier::complete_tx::bytes{.vec}.type [a], b, [barrier]",
       "space = shared::cluster; vec = v2 v4; type = b32 b64 u32 u64 s32 s64 f32 f64", Unit::memory,
       [](const Match& m) -> Handler { return ptx::bits(m.type) == 64 && m.has("v4") ? nullptr : &run_async_store; },
       &lower_async_store});
  const auto reduces = [](const Match& m) -> Handler {
    const Reduction reduction = reduction_named(m.which({"inc", "dec", "min", "max", "add", "and", "or", "xor"}));
    // Of 64 bits there are sums alone.
    const bool possible = has_form(reduction, m.type) && (ptx::bits(m.type) == 32 || reduction == Reduction::add);
    return possible ? &run_async_reduce : nullptr;
  };
  rows.push_back({"red.async.relaxed.cluster{.space}.mbarrier::complete_tx::bytes.op.type [a], b, [barrier]",
                  "space = shared::cluster; op = inc dec min max add and or xor; "
                  "type = u32 s32 b32 u64 s64",
                  Unit::memory, reduces, &lower_async_store});
}

}  // namespace bankshot::simt::BANKSHOT_ISA
