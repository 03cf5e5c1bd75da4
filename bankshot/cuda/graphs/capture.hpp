// Capture: work on a stream becomes nodes of a graph instead of being carried out.
// Source: CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture"; CUDA runtime API reference, "Stream
// Management".
#pragma once

#include <chrono>

#include "bankshot/cuda/graphs/work_tables.hpp"

namespace bankshot::cuda {

/// Edges to nodes on which a new node depends. @param count  of `nodes`, which may be null if it is 0
/// @return invalid_value if one is not a node of the graph, or is listed twice
Result<std::vector<Edge>, Status> edges_to(WorkTables& tables, const Graph& graph, Node* const* nodes,
                                           const abi::EdgeData* data, size_t count);

// Functions that both interfaces have. An invalid stream gives invalid_handle.

/// @param into  a graph of the program, or null for a new one
Status begin_capture(WorkTables& tables, void* stream, int mode, Graph* into = nullptr, Node* const* nodes = nullptr,
                     const abi::EdgeData* data = nullptr, size_t count = 0);
Status end_capture(WorkTables& tables, void* stream, Graph** graph);
Status capture_status(WorkTables& tables, void* stream, int* status);
/// Every pointer but `status` may be null.
Status capture_info(WorkTables& tables, void* stream, int* status, unsigned long long* id, Graph** graph,
                    Node* const** nodes, const abi::EdgeData** data, size_t* count);
/// @param flags  0 adds the nodes to the dependencies of the next one, 1 replaces these
Status change_dependencies(WorkTables& tables, void* stream, Node* const* nodes, const abi::EdgeData* data,
                           size_t count, unsigned flags);
/// Exchanges the calling thread's mode.
Status exchange_capture_mode(int* mode);

/// Call before work on a stream. @param capturing  receives the stream if the work must become a node, else null
/// @return success, invalid_handle, stream_capture_invalidated, or stream_capture_implicit: work on the default stream
///         would wait for a stream that is being captured; that capture is then invalid
Status before_work(WorkTables& tables, const void* stream, Stream*& capturing);
/// Call before waiting for a stream or querying it. @return as before_work(), or stream_capture_unsupported, which
/// invalidates the capture
Status before_waiting(WorkTables& tables, const void* stream);
/// Call before waiting for the whole device. @return success, or stream_capture_unsupported, which invalidates all
/// captures
Status before_synchronizing(WorkTables& tables);
/// Call before work that may wait for the device, such as an allocation. A capture in this thread, or anywhere, may
/// forbid it.
Status before_unsafe(WorkTables& tables);

/// Adds work to the graph of the stream's capture.
Status capture(WorkTables& tables, Stream& stream, MadeWork work, Node** node = nullptr);

/// Also ends the capture that began on the stream. @return success or invalid_handle
Status destroy_stream(WorkTables& tables, void* stream);

/// Events, with or without a capture.
/// @param now  what the event records
Status record_event(WorkTables& tables, void* event, void* stream, unsigned flags,
                    std::chrono::steady_clock::time_point now);
Status wait_for_event(WorkTables& tables, void* stream, void* event, unsigned flags);
/// Whether the event is reached. @return captured_event if it was recorded in a capture
Status query_event(WorkTables& tables, void* event);

}  // namespace bankshot::cuda
