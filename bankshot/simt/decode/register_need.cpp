#include "bankshot/simt/decode/register_need.hpp"

#include <algorithm>

namespace bankshot::simt {
namespace {

/// The words in use, while a block is followed against its order.
class InUse {
 public:
  explicit InUse(std::span<const uint8_t> words) : words_(words), block_(words.size(), 0) {}

  void start(uint32_t block, const std::vector<uint32_t>& registers) {
    now_ = block + 1;
    sum_ = 0;
    for (const uint32_t reg : registers) add(reg);
  }
  bool has(uint32_t reg) const { return block_[reg] == now_; }
  void add(uint32_t reg) {
    if (has(reg)) return;
    block_[reg] = now_;
    sum_ += words_[reg];
  }
  void remove(uint32_t reg) {
    if (!has(reg)) return;
    block_[reg] = 0;
    sum_ -= words_[reg];
  }
  uint32_t words() const { return sum_; }

 private:
  std::span<const uint8_t> words_;
  std::vector<uint32_t> block_;  ///< by register: 1 + the block in which it is in use
  uint32_t now_ = 0, sum_ = 0;
};

class Need {
 public:
  explicit Need(const LoadedProgram& program) : program_(program), known_(program.functions.size(), kUnknown) {}

  uint32_t of(uint32_t function) {
    if (known_[function] != kUnknown) return known_[function];
    known_[function] = 0;  // for calls that come back to it
    const FunctionInfo& info = program_.functions[function];
    uint32_t most = info.live_registers;
    for (const FunctionInfo::Call& call : info.calls) {
      const uint32_t callee = call.function < 0 ? of_any() : of(static_cast<uint32_t>(call.function));
      most = std::max(most, call.live + callee);
    }
    return known_[function] = most;
  }

 private:
  static constexpr uint32_t kUnknown = ~0u;

  uint32_t of_any() {
    uint32_t most = 0;
    for (uint32_t k = 0; k < program_.functions.size(); ++k) {
      if (!program_.functions[k].is_entry) most = std::max(most, of(k));
    }
    return most;
  }

  const LoadedProgram& program_;
  std::vector<uint32_t> known_;
};

}  // namespace

Pressure pressure(const Blocks& blocks, const std::vector<RegisterUse>& uses, const Liveness& live,
                  std::span<const uint8_t> words) {
  Pressure result;
  const size_t nodes = blocks.of.size();
  result.around.resize(nodes, 0);
  InUse in_use(words);
  size_t end = uses.size();
  for (auto block = static_cast<uint32_t>(blocks.first.size()); block-- > 0;) {
    in_use.start(block, live.behind[block]);
    const size_t behind = block + 1 < blocks.first.size() ? blocks.first[block + 1] : nodes;
    for (size_t node = behind; node-- > blocks.first[block];) {
      size_t begin = end;
      while (begin > 0 && uses[begin - 1].node == node) --begin;
      uint32_t after = in_use.words();
      for (size_t k = begin; k < end; ++k) {
        if (uses[k].write && !in_use.has(uses[k].reg)) after += words[uses[k].reg];  // an unused result
      }
      for (size_t k = end; k-- > begin;) {
        if (!uses[k].write) {
          in_use.add(uses[k].reg);
        } else if (!uses[k].guarded || live.begins[k] != 0) {
          in_use.remove(uses[k].reg);
        }
      }
      result.around[node] = std::max(after, in_use.words());
      result.most = std::max(result.most, result.around[node]);
      end = begin;
    }
  }
  return result;
}

uint32_t register_need(const LoadedProgram& program, uint32_t function) { return Need(program).of(function); }

}  // namespace bankshot::simt
