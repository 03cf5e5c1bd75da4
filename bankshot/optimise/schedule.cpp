#include "bankshot/optimise/schedule.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "bankshot/optimise/words.hpp"
#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::optimise {
namespace {

using ptx::Access;
using ptx::Instruction;
using ptx::Space;

/// What else than registers an instruction depends on.
struct Order {
  bool all = false;   ///< passes nothing, and nothing passes it
  bool warp = false;  ///< exchanges values between lanes: such instructions keep their order
  bool memory = false, writes = false, ordered = false;  ///< ordered: with all memory accesses, whatever they touch
  Space space = Space::generic;
  bool read_only = false;  ///< of memory that no one writes while the kernel runs
  Linear address;          ///< with `bytes`
  unsigned bytes = 0;      ///< 0: not known
};

/// Arithmetic, by opcode: anything else passes nothing.
bool is_arithmetic(const Instruction& instruction) {
  const std::string& op = instruction.opcode;
  return is_one_of(op, "mov", "add", "sub", "mul", "mad", "mul24", "mad24", "fma", "shl", "shr", "and", "or", "xor",
                   "not", "neg", "abs", "min", "max", "cvt", "cvta", "selp", "setp", "set", "slct", "bfe", "bfi",
                   "lop3", "prmt", "shf", "rem", "div", "popc", "clz", "brev", "cnot", "sad", "bfind", "rcp", "sqrt",
                   "rsqrt", "sin", "cos", "ex2", "lg2", "tanh", "copysign", "dp4a", "dp2a", "testp", "fns", "bmsk",
                   "szext", "isspacep", "mma", "addc", "subc", "madc");
}

bool reads_clock(const Instruction& instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(), [](const ptx::Operand& operand) {
    return operand.name.starts_with("%clock") || operand.name.starts_with("%globaltimer") ||
           operand.name.starts_with("%pm");
  });
}

Order order_of(const ptx::KernelCode& code, const Values& values, size_t step) {
  const Instruction& instruction = *code.steps()[step].instruction;
  const Access access = ptx::access_of(instruction);
  Order order;
  if (reads_clock(instruction)) {
    order.all = true;
    return order;
  }
  if (is_one_of(instruction.opcode, "shfl", "vote", "match", "redux", "activemask", "mma") ||
      instruction.opcode == "wmma") {
    order.warp = true;
    if (instruction.opcode != "wmma" || has(instruction, "mma")) return order;
  }
  if (is_one_of(instruction.opcode, "bar", "barrier")) {  // arithmetic passes it
    order.warp = order.memory = order.ordered = order.writes = true;
    return order;
  }
  if (access.kind == Access::Kind::none) {
    order.all = !is_arithmetic(instruction);
    return order;
  }
  order.memory = true;
  order.space = access.space;
  const bool plain = (access.kind == Access::Kind::load || access.kind == Access::Kind::store) && !access.is_strong() &&
                     !access.is_mmio && !access.asynchronous && !access.of_cluster;
  order.ordered = !plain;
  order.writes = access.writes() || !plain;
  if (!plain) return order;
  order.read_only =
      access.kind == Access::Kind::load && (has(instruction, "nc") || access.space == Space::param ||
                                            access.space == Space::constant || instruction.opcode == "ldu");
  const auto address = std::find_if(instruction.operands.begin(), instruction.operands.end(),
                                    [](const auto& operand) { return operand.kind == ptx::Operand::Kind::address; });
  if (access.layout == Access::Layout::lanes && address != instruction.operands.end()) {
    order.address = values.address(step, *address);
    order.bytes = access.bytes();
  }
  return order;
}

/// The two may touch the same memory, and one writes it.
bool conflict(const Order& a, const Order& b) {
  if (a.ordered || b.ordered) return true;
  if ((!a.writes && !b.writes) || a.read_only || b.read_only) return false;
  if (a.space != b.space && a.space != Space::generic && b.space != Space::generic) return false;
  // Addresses go round: each begins at least the size of the other behind it.
  const auto first = static_cast<uint64_t>(a.address.offset), second = static_cast<uint64_t>(b.address.offset);
  const bool apart = a.bytes != 0 && b.bytes != 0 && a.address.base == b.address.base && second - first >= a.bytes &&
                     first - second >= b.bytes;
  return !apart;
}

/// Cycles that its result takes, roughly: only which of two is longer matters.
unsigned latency_of(const Instruction& instruction, const Order& order, unsigned slots) {
  if (order.memory) {
    if (order.writes && !order.ordered) return 1;
    if (order.space == Space::shared) return 30;
    return order.space == Space::param || order.space == Space::constant ? 8 : 400;
  }
  if (slots == 0) return 0;
  if (order.warp) return 25;
  return ptx::bits(type_of(instruction)) == 64 && ptx::is_float(type_of(instruction)) ? 8 * slots : 4 * slots;
}

