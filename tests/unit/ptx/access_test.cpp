// What instructions do to memory, by their spellings. The cases are the manual's; who asks (decoder, checker, timing,
// analysis, rewriting) takes it from here.
#include "bankshot/ptx/access.hpp"

#include <gtest/gtest.h>

#include "bankshot/ptx/parser.hpp"
#include "tests/unit/ptx/access_helpers.hpp"

namespace bankshot::ptx {
namespace {

Access of(const std::string& mnemonic) { return access_named(mnemonic); }

TEST(Access, plain_loads_and_stores_are_weak) {
  const Access load = of("ld.shared.v4.f32");
  EXPECT_EQ(load.kind, Access::Kind::load);
  EXPECT_EQ(load.space, Space::shared);
  EXPECT_EQ(load.type, Type::f32);
  EXPECT_EQ(load.bytes(), 16u);
  EXPECT_FALSE(load.is_strong());
  EXPECT_FALSE(load.writes());
  EXPECT_EQ(of("ld.global.nc.L2::128B.u8").bytes(), 1u);
  EXPECT_EQ(of("ld.b128").bytes(), 16u);
  EXPECT_EQ(of("ld.f64").space, Space::generic);
  EXPECT_EQ(of("ld.param::entry.u64").space, Space::param);
  EXPECT_EQ(of("ldu.global.f32").kind, Access::Kind::load);
  EXPECT_TRUE(of("st.weak.shared::cta.u16").writes());
  EXPECT_FALSE(of("st.weak.shared::cta.u16").of_cluster);
  EXPECT_TRUE(of("st.shared::cluster.u32").of_cluster);
}

TEST(Access, one_list_says_what_is_strong) {
  for (const char* strong : {"ld.volatile.shared.f32", "ld.relaxed.gpu.global.u32", "ld.acquire.cta.shared.u32",
                             "st.release.sys.u32", "st.mmio.relaxed.sys.global.u32", "atom.shared.add.u32",
                             "red.global.add.f32", "atom.acq_rel.gpu.global.cas.b64"}) {
    EXPECT_TRUE(of(strong).is_strong()) << strong;
    EXPECT_TRUE(of(strong).is_atomic() || of(strong).may_poll()) << strong;
  }
  EXPECT_FALSE(of("ld.global.cv.u32").is_strong()) << "a hint to caches, but what programs poll with";
  EXPECT_TRUE(of("ld.global.cv.u32").may_poll());
  EXPECT_FALSE(of("ld.global.cg.u32").may_poll());
}

TEST(Access, orders_and_scopes_are_as_written) {
  const Access both = of("atom.acq_rel.cluster.shared::cluster.exch.b32");
  EXPECT_TRUE(both.acquires() && both.releases());
  EXPECT_EQ(both.scope, Access::Scope::cluster);
  EXPECT_TRUE(both.stays_in_cluster());
  EXPECT_EQ(both.operation, Access::Operation::exch);
  EXPECT_TRUE(of("ld.acquire.cta.u32").acquires());
  EXPECT_FALSE(of("ld.acquire.cta.u32").releases());
  EXPECT_FALSE(of("ld.relaxed.gpu.u32").stays_in_cluster());
  EXPECT_FALSE(of("ld.volatile.u32").stays_in_cluster()) << "volatile is relaxed with the scope of the system";
  EXPECT_EQ(of("fence.sc.cta").order, Access::Order::seq_cst);
  EXPECT_EQ(of("fence.acq_rel.gpu").kind, Access::Kind::fence);
  EXPECT_EQ(of("membar.gl").scope, Access::Scope::gpu);
}

TEST(Access, an_atomic_gives_the_old_value_back_and_a_reduction_does_not) {
  EXPECT_EQ(of("atom.global.add.noftz.f16x2").kind, Access::Kind::atomic);
  EXPECT_EQ(of("atom.global.add.noftz.f16x2").bytes(), 4u);
  EXPECT_EQ(of("red.global.add.v4.f32").kind, Access::Kind::reduction);
  EXPECT_EQ(of("red.global.add.v4.f32").bytes(), 16u);
  EXPECT_EQ(of("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.inc.u32").operation,
            Access::Operation::inc);
  EXPECT_EQ(of("sured.b.2d.add.u32.trap").kind, Access::Kind::reduction);
  EXPECT_EQ(of("sured.b.2d.add.u32.trap").layout, Access::Layout::texture);
}

TEST(Access, an_atomic_adds_one_by_a_constant) {
  const auto adds = [](const std::string& text) {
    const auto module = parse(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n"
        ".reg .b32 %r<9>; .reg .f32 %f<3>; .reg .b64 %rd<3>;\n" +
        text + "\nret;\n}\n");
    EXPECT_TRUE(module) << text;
    const auto& entry = std::get<Function>(module->items.back());
    for (const Statement& statement : entry.body->statements) {
      if (const auto* instruction = std::get_if<Instruction>(&statement))
        return adds_one(access_of(*instruction), *instruction);
    }
    return false;
  };
  EXPECT_TRUE(adds("atom.shared.add.u32 %r1, [%r2], 1;"));
  EXPECT_TRUE(adds("red.shared.add.s32 [%r2], 1;"));
  EXPECT_TRUE(adds("red.shared.inc.u32 [%r2], 0xffffffff;"));
  EXPECT_TRUE(adds("red.shared.inc.u32 [%r2], -1;"));
  EXPECT_FALSE(adds("red.shared.inc.u32 [%r2], 1;"));
  EXPECT_FALSE(adds("red.shared.add.u32 [%r2], 2;"));
  EXPECT_FALSE(adds("red.shared.add.u32 [%r2], %r1;"));
  EXPECT_FALSE(adds("atom.shared.add.u64 %rd1, [%r2], 1;"));
  EXPECT_FALSE(adds("red.shared.add.f32 [%r2], 0f00000001;"));
  EXPECT_FALSE(adds("red.shared.max.u32 [%r2], 1;"));
  EXPECT_FALSE(adds("st.shared.u32 [%r2], 1;"));
}

TEST(Access, copies_name_where_they_write_first) {
  const Access lanes = of("cp.async.cg.shared.global.L2::128B");
  EXPECT_EQ(lanes.kind, Access::Kind::copy);
  EXPECT_EQ(lanes.layout, Access::Layout::lanes);
  EXPECT_EQ(lanes.space, Space::shared);
  EXPECT_EQ(lanes.from, Space::global);
  EXPECT_TRUE(lanes.passes_l1 && lanes.asynchronous && !lanes.to_barrier);
  const Access bulk = of("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes");
  EXPECT_EQ(bulk.layout, Access::Layout::bulk);
  EXPECT_TRUE(bulk.to_barrier && bulk.of_cluster);
  const Access back = of("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group");
  EXPECT_EQ(back.kind, Access::Kind::copy);
  EXPECT_EQ(back.layout, Access::Layout::tensor);
  EXPECT_EQ(back.space, Space::global);
  EXPECT_EQ(back.operation, Access::Operation::add);
  EXPECT_FALSE(back.to_barrier);
}

TEST(Access, groups_of_copies_and_barriers_are_no_copies) {
  EXPECT_EQ(of("cp.async.commit_group").kind, Access::Kind::commit);
  EXPECT_EQ(of("cp.async.wait_all").kind, Access::Kind::wait);
  EXPECT_TRUE(of("cp.async.bulk.wait_group.read").read_only_wait);
  EXPECT_EQ(of("cp.async.bulk.wait_group").layout, Access::Layout::bulk);
  EXPECT_EQ(of("cp.async.mbarrier.arrive.noinc.shared.b64").kind, Access::Kind::mbarrier);
  EXPECT_EQ(of("mbarrier.try_wait.parity.shared::cta.b64").kind, Access::Kind::mbarrier);
  EXPECT_EQ(of("cp.async.bulk.prefetch.L2.global").kind, Access::Kind::hint);
  EXPECT_EQ(of("prefetch.global.L2").kind, Access::Kind::hint);
}

TEST(Access, matrices_and_textures_have_their_own_layout) {
  for (const char* matrix :
       {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16"}) {
    EXPECT_EQ(of(matrix).kind, Access::Kind::load) << matrix;
    EXPECT_EQ(of(matrix).layout, Access::Layout::matrix) << matrix;
    EXPECT_EQ(of(matrix).bytes(), 0u) << "the lines of the matrix say it, not the spelling";
  }
  EXPECT_EQ(of("stmatrix.sync.aligned.m8n8.x2.shared.b16").kind, Access::Kind::store);
  EXPECT_EQ(of("wmma.store.d.sync.aligned.row.m16n16k16.f32").kind, Access::Kind::store);
  EXPECT_EQ(of("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32").kind, Access::Kind::none);
  EXPECT_EQ(of("tex.2d.v4.f32.f32").layout, Access::Layout::texture);
}

TEST(Access, other_instructions_do_nothing_to_memory) {
  for (const char* other : {"add.u32", "cvta.to.shared.u64", "bar.sync", "shfl.sync.down.b32",
                            "mapa.shared::cluster.u32", "txq.width.b32", "st_is_no_opcode.shared.u32", "min.s32"}) {
    EXPECT_EQ(of(other).kind, Access::Kind::none) << other;
    EXPECT_FALSE(of(other).touches_memory()) << other;
  }
}

}  // namespace
}  // namespace bankshot::ptx
