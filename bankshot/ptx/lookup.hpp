// Finding things in a module, and what instructions are called in messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

/// The kernel (.entry with a body) of that name, or null.
const Function* find_kernel(const Module& module, std::string_view name);
/// Names of all kernels with a body, in the order of the text.
std::vector<std::string> kernel_names(const Module& module);

/// Whether a variable or a label of the block, or of one inside, has a name that begins so.
bool any_name_begins(const Block& block, std::string_view prefix);

/// "ld.shared.v2.f32"
std::string mnemonic(const Instruction& instruction);
/// The same for an instruction of the text that this one stands for.
std::string as_written(const Instruction& instruction);
/// Whether the first operand is what the instruction writes: one register, a vector of them, a pair, or the results of
/// a call. No instruction writes registers of another operand.
bool writes_first_operand(const Instruction& instruction);
/// Whether it reads its first operand. wgmma.mma_async reads and writes it: the accumulators.
bool reads_first_operand(const Instruction& instruction);
/// Whether the instruction has the modifier, given without its dot.
bool has(const Instruction& instruction, std::string_view modifier);
/// The last type among the modifiers: that of the data.
Type type_of(const Instruction& instruction);

}  // namespace bankshot::ptx
