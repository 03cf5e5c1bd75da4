// Names that a function does not have yet.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "bankshot/ptx/module.hpp"

namespace bankshot::optimise {

class FreshNames {
 public:
  /// @param stem  what they begin with, behind % or $: "joined_"
  FreshNames(const ptx::Function& function, std::string stem);

  /// A register; declare() declares it.
  ptx::Operand of_type(ptx::Type type);
  std::string label();
  /// Declares the registers at the head of the body.
  void declare(ptx::Block& body) const;

 private:
  std::string stem_;
  std::map<ptx::Type, uint32_t> registers_;  ///< how many
  uint32_t labels_ = 0;
};

/// A register, variable or label as an operand.
ptx::Operand identifier(std::string name);

}  // namespace bankshot::optimise
