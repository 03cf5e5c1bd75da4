// What functions of both interfaces do around their own work.
#include "bankshot/cuda/interface/call.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "bankshot/cuda/interface/contexts.hpp"
#include "bankshot/cuda/launch/kernel_work.hpp"

namespace bankshot::cuda {
namespace {

/// Notes the handle by which it is entered; the session is not opened.
struct Plain {
  static inline const void* handle = nullptr;
  template <class Work>
  static Status enter(const void* with, Work&& work) {
    handle = with;
    return locked(work);
  }
};

Status fine(Session&) { return Status::success; }

TEST(CudaCalls, what_is_thrown_becomes_an_error) {
  EXPECT_EQ(locked([](Session&) -> Status { throw std::bad_alloc(); }), Status::out_of_memory);
  EXPECT_EQ(locked([](Session&) -> Status { throw std::runtime_error("broken"); }), Status::unknown);
  EXPECT_EQ(locked(fine), Status::success);  // the lock was given up
}

TEST(CudaCalls, rejects_a_place_that_is_null) {
  int value = 0;
  EXPECT_EQ(give(&value, 7u), Status::success);
  EXPECT_EQ(value, 7);
  EXPECT_EQ(give(static_cast<int*>(nullptr), 7), Status::invalid_value);
}

TEST(CudaCalls, enter_by_the_stream_that_they_are_about) {
  int none = 0;
  EXPECT_EQ(Calls<Plain>::about(&none, fine), Status::invalid_handle);
  EXPECT_EQ(Plain::handle, &none);
  EXPECT_EQ(Calls<Plain>::about(nullptr, fine), Status::success);
  EXPECT_EQ(Calls<Plain>::on(&none, fine), Status::invalid_handle);
  EXPECT_EQ(Calls<Plain>::unsafe_by(&none, fine), Status::success);
  EXPECT_EQ(Plain::handle, &none);
  EXPECT_EQ(Calls<Plain>::unsafe(fine), Status::success);
  EXPECT_EQ(Plain::handle, nullptr);
}

TEST(CudaCalls, work_is_done_at_once_or_becomes_a_node) {
  WorkTables& tables = Session::get().work();
  Stream* const stream = tables.streams.create(1, 0);
  int done = 0, made = 0;
  const auto now = [&](Session&) { return ++done, Status::success; };
  const auto node = [&](Session&) { return ++made, MadeWork(EmptyWork{}); };
  EXPECT_EQ(Calls<Plain>::issue(stream, now, node), Status::success);
  EXPECT_EQ(done, 1);
  ASSERT_EQ(begin_capture(tables, stream, static_cast<int>(CaptureMode::relaxed)), Status::success);
  EXPECT_EQ(Calls<Plain>::issue(stream, now, node), Status::success);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(Calls<Plain>::synchronized(fine), Status::stream_capture_unsupported);
  Graph* graph = nullptr;
  EXPECT_EQ(end_capture(tables, stream, &graph), Status::stream_capture_invalidated);
  EXPECT_EQ(Calls<Plain>::synchronized(fine), Status::success);
  EXPECT_EQ(destroy_stream(tables, stream), Status::success);
}

TEST(CudaContexts, a_destroyed_context_is_not_current) {
  Contexts& contexts = Contexts::get();
  Context* const made = contexts.create(4);
  ASSERT_TRUE(context_stack().push_back(made));
  EXPECT_EQ(current_context(), made);
  EXPECT_TRUE(contexts.destroy(made));
  EXPECT_EQ(current_context(), nullptr);
  EXPECT_FALSE(contexts.destroy(contexts.primary()));
}

TEST(CudaKernelWork, a_node_keeps_what_its_launch_asked_for) {
  KernelWork work{.function = nullptr,
                  .name = "k",
                  .grid = {4, 2, 1},
                  .block = {32, 1, 1},
                  .dynamic_shared = 16,
                  .parameters = std::vector<std::byte>(8),
                  .arguments = {},
                  .attributes = {}};
  LaunchRequest request = request_of(work);
  EXPECT_EQ(request.grid.x, 4u);
  EXPECT_EQ(request.dynamic_shared, 16u);
  EXPECT_EQ(request.packed.data(), work.parameters.data());
  EXPECT_FALSE(request.cooperative);
  EXPECT_EQ(request.cluster.x, 0u);
  const simt::Dim3 cluster{2, 1, 1};
  work.attributes[abi::LaunchAttribute::cooperative] = {1};
  std::memcpy(work.attributes[abi::LaunchAttribute::cluster_dimension].data(), &cluster, sizeof cluster);
  request = request_of(work);
  EXPECT_TRUE(request.cooperative);
  EXPECT_EQ(request.cluster, cluster);
}

}  // namespace
}  // namespace bankshot::cuda
