// The streams, events, captures, graphs and graph instances of a process.
#pragma once

#include "bankshot/cuda/graphs/capture_table.hpp"
#include "bankshot/cuda/graphs/graph.hpp"
#include "bankshot/cuda/graphs/graph_exec.hpp"
#include "bankshot/cuda/graphs/streams.hpp"
#include "bankshot/simt/state/kernel.hpp"

namespace bankshot::cuda {

/// Requires the session's lock.
struct WorkTables {
  StreamTable streams;
  EventTable events;
  CaptureTable captures;
  GraphTable graphs;
  GraphExecTable graph_execs;
  unsigned running_graphs = 0;                 ///< now; a graph gives up the lock while it calls a host function
  GraphExec* running_graph = nullptr;          ///< whose nodes run, so that kernels may launch others
  std::vector<simt::DeviceLaunch> by_kernels;  ///< launches of graphs by the kernel that has just run

  void clear() {
    captures.clear();
    graph_execs.clear();
    graphs.clear();
    streams.clear();
    events.clear();
  }
};

}  // namespace bankshot::cuda
