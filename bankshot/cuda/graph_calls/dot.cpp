// Graphs in Graphviz's language.
#include <fmt/format.h>

#include <fstream>

#include "bankshot/cuda/graph_calls/graph_calls.hpp"
#include "bankshot/cuda/session/session.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::cuda::graphs {
namespace {

constexpr const char* kTypes[] = {
    "KERNEL",       "MEMCPY",           "MEMSET",         "HOST",      "GRAPH",    "EMPTY",        "EVENT_WAIT",
    "EVENT_RECORD", "EXT_SEMAS_SIGNAL", "EXT_SEMAS_WAIT", "MEM_ALLOC", "MEM_FREE", "BATCH_MEM_OP", "CONDITIONAL"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string label_of(const Node& node) {
  std::string text = kTypes[static_cast<int>(type_of(node.work))];
  if (const auto* kernel = std::get_if<KernelWork>(&node.work))
    text += fmt::format("\\n{}\\n({},{},{}) x ({},{},{}), {} bytes", escaped(report::demangle(kernel->name)),
                        kernel->grid.x, kernel->grid.y, kernel->grid.z, kernel->block.x, kernel->block.y,
                        kernel->block.z, kernel->dynamic_shared);
  if (const auto* copy = std::get_if<CopyWork>(&node.work))
    text += fmt::format("\\n{} x {} x {} bytes", copy->what.width, copy->what.height, copy->what.depth);
  if (const auto* fill = std::get_if<FillWork>(&node.work))
    text += fmt::format("\\n{} x {} elements of {} bytes", fill->what.width, fill->what.height, fill->what.element);
  return text;
}

/// A graph, and those inside behind it: clusters, whose nodes are not connected with others.
void print(std::string& out, const Graph& graph, const char* word) {
  out += fmt::format("{}graph_{} {{\n", word, graph.id);
  for (const auto& node : graph.nodes)
    out += fmt::format("  node_{} [shape=box label=\"{}\"];\n", node->id, label_of(*node));
  for (const auto& node : graph.nodes)
    for (const Edge& edge : node->dependencies) out += fmt::format("  node_{} -> node_{};\n", edge.node->id, node->id);
  for (const auto& node : graph.nodes) {
    if (const auto* child = std::get_if<ChildWork>(&node->work)) print(out, *child->graph, "subgraph cluster_");
    if (const auto* conditional = std::get_if<ConditionalWork>(&node->work))
      for (const auto& body : conditional->bodies) print(out, *body, "subgraph cluster_");
  }
  out += "}\n";
}

}  // namespace

Status print_dot(Session& session, const Graph* graph, const char* path, unsigned) {
  if (!path || !session.work().graphs.contains(graph)) return Status::invalid_value;
  std::string text;
  print(text, *graph, "digraph ");
  std::ofstream file(path);
  file << text;
  file.close();
  return file ? Status::success : Status::operating_system;
}

}  // namespace bankshot::cuda::graphs
