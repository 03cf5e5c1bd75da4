#include "bankshot/cuda/graph_calls/graph_run.hpp"

#include <algorithm>
#include <utility>

#include "bankshot/cuda/launch/kernel_work.hpp"
#include "bankshot/cuda/launch/launch.hpp"
#include "bankshot/cuda/memory/allocate.hpp"
#include "bankshot/cuda/memory/array_copy.hpp"
#include "bankshot/cuda/memory/stream_memory.hpp"
#include "bankshot/cuda/process/say.hpp"

namespace bankshot::cuda {
namespace {

Status run(Session& session, void* stream, const KernelWork& kernel) {
  const Function* const function = session.modules().function(kernel.function);
  if (!function || function->name != kernel.name) return Status::invalid_handle;  // its module was unloaded
  return launch(session, *kernel.function, stream, request_of(kernel));
}

Status run(Session& session, const FillWork& fill_work) {
  const abi::MemsetNode& what = fill_work.what;
  const size_t bytes = what.width * what.element;
  return fill(session.memory().engine(), {what.to, what.pitch, fill_work.slice, Side::device},
              {bytes, what.height, fill_work.depth}, what.value, what.element);
}

Status run(Session& session, const AllocateWork& allocate, bool frees) {
  GraphMemory& memory = *allocate.memory;
  if (memory.is_allocated()) {
    if (!frees) {
      say_once("graph allocates twice",
               "a graph that allocates memory is launched again before the memory of its last launch is freed: free "
               "it, or instantiate with cudaGraphInstantiateFlagAutoFreeOnLaunch");
      return Status::invalid_value;
    }
    session.memory().engine().unmap(memory.address);
    session.memory().graph_use.freed(memory.bytes);
  }
  if (!session.memory().engine().map(memory.address, memory.bytes)) return Status::out_of_memory;
  session.memory().graph_use.allocated(memory.bytes);
  return Status::success;
}

/// Runs a node that neither calls the program back nor contains nodes.
/// @param frees  first free what an earlier launch allocated and was not freed
Status execute(Session& session, void* stream, const Work& work, bool frees) {
  if (const auto* kernel = std::get_if<KernelWork>(&work)) return run(session, stream, *kernel);
  if (const auto* copy = std::get_if<CopyWork>(&work)) return copy_3d(session.memory(), copy->what);
  if (const auto* fill = std::get_if<FillWork>(&work)) return run(session, *fill);
  if (const auto* event = std::get_if<EventWork>(&work))
    return event->records ? session.work().events.record(event->event, session.now())
                          : session.work().events.exists(event->event);
  if (const auto* allocate = std::get_if<AllocateWork>(&work)) return run(session, *allocate, frees);
  if (const auto* free = std::get_if<FreeWork>(&work))
    return release(session.memory(), reinterpret_cast<void*>(free->address), {simt::MemoryKind::device});
  if (const auto* operations = std::get_if<MemoryOperationsWork>(&work))
    return cuda::execute(session.memory(), operations->operations);
  return Status::success;
}

void assign_conditions(const Graph& graph) {
  for (const auto& condition : graph.conditions)
    if (condition->assigns) condition->value() = condition->initial;
  for (const auto& node : graph.nodes) for_each_inside(*node, assign_conditions);
}

/// One launch, with those that its kernels make. It gives up the lock for callbacks; if these update or destroy the
/// instance, that affects later launches only.
class Run {
 public:
  Run(Session& session, void* stream) : session_(session), stream_(stream), lock_(session.mutex()) {}

  Status run(std::shared_ptr<GraphExec> exec) {
    if (const Status status = session_.open(); status != Status::success) return status;
    if (!session_.work().streams.find(stream_)) return Status::invalid_handle;
    const Running running(session_.work().running_graphs);
    return run_with_tails(std::move(exec));
  }

 private:
  /// Under the lock at both ends.
  struct Running {
    unsigned& graphs;
    explicit Running(unsigned& all) : graphs(all) { ++graphs; }
    ~Running() { --graphs; }
  };

  /// What runs now of an instance, although it may be changed meanwhile.
  struct Instance {
    std::shared_ptr<GraphExec> exec;
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const GraphExec::Orders> orders;
    std::vector<std::shared_ptr<GraphExec>> tails;  ///< launched to run after it
    Instance* outer = nullptr;                      ///< whose kernel has launched it
  };

