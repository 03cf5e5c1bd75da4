// From a registered or given image to a program of the engine.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "bankshot/cuda/modules/fatbin.hpp"
#include "bankshot/cuda/modules/grid_barrier.hpp"
#include "bankshot/cuda/modules/machine_code.hpp"
#include "bankshot/cuda/modules/module_id.hpp"
#include "bankshot/cuda/modules/modules.hpp"
#include "bankshot/cuda/process/instruction_hashes.hpp"
#include "bankshot/cuda/process/origin.hpp"
#include "bankshot/cuda/process/patches.hpp"
#include "bankshot/cuda/process/request.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/ptx/link.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/printer.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::cuda {
namespace {

struct Loaded {
  std::shared_ptr<simt::Program> program;
  report::ModuleId id;
  ModuleMachineCode code;
  std::string runs_on_gpu;  ///< machine code that the GPU would run, such as "sm_90"; empty: there is none
};

using Failure = LinkFailure;

bool is_elf(std::string_view image) {
  return image.starts_with(
      "\x7f"
      "ELF");
}

bool is_container(std::string_view image) {
  uint32_t magic = 0;
  if (image.size() >= sizeof magic) std::memcpy(&magic, image.data(), sizeof magic);
  return magic == kContainerMagic;
}

UseOfMachineCode use_of_machine_code(const LoadTarget& target) {
  return target.machine_code == 0 ? UseOfMachineCode::nothing : process_request().machine_code;
}

/// That of a fat binary, if it is wanted.
std::optional<sass::Cubin> own_machine_code(const LoadTarget& target, std::span<const std::byte> container,
                                            const std::string& label) {
  if (use_of_machine_code(target) == UseOfMachineCode::nothing) return std::nullopt;
  return machine_code_in(container, target.machine_code, label);
}

/// Loads PTX, or what BANKSHOT_PATCH_DIR has in its place; the identity is that of the original.
/// @param own  machine code that the program has for the GPU
Result<Loaded, Failure> load_text(const LoadTarget& target, const std::string& text, const std::string& file,
                                  const std::optional<sass::Cubin>& own = std::nullopt) {
  if (const auto linked = with_grid_barrier(text)) return load_text(target, *linked, file, own);
  const report::ModuleId id = id_of(text);
  const Result<std::optional<Patch>> found = patch_of(id.digest);
  if (!found) return Failure{Status::operating_system, found.error().message};
  const std::optional<Patch>& patch = *found;
  if (patch && (process_request().modules || !process_request().instruction_hashes.empty()))
    return Failure{Status::operating_system,
                   fmt::format("{} replaces a module, but hashes of single instructions are for the original; unset {}",
                               patch->path, kPatchFolderVariable)};
  const std::string &used = patch ? patch->text : text, &name = patch ? patch->path : file;
  ModuleMachineCode code =
      read_machine_code(used, patch ? std::nullopt : own, target.machine_code, use_of_machine_code(target));
  auto program = target.engine.load(used, name, code.seen ? &*code.seen : nullptr);
  if (!program) return Failure{Status::invalid_ptx, format_diagnostics(program.error(), name, used)};
  const auto refused = set_instruction_hashes(**program, id.digest, target.engine.options().machine.scratchpad);
  if (refused) return Failure{Status::operating_system, refused->message};
  keep_ptx(id.digest, text);
  return Loaded{*program, id, std::move(code), {}};
}

/// The PTX texts of a fat binary, the best first.
Result<std::vector<FatbinEntry>, Failure> ptx_entries(std::span<const std::byte> container, const std::string& label) {
  auto entries = read_fatbin(container);
  if (!entries) return Failure{Status::invalid_image, label + ": " + entries.error().message};
  auto ptx = choose_ptx(*entries);
  if (!ptx) return Failure{Status::no_binary_for_gpu, label + ": " + ptx.error().message};
  return *ptx;
}

/// 90 for a GPU of compute capability 9.0.
uint32_t architecture_of(const DeviceInfo& device) { return static_cast<uint32_t>(device.major * 10 + device.minor); }

/// What the GPU would take comes first, as the driver does; what is too new is better than nothing.
Result<std::vector<FatbinEntry>, Failure> best_first(const DeviceInfo& device, std::span<const std::byte> container,
                                                     const std::string& label) {
  auto entries = ptx_entries(container, label);
  if (!entries) return entries;
  const auto newest = architecture_of(device);
  std::stable_partition(entries->begin(), entries->end(),
                        [&](const FatbinEntry& entry) { return entry.architecture <= newest; });
  return entries;
}

std::string file_of(const FatbinEntry& entry, const std::string& label) {
  return (entry.source.empty() ? label : entry.source) + "." + architecture_name(entry) + ".ptx";
}

/// What `use` makes of the first text that is valid. If none is, the failure of the best one is reported.
/// @param use  of the text and its name: a Result<Made, Failure>
template <class Made, class Use>
Result<Made, Failure> first_usable(const DeviceInfo& device, std::span<const std::byte> container,
                                   const std::string& label, Use&& use) {
  auto entries = best_first(device, container, label);
  if (!entries) return entries.error();
  std::string log;
  for (const auto& entry : *entries) {
    auto text = decompress(entry);
    if (!text) return Failure{Status::invalid_image, text.error().message};
    Result<Made, Failure> made = use(*text, file_of(entry, label));
    if (made || made.error().status != Status::invalid_ptx) return made;
    if (log.empty()) log = made.error().log;
  }
  return Failure{Status::invalid_ptx, log};
}

/// The machine code of a container that a GPU would run: the newest. Empty if there is none.
std::string code_that_runs_on(const DeviceInfo& device, std::span<const std::byte> container) {
  const auto entries = read_fatbin(container);
  if (!entries) return {};
  const FatbinEntry* newest = nullptr;
  for (const FatbinEntry& entry : *entries) {
    if (!runs_on(entry, architecture_of(device))) continue;
    if (newest == nullptr || entry.architecture > newest->architecture) newest = &entry;
  }
  return newest == nullptr ? "" : architecture_name(*newest);
}

Result<Loaded, Failure> load_first(const LoadTarget& target, std::span<const std::byte> container,
                                   const std::string& label) {
  const auto own = own_machine_code(target, container, label);
  auto loaded = first_usable<Loaded>(
      target.device, container, label,
      [&](const std::string& text, const std::string& file) { return load_text(target, text, file, own); });
  if (loaded) loaded->runs_on_gpu = code_that_runs_on(target.device, container);
  return loaded;
}

Result<ptx::Unit, Failure> parse_text(const std::string& text, const std::string& file) {
  auto module = ptx::parse(text);
  if (!module) return Failure{Status::invalid_ptx, format_diagnostics(module.error(), file, text)};
  return ptx::Unit{file, std::move(*module)};
}

/// A unit that is to be linked.
Result<ptx::Unit, Failure> parse_first(const DeviceInfo& device, std::span<const std::byte> container,
                                       const std::string& label) {
  return first_usable<ptx::Unit>(device, container, label, parse_text);
}

Failure machine_code(const std::string& label) {
  return {Status::no_binary_for_gpu,
          fmt::format("{}: this is machine code (cubin), which runs only on a GPU: load PTX (nvcc -ptx) or a fat "
                      "binary with PTX (nvcc -fatbin); with NVRTC, use nvrtcGetPTX instead of nvrtcGetCUBIN",
                      label)};
}

/// libcudadevrt, whose part the engine plays.
bool is_device_runtime(const ptx::Module& module) {
  return std::any_of(module.items.begin(), module.items.end(), [](const ptx::Item& item) {
    const auto* function = std::get_if<ptx::Function>(&item);
    return function != nullptr && function->body != nullptr &&
           (function->name == "cudaLaunchDeviceV2" || function->name == "__cudaCDP2LaunchDeviceV2");
  });
}

Result<std::string, Failure> link_units(std::vector<ptx::Unit> units, const std::string& label) {
  std::erase_if(units, [](const ptx::Unit& unit) { return is_device_runtime(unit.module); });
  auto module = ptx::link(std::move(units));
  if (!module) return Failure{Status::invalid_ptx, label + ": device linking: " + module.error().message};
  return ptx::print(*module);
}

/// What nvlink does with machine code: -rdc=true. @param linked  what it made
Result<Loaded, Failure> load_linked(const LoadTarget& target, const std::vector<std::span<const std::byte>>& containers,
                                    std::span<const std::byte> linked, const std::string& label) {
  std::vector<ptx::Unit> units;
  for (size_t k = 0; k < containers.size(); ++k) {
    auto unit =
        parse_first(target.device, containers[k], fmt::format("{}, unit {} of {}", label, k + 1, containers.size()));
    if (!unit) return unit.error();
    units.push_back(std::move(*unit));
  }
  const auto text = link_units(std::move(units), label);
  if (!text) return text.error();
  auto loaded = load_text(target, *text, label + ".linked.ptx", own_machine_code(target, linked, label));
  if (loaded) loaded->runs_on_gpu = code_that_runs_on(target.device, linked);
  return loaded;
}

Result<Loaded, Failure> load_image(const LoadTarget& target, const Module& module) {
  if (module.wrapper) {
    auto containers = containers_of(module.wrapper);
    if (!containers) return Failure{Status::no_binary_for_gpu, module.label + ": " + containers.error().message};
    if (containers->size() == 1) return load_first(target, containers->front(), module.label);
    return load_linked(target, *containers, machine_code_container(module.wrapper), module.label);
  }
  if (is_elf(module.image)) return machine_code(module.label);
  if (is_container(module.image)) return load_first(target, std::as_bytes(std::span(module.image)), module.label);
  return load_text(target, module.image, module.label);
}

/// Source: CUDA 13 release notes, deprecated architectures.
constexpr uint32_t kOldestOfCuda13 = 75;

/// Whether a driver takes the PTX. Source: PTX ISA 9.0, section 11.1.2, on targets with suffixes.
bool takes(uint32_t ours, uint32_t target, char kind) {
  return kind == 'a' ? ours == target : kind == 'f' ? ours >= target && ours / 10 == target / 10 : ours >= target;
}

/// What there is to say if the PTX is for another architecture, or one that is newer than the GPU. A real driver takes
/// machine code that fits, which may have been compiled from other lines (__CUDA_ARCH__); if there is none, it refuses
/// the module.
void tell_of_newer(Module& module, const DeviceInfo& device, const std::string& runs_on_gpu) {
  const auto& kernels = simt::kernels(*module.program);
  const uint32_t number = kernels.empty() ? 0 : kernels.front().target, ours = architecture_of(device);
  const char kind = kernels.empty() ? ' ' : kernels.front().target_kind;
  module.caveat.clear();
  if (number == 0 || takes(ours, number, kind)) return;
  const std::string target = std::to_string(number) + (kind == ' ' ? "" : std::string(1, kind));
  if (!runs_on_gpu.empty()) {
    module.caveat = fmt::format(
        "warning: kernels of {} run from its PTX for sm_{}; a GPU of sm_{} ({}) runs its machine code for {}, which "
        "may differ",
        module.label, target, ours, device.name, runs_on_gpu);
    return;
  }
  say_once(fmt::format("newer than the GPU {}", target),
           fmt::format("warning: {} has PTX for sm_{}, which a GPU of sm_{} ({}) refuses; it runs here nevertheless: "
                       "choose another GPU with --gpu{}",
                       module.label, target, ours, device.name,
                       kind != ' ' ? ""
                                   : fmt::format(", or compile with -arch=sm_{}{}", ours,
                                                 ours < kOldestOfCuda13 ? ", with a CUDA version that still supports it"
                                                                        : "")));
}

/// Connects the registered kernels and variables with what the program has.
void connect(Module& module, const ModuleMachineCode& code) {
  for (const auto& kernel : simt::kernels(*module.program)) {
    auto& slot = module.functions[kernel.name];
    if (!slot) slot = std::make_unique<Function>(Function{.module = &module, .name = kernel.name});
    slot->info = &kernel;
    const auto registers = code.registers.find(kernel.name);
    slot->registers = registers == code.registers.end() ? 0 : registers->second;
    slot->machine_code = code.told_of(kernel.name);
  }
  for (const auto& global : simt::globals(*module.program)) {
    auto& slot = module.variables[global.name];
    if (!slot) slot = std::make_unique<Variable>(Variable{.module = &module, .name = global.name});
    slot->info = &global;
    if (slot->managed_pointer) *slot->managed_pointer = reinterpret_cast<void*>(global.address);
  }
}

}  // namespace

