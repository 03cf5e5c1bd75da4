#include "bankshot/cuda/modules/modules.hpp"

namespace bankshot::cuda {

Module& ModuleTable::add(std::unique_ptr<Module> module) {
  Module* key = module.get();
  return *(modules_[key] = std::move(module));
}

void ModuleTable::remove(Module* module) {
  std::erase_if(host_functions_, [&](const auto& entry) { return entry.second->module == module; });
  std::erase_if(host_variables_, [&](const auto& entry) { return entry.second->module == module; });
  if (const auto found = modules_.find(module); found != modules_.end())
    for (const auto& [name, function] : found->second->functions) handles_.erase(function.get());
  modules_.erase(module);
}

void ModuleTable::register_function(Module& module, const void* host, std::string name) {
  auto& slot = module.functions[name];
  if (!slot) slot = std::make_unique<Function>(Function{.module = &module, .name = std::move(name)});
  host_functions_[host] = slot.get();
}

void ModuleTable::register_variable(Module& module, const void* host, std::unique_ptr<Variable> variable) {
  variable->module = &module;
  auto& slot = module.variables[variable->name];
  if (!slot) slot = std::move(variable);
  host_variables_[host] = slot.get();
}

Function* ModuleTable::function(const void* key) const {
  if (const auto found = host_functions_.find(key); found != host_functions_.end()) return found->second;
  // A program launches by handle again and again: only the first time is worth a search.
  if (handles_.contains(key)) return static_cast<Function*>(const_cast<void*>(key));
  for (const auto& [module, owner] : modules_)
    for (const auto& [name, function] : module->functions)
      if (function.get() == key) {
        handles_.insert(key);
        return function.get();
      }
  return nullptr;
}

Variable* ModuleTable::variable(const void* host) const {
  const auto found = host_variables_.find(host);
  return found == host_variables_.end() ? nullptr : found->second;
}

void ModuleTable::unload_all() {
  for (auto& [module, owner] : modules_) {
    module->state = Module::State::unloaded;
    module->program.reset();
    for (auto& [name, function] : module->functions) {
      function->info = nullptr;
      function->dynamic_shared_limit = 0;
    }
    for (auto& [name, variable] : module->variables) variable->info = nullptr;
  }
}

}  // namespace bankshot::cuda
