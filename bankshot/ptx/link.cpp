#include "bankshot/ptx/link.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "bankshot/ptx/places.hpp"

namespace bankshot::ptx {
namespace {

using Names = std::unordered_map<std::string, std::string>;

/// What a unit says of a symbol.
enum class Strength : uint8_t { declared, common, weak, strong };

struct Symbol {
  const std::string* name = nullptr;
  bool own = false;  ///< seen by its unit only
  Strength strength = Strength::strong;
  uint64_t bytes = 0;  ///< of a variable
};

/// The symbol that an item declares or defines, if it does.
Symbol symbol_of(const Item& item) {
  Symbol symbol;
  const auto sort = [&](const std::string& linkage, bool defined) {
    symbol.own = linkage.empty();
    symbol.strength = linkage == "extern" || !defined ? Strength::declared
                      : linkage == "weak"             ? Strength::weak
                      : linkage == "common"           ? Strength::common
                                                      : Strength::strong;
  };
  if (const auto* function = std::get_if<Function>(&item)) {
    symbol.name = &function->name;
    sort(function->linkage, function->body != nullptr);
    if (function->body == nullptr && function->linkage.empty())
      symbol.own = false;  // a prototype says nothing of its linkage
  } else if (const auto* variable = std::get_if<Variable>(&item)) {
    symbol.name = &variable->name;
    symbol.bytes = size_of(*variable);
    sort(variable->linkage, true);
  } else if (const auto* alias = std::get_if<Alias>(&item)) {
    symbol.name = &alias->name;
  }
  return symbol;
}

/// Gives names of one unit their new ones, in everything that refers to them.
class Renamer {
 public:
  explicit Renamer(const Names& names) : names_(names) {}

  void rename(Item& item) {
    if (auto* function = std::get_if<Function>(&item)) {
      change(function->name);
      hidden_.clear();
      hide(function->returns);
      hide(function->parameters);
      if (function->body == nullptr) return;
      hide(*function->body);
      block(*function->body);
      hidden_.clear();
    } else if (auto* variable = std::get_if<Variable>(&item)) {
      change(variable->name);
      for (Operand& value : variable->initialiser) operand(value);
    } else if (auto* alias = std::get_if<Alias>(&item)) {
      change(alias->name);
      change(alias->target);
    }
  }

 private:
  void change(std::string& name) const {
    if (hidden_.contains(name)) return;
    if (const auto found = names_.find(name); found != names_.end()) name = found->second;
  }
  void hide(const std::vector<Variable>& variables) {
    for (const Variable& variable : variables) hidden_.insert(variable.name);
  }
  /// Names that the function declares itself. PTX looks them up from the inside out, and no unit uses one for both.
  void hide(const Block& block) {
    for (const Statement& statement : block.statements) {
      if (const auto* variable = std::get_if<Variable>(&statement)) hidden_.insert(variable->name);
      if (const auto* label = std::get_if<Label>(&statement)) hidden_.insert(label->name);
      if (const auto* inner = std::get_if<std::unique_ptr<Block>>(&statement)) hide(**inner);
    }
  }
  void operand(Operand& operand_) const {
    if (operand_.kind != Operand::Kind::string) change(operand_.name);
    for (Operand& element : operand_.elements) operand(element);
  }
  void block(Block& block_) const {
    for (Statement& statement : block_.statements) {
      if (auto* instruction = std::get_if<Instruction>(&statement)) {
        for (Operand& one : instruction->operands) operand(one);
      } else if (auto* targets = std::get_if<Targets>(&statement)) {
        if (!targets->calls) continue;
        for (std::string& name : targets->names) change(name);
      } else if (auto* variable = std::get_if<Variable>(&statement)) {
        for (Operand& value : variable->initialiser) operand(value);
      } else if (auto* inner = std::get_if<std::unique_ptr<Block>>(&statement)) {
        block(**inner);
      }
    }
  }

