#include <gtest/gtest.h>

#include "bankshot/cuda/streams.hpp"

namespace bankshot::cuda {
namespace {

TEST(CudaStreams, default_handles_are_streams_without_being_created) {
  StreamTable streams;
  EXPECT_NE(streams.find(nullptr), nullptr);
  EXPECT_EQ(streams.find(nullptr), streams.find(reinterpret_cast<void*>(1)));
  EXPECT_NE(streams.find(reinterpret_cast<void*>(2)), nullptr);
  EXPECT_FALSE(streams.destroy(nullptr));
  EXPECT_EQ(streams.find(&streams), nullptr);
}

TEST(CudaStreams, a_destroyed_stream_is_none) {
  StreamTable streams;
  Stream* stream = streams.create(1, -100);
  EXPECT_EQ(stream->priority, kHighestPriority);
  EXPECT_EQ(streams.find(stream), stream);
  EXPECT_TRUE(streams.destroy(stream));
  EXPECT_FALSE(streams.destroy(stream));
  EXPECT_EQ(streams.find(stream), nullptr);
}

TEST(CudaStreams, elapsed_needs_two_recorded_events_with_times) {
  Event start, end;
  float milliseconds = 0;
  EXPECT_EQ(elapsed(start, end, milliseconds), Status::invalid_handle);
  start.recorded = end.recorded = true;
  end.time = start.time + std::chrono::microseconds(1500);
  EXPECT_EQ(elapsed(start, end, milliseconds), Status::success);
  EXPECT_FLOAT_EQ(milliseconds, 1.5f);
  end.flags = kEventDisableTiming;
  EXPECT_EQ(elapsed(start, end, milliseconds), Status::invalid_handle);
}

}  // namespace
}  // namespace bankshot::cuda