/// Registers that a step reads, each once with how often it does; of a guarded one also those that it may leave alone.
struct Uses {
  std::vector<std::pair<int, uint32_t>> reads;
  std::vector<int> writes;
};

Uses uses_of(const ptx::KernelCode& code, const ptx::Step& step) {
  Uses uses;
  uses.writes = written_by(code, step);
  std::vector<int> reads = read_by(code, step);
  if (step.instruction->guard) reads.insert(reads.end(), uses.writes.begin(), uses.writes.end());
  for (const int entity : reads) {
    const auto known = std::find_if(uses.reads.begin(), uses.reads.end(), [&](auto& r) { return r.first == entity; });
    if (known == uses.reads.end()) {
      uses.reads.emplace_back(entity, 1);
    } else {
      ++known->second;
    }
  }
  return uses;
}

/// Instructions of one basic block that follow each other: steps [first, first + size).
class Run {
 public:
  /// @param live  registers that are needed behind the run
  Run(const ptx::KernelCode& code, const Values& values, const std::vector<uint8_t>& slots, size_t first, size_t size,
      LiveSet live)
      : code_(code), slots_(slots), first_(first), live_(std::move(live)), nodes_(size) {
    for (size_t k = 0; k < size; ++k) {
      nodes_[k].uses = uses_of(code, code.steps()[first + k]);
      nodes_[k].order = order_of(code, values, first + k);
    }
    find_dependences();
    find_heights();
    find_pressure();
  }

  /// @return the steps in their new order
  std::vector<size_t> order(unsigned registers) {
    std::vector<size_t> out;
    for (size_t k = 0; k < nodes_.size(); ++k) {
      if (nodes_[k].waits == 0) ready_.insert({nodes_[k].height, k});
    }
    while (!ready_.empty()) {
      const auto chosen = choose(registers);
      const size_t k = chosen->step;
      ready_.erase(chosen);
      out.push_back(first_ + k);
      issue(k);
      now_ = std::max(now_, nodes_[k].earliest) + slots_[first_ + k];
      for (const Edge& edge : nodes_[k].successors) {
        Node& next = nodes_[edge.to];
        next.earliest = std::max(next.earliest, now_ + (edge.result ? nodes_[k].latency : 0));
        if (--next.waits == 0) ready_.insert({next.height, edge.to});
      }
    }
    return out;
  }

 private:
  /// To an instruction that comes later; if it is for a result, by as many cycles as that takes.
  struct Edge {
    size_t to = 0;
    bool result = false;
  };
  struct Node {
    Uses uses;
    Order order;
    std::vector<Edge> successors;
    uint32_t waits = 0;  ///< for so many others
    unsigned latency = 0;
    unsigned height = 0;    ///< cycles from its issue to the end of what depends on it
    unsigned earliest = 0;  ///< cycle in which its operands are there, if every instruction takes its slots
  };
  struct Ready {
    unsigned height = 0;
    size_t step = 0;
    bool operator<(const Ready& other) const {
      return height != other.height ? height > other.height : step < other.step;
    }
  };
  using Queue = std::set<Ready>;

  const Instruction& at(size_t k) const { return *code_.steps()[first_ + k].instruction; }

  void depends(size_t on, size_t k, bool result = false) {
    std::vector<Edge>& all = nodes_[on].successors;
    if (on == k) return;
    if (!all.empty() && all.back().to == k) {
      all.back().result |= result;
      return;
    }
    all.push_back({k, result});
    ++nodes_[k].waits;
  }

  void find_dependences() {
    std::unordered_map<int, size_t> writer;
    std::unordered_map<int, std::vector<size_t>> readers;
    const int carry = static_cast<int>(code_.entities());
    std::vector<size_t> accesses;
    std::optional<size_t> fence, exchange;
    for (size_t k = 0; k < nodes_.size(); ++k) {
      const bool carries = has(at(k), "cc") || is_one_of(at(k).opcode, "addc", "subc", "madc");
      std::vector<int> reads, writes = nodes_[k].uses.writes;
      for (const auto& [entity, times] : nodes_[k].uses.reads) reads.push_back(entity);
      if (carries) reads.push_back(carry), writes.push_back(carry);
      for (const int entity : reads) {
        if (const auto from = writer.find(entity); from != writer.end()) depends(from->second, k, true);
      }
      for (const int entity : writes) {
        if (const auto from = writer.find(entity); from != writer.end()) depends(from->second, k);
        for (const size_t reader : readers[entity]) depends(reader, k);
      }
      for (const int entity : reads) readers[entity].push_back(k);
      for (const int entity : writes) {
        writer[entity] = k;
        readers[entity].clear();
      }
      const Order& order = nodes_[k].order;
      if (order.all) {
        for (size_t before = fence ? *fence : 0; before < k; ++before) depends(before, k);
        fence = k;
        exchange.reset();
        accesses.clear();
        continue;
      }
      if (fence) depends(*fence, k);
      if (order.warp) {
        if (exchange) depends(*exchange, k);
        exchange = k;
      }
      if (!order.memory) continue;
      for (const size_t before : accesses) {
        if (conflict(nodes_[before].order, order)) depends(before, k);
      }
      if (order.ordered) accesses.clear();
      accesses.push_back(k);
    }
  }

