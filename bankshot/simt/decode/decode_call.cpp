// Calls: the callee, and where its parameters come from.
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/decode/decoder.hpp"
#include "bankshot/simt/device/device_runtime.hpp"

namespace bankshot::simt {
using ptx::Operand;

bool FunctionDecoder::parameter_list(const Operand& list, bool results, std::vector<CopiedParam>& out) {
  for (const Operand& operand : list.elements) {
    const Symbol* symbol = operand.kind == Operand::Kind::identifier ? find(operand.name) : nullptr;
    if (symbol == nullptr || symbol->kind != Symbol::Kind::param || symbol->entry_param) {
      return error(operand.position, "expected a .param variable of this function in a call");
    }
    const auto bytes = static_cast<uint32_t>(size_of(*symbol->variable));
    const auto offset = static_cast<uint32_t>(symbol->address);
    out.push_back(results ? CopiedParam{0, offset, bytes} : CopiedParam{offset, 0, bytes});
  }
  return true;
}

namespace {

/// What is wrong with a call of a function that the engine provides; empty: nothing.
std::string wrong_call(const DeviceFunction& provided, const CallInfo& call) {
  if (call.arguments.size() != provided.arguments.size()) {
    return "takes " + std::to_string(provided.arguments.size()) + " arguments, not " +
           std::to_string(call.arguments.size());
  }
  for (size_t k = 0; k < call.arguments.size(); ++k) {
    if (call.arguments[k].bytes == provided.arguments[k]) continue;
    return "takes " + std::to_string(provided.arguments[k]) + " bytes as its argument " + std::to_string(k + 1) +
           ", not " + std::to_string(call.arguments[k].bytes);
  }
  return {};
}

}  // namespace

bool FunctionDecoder::calls(const ptx::Instruction& instruction, Instr& out) {
  const std::vector<Operand>& operands = instruction.operands;
  size_t at = 0;
  CallInfo call;
  call.position = instruction.position;
  if (at < operands.size() && operands[at].kind == Operand::Kind::list) {
    if (!parameter_list(operands[at++], true, call.results)) return false;
  }
  if (at >= operands.size() || operands[at].kind != Operand::Kind::identifier) {
    return error(instruction.position, "expected the name of a function in a call");
  }
  const Operand& callee = operands[at++];
  if (at < operands.size() && operands[at].kind == Operand::Kind::list) {
    if (!parameter_list(operands[at++], false, call.arguments)) return false;
  }
  const Symbol* symbol = find(callee.name);
  if (symbol == nullptr) return error(callee.position, "function '" + callee.name + "' is not declared");
  info_.has_calls = true;
  if (symbol->kind == Symbol::Kind::reg) {
    out.op[0] = source(callee, ptx::Type::u64, false, nullptr);
    item_->join_behind = true;
  } else if (symbol->kind == Symbol::Kind::function) {
    call.function = static_cast<int32_t>(symbol->index);
    const FunctionInfo& target = context_.program->functions[symbol->index];
    if (!target.declared_body) {
      const DeviceFunction* const provided = device_function(callee.name);
      if (provided == nullptr) {
        return error(callee.position, "function '" + callee.name + "' has no body in this module and is not provided",
                     callee.name.starts_with("__cudaCDP") || callee.name.starts_with("cudaGraph")
                         ? "This function of the device runtime is not supported."
                         : "Link it in: nvcc -rdc=true, with all units that the kernel needs.");
      }
      if (const std::string wrong = wrong_call(*provided, call); !wrong.empty())
        return error(callee.position, "'" + callee.name + "' " + wrong);
      if (provided->prepare != nullptr) {
        if (const auto prepared = provided->prepare(*context_.program); !prepared)
          return error(callee.position, "'" + callee.name + "': " + prepared.error().message);
      }
      if (!provided->shares.empty()) {
        cta_communication(instruction, "CTAs share " + std::string(provided->shares));
        context_.program->shares_runtime = true;
      }
      out.body = provided->handler;
    }
  } else {
    return error(callee.position, "'" + callee.name + "' is not a function");
  }
  out.aux = static_cast<uint32_t>(context_.program->calls.size());
  item_->call = static_cast<int32_t>(out.aux);
  context_.program->calls.push_back(std::move(call));
  return true;
}

}  // namespace bankshot::simt