  const Names& names_;
  std::set<std::string> hidden_;
};

/// Adds to the numbers of files.
void renumber(Block& block, uint32_t by) {
  for (Statement& statement : block.statements) {
    if (auto* location = std::get_if<Location>(&statement)) {
      location->file += by;
      if (location->inlined) location->inlined->file += by;
    } else if (auto* file = std::get_if<File>(&statement)) {
      file->index += by;
    } else if (auto* inner = std::get_if<std::unique_ptr<Block>>(&statement)) {
      renumber(**inner, by);
    }
  }
}

/// @return one more than the highest number
uint32_t renumber_files(Module& module, uint32_t by) {
  uint32_t end = by;
  for (Item& item : module.items) {
    if (auto* file = std::get_if<File>(&item)) {
      file->index += by;
      end = std::max(end, file->index + 1);
    } else if (auto* function = std::get_if<Function>(&item); function != nullptr && function->body != nullptr) {
      renumber(*function->body, by);
    } else if (auto* location = std::get_if<Location>(&item)) {
      location->file += by;
      if (location->inlined) location->inlined->file += by;
    }
  }
  return end;
}

/// Symbols of one unit that others have too, and their new names.
void rename_own(std::vector<Unit>& units) {
  std::map<std::string, size_t, std::less<>> users;  // units that have the name
  for (const Unit& unit : units) {
    std::set<std::string> here;
    for (const Item& item : unit.module.items) {
      if (const Symbol symbol = symbol_of(item); symbol.name != nullptr) here.insert(*symbol.name);
    }
    for (const std::string& name : here) ++users[name];
  }
  for (size_t k = 0; k < units.size(); ++k) {
    Names names;
    for (const Item& item : units[k].module.items) {
      const Symbol symbol = symbol_of(item);
      if (symbol.name == nullptr || !symbol.own || users[*symbol.name] == 1) continue;
      std::string name = *symbol.name + "$" + std::to_string(k);
      while (users.contains(name)) name += '_';
      names[*symbol.name] = name;
    }
    if (names.empty()) continue;
    Renamer renamer(names);
    for (Item& item : units[k].module.items) renamer.rename(item);
  }
}

/// 90 for sm_90a; 0 if there is none.
unsigned architecture(const Module& module) {
  unsigned number = 0;
  if (module.targets.empty() || !module.targets.front().starts_with("sm_")) return number;
  for (const char c : module.targets.front().substr(3)) {
    if (c < '0' || c > '9') break;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number;
}

/// The highest of the units' versions and targets.
void join_heads(const std::vector<Unit>& units, Module& out) {
  for (const Unit& unit : units) {
    const Module& module = unit.module;
    if (std::pair(module.version_major, module.version_minor) > std::pair(out.version_major, out.version_minor)) {
      out.version_major = module.version_major;
      out.version_minor = module.version_minor;
    }
    if (out.targets.empty() || architecture(module) > architecture(out)) out.targets = module.targets;
    out.address_size = module.address_size;
  }
}

struct Best {
  size_t unit = 0, item = 0;
  Symbol symbol;
};

Function prototype_of(const Function& function) {
  Function prototype;
  prototype.position = function.position;
  prototype.linkage = function.linkage;
  prototype.name = function.name;
  prototype.attributes = function.attributes;
  prototype.returns = function.returns;
  prototype.parameters = function.parameters;
  prototype.noreturn = function.noreturn;
  return prototype;
}

}  // namespace

Result<Module> link(std::vector<Unit> units) {
  Module out;
  join_heads(units, out);
  rename_own(units);
  for (Unit& unit : units) name_inlined(unit.module);
  std::map<std::string, Best, std::less<>> best;
  uint32_t files = 0;
  for (size_t k = 0; k < units.size(); ++k) {
    files = renumber_files(units[k].module, files);
    for (size_t n = 0; n < units[k].module.items.size(); ++n) {
      const Symbol symbol = symbol_of(units[k].module.items[n]);
      if (symbol.name == nullptr) continue;
      const auto [at, added] = best.try_emplace(*symbol.name, Best{k, n, symbol});
      if (added) continue;
      Best& there = at->second;
      if (symbol.strength == Strength::strong && there.symbol.strength == Strength::strong) {
        return Error{"'" + *symbol.name + "' is defined in " + units[there.unit].name + " and in " + units[k].name};
      }
      const bool larger = symbol.strength == Strength::common && there.symbol.strength == Strength::common &&
                          symbol.bytes > there.symbol.bytes;
      if (symbol.strength > there.symbol.strength || larger) there = {k, n, symbol};
    }
  }
  // What the text refers to comes before what refers to it, whichever unit it is from.
  std::vector<Item> prototypes, variables, initialised, functions;
  for (size_t k = 0; k < units.size(); ++k) {
    for (size_t n = 0; n < units[k].module.items.size(); ++n) {
      Item& item = units[k].module.items[n];
      if (std::holds_alternative<Section>(item)) continue;
      if (const Symbol symbol = symbol_of(item); symbol.name != nullptr) {
        const Best& chosen = best.at(*symbol.name);
        if (chosen.unit != k || chosen.item != n) continue;
      }
      if (const auto* variable = std::get_if<Variable>(&item)) {
        (variable->initialiser.empty() ? variables : initialised).push_back(std::move(item));
      } else if (const auto* function = std::get_if<Function>(&item);
                 function != nullptr && function->body != nullptr) {
        if (!function->is_entry) prototypes.push_back(prototype_of(*function));
        functions.push_back(std::move(item));
      } else {
        out.items.push_back(std::move(item));
      }
    }
  }
  for (std::vector<Item>* part : {&prototypes, &variables, &initialised, &functions}) {
    std::move(part->begin(), part->end(), std::back_inserter(out.items));
  }
  return out;
}

}  // namespace bankshot::ptx
