#include "bankshot/cli/commands/fix_ptx.hpp"

#include <bit>
#include <cstdio>

#include <fmt/format.h>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/folder.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/cli/base/patterns_file.hpp"
#include "bankshot/fix/chooser.hpp"
#include "bankshot/fix/hash_search.hpp"
#include "bankshot/fix/source.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/printer.hpp"
#include "bankshot/rewrite/rewrite.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::cli {
namespace {

Result<scratchpad::BankHash> asked_for(const PtxFix& job, const scratchpad::Rules& rules, unsigned widest) {
  if (!job.hash.empty()) {
    Result<scratchpad::BankHash> hash =
        scratchpad::parse_hash(job.hash, {14, static_cast<unsigned>(std::countr_zero(rules.banks))});
    return hash ? hash : Error{"--" + hash.error().message};
  }
  const Result<scratchpad::PatternSet> patterns = read_patterns(job.patterns);
  if (!patterns) return patterns.error();
  const Result<search::Found> found = fix::search_hash(rules, *patterns, widest, job.time_limit, job.hash_class);
  if (!found) return found.error();
  return found->hash;
}

/// The hash that was asked for, in the first of the kernels asked for that has the array.
Result<fix::Choices> for_one_array(const PtxFix& job, const ptx::Module& module, const scratchpad::Rules& rules) {
  std::vector<std::string> kernels = ptx::kernel_names(module);
  std::erase_if(kernels, [&](const std::string& name) { return !library::is_wanted(name, job.kernels); });
  const std::vector<fix::ArrayPlace> places = fix::arrays_of(module, kernels);
  std::string known;
  for (const fix::ArrayPlace& place : places) {
    known += (known.empty() ? "" : ", ") + place.array;
    if (place.array != job.array && fix::source_name(place.array) != job.array) continue;
    const Result<scratchpad::BankHash> hash = asked_for(job, rules, place.widest);
    if (!hash) return hash.error();
    return fix::Choices{place.kernel, {{place.array, *hash}}, fmt::format("  hash {}\n", scratchpad::spec(*hash))};
  }
  std::string names;
  for (const std::string& part : job.kernels) names += (names.empty() ? " " : " or ") + part;
  return Error{job.file + ": no kernel" + names + " accesses a shared array " + job.array +
               (known.empty() ? "" : "; there are " + known)};
}

int deliver_ptx(const PtxFix& job, const std::string& ptx, const std::string& summary) {
  if (job.folder.empty()) {
    print(ptx);
    flush_output();
    std::fputs(summary.c_str(), stderr);
    return kDone;
  }
  if (const auto error = make_folder(job.folder)) return refuse(error->message);
  if (const auto error = host::write_file(place_in_folder(job.folder, job.file), ptx)) return refuse(error->message);
  print(summary);
  return kDone;
}

}  // namespace

int fix_ptx(const PtxFix& job) {
  const bool one_array = !job.array.empty();
  if (one_array ? job.hash.empty() == job.patterns.empty() : !job.hash.empty() || !job.patterns.empty()) {
    return refuse("--array NAME goes with one of --hash SPEC and --patterns FILE");
  }
  if (one_array && job.launch->is_given())
    return refuse(
        "--block, --grid and --param are for searching for the hashes of all arrays; --array NAME goes with --hash or "
        "--patterns alone");
  if (!one_array && !job.launch->has_block()) {
    return refuse(
        "a PTX file is not run: say how many threads a block has, --block 16,16, or which hash an array is to have, "
        "--hash SPEC --array NAME");
  }
  const Result<std::string> text = host::read_text(job.file);
  if (!text) return refuse(text.error().message);
  Result<ptx::Module, Diagnostics> module = ptx::parse(*text);
  const Diagnostics problems = module ? ptx::check(*module) : module.error();
  if (!problems.empty()) return refuse("\n" + format_diagnostics(problems, job.file, *text));
  const Result<gpu::Gpu> gpu = gpu::find_gpu(job.gpu);
  if (!gpu) return refuse(gpu.error().message);

  const scratchpad::Rules& rules = gpu->machine.scratchpad;
  std::vector<fix::Choices> all;
  if (one_array) {
    Result<fix::Choices> choices = for_one_array(job, *module, rules);
    if (!choices) return refuse(choices.error().message);
    all.push_back(std::move(*choices));
  } else {
    library::Analysed analysed;
    if (const int status = job.launch->analyse(job.file, {{job.file, *text}}, *gpu, job.kernels, job.joined, analysed);
        status != kDone)
      return status;
    for (const analysis::Kernel& kernel : analysed.kernels)
      all.push_back(fix::choose(*module, kernel, rules, job.time_limit, job.hash_class));
  }
  std::string summary;
  size_t arrays = 0;
  for (const fix::Choices& choices : all) {
    summary += choices.text;
    if (choices.list.empty()) continue;
    const auto done = rewrite::rewrite(*module, choices.kernel, choices.list, rules.bank_bytes);
    if (!done) return refuse(job.file + ": " + done.error().message);
    for (const rewrite::RewrittenArray& one : done->arrays) {
      summary += fmt::format(
          "  {} access{} of {} in kernel {} rewritten, {} instructions added, {} bytes of shared memory more\n",
          one.accesses, one.accesses == 1 ? "" : "es", one.array, choices.kernel, one.added, one.extra_bytes);
      ++arrays;
    }
  }
  if (arrays == 0) {
    std::fputs((summary + "nothing was rewritten\n").c_str(), stderr);
    return kDone;
  }
  return deliver_ptx(job, ptx::print(*module), summary + job.file + ": proved by construction, not run\n");
}

}  // namespace bankshot::cli
