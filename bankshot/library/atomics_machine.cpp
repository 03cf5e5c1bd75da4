#include "bankshot/library/atomics_machine.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/timing/atomics/locks.hpp"

namespace bankshot::library {
namespace {

/// Cycles of issue as the clock that programs read counts them, rounded.
unsigned ticks(const gpu::Gpu& gpu, unsigned cycles) {
  return static_cast<unsigned>((uint64_t{cycles} * gpu.core_khz + gpu.issue_khz / 2) / gpu.issue_khz);
}

/// Atomics in a loop over locks.
Result<AtomicsMachine> with_locks(AtomicsMachine machine, const AtomicsRequest& request) {
  const timing::Config& config = *machine.gpu.timing;
  const timing::LocksConfig locks = timing::locks_of(config);
  scratchpad::LockGeometry geometry{machine.rules.banks, machine.rules.hash, {}};
  const scratchpad::LockSize size{scratchpad::kMaxAddressBits, locks.bits, timing::lock_size(config).bank_bits};
  const Result<scratchpad::LockHash> hash = scratchpad::parse_lock_hash(request.lock_hash, size);
  if (!hash) return Error{"--lock-hash: " + hash.error().message};
  geometry.locks = *hash;
  const auto clocks = [&](unsigned cycles) { return ticks(machine.gpu, cycles); };
  const unsigned pass = locks.read + locks.update + locks.write + locks.branch;
  const scratchpad::AtomicsTimes times =
      machine.form == "tpds"
          ? scratchpad::AtomicsTimes{clocks(locks.base), clocks(locks.position), clocks(locks.bank), clocks(locks.bank)}
          : scratchpad::AtomicsTimes{clocks(pass), clocks(pass), clocks(locks.read), clocks(locks.write)};
  machine.model = scratchpad::lock_model(geometry, times);
  return machine;
}

}  // namespace

std::vector<size_t> atomics_of(const scratchpad::PatternSet& set) {
  const auto is_atomic = [](const scratchpad::Pattern& p) { return scratchpad::is_atomic(p.kind); };
  const bool any = std::any_of(set.patterns.begin(), set.patterns.end(), is_atomic);
  std::vector<size_t> taken;
  for (size_t k = 0; k < set.patterns.size(); ++k) {
    if (!any || is_atomic(set.patterns[k])) taken.push_back(k);
  }
  return taken;
}

Result<AtomicsMachine> atomics_machine(const gpu::Gpu& gpu, const AtomicsRequest& request) {
  AtomicsMachine machine;
  machine.gpu = gpu;
  machine.address_bits = scratchpad::kMaxAddressBits;
  const std::string& unit = gpu.timing->scratchpad.atomics;
  const std::string own = unit == "lock" ? "tpds" : unit;
  machine.form = request.form.empty() ? own : request.form;
  if (std::find(kAtomicsForms.begin(), kAtomicsForms.end(), machine.form) == kAtomicsForms.end())
    return Error{fmt::format("--form '{}' is not known; there are {}", request.form, fmt::join(kAtomicsForms, ", "))};
  machine.rules = gpu.machine.scratchpad;
  if (const auto error = scratchpad::set_bank_hash(machine.rules, request.bank_hash))
    return Error{"--bank-hash: " + error->message};
  if (machine.has_locks()) {
    if (timing::locks_of(*gpu.timing).bits == 0)
      return Error{fmt::format("--form {} is for atomics with locks, but {} has none; its form is {}", machine.form,
                               gpu.name, own)};
    if (machine.rules.bank_bytes != 4)
      return Error{fmt::format("--form {} needs banks of 4 bytes, but the banks of {} are not 4 bytes wide",
                               machine.form, gpu.name)};
    return with_locks(std::move(machine), request);
  }
  if (request.lock_hash != "none")
    return Error{fmt::format("--lock-hash is for the forms tpds and fsm: {} atomics have no locks", machine.form)};
  const timing::ScratchpadConfig& scratchpad = gpu.timing->scratchpad;
  machine.combines = machine.form == "native" && gpu.machine.scratchpad.combines_increments && !request.weights;
  const bool as_one = machine.form == "loadlike" || machine.combines;
  machine.model = scratchpad::native_model(machine.rules, ticks(gpu, scratchpad.latency), ticks(gpu, 1), as_one);
  return machine;
}

Result<AtomicsMachine> atomics_machine(const AtomicsRequest& request) {
  const Result<gpu::Gpu> gpu = gpu::find_gpu(request.gpu);
  if (!gpu) return gpu.error();
  if (gpu->timing) return atomics_machine(*gpu, request);
  return Error{"--gpu: " + gpu->file + " has no timing sections; bankshot gpus lists those that can be simulated"};
}

}  // namespace bankshot::library
