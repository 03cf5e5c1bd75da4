// The B200 of gpus/b200.toml beside what was published of a B300: hardware measurements in docs/blackwell.md, "Timed".
#include "bankshot/gpu/gpu.hpp"
#include "tensor_memory_harness.hpp"

namespace bankshot::timing {
namespace {

class TensorMemoryOfB200 : public TensorMemoryTest {
 protected:
  TensorMemoryOfB200() {
    config = *gpu::find_gpu("b200")->timing;
    config.sms = 1;
  }
};

TEST_F(TensorMemoryOfB200, products_take_the_published_cycles) {
  EXPECT_EQ(interval(product(128, 256)), 128u);
  EXPECT_EQ(interval(product(128, 128)), 64u);
  EXPECT_EQ(interval(product(128, 64)), 48u) << "published: 44";
  EXPECT_EQ(interval(product(128, 64, "[%r9+128]")), 44u);
  EXPECT_EQ(interval(product(128, 16)), 44u);
}

TEST_F(TensorMemoryOfB200, loads_take_the_published_bandwidth) {
  const auto load = "tcgen05.ld.sync.aligned.32x32b.x16.b32 " + list(16) + ", [%r9]; tcgen05.wait::ld.sync.aligned;";
  const auto loads = "tcgen05.ld.sync.aligned.32x32b.x16.b32 " + list(16) + ", [%r9];" + load;
  EXPECT_EQ(cycles_of(kernel_of(loads)) - cycles_of(kernel_of(load)), 39u) << "2048 bytes, 53 a cycle";
}

TEST_F(TensorMemoryOfB200, an_allocation_takes_the_published_cycles) {
  cycles_of(
      kernel_of("mov.u32 %r30, %clock; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r11], 128;"
                "mov.u32 %r31, %clock; sub.u32 %r31, %r31, %r30; st.global.u32 [%rd1], %r31;"));
  EXPECT_EQ(out[0], 253u + 2) << "the first reading of the clock keeps its unit for 2 cycles";
}

}  // namespace
}  // namespace bankshot::timing
