// Which registers hold the same value, and which values are a constant apart: as far as ptxas sees it when it joins
// accesses.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "bankshot/ptx/dominators.hpp"
#include "bankshot/ptx/flow.hpp"
#include "bankshot/ptx/kernel_code.hpp"

namespace bankshot::optimise {

/// A base plus a constant. Equal bases are equal numbers whenever both are in scope.
struct Linear {
  int base = kNumber;  ///< of Values, or kNumber
  int64_t offset = 0;

  static constexpr int kNumber = -1;  ///< the value is `offset` itself
  bool operator==(const Linear&) const = default;
  auto operator<=>(const Linear&) const = default;
};

/// Control flow of a function, worked out once.
struct Control {
  std::vector<ptx::FlowNode> nodes;
  ptx::Blocks blocks;
  ptx::Dominators dominators;

  explicit Control(const ptx::KernelCode& code);
  /// Whether every path to step `b` passes step `a`.
  bool dominates(size_t a, size_t b) const;
};

/// Registers that the step writes, as entities.
std::vector<int> written_by(const ptx::KernelCode& code, const ptx::Step& step);
/// Registers that the step reads: every operand but the one it writes, what its addresses are made of, and its guard.
std::vector<int> read_by(const ptx::KernelCode& code, const ptx::Step& step);

/// Where registers are written and read.
struct RegisterUses {
  std::vector<std::vector<size_t>> writers, readers;  ///< by entity: steps, in their order

  explicit RegisterUses(const ptx::KernelCode& code);
};

class Values {
 public:
  /// @param shared  bytes from the start of shared memory, of each .shared variable
  Values(const ptx::KernelCode& code, const Control& control, const std::map<const ptx::Variable*, uint32_t>& shared,
         unsigned architecture);

  /// The address of a memory access. @param operand  of the step, of kind address
  Linear address(size_t step, const ptx::Operand& operand) const { return at_[step].at(&operand); }
  /// Low bits of a base that are surely zero; of kNumber all.
  unsigned zeros(int base) const { return base == Linear::kNumber ? 64 : nodes_[static_cast<size_t>(base)].zeros; }
  /// How many instructions write a register.
  size_t writes(int entity) const { return uses_.writers[static_cast<size_t>(entity)].size(); }

 private:
  struct Node {
    std::string what;           ///< operation, or what it stands for
    std::vector<Linear> parts;  ///< of an operation: its operands
    int entity = -1;            ///< of a value that comes from several instructions: the register
    unsigned zeros = 0;
  };
  using State = std::map<int, Linear>;  ///< registers that several instructions write

  Linear make(std::string what, std::vector<Linear> parts, int entity = -1);
  Linear operand(size_t step, const ptx::Operand& operand, const State& state);
  Linear result(size_t step, const State& state);
  Linear sum(const ptx::Instruction& instruction, const Linear& a, const Linear& b, bool subtracts);
  Linear operation(const ptx::Instruction& instruction, std::vector<Linear> parts);
  unsigned zeros_of(const Node& node) const;
  unsigned zeros_of(const Linear& value) const;
  void settle_zeros();
  State entry_state(uint32_t block);

  const ptx::KernelCode& code_;
  const Control& control_;
  const std::map<const ptx::Variable*, uint32_t>& shared_;
  unsigned architecture_;
  RegisterUses uses_;
  std::vector<int> written_twice_;            ///< registers that several instructions write
  std::vector<Linear> value_of_;              ///< by entity that is written once
  std::vector<std::vector<Linear>> defined_;  ///< by entity: what each write gives it
  std::vector<Node> nodes_;
  std::map<std::tuple<std::string, std::vector<Linear>, int>, int> numbers_;
  std::vector<std::map<const ptx::Operand*, Linear>> at_;  ///< by step: its addresses
  std::vector<State> leaves_;                              ///< by block
  std::vector<char> done_;                                 ///< by block
};

}  // namespace bankshot::optimise
