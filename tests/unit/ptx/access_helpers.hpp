// The access of an instruction by its text.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "bankshot/ptx/access.hpp"

namespace bankshot::ptx {

/// Of "ld.shared.v4.f32".
inline Access access_named(const std::string& mnemonic) {
  std::istringstream in(mnemonic);
  std::string opcode, modifier;
  std::getline(in, opcode, '.');
  std::vector<std::string> modifiers;
  while (std::getline(in, modifier, '.')) modifiers.push_back(modifier);
  return access_of(opcode, modifiers);
}

}  // namespace bankshot::ptx
