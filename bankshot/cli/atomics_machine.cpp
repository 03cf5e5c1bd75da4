#include "bankshot/cli/atomics_machine.hpp"

#include <fmt/format.h>

#include "bankshot/scratchpad/hash_text.hpp"

namespace bankshot::cli {
namespace {

/// Atomics in a loop over locks.
Result<AtomicsMachine> with_locks(AtomicsMachine machine, const AtomicsRequest& request) {
  const timing::Config& config = *machine.gpu.timing;
  const timing::LocksConfig& locks = config.locks;
  scratchpad::LockGeometry geometry{machine.rules.banks, machine.rules.hash, {}};
  const scratchpad::LockSize size{scratchpad::kMaxAddressBits, locks.bits, timing::lock_size(config).bank_bits};
  const Result<scratchpad::LockHash> hash = scratchpad::parse_lock_hash(request.lock_hash, size);
  if (!hash) return Error{"--lock-hash: " + hash.error().message};
  geometry.locks = *hash;
  const auto clocks = [&](unsigned cycles) {
    return static_cast<unsigned>(uint64_t{cycles} * machine.gpu.core_khz / machine.gpu.issue_khz);
  };
  const unsigned pass = locks.read + locks.update + locks.write + locks.branch;
  const scratchpad::AtomicsTimes times =
      machine.form == "tpds"
          ? scratchpad::AtomicsTimes{clocks(locks.base), clocks(locks.position), clocks(locks.bank), clocks(locks.bank)}
          : scratchpad::AtomicsTimes{clocks(pass), clocks(pass), clocks(locks.read), clocks(locks.write)};
  machine.model = scratchpad::lock_model(geometry, times);
  return machine;
}

}  // namespace

Result<AtomicsMachine> atomics_machine(const AtomicsRequest& request) {
  Result<gpu::Gpu> gpu = gpu::find_gpu(request.gpu);
  if (!gpu) return gpu.error();
  if (!gpu->timing)
    return Error{"--gpu: " + gpu->file + " says nothing of timing; bankshot gpus lists those that can be simulated"};
  AtomicsMachine machine;
  machine.gpu = *gpu;
  machine.address_bits = scratchpad::kMaxAddressBits;
  const bool has_locks = gpu->timing->locks.bits != 0;
  machine.form = !request.form.empty() ? request.form : has_locks ? "tpds" : "native";
  if (machine.form != "tpds" && machine.form != "fsm" && machine.form != "native") {
    return Error{"--form '" + request.form + "' is not known; there are tpds, fsm and native"};
  }
  machine.rules = gpu->machine.scratchpad;
  if (machine.rules.bank_bytes != 4)
    return Error{"--gpu: its banks are not 4 bytes wide, and the models speak of words in banks"};
  if (const auto error = scratchpad::set_bank_hash(machine.rules, request.bank_hash))
    return Error{"--bank-hash: " + error->message};
  if (machine.form != "native") {
    if (!has_locks)
      return Error{fmt::format("--form {} is for atomics in a loop over locks, and {} has none; its form is native",
                               machine.form, gpu->name)};
    return with_locks(std::move(machine), request);
  }
  if (request.lock_hash != "none")
    return Error{"--lock-hash is for the forms tpds and fsm: native atomics have no locks"};
  const timing::ScratchpadConfig& scratchpad = gpu->timing->scratchpad;
  machine.model =
      scratchpad::native_model(machine.rules, scratchpad.latency, scratchpad.combines_increments && !request.weights);
  return machine;
}

}  // namespace bankshot::cli
