// bankshot gpus: the machine descriptions there are.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/gpu/keys.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/report/json/rules_json.hpp"
#include "bankshot/scratchpad/transactions/tx_resources.hpp"
#include "bankshot/timing/chip/overhead.hpp"

namespace bankshot::cli {
namespace {

std::string row(const std::string& name, const gpu::Gpu& gpu) {
  const scratchpad::Rules& banks = gpu.machine.scratchpad;
  return fmt::format("{:<20} {:<28} {:>2}.{} {:>5} {:>6} MHz {:>4.3g} GB {:>5} KB {:>4} x {} B  {}{}\n", name, gpu.name,
                     gpu.compute_major, gpu.compute_minor, gpu.machine.sms, gpu.core_khz / 1000,
                     static_cast<double>(gpu.global_bytes) / (1 << 30), gpu.shared_per_sm / 1024, banks.banks,
                     banks.bank_bytes, gpu.timing ? "run, simulate" : "run",
                     name == gpu::kDefaultGpu ? "  (default)" : "");
}

nlohmann::ordered_json row_json(const std::string& name, const gpu::Gpu& gpu) {
  return {{"name", name},
          {"gpu", gpu.name},
          {"compute_capability", fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor)},
          {"default", name == gpu::kDefaultGpu},
          {"simulates", gpu.timing.has_value()},
          {"warp_size", gpu.machine.warp_size},
          {"shared_per_block", gpu.shared_per_block_optin},
          {"scratchpad", report::rules_json(gpu.machine.scratchpad)}};
}

/// What transactions leave of an SM (GPU-LocalTM, section 4.3).
std::string transactions(const gpu::Gpu& gpu) {
  const uint32_t threads = std::min(256u, gpu.max_threads_per_block);
  const scratchpad::Rules& banks = gpu.machine.scratchpad;
  const uint64_t bytes = gpu.shared_per_block_optin, most = scratchpad::most_shared(banks, bytes, threads);
  const scratchpad::TxNeeds needs = scratchpad::needs(banks, gpu.machine.transactions, {threads, most, 0});
  return fmt::format(
      "\n# With transactions, a block of {} threads can use {} of {} bytes of shared memory ({} hold backups, {} "
      "owners).\n# Of {} registers, {} hold filters; each register of a thread takes two.\n",
      threads, most, bytes, needs.backups, needs.owners, gpu.registers_per_block, needs.filters);
}

/// Everything a description says, with what each number means: itself a description.
std::string whole(const gpu::Gpu& gpu) {
  const std::string text = fmt::format("# {}\n", gpu.file) + gpu::to_toml(gpu) + gpu::left_out(gpu) + transactions(gpu);
  if (!gpu.timing) return text + "\n# It cannot be simulated: its file has no timing sections.\n";
  const timing::Config& timing = *gpu.timing;
  return text + fmt::format("\n# DRAM {:.1f} GB/s, single precision {:.0f} GFLOP/s, both at most\n",
                            timing.dram_bytes_per_second() / 1e9, timing.fp32_per_second() / 1e9);
}

std::string overhead_text(const gpu::Gpu& gpu, const timing::Overhead& all) {
  std::string text = fmt::format(
      "Hardware that the elastic pipeline and its scheduler add to a core of {} (tables 1 and 2 of the paper)\n\n",
      gpu.name);
  const auto row = [&](const std::string& what, const std::string& size, const std::string& number) {
    text += fmt::format("  {:<44} {:<24} {}\n", what, size, number);
  };
  row("PART", "SIZE", "NUMBER");
  row("pipeline latches", fmt::format("{} lanes", gpu.timing->issue.simd_lanes),
      fmt::format("{}: {} beside memory, {} before it", all.nonmem + all.premem, all.nonmem, all.premem));
  row(fmt::format("{}-to-1 multiplexer, before write-back", all.write_back_inputs),
      fmt::format("complexity {}", all.write_back_inputs - 1), "1");
  row(fmt::format("{}-to-1 multiplexer, before memory", all.memory_inputs),
      fmt::format("complexity {}", all.memory_inputs - 1), "1");
  row("AND or NAND gates", "2 a warp", std::to_string(all.gates));
  row("accumulator, counter, comparator", fmt::format("{} bits", all.counter_bits), "1 each");
  row("2-to-1 multiplexer", "", "1");
  for (const timing::Overhead::Memory& memory : all.memories) {
    row(fmt::format("what --aware {} remembers", memory.foresight), fmt::format("{} bytes", (memory.bits + 7) / 8),
        "1");
  }
  if (all.nonmem_corrected != all.nonmem) {
    text += fmt::format(
        "\nWith {} entries beside memory the pipeline may stall: it has fewer memory stages than a warp has parts. "
        "With {} it never does.\n",
        all.nonmem, all.nonmem_corrected);
  }
  return text;
}

nlohmann::ordered_json overhead_json(const gpu::Gpu& gpu, const timing::Overhead& all) {
  nlohmann::ordered_json json = {{"schema", "bankshot/overhead/1"},
                                 {"gpu", gpu.name},
                                 {"nonmem_entries", all.nonmem},
                                 {"nonmem_entries_corrected", all.nonmem_corrected},
                                 {"premem_entries", all.premem},
                                 {"lane_latches", all.latches},
                                 {"write_back_multiplexer_inputs", all.write_back_inputs},
                                 {"memory_multiplexer_inputs", all.memory_inputs},
                                 {"gates", all.gates},
                                 {"counter_bits", all.counter_bits},
                                 {"foresight_bits", nlohmann::ordered_json::object()}};
  for (const timing::Overhead::Memory& memory : all.memories) json["foresight_bits"][memory.foresight] = memory.bits;
  return json;
}

class Gpus final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("gpu", gpu_, "show the full description of this GPU: a name or a TOML file");
    app.add_flag("--overhead", overhead_,
                 "show what hardware the elastic pipeline and its scheduling would add to a core of the GPU");
    app.add_option("--json", json_,
                   "write the list with the rules of the banks, or the overhead, as JSON; - is standard output")
        ->type_name("FILE|-");
    app.footer(app.get_footer() + "\nKeys of individual components, with their ranges and defaults:\n" +
               gpu::component_keys());
  }

  int run(const std::vector<std::string>&) override {
    if (overhead_ && gpu_.empty()) return refuse("--overhead needs a GPU; for example: bankshot gpus cf11 --overhead");
    if (!json_.empty() && !overhead_ && !gpu_.empty())
      return refuse(
          "--json is for the list of GPUs and for --overhead; without it, this prints the description in TOML");
    if (overhead_) return tell_overhead();
    if (!gpu_.empty()) {
      const Result<gpu::Gpu> gpu = gpu::find_gpu(gpu_);
      if (!gpu) return refuse(gpu.error().message);
      print(whole(*gpu));
      return kDone;
    }
    const std::vector<std::string> names = gpu::gpu_names();
    if (names.empty()) {
      const Result<std::string> none = gpu::find_gpu_file(std::string(gpu::kDefaultGpu));
      return refuse(none ? "no GPU descriptions were found" : none.error().message);
    }
    return list(names);
  }

 private:
  int list(const std::vector<std::string>& names) const {
    if (const auto error = cannot_deliver(json_, {})) return refuse(error->message);
    std::string text = fmt::format("{:<20} {:<28} {:>4} {:>5} {:>10} {:>7} {:>8} {:>10}  {}\n", "NAME", "GPU", "CC",
                                   "SMS", "CLOCK", "MEMORY", "SHARED", "BANKS", "CAN");
    nlohmann::ordered_json document = {{"schema", "bankshot/gpus/1"}, {"gpus", nlohmann::ordered_json::array()}};
    std::vector<std::string> refused;
    for (const std::string& name : names) {
      const Result<gpu::Gpu> gpu = gpu::find_gpu(name);
      if (gpu) {
        text += row(name, *gpu);
        document["gpus"].push_back(row_json(name, *gpu));
      } else {
        refused.push_back(gpu.error().message);
      }
    }
    int status = json_.empty() || refused.empty() ? deliver(json_, report::json_text(document), text) : kDone;
    for (const std::string& message : refused) status = refuse(message);
    return status;
  }

  int tell_overhead() const {
    const Result<gpu::Gpu> gpu = gpu::find_gpu(gpu_);
    if (!gpu) return refuse(gpu.error().message);
    if (const auto error = cannot_deliver(json_, {{"the GPU's file", gpu->file}})) return refuse(error->message);
    if (!gpu->timing) return refuse(gpu->file + " has no timing sections");
    const auto all = timing::overhead(*gpu->timing);
    if (!all) return refuse(gpu->file + " does not say how many memory stages the pipeline has (issue.memory_stages)");
    return deliver(json_, report::json_text(overhead_json(*gpu, *all)), overhead_text(*gpu, *all));
  }

  std::string gpu_, json_;
  bool overhead_ = false;
};

const RegisterCommand gpus_registered(
    {"gpus", "List the GPUs that programs can run on",
     "Each GPU is one TOML file; BANKSHOT_GPUS names another folder of them. All GPUs can run programs; those whose "
     "file has\ntiming sections can be simulated.\n\n"
     "Examples:\n"
     "  bankshot gpus\n"
     "  bankshot gpus gtx480\n"
     "  bankshot gpus --json gpus.json\n"
     "  bankshot gpus cf11 --overhead\n"
     "  bankshot run --gpu v100 ./app\n"
     "  bankshot run --gpu ./my_gpu.toml ./app\n",
     [] { return std::make_unique<Gpus>(); }});

}  // namespace
}  // namespace bankshot::cli
