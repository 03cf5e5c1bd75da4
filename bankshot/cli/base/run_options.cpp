#include "bankshot/cli/base/run_options.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bankshot/cli/base/report_output.hpp"
#include "bankshot/ptx/library_headers.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::cli {
namespace {

/// Roots are compared with paths in the line information of a program, which may be from another machine: one that does
/// not exist here is said, not refused.
void set_header_roots(const std::string& roots) {
  ptx::set_header_roots({roots});
  for (const std::string& root : ptx::folders_of(roots)) {
    std::error_code code;
    if (std::filesystem::exists(root, code)) continue;
    say(printable("--header-roots: " + root +
                  " does not exist here; it has an effect only if paths in the program's line information contain it"));
  }
}

}  // namespace

void RunOptions::define(CLI::App& app) {
  app.add_option("--gpu", gpu, "the GPU that the program sees: a name listed by `bankshot gpus`, or a .toml file")
      ->envname(cuda::kGpuVariable)
      ->capture_default_str()
      ->type_name("NAME|FILE.toml");
  app.add_option("--threads", threads, "host threads; 0 uses all cores")
      ->envname(cuda::kThreadsVariable)
      ->check(CLI::Range(0, static_cast<int>(cuda::kMostThreads)))
      ->capture_default_str()
      ->type_name("N");
  app.add_option_function<std::string>(
         "--header-roots", set_header_roots,
         "folders of libraries: code from their headers is attributed to the line that calls it. The headers of CUDA, "
         "CUTLASS, CUB, Thrust and the system are known")
      ->envname(ptx::kHeaderRootsVariable)
      ->type_name("DIR[:DIR…]");
  app.add_flag("--pageable-memory", pageable_memory,
               "kernels may access all memory of the program, such as what malloc gives, as on systems with unified "
               "memory (cudaDevAttrPageableMemoryAccess). Without it, a pointer of the host is an error")
      ->envname(cuda::kPageableMemoryVariable);
  app.add_flag("--progress", progress,
               "print the progress of long launches to standard error every five seconds, rather than after 10, 20, 40 "
               "… seconds; "
               "a terminal always shows it");
}

void RunOptions::define_bank_hash(CLI::App& app) {
  app.add_option("--bank-hash", bank_hash,
                 "count as if the hardware chose banks with this hash: " + scratchpad::hash_syntaxes())
      ->envname(cuda::kBankHashVariable)
      ->type_name("SPEC");
  app.add_option("--instruction-hashes", instruction_hashes,
                 "count as if each load and store had its own hash; bankshot search --per-instruction writes FILE")
      ->envname(cuda::kInstructionHashesVariable)
      ->type_name("FILE");
}

void RunOptions::define_as_written(CLI::App& app) {
  counts = true;
  app.add_flag("--as-written", as_written,
               "count each access of the PTX separately; by default, accesses that ptxas merges count as one");
}

void RunOptions::define_machine_code(CLI::App& app) {
  app.add_flag("--machine-code", machine_code,
               "compare the accesses with machine code: the program's own for this GPU (build with -lineinfo), or what "
               "an installed ptxas generates from its PTX. Lines that differ are reported. Where the accesses of the "
               "machine code are narrower, they are counted; where they are wider, those of the model are. Register "
               "counts of the machine code determine the occupancy");
}

namespace {

std::string why_no_machine_code(const gpu::Gpu& gpu) {
  if (gpu.as_written)
    return fmt::format("programs for {} are not compiled by ptxas (accesses = \"as-written\" in its file)", gpu.name);
  return fmt::format("{} has compute capability {}.{}; machine code can be read from 7.0 on", gpu.name,
                     gpu.compute_major, gpu.compute_minor);
}

}  // namespace

std::string which_program(const std::string& command) {
  return "which program? For example: bankshot " + command + " ./app";
}

Result<host::Setup> set_up(const RunOptions& options, const std::vector<std::string>& command) {
  if (options.machine_code && options.as_written) {
    return Error{
        "--machine-code and --as-written exclude each other: count the accesses either of the machine code or of the "
        "PTX"};
  }
  // The program's own library would refuse these too, but only within the program.
  if (const auto variables = cuda::from_environment([](const char* name) { return std::getenv(name); }); !variables)
    return variables.error();
  Result<host::Setup> setup = host::set_up(options, command);
  if (!setup) return setup;
  if (options.without_machine_code) setup->request.machine_code = cuda::UseOfMachineCode::nothing;
  if (options.machine_code) {
    if (setup->gpu.machine_code() == 0)
      return Error{fmt::format("--machine-code: {}", why_no_machine_code(setup->gpu))};
    setup->request.machine_code = cuda::UseOfMachineCode::accesses;
  }
  setup->request.progress = options.progress;
  setup->request.quicker = options.quicker;
  setup->request.joined = options.counts && !options.as_written;
  if (!options.warns) return setup;
  for (const std::string& warning : setup->target.warnings)
    std::fprintf(stderr, "bankshot: warning: %s\n", warning.c_str());
  if (setup->gpu.machine.warp_size > 32) {
    std::fprintf(
        stderr,
        "bankshot: warning: warps of this GPU have %u lanes, but the masks of warp-wide instructions (__ballot_sync, "
        "__shfl_sync) cover only the lower 32; a program that uses them may compute different results\n",
        setup->gpu.machine.warp_size);
  }
  return setup;
}

}  // namespace bankshot::cli
