#include <gtest/gtest.h>

#include "bankshot/cuda/graphs/streams.hpp"

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

TEST(CudaEvents, a_destroyed_event_is_none) {
  EventTable events;
  void* event = nullptr;
  ASSERT_EQ(events.create(&event, kEventBlockingSync), Status::success);
  EXPECT_EQ(events.exists(event), Status::success);
  EXPECT_EQ(events.record(event), Status::success);
  EXPECT_EQ(events.destroy(event), Status::success);
  EXPECT_EQ(events.destroy(event), Status::invalid_handle);
  EXPECT_EQ(events.exists(event), Status::invalid_handle);
  EXPECT_EQ(events.record(event), Status::invalid_handle);
}

TEST(CudaEvents, rejects_flags_that_contradict_each_other) {
  EventTable events;
  void* event = nullptr;
  EXPECT_EQ(events.create(nullptr, 0), Status::invalid_value);
  EXPECT_EQ(events.create(&event, 8), Status::invalid_value);
  EXPECT_EQ(events.create(&event, kEventInterprocess), Status::invalid_value);
  EXPECT_EQ(event, nullptr);
  EXPECT_EQ(events.create(&event, kEventInterprocess | kEventDisableTiming), Status::success);
}

TEST(CudaEvents, elapsed_needs_two_recorded_events_with_times) {
  EventTable events;
  void *start = nullptr, *end = nullptr, *untimed = nullptr;
  ASSERT_EQ(events.create(&start, 0), Status::success);
  ASSERT_EQ(events.create(&end, 0), Status::success);
  ASSERT_EQ(events.create(&untimed, kEventDisableTiming), Status::success);
  float milliseconds = -1;
  events.record(start);
  EXPECT_EQ(events.elapsed(&milliseconds, start, end), Status::invalid_handle);
  events.record(end);
  events.record(untimed);
  EXPECT_EQ(events.elapsed(&milliseconds, start, untimed), Status::invalid_handle);
  EXPECT_EQ(events.elapsed(&milliseconds, start, &events), Status::invalid_handle);
  EXPECT_EQ(events.elapsed(nullptr, start, end), Status::invalid_value);
  EXPECT_EQ(events.elapsed(&milliseconds, start, end), Status::success);
  EXPECT_GE(milliseconds, 0.0f);
}

TEST(CudaEvents, elapsed_is_of_the_clock_that_was_recorded) {
  EventTable events;
  void *start = nullptr, *end = nullptr;
  ASSERT_EQ(events.create(&start, 0), Status::success);
  ASSERT_EQ(events.create(&end, 0), Status::success);
  const std::chrono::steady_clock::time_point begin{};
  events.record(start, begin);
  events.record(end, begin + std::chrono::microseconds(1500));
  float milliseconds = 0;
  EXPECT_EQ(events.elapsed(&milliseconds, start, end), Status::success);
  EXPECT_EQ(milliseconds, 1.5f);
}

}  // namespace
}  // namespace bankshot::cuda
