// The instructions of a kernel in the order of the text, and what the names in them stand for.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bankshot/ptx/flow.hpp"
#include "bankshot/ptx/module.hpp"
#include "bankshot/ptx/places.hpp"

namespace bankshot::ptx {

/// A place in the PTX, and in the source where there is line information.
struct Place {
  uint32_t ptx_line = 0;
  std::string file;  ///< empty: not known
  uint32_t line = 0;
};
/// "kernel.cu:12" or "PTX line 40".
std::string to_string(const Place& place);

/// One instruction. `scope` is what its names are looked up in.
struct Step {
  const Instruction* instruction = nullptr;
  size_t scope = 0;
  uint32_t file = 0, line = 0;  ///< source place, as Places tells it
};

/// Views of a function; the module must outlive it and not change.
class KernelCode {
 public:
  /// @param function  has a body
  KernelCode(const Module& module, const Function& function);

  const std::vector<Step>& steps() const { return steps_; }
  Place place(const Step& step) const;

  /// The number of a register or variable, the same wherever the name means the same one; -1 for anything else (special
  /// registers, labels, functions, and what no instruction mentions). Equal names of different { } blocks are
  /// different.
  int entity(const Step& step, const std::string& name) const;
  const Variable& variable(int entity) const { return *entities_[static_cast<size_t>(entity)]; }
  size_t entities() const { return entities_.size(); }

  /// Control flow between the steps; one more node stands for the end of the function. Calls come back.
  std::vector<FlowNode> flow() const;

 private:
  struct Scope {
    size_t outer = 0;  ///< the scope itself for the outermost one
    std::map<std::string, const Variable*, std::less<>> names = {};
    std::vector<const Variable*> ranges = {};
    std::map<std::string, uint32_t, std::less<>> labels = {};  ///< the step they stand before
    std::map<std::string, const Targets*, std::less<>> tables = {};
  };
  void declare(size_t scope, const Variable& variable);
  void walk(const Block& block, size_t scope, Places& places);
  void number(const Step& step, const Operand& operand);
  /// The declaration in a scope or those around it, and the scope it is in; null if there is none.
  std::pair<const Variable*, size_t> find(size_t scope, const std::string& name) const;
  /// The step behind a label; the end if there is no such label.
  uint32_t label(size_t scope, const std::string& name) const;
  const Targets* table(size_t scope, const std::string& name) const;

  SourceMap sources_;
  std::vector<Scope> scopes_;
  std::vector<Step> steps_;
  std::map<std::pair<size_t, std::string>, int> numbers_;
  std::vector<const Variable*> entities_;
};

}  // namespace bankshot::ptx
