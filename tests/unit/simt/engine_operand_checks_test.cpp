// What Checks finds of operands that descriptors describe: tensor copies with another swizzle, and products of tcgen05
// that nothing orders.
#include <optional>

#include "bankshot/simt/checks/checks.hpp"
#include "tensor_copy_harness.hpp"

namespace bankshot::simt {
namespace {

class OperandChecks : public TensorCopy {
 protected:
  /// The findings, after a box of 32 rows of 64 bytes came with a swizzle (TensorMap::swizzle_64) and `body` read it.
  /// %rd4: a descriptor of it without swizzle, cores of eight rows 512 bytes apart.
  std::vector<Finding> found(int swizzle, const std::string& body, CheckOptions wanted = {.memory = true}) {
    checks_.emplace(wanted);
    options.checks = &*checks_;
    const uint64_t sizes[] = {16, 32}, strides[] = {64};
    const uint32_t steps[] = {1, 1}, box[] = {16, 32};
    const auto result = run_with(
        ".shared .b32 place; mov.u32 %r22, place; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r22], 32;\n"
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; bar.sync 0; ld.shared.b32 %r23, [%r22];\n"
        "shr.u32 %r24, %r20, 4; cvt.u64.u32 %rd3, %r24; or.b64 %rd4, %rd3, 0x0000402000080000; mov.u32 %r25, 7; @!%p2 "
        "bra B;\ncp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r20], [%rd1, {0, "
        "0}], [%r21];\nB:" +
            wait(2048) + body +
            "\nbar.warp.sync 0xffffffff; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r23, 32; ret;",
        1024,
        {.element = TensorMap::u32,
         .dimensions = 2,
         .sizes = sizes,
         .strides = strides,
         .steps = steps,
         .swizzle = swizzle},
        [&](const TensorShape& shape, TensorMap& map) { return encode_tiled(shape, box, map); },
        std::vector<uint32_t>(16 * 32, 5));
    EXPECT_TRUE(result) << result.error().message;
    return checks_->findings();
  }
  static inline const std::string kCopy = "@%p2 tcgen05.cp.cta_group::1.32x128b.warpx4 [%r23], %rd4;\n",
                                  kSwizzled = "or.b64 %rd4, %rd4, 0x8000000000000000;\n";

 private:
  std::optional<Checks> checks_;  ///< the engine keeps its address
};

TEST_F(OperandChecks, descriptors_have_the_swizzle_of_the_tensor_map) {
  EXPECT_TRUE(found(TensorMap::swizzle_64, kSwizzled + kCopy).empty());
  EXPECT_TRUE(found(TensorMap::no_swizzle, kCopy).empty());
  const std::vector<Finding> all = found(TensorMap::no_swizzle, kSwizzled + kCopy);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, Finding::Kind::wrong_swizzle);
  EXPECT_EQ(all[0].detail,
            "the tensor copy wrote it with no swizzle, the matrix descriptor reads it with a swizzle of 64 bytes: give "
            "both the same");
  EXPECT_EQ(all[0].count, 32u) << "rows of 16 bytes";
  EXPECT_EQ(found(TensorMap::swizzle_64, kCopy).size(), 1u);
}

TEST_F(OperandChecks, what_threads_write_afterwards_has_no_swizzle) {
  const std::string write =
      "shl.b32 %r26, %r1, 6; add.u32 %r26, %r26, %r20; st.shared.b32 [%r26], %r25; fence.proxy.async.shared::cta;\n"
      "bar.warp.sync 0xffffffff;\n";
  EXPECT_TRUE(found(TensorMap::swizzle_64, write + kCopy).empty());
}

TEST_F(OperandChecks, products_of_tcgen05_end_with_the_phase_that_commit_arrives_in) {
  const CheckOptions race{.race = true};
  const std::string change =
      "shl.b32 %r26, %r1, 6; add.u32 %r26, %r26, %r20; st.shared.b32 [%r26], %r25; fence.proxy.async.shared::cta;\n"
      "bar.warp.sync 0xffffffff;\n";
  const std::string commit =
      "@%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r21];\n"
      "X: mbarrier.try_wait.parity.shared.b64 %p1, [%r21], 1; @!%p1 bra X;\n";
  EXPECT_TRUE(found(TensorMap::no_swizzle, kCopy + commit + change, race).empty());
  std::vector<Finding> all = found(TensorMap::no_swizzle, kCopy + change, race);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].detail, "the earlier access is a tcgen05.cp that no thread has waited for");
  const std::string unfenced = change.substr(0, change.find("fence.proxy")) + "bar.warp.sync 0xffffffff;\n";
  all = found(TensorMap::no_swizzle, unfenced + kCopy, race);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].detail, "tcgen05.cp reads it, without a fence.proxy.async in between");
}

}  // namespace
}  // namespace bankshot::simt