  void find_heights() {
    for (size_t k = nodes_.size(); k-- > 0;) {
      Node& node = nodes_[k];
      node.latency = latency_of(at(k), node.order, slots_[first_ + k]);
      node.height = node.latency;
      for (const Edge& edge : node.successors)
        node.height = std::max(node.height, (edge.result ? node.latency : 0) + nodes_[edge.to].height);
    }
  }

  unsigned words(int entity) const { return words_of(code_, entity); }
  /// A constant that becomes an operand of others, and needs no register.
  bool is_constant(size_t k) const { return slots_[first_ + k] == 0 && nodes_[k].uses.reads.empty(); }

  /// Which registers are in use when the run begins, and how often each is read in it.
  void find_pressure() {
    std::unordered_set<int> written;
    for (const Node& node : nodes_) {
      for (const auto& [entity, times] : node.uses.reads) {
        uses_[entity] += times;
        if (!written.contains(entity)) enter(entity);
      }
      written.insert(node.uses.writes.begin(), node.uses.writes.end());
    }
    for (int entity = 0; entity < static_cast<int>(code_.entities()); ++entity) {
      if (live_.has(entity) && !written.contains(entity)) enter(entity);
    }
  }
  void enter(int entity) {
    if (in_use_.insert(entity).second) pressure_ += static_cast<int>(words(entity));
  }
  void leave(int entity) {
    if (in_use_.erase(entity) != 0) pressure_ -= static_cast<int>(words(entity));
  }

  /// By how many words of registers more are in use behind it.
  int growth(size_t k) const {
    const Uses& uses = nodes_[k].uses;
    int more = 0;
    if (!is_constant(k)) {
      for (const int entity : uses.writes) more += in_use_.contains(entity) ? 0 : static_cast<int>(words(entity));
    }
    for (const auto& [entity, times] : uses.reads) {
      if (uses_.at(entity) == times && !live_.has(entity) && in_use_.contains(entity))
        more -= static_cast<int>(words(entity));
    }
    return more;
  }

  void issue(size_t k) {
    const Uses& uses = nodes_[k].uses;
    for (const auto& [entity, times] : uses.reads) {
      if ((uses_[entity] -= times) == 0 && !live_.has(entity)) leave(entity);
    }
    if (is_constant(k)) return;
    for (const int entity : uses.writes) {
      if (uses_[entity] != 0 || live_.has(entity)) enter(entity);
    }
  }

  /// Of those for which there are registers, the one that others wait for longest whose operands are there; else the
  /// one whose operands come first. If there are registers for none, the first of the text.
  Queue::iterator choose(unsigned registers) const {
    auto best = ready_.end();
    for (auto it = ready_.begin(); it != ready_.end(); ++it) {
      const int more = growth(it->step);
      if (more > 0 && pressure_ + more > static_cast<int>(registers)) continue;
      if (nodes_[it->step].earliest <= now_) return it;
      if (best == ready_.end() || nodes_[it->step].earliest < nodes_[best->step].earliest) best = it;
    }
    if (best != ready_.end()) return best;
    return std::min_element(ready_.begin(), ready_.end(), [](auto& a, auto& b) { return a.step < b.step; });
  }

  const ptx::KernelCode& code_;
  const std::vector<uint8_t>& slots_;
  const size_t first_;
  const LiveSet live_;
  std::vector<Node> nodes_;
  Queue ready_;
  std::unordered_map<int, uint32_t> uses_;  ///< reads that are still to come, by entity
  std::unordered_set<int> in_use_;
  int pressure_ = 0;
  unsigned now_ = 0;  ///< cycle
};

}  // namespace

std::vector<size_t> schedule(const ptx::KernelCode& code, const Values& values, const std::vector<uint8_t>& slots,
                             const Stretch& stretch, const LiveSet& live, unsigned registers) {
  return Run(code, values, slots, stretch.first, stretch.size, live).order(registers);
}

}  // namespace bankshot::optimise
