// Graphs: nodes of work and their order. A graph is only a description; its instances run (graph_exec.hpp).
// Source: CUDA driver API reference, section "Graph Management".
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/abi/abi_graph.hpp"
#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/modules/modules.hpp"
#include "bankshot/simt/memory/memory.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cuda {

struct Graph;
struct Node;
class GraphTable;

/// A condition that a kernel sets. Its handle is the address of a word of device memory, so setting it is a store.
struct Condition {
  Condition(simt::Memory& memory, uint64_t address, unsigned initial, bool assigns)
      : memory(memory), address(address), initial(initial), assigns(assigns) {}
  ~Condition() { memory.free(address); }
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  uint32_t& value() const { return *reinterpret_cast<uint32_t*>(address); }

  simt::Memory& memory;
  uint64_t address;
  unsigned initial;
  bool assigns;  ///< starts every launch with its initial value
};

/// Memory that a node allocates. The address is fixed; it is backed only between the allocating and the freeing node.
struct GraphMemory {
  GraphMemory(simt::Memory& memory, uint64_t address, uint64_t bytes)
      : memory(memory), address(address), bytes(bytes) {}
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  bool is_allocated() const;

  simt::Memory& memory;
  uint64_t address, bytes;
};

// What a node does. Arguments that the program passes by pointer are copied.

struct KernelWork {
  Function* function = nullptr;  ///< its module may be unloaded before the node runs
  std::string name;              ///< of the function
  simt::Dim3 grid, block;
  uint32_t dynamic_shared = 0;
  std::vector<std::byte> parameters;               ///< the whole buffer
  std::vector<void*> arguments;                    ///< point into the buffer; for queries of the parameters
  std::map<int, std::array<char, 64>> attributes;  ///< by LaunchAttribute::Id, as the program set them
};
struct CopyWork {
  abi::DriverMemcpy3D what;
};
struct FillWork {
  abi::MemsetNode what;
  size_t depth = 1, slice = 0;  ///< more than one slice in captured fills only; bytes from one to the next
};
struct HostWork {
  abi::HostNode what;
};
struct ChildWork {
  std::unique_ptr<Graph> graph;
};
struct EmptyWork {};
struct EventWork {
  void* event = nullptr;
  bool records = false;  ///< else it waits
};
struct AllocateWork {
  abi::AllocateNode what;
  std::shared_ptr<GraphMemory> memory;
};
struct FreeWork {
  uint64_t address = 0;
};
struct MemoryOperationsWork {
  std::vector<abi::MemoryOperation> operations;
};
struct ConditionalWork {
  enum Kind : int { choose_if, repeat_while, choose_switch };
  std::shared_ptr<Condition> condition;
  Kind kind = choose_if;
  std::vector<std::unique_ptr<Graph>> bodies;
  std::vector<Graph*> handles;  ///< of the bodies, as the interface gives them
};

using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork, EmptyWork, EventWork, AllocateWork,
                          FreeWork, MemoryOperationsWork, ConditionalWork>;

/// Work, or why its parameters are invalid.
using MadeWork = Result<Work, Status>;

/// Source: CUDA driver API reference, enum CUgraphNodeType; the runtime interface has the same numbers.
enum class NodeType : int {
  kernel = 0,
  copy = 1,
  fill = 2,
  host = 3,
  child = 4,
  empty = 5,
  wait_event = 6,
  record_event = 7,
  signal_semaphores = 8,
  wait_semaphores = 9,
  allocate = 10,
  free = 11,
  memory_operations = 12,
  conditional = 13,
};
NodeType type_of(const Work& work);

struct Edge {
  Node* node = nullptr;  ///< the other end
  abi::EdgeData data{};
};

/// Its address is the handle.
struct Node {
  Graph* graph = nullptr;
  uint64_t id = 0;
  uint64_t copied_from = 0;  ///< id of the node of which it is a copy, or 0
  bool enabled = true;
  Work work;
  std::vector<Edge> dependencies;  ///< in the order they were added
  std::vector<Node*> dependents;
};

/// An object of the program that lives as long as there are references to it.
struct UserObject {
  void* data = nullptr;
  void (*destroy)(void*) = nullptr;
  uint64_t callers = 0;  ///< references that the program holds
  uint64_t graphs = 0;   ///< … and that graphs hold
};

/// Its address is the handle.
struct Graph {
  explicit Graph(GraphTable& table);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  GraphTable& table;
  uint64_t id = 0;
  uint64_t copied_from = 0;                  ///< id of the graph of which it is a copy, or 0
  Graph* inside = nullptr;                   ///< the graph whose node owns this one; null if none does
  std::vector<std::unique_ptr<Node>> nodes;  ///< in the order they were added
  std::vector<std::shared_ptr<Condition>> conditions;
  std::map<UserObject*, unsigned> objects;  ///< references held, by object

  /// @param dependencies  nodes of this graph
  Node* add(Work work, std::vector<Edge> dependencies);
  void remove(Node* node);
  bool depends(const Node* node, const Node* on) const;  ///< directly
  void connect(Node* from, Node* to, abi::EdgeData data);
  void disconnect(Node* from, Node* to);
  /// Adds references to an object. @param moves  takes them from the program, which must hold as many
  void retain(UserObject* object, unsigned references, bool moves);
  /// A deep copy with the nodes in the same order. @param copies  receives the new nodes, by id of the original
  std::unique_ptr<Graph> clone(std::unordered_map<uint64_t, Node*>* copies = nullptr) const;
  /// The nodes, each after those it depends on; ties go to the node that was added first. Shorter than `nodes` if there
  /// is a cycle.
  std::vector<Node*> order() const;
};

/// The graphs, nodes and user objects of the process: valid handles, and objects still to be destroyed.
class GraphTable {
 public:
  Graph* create();
  Graph* adopt(std::unique_ptr<Graph> graph);
  /// @return false if it is not a graph, or is inside another one
  bool destroy(const Graph* graph);
  /// Removes a graph from the table without destroying it. Null if it is not a graph, or is inside another one.
  std::unique_ptr<Graph> take(const Graph* graph);
  bool contains(const Graph* graph) const { return graphs_.contains(graph); }
  bool contains(const Node* node) const { return nodes_.contains(node); }
  void clear();

  UserObject* create_object(UserObject object);
  bool contains(const UserObject* object) const { return objects_.contains(object); }
  /// Releases references. Does nothing if it is not an object.
  void release(UserObject* object, uint64_t callers, uint64_t graphs);
  /// Objects without references. Their destructors belong to the program: run them without the session's lock.
  std::vector<UserObject> take_unused() { return std::exchange(unused_, {}); }

  std::shared_ptr<Condition> find_condition(uint64_t handle) const;

 private:
  friend struct Graph;
  std::unordered_set<const Graph*> graphs_;
  std::unordered_set<const Node*> nodes_;
  std::unordered_map<const UserObject*, std::unique_ptr<UserObject>> objects_;
  std::vector<UserObject> unused_;
  uint64_t next_id_ = 1;
  std::unordered_map<const Graph*, std::unique_ptr<Graph>> top_;  ///< last: destructors of graphs use the others
};

}  // namespace bankshot::cuda
