// The streams, events, captures, graphs and graph instances of a process.
#pragma once

#include "bankshot/cuda/graphs/capture_table.hpp"
#include "bankshot/cuda/graphs/graph.hpp"
#include "bankshot/cuda/graphs/graph_exec.hpp"
#include "bankshot/cuda/graphs/streams.hpp"
#include "bankshot/simt/state/kernel.hpp"

namespace bankshot::cuda {

/// What a kernel that is a node of a graph may launch, and has launched.
struct GraphNodeContext {
  uint64_t device_graph = 0;                   ///< handle of its graph, if that is a device graph
  std::vector<uint64_t> launchable{};          ///< handles
  std::vector<simt::DeviceLaunch> launched{};  ///< graphs, in order
};

/// Requires the session's lock.
struct WorkTables {
  StreamTable streams;
  EventTable events;
  CaptureTable captures;
  GraphTable graphs;
  GraphExecTable graph_execs;
  unsigned running_graphs = 0;             ///< now; a graph gives up the lock while it calls a host function
  GraphNodeContext* graph_node = nullptr;  ///< of the node that runs now; null outside a graph

  void clear() {
    captures.clear();
    graph_execs.clear();
    graphs.clear();
    streams.clear();
    events.clear();
  }
};

}  // namespace bankshot::cuda