Result<ptx::Unit, LinkFailure> read_link_input(const DeviceInfo& device, const std::string& name,
                                               const std::string& image) {
  if (is_elf(image)) return machine_code(name);
  if (is_container(image)) return parse_first(device, std::as_bytes(std::span(image)), name);
  return parse_text(image.c_str(), name);  // a program may count the zero at its end
}

Result<std::string, LinkFailure> link_inputs(std::vector<ptx::Unit> inputs) {
  return link_units(std::move(inputs), "cuLinkComplete");
}

Status load(const LoadTarget& target, Module& module, bool quiet) {
  if (module.state == Module::State::loaded) return Status::success;
  if (module.state == Module::State::failed) return module.failure;
  if (module.label.empty()) module.label = origin_of(module.wrapper).file;
  auto loaded = load_image(target, module);
  if (!loaded) {
    module.state = Module::State::failed;
    module.failure = loaded.error().status;
    module.log = loaded.error().log;
    if (!quiet) say(module.log);
    return module.failure;
  }
  module.program = std::move(loaded->program);
  module.id = std::move(loaded->id);
  module.state = Module::State::loaded;
  connect(module, loaded->code);
  tell_of_newer(module, target.device, loaded->runs_on_gpu);
  return Status::success;
}

Status load(const LoadTarget& target, Function& function) {
  Module& module = *function.module;
  const bool failed_before = module.state == Module::State::failed;
  const Status status = load(target, module, true);
  if (status == Status::success || failed_before) return status;
  const bool has_nothing = status == Status::no_binary_for_gpu;
  say(has_nothing ? fmt::format("kernel {} cannot run: {}", report::demangle(function.name), module.log) : module.log);
  return status;
}

Function* find_function(Module& module, std::string_view name) {
  const auto found = module.functions.find(name);
  return found != module.functions.end() && found->second->info ? found->second.get() : nullptr;
}

Variable* find_variable(Module& module, std::string_view name) {
  const auto found = module.variables.find(name);
  return found != module.variables.end() && found->second->info ? found->second.get() : nullptr;
}

}  // namespace bankshot::cuda