  /// Runs an instance, then those that its kernels launched to come after it, in order, each with its own behind it.
  Status run_with_tails(std::shared_ptr<GraphExec> exec) {
    std::vector<std::shared_ptr<GraphExec>> waiting{std::move(exec)};  // the next one is the last
    while (!waiting.empty() && !stopped()) {
      Instance instance{std::move(waiting.back()), {}, {}, {}, instance_};
      waiting.pop_back();
      if (const Status status = run(instance); status != Status::success) return status;
      waiting.insert(waiting.end(), instance.tails.rbegin(), instance.tails.rend());
    }
    return Status::success;
  }

  Status run(Instance& instance) {
    instance.exec->uploaded = true;
    instance.graph = instance.exec->graph;
    instance.orders = instance.exec->orders;
    assign_conditions(*instance.graph);
    instance_ = &instance;
    const Status status = run(*instance.graph);
    instance_ = instance.outer;
    return status;
  }

  /// Runs, or keeps for later, the graphs that a kernel has launched.
  Status run_launched(const std::vector<simt::DeviceLaunch>& launches) {
    for (const simt::DeviceLaunch& launch : launches) {
      auto exec = session_.work().graph_execs.find(reinterpret_cast<const GraphExec*>(launch.graph));
      if (launch.tail) {
        instance_->tails.push_back(std::move(exec));
      } else if (const Status status = run_with_tails(std::move(exec)); status != Status::success || stopped()) {
        return status;
      }
    }
    return Status::success;
  }

  Status run(const Graph& graph) {
    for (const Node* node : instance_->orders->at(&graph)) {
      if (!node->enabled) continue;
      if (const Status status = run(*node); status != Status::success) return status;
      if (stopped()) break;
    }
    return Status::success;
  }

  /// Whether a kernel failed, which the next call reports.
  bool stopped() const { return session_.corrupted() != Status::success; }

  Status run(const Node& node) {
    if (const auto* host = std::get_if<HostWork>(&node.work)) {
      const abi::HostNode call = host->what;
      lock_.unlock();
      call.function(call.data);
      lock_.lock();
      return Status::success;
    }
    if (const auto* child = std::get_if<ChildWork>(&node.work)) return run(*child->graph);
    if (const auto* conditional = std::get_if<ConditionalWork>(&node.work)) return run(*conditional);
    GraphNodeContext context;
    if (std::holds_alternative<KernelWork>(node.work)) context = what_kernels_may_launch();
    {
      const Current current(session_.work().graph_node, context);
      const Status status = execute(session_, stream_, node.work, instance_->exec->flags & GraphExec::kAutoFree);
      if (status != Status::success) return status;
    }
    return run_launched(context.launched);
  }

  struct Current {
    GraphNodeContext*& place;
    Current(GraphNodeContext*& where, GraphNodeContext& context) : place(where) { place = &context; }
    ~Current() { place = nullptr; }
  };

  /// Not the graphs that run now, which are the instance and those around it. But the instance itself may come once
  /// more, behind its own end.
  GraphNodeContext what_kernels_may_launch() const {
    GraphNodeContext context{.launchable = session_.work().graph_execs.launchable()};
    const auto handle = [](const std::shared_ptr<GraphExec>& exec) { return reinterpret_cast<uint64_t>(exec.get()); };
    if (instance_->exec->flags & GraphExec::kDeviceLaunch) context.device_graph = handle(instance_->exec);
    for (const Instance* outer = instance_->outer; outer != nullptr; outer = outer->outer)
      std::erase(context.launchable, handle(outer->exec));
    if (std::ranges::count(instance_->tails, instance_->exec) != 0)
      std::erase(context.launchable, handle(instance_->exec));
    return context;
  }

  Status run(const ConditionalWork& conditional) {
    const uint32_t& value = conditional.condition->value();
    const auto& bodies = conditional.bodies;
    switch (conditional.kind) {
      case ConditionalWork::choose_if:
        if (value != 0) return run(*bodies[0]);
        return bodies.size() > 1 ? run(*bodies[1]) : Status::success;
      case ConditionalWork::repeat_while:
        while (value != 0 && !stopped())
          if (const Status status = run(*bodies[0]); status != Status::success) return status;
        return Status::success;
      case ConditionalWork::choose_switch: return value < bodies.size() ? run(*bodies[value]) : Status::success;
    }
    return Status::success;
  }

  Session& session_;
  void* stream_;
  std::unique_lock<std::mutex> lock_;
  Instance* instance_ = nullptr;  ///< the innermost that runs
};

}  // namespace

Status launch(Session& session, std::shared_ptr<GraphExec> exec, void* stream) {
  return Run(session, stream).run(std::move(exec));
}

}  // namespace bankshot::cuda
