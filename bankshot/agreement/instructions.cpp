#include "bankshot/agreement/instructions.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "bankshot/optimise/optimise.hpp"
#include "bankshot/optimise/values.hpp"
#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/kernel_code.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::agreement {
namespace {

using sass::Class;

/// What is one class here: moves are integer operations as often as not.
Class merged(Class what) {
  switch (what) {
    case Class::move:
    case Class::constant_load:
    case Class::other: return Class::integer;
    case Class::special: return Class::floating_point;  // sequences have both
    case Class::generic_load: return Class::global_load;
    case Class::generic_store: return Class::global_store;
    default: return what;
  }
}

std::string class_name(Class what) {
  return what == Class::integer ? "integer and move" : std::string(sass::name_of(what));
}

template <size_t N>
bool is_any(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Class class_of_access(const ptx::Access& access) {
  using K = ptx::Access::Kind;
  if (access.layout == ptx::Access::Layout::texture) return Class::texture;
  const bool shared = access.space == ptx::Space::shared, local = access.space == ptx::Space::local;
  switch (access.kind) {
    case K::load:
      if (access.space == ptx::Space::param || access.space == ptx::Space::constant) return Class::integer;
      if (access.layout == ptx::Access::Layout::matrix && shared) return Class::matrix_load;
      return shared ? Class::shared_load : local ? Class::local_load : Class::global_load;
    case K::store:
      if (access.space == ptx::Space::param) return Class::integer;
      if (access.layout == ptx::Access::Layout::matrix && shared) return Class::matrix_store;
      return shared ? Class::shared_store : local ? Class::local_store : Class::global_store;
    case K::atomic:
    case K::reduction: return shared ? Class::shared_atomic : Class::global_atomic;
    case K::copy: return access.layout == ptx::Access::Layout::lanes ? Class::async_copy : Class::bulk_copy;
    case K::mbarrier: return Class::mbarrier;
    default: return Class::fence;
  }
}

Class class_of(const ptx::Instruction& instruction) {
  static constexpr std::array<std::string_view, 8> kControl = {"bra",  "brx",  "ret",       "exit",
                                                               "call", "trap", "nanosleep", "brkpt"};
  static constexpr std::array<std::string_view, 6> kWarp = {"shfl", "vote", "match", "redux", "activemask", "elect"};
  static constexpr std::array<std::string_view, 8> kSpecial = {"sin",   "cos",  "ex2", "lg2",
                                                               "rsqrt", "sqrt", "rcp", "tanh"};
  const std::string& op = instruction.opcode;
  const ptx::Access access = ptx::access_of(instruction);
  if (op == "wgmma") return Class::tensor;
  if (op == "wmma" || op == "mma") {
    if (access.kind == ptx::Access::Kind::none) return Class::tensor;
    return class_of_access(access);
  }
  if (access.kind != ptx::Access::Kind::none) return class_of_access(access);
  if (is_any(op, kControl)) return Class::control;
  if (op == "bar" || op == "barrier") return has(instruction, "warp") ? Class::control : Class::barrier;
  if (is_any(op, kWarp)) return Class::warp;
  if (is_any(op, kSpecial)) return Class::floating_point;
  const ptx::Type type = ptx::type_of(instruction);
  if (op == "cvt") {
    const bool any_float = std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(), [](const auto& m) {
      return ptx::is_float(ptx::type_named(m)) || ptx::type_named(m) == ptx::Type::f16x2;
    });
    return any_float ? Class::conversion : Class::integer;
  }
  const bool is_float = ptx::is_float(type) || type == ptx::Type::f16x2 || type == ptx::Type::bf16x2;
  return is_float && op != "mov" && op != "selp" ? Class::floating_point : Class::integer;
}

bool is_memory(Class what) {
  return what <= Class::async_copy || (what >= Class::global_load && what <= Class::global_atomic);
}

bool is_measured(Class what) { return what == Class::global_load || what == Class::shared_load; }

/// By class of load, the distances.
using Distances = std::map<Class, std::vector<unsigned>>;

Distances distances(const ptx::KernelCode& code) {
  const optimise::Control control(code);
  const auto& steps = code.steps();
  Distances out;
  for (size_t k = 0; k < steps.size(); ++k) {
    const Class what = class_of(*steps[k].instruction);
    if (!is_measured(what)) continue;
    const std::vector<int> written = optimise::written_by(code, steps[k]);
    std::set<int> results(written.begin(), written.end());
    unsigned distance = 0;
    for (size_t j = k + 1; j < steps.size() && control.blocks.of[j] == control.blocks.of[k]; ++j) {
      distance += steps[j].instruction->slots;
      const std::vector<int> read = optimise::read_by(code, steps[j]);
      if (std::none_of(read.begin(), read.end(), [&](int entity) { return results.contains(entity); })) continue;
      if (steps[j].instruction->slots != 0) break;
      for (const int entity : optimise::written_by(code, steps[j])) results.insert(entity);  // it is the same value
    }
    out[what].push_back(distance);
  }
  return out;
}

bool ends_block(const sass::Instruction& instruction) {
  static constexpr std::array<std::string_view, 8> kEnds = {"BRA", "BRX", "EXIT", "RET", "CALL", "JMP", "JMX", "BSYNC"};
  return is_any(instruction.name, kEnds);
}

bool overlap(const sass::Registers& a, const sass::Registers& b) {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

Distances distances(const sass::Kernel& kernel) {
  Distances out;
  const auto& code = kernel.code;
  for (size_t k = 0; k < code.size(); ++k) {
    const Class what = merged(code[k].what);
    if (!is_measured(what) || code[k].never || !code[k].operands_known) continue;
    size_t j = k + 1;
    for (; j < code.size() && !ends_block(code[j]); ++j) {
      const auto reads = [&](const sass::Registers& written) {
        return std::any_of(code[j].read().begin(), code[j].read().end(),
                           [&](const sass::Registers& read) { return overlap(written, read); });
      };
      if (std::any_of(code[k].written().begin(), code[k].written().end(), reads)) break;
    }
    out[what].push_back(static_cast<unsigned>(j - k));
  }
  return out;
}

/// By class, the sum of slots.
std::map<Class, size_t> counts(const ptx::KernelCode& code) {
  std::map<Class, size_t> out;
  for (const ptx::Step& step : code.steps()) out[class_of(*step.instruction)] += step.instruction->slots;
  return out;
}

std::map<Class, size_t> counts(const sass::Kernel& kernel) {
  std::map<Class, size_t> out;
  // Behind the last EXIT stand padding and what is hardly ever executed: exchanges between lanes that have diverged.
  const auto last =
      std::find_if(kernel.code.rbegin(), kernel.code.rend(), [](const auto& i) { return i.name == "EXIT"; });
  const auto end = static_cast<size_t>(kernel.code.rend() - last);
  const auto in_subroutine = [&](uint32_t address) {  // slow paths of divisions and roots, hardly ever executed
    return std::any_of(kernel.subroutines.begin(), kernel.subroutines.end(), [&](const sass::Subroutine& s) {
      return address >= s.address && address < s.address + s.bytes;
    });
  };
  for (size_t k = 0; k < end; ++k) {
    const sass::Instruction& instruction = kernel.code[k];
    if (!instruction.never && !in_subroutine(instruction.address)) ++out[merged(instruction.what)];
  }
  return out;
}

}  // namespace

ClassCount Instructions::all() const {
  ClassCount sum{"all"};
  for (const ClassCount& one : classes) {
    sum.text += one.text;
    sum.model += one.model;
    sum.machine += one.machine;
  }
  return sum;
}

std::vector<Instructions> compare_instructions(ptx::Module& module, const sass::Cubin& cubin) {
  struct Side {
    std::map<Class, size_t> counts;
    Distances distances;
  };
  const auto sides = [&] {
    std::map<std::string, Side> all;
    for (const std::string& name : ptx::kernel_names(module)) {
      const ptx::KernelCode code(module, *ptx::find_kernel(module, name));
      all[name] = {counts(code), distances(code)};
    }
    return all;
  };
  std::map<std::string, Side> texts = sides();
  optimise::optimise(module, {.architecture = cubin.architecture, .timing = true});
  std::map<std::string, Side> models = sides();
  std::vector<Instructions> all;
  for (const sass::Kernel& kernel : cubin.kernels) {
    if (!texts.contains(kernel.name)) continue;
    Side &text = texts[kernel.name], &model = models[kernel.name], machine = {counts(kernel), distances(kernel)};
    Instructions one{kernel.name, {}, {}, true};
    for (int k = 0; k <= static_cast<int>(Class::other); ++k) {
      const auto what = static_cast<Class>(k);
      const ClassCount count{class_name(what), text.counts[what], model.counts[what], machine.counts[what]};
      if (count.text + count.model + count.machine == 0) continue;
      one.classes.push_back(count);
      if (is_memory(what)) one.alike &= count.model == count.machine;
      if (is_measured(what))
        one.loads.push_back({count.name, text.distances[what], model.distances[what], machine.distances[what]});
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace bankshot::agreement
