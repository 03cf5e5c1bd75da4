// Graph functions that only the runtime interface has. The common ones: bankshot/cuda/graph_calls/graph_calls.def.
#include "bankshot/cuda/graph_calls/graph_calls.hpp"

#include "bankshot/cuda/runtime/call.hpp"
#include "bankshot/cuda/runtime/copy_sides.hpp"
#include "bankshot/cuda/runtime/symbols.hpp"

namespace bankshot::cuda::runtime {
namespace {

using Nodes = Node* const*;

/// Afterwards, without the lock, destroys objects of the program that are now unused.
template <class Work>
Status graph_call(Work&& work) {
  const Status status = call(work);
  graphs::destroy_unused(Session::get());
  return status;
}

MadeWork made_kernel(Session& session, const abi::KernelNode* node) {
  if (!node) return Status::invalid_value;
  return kernel_work(
      session, node->function,
      {.grid = node->grid, .block = node->block, .dynamic_shared = node->dynamic_shared, .arguments = node->arguments},
      node->extra);
}

MadeWork made_copy(const abi::Memcpy3DParms* copy) {
  if (!copy) return Status::invalid_value;
  const auto parameters = driver_copy(*copy);
  return parameters ? copy_work(*parameters) : parameters.error();
}

MadeWork made_copy(void* to, const void* from, size_t bytes, int kind) {
  const auto sides = sides_of(kind);
  if (!sides) return Status::invalid_memcpy_direction;
  const Region into{reinterpret_cast<uint64_t>(to), bytes, 0, sides->to};
  const Region out_of{reinterpret_cast<uint64_t>(from), bytes, 0, sides->from};
  return copy_work(copy_parameters(into, out_of, {bytes, 1, 1}));
}

MadeWork make(Session& session, const abi::NodeParameters& parameters) {
  return static_cast<NodeType>(parameters.type) == NodeType::kernel ? made_kernel(session, &parameters.kernel)
                                                                    : made_copy(&parameters.copy.copy);
}

Status kernel_parameters(Session& session, Node* node, abi::KernelNode* out) {
  auto* kernel = graphs::work_of<KernelWork>(session, node);
  if (!kernel || !out) return Status::invalid_value;
  *out = {kernel->function, kernel->grid, kernel->block, kernel->dynamic_shared, kernel->arguments.data(), nullptr};
  return Status::success;
}

Status copy_parameters_of(Session& session, Node* node, abi::Memcpy3DParms* out) {
  const auto* copy = graphs::work_of<CopyWork>(session, node);
  if (!copy || !out) return Status::invalid_value;
  *out = runtime_copy(copy->what);
  return Status::success;
}

}  // namespace

#define BANKSHOT_GRAPH_CALL(name, parameters, expression)            \
  BANKSHOT_API(cuda##name) parameters {                              \
    return graph_call([&](Session& session) { return expression; }); \
  }
#include "bankshot/cuda/graph_calls/graph_calls.def"

// clang-format off
BANKSHOT_GRAPH_CALL(StreamBeginCapture, (void* stream, int mode), begin_capture(session.work(), stream, mode))
BANKSHOT_GRAPH_CALL(GraphInstantiate, (GraphExec** exec, Graph* graph, unsigned long long flags), graphs::instantiate(session, exec, graph, flags))
BANKSHOT_GRAPH_CALL(GraphExecUpdate, (GraphExec* exec, Graph* graph, abi::UpdateResult* result), graphs::update(session, exec, graph, result))
BANKSHOT_GRAPH_CALL(GraphConditionalHandleCreate, (unsigned long long* handle, Graph* graph, unsigned initial, unsigned flags), graphs::create_condition(session, handle, graph, initial, flags))
BANKSHOT_GRAPH_CALL(GraphAddNode, (Node** node, Graph* graph, Nodes nodes, size_t count, abi::NodeParameters* parameters), graphs::add_node(session, node, graph, nodes, nullptr, count, parameters, make))
BANKSHOT_GRAPH_CALL(GraphAddNode_v2, (Node** node, Graph* graph, Nodes nodes, const abi::EdgeData* data, size_t count, abi::NodeParameters* parameters), graphs::add_node(session, node, graph, nodes, data, count, parameters, make))
BANKSHOT_GRAPH_CALL(GraphNodeSetParams, (Node* node, abi::NodeParameters* parameters), graphs::set_node(session, node, parameters, make))
BANKSHOT_GRAPH_CALL(GraphExecNodeSetParams, (GraphExec* exec, Node* node, abi::NodeParameters* parameters), graphs::set_node(session, exec, node, parameters, make))

BANKSHOT_GRAPH_CALL(GraphAddKernelNode, (Node** node, Graph* graph, Nodes nodes, size_t count, const abi::KernelNode* parameters), graphs::add(session, node, graph, nodes, nullptr, count, made_kernel(session, parameters)))
BANKSHOT_GRAPH_CALL(GraphKernelNodeGetParams, (Node* node, abi::KernelNode* parameters), kernel_parameters(session, node, parameters))
BANKSHOT_GRAPH_CALL(GraphKernelNodeSetParams, (Node* node, const abi::KernelNode* parameters), graphs::set(session, node, made_kernel(session, parameters)))
BANKSHOT_GRAPH_CALL(GraphExecKernelNodeSetParams, (GraphExec* exec, Node* node, const abi::KernelNode* parameters), graphs::set(session, exec, node, made_kernel(session, parameters)))

BANKSHOT_GRAPH_CALL(GraphAddMemsetNode, (Node** node, Graph* graph, Nodes nodes, size_t count, const abi::MemsetNode* parameters), graphs::add(session, node, graph, nodes, nullptr, count, fill_work(parameters)))
BANKSHOT_GRAPH_CALL(GraphExecMemsetNodeSetParams, (GraphExec* exec, Node* node, const abi::MemsetNode* parameters), graphs::set(session, exec, node, fill_work(parameters)))

BANKSHOT_GRAPH_CALL(GraphAddMemcpyNode, (Node** node, Graph* graph, Nodes nodes, size_t count, const abi::Memcpy3DParms* copy), graphs::add(session, node, graph, nodes, nullptr, count, made_copy(copy)))
BANKSHOT_GRAPH_CALL(GraphAddMemcpyNode1D, (Node** node, Graph* graph, Nodes nodes, size_t count, void* to, const void* from, size_t bytes, int kind), graphs::add(session, node, graph, nodes, nullptr, count, made_copy(to, from, bytes, kind)))
BANKSHOT_GRAPH_CALL(GraphAddMemcpyNodeToSymbol, (Node** node, Graph* graph, Nodes nodes, size_t count, const void* symbol, const void* from, size_t bytes, size_t offset, int kind), graphs::add(session, node, graph, nodes, nullptr, count, symbol_work(session, symbol, const_cast<void*>(from), bytes, offset, kind, true)))
BANKSHOT_GRAPH_CALL(GraphAddMemcpyNodeFromSymbol, (Node** node, Graph* graph, Nodes nodes, size_t count, void* to, const void* symbol, size_t bytes, size_t offset, int kind), graphs::add(session, node, graph, nodes, nullptr, count, symbol_work(session, symbol, to, bytes, offset, kind, false)))
BANKSHOT_GRAPH_CALL(GraphMemcpyNodeGetParams, (Node* node, abi::Memcpy3DParms* copy), copy_parameters_of(session, node, copy))
BANKSHOT_GRAPH_CALL(GraphMemcpyNodeSetParams, (Node* node, const abi::Memcpy3DParms* copy), graphs::set(session, node, made_copy(copy)))
BANKSHOT_GRAPH_CALL(GraphMemcpyNodeSetParams1D, (Node* node, void* to, const void* from, size_t bytes, int kind), graphs::set(session, node, made_copy(to, from, bytes, kind)))
BANKSHOT_GRAPH_CALL(GraphMemcpyNodeSetParamsToSymbol, (Node* node, const void* symbol, const void* from, size_t bytes, size_t offset, int kind), graphs::set(session, node, symbol_work(session, symbol, const_cast<void*>(from), bytes, offset, kind, true)))
BANKSHOT_GRAPH_CALL(GraphMemcpyNodeSetParamsFromSymbol, (Node* node, void* to, const void* symbol, size_t bytes, size_t offset, int kind), graphs::set(session, node, symbol_work(session, symbol, to, bytes, offset, kind, false)))
BANKSHOT_GRAPH_CALL(GraphExecMemcpyNodeSetParams, (GraphExec* exec, Node* node, const abi::Memcpy3DParms* copy), graphs::set(session, exec, node, made_copy(copy)))
BANKSHOT_GRAPH_CALL(GraphExecMemcpyNodeSetParams1D, (GraphExec* exec, Node* node, void* to, const void* from, size_t bytes, int kind), graphs::set(session, exec, node, made_copy(to, from, bytes, kind)))
BANKSHOT_GRAPH_CALL(GraphExecMemcpyNodeSetParamsToSymbol, (GraphExec* exec, Node* node, const void* symbol, const void* from, size_t bytes, size_t offset, int kind), graphs::set(session, exec, node, symbol_work(session, symbol, const_cast<void*>(from), bytes, offset, kind, true)))
BANKSHOT_GRAPH_CALL(GraphExecMemcpyNodeSetParamsFromSymbol, (GraphExec* exec, Node* node, void* to, const void* symbol, size_t bytes, size_t offset, int kind), graphs::set(session, exec, node, symbol_work(session, symbol, to, bytes, offset, kind, false)))
// clang-format on

BANKSHOT_API(cudaGraphLaunch)(GraphExec* exec, void* stream) {
  const Status status = call([](Session&) { return Status::success; });
  return status == Status::success ? remember(graphs::launch(Session::get(), exec, stream)) : status;
}

BANKSHOT_API(cudaThreadExchangeStreamCaptureMode)(int* mode) { return remember(exchange_capture_mode(mode)); }

}  // namespace bankshot::cuda::runtime

#undef BANKSHOT_GRAPH_CALL
