// Capture: work on a stream becomes nodes of a graph instead of being carried out.
// Source: CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture"; CUDA runtime API reference, "Stream
// Management".
#pragma once

#include <chrono>

#include "bankshot/cuda/graphs/work_tables.hpp"

namespace bankshot::cuda {

/// What a node may depend on: nodes of the graph. @param count  of `nodes`, which may be null if it is 0
/// @return invalid_value if one is not, or is there twice
Result<std::vector<Edge>, Status> edges_to(WorkTables& tables, const Graph& graph, Node* const* nodes,
                                           const abi::EdgeData* data, size_t count);

// The functions of both interfaces. A stream that is none gives invalid_handle.

/// @param into  a graph of the program, or null for a new one
Status begin_capture(WorkTables& tables, void* stream, int mode, Graph* into = nullptr, Node* const* nodes = nullptr,
                     const abi::EdgeData* data = nullptr, size_t count = 0);
Status end_capture(WorkTables& tables, void* stream, Graph** graph);
Status capture_status(WorkTables& tables, void* stream, int* status);
/// Every place may be null but that of the status.
Status capture_info(WorkTables& tables, void* stream, int* status, unsigned long long* id, Graph** graph,
                    Node* const** nodes, const abi::EdgeData** data, size_t* count);
/// @param flags  0 adds the nodes to what the next one depends on, 1 sets them
Status change_dependencies(WorkTables& tables, void* stream, Node* const* nodes, const abi::EdgeData* data,
                           size_t count, unsigned flags);
/// Sets the calling thread's mode and gives the one it had.
Status exchange_capture_mode(int* mode);

/// Before work is given to a stream. @param capturing  the stream, if the work is to become a node; else null
/// @return success, invalid_handle, stream_capture_invalidated, or stream_capture_implicit: work on the default stream
///         would wait for a stream that is being captured; that capture is then invalid
Status before_work(WorkTables& tables, const void* stream, Stream*& capturing);
/// Before a stream is waited for or asked. @return as before_work, or stream_capture_unsupported, which invalidates
Status before_waiting(WorkTables& tables, const void* stream);
/// Before the whole device is waited for. @return success, or stream_capture_unsupported, which invalidates all
/// captures
Status before_synchronizing(WorkTables& tables);
/// Before a call that may wait for the device, such as allocations, which a capture in this thread, or anywhere, may
/// forbid.
Status before_unsafe(WorkTables& tables);

/// Adds work to the graph that the stream's capture makes.
Status capture(WorkTables& tables, Stream& stream, MadeWork work, Node** node = nullptr);

/// A stream that goes away takes the capture that began on it along. @return success or invalid_handle
Status destroy_stream(WorkTables& tables, void* stream);

/// Events, with or without a capture.
/// @param now  what the event records
Status record_event(WorkTables& tables, void* event, void* stream, unsigned flags,
                    std::chrono::steady_clock::time_point now);
Status wait_for_event(WorkTables& tables, void* stream, void* event, unsigned flags);
/// Whether the event is reached: stream_captured_event if it was recorded in a capture.
Status query_event(WorkTables& tables, void* event);

}  // namespace bankshot::cuda
