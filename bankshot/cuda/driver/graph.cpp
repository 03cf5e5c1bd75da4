// Graph functions that only the driver interface has. The common ones: bankshot/cuda/graph_calls/graph_calls.def.
#include "bankshot/cuda/graph_calls/graph_calls.hpp"

#include <cstring>

#include "bankshot/cuda/driver/call.hpp"

namespace bankshot::cuda::driver {
namespace {

using Nodes = Node* const*;

/// Graphs belong to no context. Afterwards, without the lock, destroys objects of the program that are now unused.
template <class Work>
Status graph_call(Work&& work) {
  const Status status = call_anywhere(work);
  graphs::destroy_unused(Session::get());
  return status;
}

/// @param with_kernel  the structure has a place for a kernel instead of a function
MadeWork made_kernel(Session& session, const abi::DriverKernelNode* node, bool with_kernel = true) {
  if (!node) return Status::invalid_value;
  const void* function = node->function || !with_kernel ? node->function : node->kernel;
  return kernel_work(
      session, function,
      {.grid = node->grid, .block = node->block, .dynamic_shared = node->dynamic_shared, .arguments = node->arguments},
      node->extra);
}

MadeWork made_copy(const abi::DriverMemcpy3D* copy) {
  if (!copy) return Status::invalid_value;
  return copy_work(*copy);
}

MadeWork make(Session& session, const abi::NodeParameters& parameters) {
  return static_cast<NodeType>(parameters.type) == NodeType::kernel ? made_kernel(session, &parameters.driver_kernel)
                                                                    : made_copy(&parameters.driver_copy.copy);
}

Status kernel_parameters(Session& session, Node* node, abi::DriverKernelNode* out, bool with_kernel = true) {
  auto* kernel = graphs::work_of<KernelWork>(session, node);
  if (!kernel || !out) return Status::invalid_value;
  const abi::DriverKernelNode all{kernel->function,         kernel->grid, kernel->block, kernel->dynamic_shared,
                                  kernel->arguments.data(), nullptr,      nullptr,       nullptr};
  std::memcpy(static_cast<void*>(out), &all, with_kernel ? sizeof all : offsetof(abi::DriverKernelNode, kernel));
  return Status::success;
}

/// The older forms have a place for the node at fault and for text.
Status instantiate(Session& session, GraphExec** exec, Graph* graph, void** node, char* text, size_t size) {
  abi::InstantiateParameters problem{};
  if (text && size > 0) *text = '\0';
  const Status status = graphs::instantiate(session, exec, graph, 0, &problem);
  if (node) *node = problem.error_node;
  return status;
}

Status update(Session& session, GraphExec* exec, Graph* graph, void** node, int* result) {
  if (!node || !result) return Status::invalid_value;
  abi::UpdateResult all{};
  const Status status = graphs::update(session, exec, graph, &all);
  *node = all.error_node;
  *result = all.result;
  return status;
}

}  // namespace

#define BANKSHOT_GRAPH_CALL(name, parameters, expression)            \
  BANKSHOT_API(cu##name) parameters {                                \
    return graph_call([&](Session& session) { return expression; }); \
  }
#include "bankshot/cuda/graph_calls/graph_calls.def"

// clang-format off
BANKSHOT_GRAPH_CALL(StreamBeginCapture, (void* stream), begin_capture(session.work(), stream, 0))
BANKSHOT_GRAPH_CALL(StreamBeginCapture_v2, (void* stream, int mode), begin_capture(session.work(), stream, mode))
BANKSHOT_GRAPH_CALL(GraphInstantiate, (GraphExec** exec, Graph* graph, void** node, char* text, size_t size), instantiate(session, exec, graph, node, text, size))
BANKSHOT_GRAPH_CALL(GraphInstantiate_v2, (GraphExec** exec, Graph* graph, void** node, char* text, size_t size), instantiate(session, exec, graph, node, text, size))
BANKSHOT_GRAPH_CALL(GraphExecUpdate, (GraphExec* exec, Graph* graph, void** node, int* result), update(session, exec, graph, node, result))
BANKSHOT_GRAPH_CALL(GraphExecUpdate_v2, (GraphExec* exec, Graph* graph, abi::UpdateResult* result), graphs::update(session, exec, graph, result))
BANKSHOT_GRAPH_CALL(GraphConditionalHandleCreate, (unsigned long long* handle, Graph* graph, Context*, unsigned initial, unsigned flags), graphs::create_condition(session, handle, graph, initial, flags))
BANKSHOT_GRAPH_CALL(GraphAddNode, (Node** node, Graph* graph, Nodes nodes, size_t count, abi::NodeParameters* parameters), graphs::add_node(session, node, graph, nodes, nullptr, count, parameters, make))
BANKSHOT_GRAPH_CALL(GraphAddNode_v2, (Node** node, Graph* graph, Nodes nodes, const abi::EdgeData* data, size_t count, abi::NodeParameters* parameters), graphs::add_node(session, node, graph, nodes, data, count, parameters, make))
BANKSHOT_GRAPH_CALL(GraphNodeSetParams, (Node* node, abi::NodeParameters* parameters), graphs::set_node(session, node, parameters, make))
BANKSHOT_GRAPH_CALL(GraphExecNodeSetParams, (GraphExec* exec, Node* node, abi::NodeParameters* parameters), graphs::set_node(session, exec, node, parameters, make))

BANKSHOT_GRAPH_CALL(GraphAddKernelNode, (Node** node, Graph* graph, Nodes nodes, size_t count, const abi::DriverKernelNode* parameters), graphs::add(session, node, graph, nodes, nullptr, count, made_kernel(session, parameters, false)))
BANKSHOT_GRAPH_CALL(GraphAddKernelNode_v2, (Node** node, Graph* graph, Nodes nodes, size_t count, const abi::DriverKernelNode* parameters), graphs::add(session, node, graph, nodes, nullptr, count, made_kernel(session, parameters)))
BANKSHOT_GRAPH_CALL(GraphKernelNodeGetParams, (Node* node, abi::DriverKernelNode* parameters), kernel_parameters(session, node, parameters, false))
BANKSHOT_GRAPH_CALL(GraphKernelNodeGetParams_v2, (Node* node, abi::DriverKernelNode* parameters), kernel_parameters(session, node, parameters))
BANKSHOT_GRAPH_CALL(GraphKernelNodeSetParams, (Node* node, const abi::DriverKernelNode* parameters), graphs::set(session, node, made_kernel(session, parameters, false)))
BANKSHOT_GRAPH_CALL(GraphKernelNodeSetParams_v2, (Node* node, const abi::DriverKernelNode* parameters), graphs::set(session, node, made_kernel(session, parameters)))
BANKSHOT_GRAPH_CALL(GraphExecKernelNodeSetParams, (GraphExec* exec, Node* node, const abi::DriverKernelNode* parameters), graphs::set(session, exec, node, made_kernel(session, parameters, false)))
BANKSHOT_GRAPH_CALL(GraphExecKernelNodeSetParams_v2, (GraphExec* exec, Node* node, const abi::DriverKernelNode* parameters), graphs::set(session, exec, node, made_kernel(session, parameters)))

BANKSHOT_GRAPH_CALL(GraphAddMemsetNode, (Node** node, Graph* graph, Nodes nodes, size_t count, const abi::MemsetNode* parameters, Context*), graphs::add(session, node, graph, nodes, nullptr, count, fill_work(parameters)))
BANKSHOT_GRAPH_CALL(GraphExecMemsetNodeSetParams, (GraphExec* exec, Node* node, const abi::MemsetNode* parameters, Context*), graphs::set(session, exec, node, fill_work(parameters)))
BANKSHOT_GRAPH_CALL(GraphAddMemcpyNode, (Node** node, Graph* graph, Nodes nodes, size_t count, const abi::DriverMemcpy3D* copy, Context*), graphs::add(session, node, graph, nodes, nullptr, count, made_copy(copy)))
BANKSHOT_GRAPH_CALL(GraphMemcpyNodeGetParams, (Node* node, abi::DriverMemcpy3D* copy), graphs::parameters_of<CopyWork>(session, node, copy))
BANKSHOT_GRAPH_CALL(GraphMemcpyNodeSetParams, (Node* node, const abi::DriverMemcpy3D* copy), graphs::set(session, node, made_copy(copy)))
BANKSHOT_GRAPH_CALL(GraphExecMemcpyNodeSetParams, (GraphExec* exec, Node* node, const abi::DriverMemcpy3D* copy, Context*), graphs::set(session, exec, node, made_copy(copy)))

BANKSHOT_GRAPH_CALL(GraphAddBatchMemOpNode, (Node** node, Graph* graph, Nodes nodes, size_t count, const abi::MemoryOperationsNode* parameters), graphs::add(session, node, graph, nodes, nullptr, count, graphs::operations_work(parameters)))
BANKSHOT_GRAPH_CALL(GraphBatchMemOpNodeGetParams, (Node* node, abi::MemoryOperationsNode* parameters), graphs::operations_of(session, node, parameters))
BANKSHOT_GRAPH_CALL(GraphBatchMemOpNodeSetParams, (Node* node, const abi::MemoryOperationsNode* parameters), graphs::set(session, node, graphs::operations_work(parameters)))
BANKSHOT_GRAPH_CALL(GraphExecBatchMemOpNodeSetParams, (GraphExec* exec, Node* node, const abi::MemoryOperationsNode* parameters), graphs::set(session, exec, node, graphs::operations_work(parameters)))
// clang-format on

BANKSHOT_API(cuGraphLaunch)(GraphExec* exec, void* stream) {
  const Status status = call_by(stream, [](Session&) { return Status::success; });
  return status == Status::success ? driver_status(graphs::launch(Session::get(), exec, stream)) : status;
}

BANKSHOT_API(cuThreadExchangeStreamCaptureMode)(int* mode) { return exchange_capture_mode(mode); }

}  // namespace bankshot::cuda::driver

#undef BANKSHOT_GRAPH_CALL
