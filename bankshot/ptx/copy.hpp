// Copies of what the module holds by pointer.
#pragma once

#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

Statement copy(const Statement& statement);
Block copy(const Block& block);

}  // namespace bankshot::ptx
