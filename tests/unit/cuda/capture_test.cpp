// Streams that are captured: what becomes a node, what makes a capture invalid, and copies of several nodes.
#include "bankshot/cuda/graphs/capture.hpp"

#include <gtest/gtest.h>

#include "bankshot/cuda/graphs/node_work.hpp"
#include "bankshot/cuda/graphs/stream_copies.hpp"

namespace bankshot::cuda {
namespace {

class CudaCapture : public ::testing::Test {
 protected:
  void begin(Stream* of, CaptureMode mode = CaptureMode::global) {
    ASSERT_EQ(begin_capture(tables, of, static_cast<int>(mode)), Status::success);
  }
  /// Gives empty work to a stream. @return the node that it became, or null
  Node* give_work(void* to) {
    Stream* capturing = nullptr;
    EXPECT_EQ(before_work(tables, to, capturing), Status::success);
    Node* node = nullptr;
    if (capturing) {
      EXPECT_EQ(capture(tables, *capturing, Work(EmptyWork{}), &node), Status::success);
    }
    return node;
  }

  WorkTables tables;
  Stream* stream = tables.streams.create(0, 0);
  Stream* other = tables.streams.create(0, 0);
};

TEST_F(CudaCapture, work_becomes_nodes_one_after_the_other) {
  EXPECT_EQ(give_work(stream), nullptr);
  begin(stream);
  const Node* const first = give_work(stream);
  const Node* const second = give_work(stream);
  EXPECT_EQ(give_work(other), nullptr);
  Graph* graph = nullptr;
  ASSERT_EQ(end_capture(tables, stream, &graph), Status::success);
  ASSERT_EQ(graph->nodes.size(), 2u);
  EXPECT_TRUE(graph->depends(second, first));
  EXPECT_EQ(give_work(stream), nullptr);
  EXPECT_FALSE(tables.captures.any());
}

TEST_F(CudaCapture, an_event_brings_another_stream_in_and_has_to_join_it_again) {
  void *forked = nullptr, *joined = nullptr;
  ASSERT_EQ(tables.events.create(&forked, 0), Status::success);
  ASSERT_EQ(tables.events.create(&joined, 0), Status::success);
  for (const bool joins : {true, false}) {
    begin(stream);
    give_work(stream);
    ASSERT_EQ(record_event(tables, forked, stream, 0, {}), Status::success);
    ASSERT_EQ(wait_for_event(tables, other, forked, 0), Status::success);
    give_work(other);
    ASSERT_EQ(record_event(tables, joined, other, 0, {}), Status::success);
    if (joins) {
      ASSERT_EQ(wait_for_event(tables, stream, joined, 0), Status::success);
    }
    Graph* graph = nullptr;
    EXPECT_EQ(end_capture(tables, stream, &graph), joins ? Status::success : Status::stream_capture_unjoined);
    EXPECT_EQ(graph != nullptr, joins);
  }
}

TEST_F(CudaCapture, work_on_the_default_stream_makes_it_invalid) {
  begin(stream);
  Stream* capturing = nullptr;
  EXPECT_EQ(before_work(tables, nullptr, capturing), Status::stream_capture_implicit);
  EXPECT_EQ(before_work(tables, stream, capturing), Status::stream_capture_invalidated);
  Graph* graph = nullptr;
  EXPECT_EQ(end_capture(tables, stream, &graph), Status::stream_capture_invalidated);
}

TEST_F(CudaCapture, rejects_waiting_for_the_stream_or_the_device) {
  begin(stream);
  EXPECT_EQ(before_waiting(tables, other), Status::success);
  EXPECT_EQ(before_waiting(tables, stream), Status::stream_capture_unsupported);
  EXPECT_EQ(before_waiting(tables, &stream), Status::invalid_handle);
  int status = -1;
  EXPECT_EQ(capture_status(tables, stream, &status), Status::success);
  EXPECT_EQ(status, static_cast<int>(CaptureStatus::invalidated));
  EXPECT_EQ(before_synchronizing(tables), Status::stream_capture_unsupported);
}

TEST_F(CudaCapture, a_relaxed_capture_allows_unsafe_calls) {
  begin(stream, CaptureMode::relaxed);
  EXPECT_EQ(before_unsafe(tables), Status::success);
  begin(other, CaptureMode::thread_local_mode);
  EXPECT_EQ(before_unsafe(tables), Status::stream_capture_unsupported);
}

TEST_F(CudaCapture, an_event_outside_a_capture_records_the_time) {
  void *start = nullptr, *end = nullptr;
  ASSERT_EQ(tables.events.create(&start, 0), Status::success);
  ASSERT_EQ(tables.events.create(&end, 0), Status::success);
  const std::chrono::steady_clock::time_point now{};
  ASSERT_EQ(record_event(tables, start, stream, 0, now), Status::success);
  ASSERT_EQ(record_event(tables, end, stream, 0, now + std::chrono::milliseconds(250)), Status::success);
  float milliseconds = 0;
  ASSERT_EQ(tables.events.elapsed(&milliseconds, start, end), Status::success);
  EXPECT_EQ(milliseconds, 250.0f);
}

TEST_F(CudaCapture, a_run_of_an_array_is_as_many_nodes_as_rectangles) {
  simt::Memory engine{uint64_t{1} << 20};
  DeviceMemory memory;
  memory.attach(engine);
  Array* array = nullptr;
  ASSERT_EQ(memory.arrays.create(engine, {16, 8, 0, {texture::Channel::u8, 1}, 0}, array), Status::success);
  char bytes[48] = {};
  const Region linear{reinterpret_cast<uint64_t>(bytes), sizeof bytes, 0, Side::host};
  begin(stream);
  ASSERT_EQ(issue_run(tables, memory, stream, {array, 8, 0}, linear, sizeof bytes, true), Status::success);
  Graph* graph = nullptr;
  ASSERT_EQ(end_capture(tables, stream, &graph), Status::success);
  EXPECT_EQ(graph->nodes.size(), 3u);  // the rest of a row, two whole rows, the begin of one
  EXPECT_EQ(issue_run(tables, memory, stream, {bytes, 0, 0}, linear, 8, true), Status::invalid_handle);
  tables.clear();
}

TEST_F(CudaCapture, a_batch_tells_which_copy_is_at_fault) {
  simt::Memory engine{uint64_t{1} << 20};
  DeviceMemory memory;
  memory.attach(engine);
  char from[8] = "seven..", to[8] = {};
  const uint64_t target[] = {reinterpret_cast<uint64_t>(to), 0}, source[] = {reinterpret_cast<uint64_t>(from), 0};
  const size_t sizes[] = {8, 8}, firsts[] = {0};
  const abi::CopyAttributes attributes[] = {{1, {}, {}, 0}};
  size_t failed = 0;
  EXPECT_EQ(copy_batch(tables, memory, stream, {target, source, sizes, 2, attributes, firsts, 1}, &failed),
            Status::invalid_value);
  EXPECT_EQ(failed, 1u);
  EXPECT_STREQ(to, from);
  EXPECT_EQ(copy_batch(tables, memory, nullptr, {target, source, sizes, 1, attributes, firsts, 1}, &failed),
            Status::invalid_value);  // the default stream
}

TEST(CudaNodeWork, rejects_parameters_that_make_no_work) {
  abi::MemsetNode fill{};
  fill.to = 64;
  fill.element = 3;
  EXPECT_EQ(fill_work(&fill).error(), Status::invalid_value);
  fill.element = 4;
  EXPECT_TRUE(fill_work(&fill));
  EXPECT_EQ(fill_work(nullptr).error(), Status::invalid_value);
  EXPECT_EQ(host_work(nullptr).error(), Status::invalid_value);
  EXPECT_EQ(copy_work({}).error(), Status::invalid_value);
  abi::MemoryOperation flush{};
  flush.type = abi::MemoryOperation::flush;
  EXPECT_EQ(memory_operations_work(&flush, 1, 0).error(), Status::not_supported);
  EXPECT_EQ(memory_operations_work(&flush, 0, 0).error(), Status::invalid_value);
}

}  // namespace
}  // namespace bankshot::cuda
