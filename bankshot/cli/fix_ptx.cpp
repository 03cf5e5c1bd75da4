#include "bankshot/cli/fix_ptx.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>

#include <fmt/format.h>

#include "bankshot/cli/command.hpp"
#include "bankshot/cli/fix_folder.hpp"
#include "bankshot/cli/fix_plan.hpp"
#include "bankshot/cli/fix_source.hpp"
#include "bankshot/cli/output.hpp"
#include "bankshot/cli/patterns_file.hpp"
#include "bankshot/cli/read_text.hpp"
#include "bankshot/cli/write_file.hpp"
#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/printer.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/rewrite/rewrite.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::cli {
namespace {

using report::grouped;
using rewrite::KernelArrays;

/// Hashes for arrays of one kernel, and what there is to say of each array.
struct Choices {
  std::string kernel;
  std::vector<rewrite::Choice> list;
  std::string text;
};

class Chooser {
 public:
  Chooser(const ptx::Module& module, const gpu::Gpu& gpu, const PtxFix& fix)
      : module_(module), rules_(gpu.machine.scratchpad), fix_(fix) {}

  /// The hash that was asked for, in the first of the kernels asked for that has the array.
  Result<Choices> asked_for() const {
    std::string known;
    for (const std::string& name : ptx::kernel_names(module_)) {
      if (!is_wanted(name, fix_.kernels)) continue;
      const KernelArrays arrays(module_, *ptx::find_kernel(module_, name));
      for (const rewrite::Array& array : arrays.arrays) {
        known += (known.empty() ? "" : ", ") + array.name;
        if (array.name != fix_.array && source_name(array.name) != fix_.array) continue;
        const Result<scratchpad::BankHash> hash = fix_.hash.empty() ? for_patterns(array.widest) : given();
        if (!hash) return hash.error();
        return Choices{name, {{array.name, *hash}}, fmt::format("  hash {}\n", scratchpad::spec(*hash))};
      }
    }
    std::string names;
    for (const std::string& part : fix_.kernels) names += (names.empty() ? " " : " or ") + part;
    return Error{fix_.file + ": no kernel" + names + " accesses a shared array " + fix_.array +
                 (known.empty() ? "" : "; there are " + known)};
  }

  /// The best hash for each array of an analysed kernel.
  Choices search(const analysis::Kernel& kernel) const {
    Choices choices{kernel.name, {}, report::demangle(kernel.name) + "\n"};
    const KernelArrays arrays(module_, *ptx::find_kernel(module_, kernel.name));
    for (const rewrite::Array& array : arrays.arrays) {
      const std::string what = search(kernel, arrays, array, choices.list);
      choices.text += fmt::format("  {}: {}\n", array.name, what);
    }
    if (arrays.arrays.empty()) choices.text += "  no shared memory\n";
    return choices;
  }

 private:
  Result<scratchpad::BankHash> given() const {
    Result<scratchpad::BankHash> hash =
        scratchpad::parse_hash(fix_.hash, {14, static_cast<unsigned>(std::countr_zero(rules_.banks))});
    return hash ? hash : Error{"--" + hash.error().message};
  }

  Result<scratchpad::BankHash> for_patterns(unsigned widest) const {
    const Result<scratchpad::PatternSet> set = read_patterns(fix_.patterns);
    if (!set) return set.error();
    const Result<search::Found> found = search_hash(rules_, *set, widest, fix_.time_limit);
    if (!found) return found.error();
    return found->hash;
  }

  std::string search(const analysis::Kernel& kernel, const KernelArrays& arrays, const rewrite::Array& array,
                     std::vector<rewrite::Choice>& list) const {
    const auto left_alone = [](const rewrite::Refusal& refusal) {
      return "left alone: " + refusal.reason +
             (refusal.place.ptx_line == 0 ? "" : " (" + rewrite::to_string(refusal.place) + ")");
    };
    if (array.refusal) return left_alone(*array.refusal);
    scratchpad::PatternSet set;
    set.rules = rules_;
    std::string notes;
    if (std::string reason = take_patterns(kernel, array, set, notes); !reason.empty()) return "left alone: " + reason;
    const uint64_t before = scratchpad::excess(rules_, set, scratchpad::modulo_hash(scratchpad::size_of(set)));
    if (before == 0) return "left alone: it has no conflicts" + notes;
    const auto found = search_hash(rules_, set, array.widest, fix_.time_limit);
    if (!found) return "left alone: " + found.error().message;
    const bool proved = found->status == search::Status::optimal;
    if (found->excess >= before)
      return std::string("left alone: no hash of its rows lessens its conflicts") + (proved ? " (proved)" : "") + notes;
    const scratchpad::BankHash& hash = found->hash;
    if (const auto refusal = rewrite::cannot_rewrite(arrays, array, hash, rules_.bank_bytes))
      return left_alone(*refusal);
    list.push_back({array.name, hash});
    return fmt::format(
        "hash {}: conflicts {} -> {}, {}{}", scratchpad::spec(hash), grouped(before), grouped(found->excess),
        proved ? "optimal (proved)" : "best found; nothing is below " + grouped(found->lower_bound), notes);
  }

  /// The words of an array's accesses, from its start. @return why they are not known, or empty
  static std::string take_patterns(const analysis::Kernel& kernel, const rewrite::Array& array,
                                   scratchpad::PatternSet& set, std::string& notes) {
    bool assumed = false, shifted = false;
    for (const analysis::Site& site : kernel.sites) {
      const bool here = std::any_of(site.arrays.begin(), site.arrays.end(), [&](uint32_t k) {
        return array.dynamic ? kernel.arrays[k].bytes == 0 : kernel.arrays[k].name == array.name;
      });
      if (!here) continue;
      const std::string at = " (" + rewrite::to_string({site.ptx_line, site.file, site.line}) + ")";
      if (site.certainty == analysis::Certainty::unknown)
        return "its addresses are not known without a run: " + site.reason + at;
      if (site.patterns_left_out != 0) return "it has too many different accesses to list without a run" + at;
      assumed |= site.certainty == analysis::Certainty::assumed || site.certainty == analysis::Certainty::each;
      shifted |= site.shifted;
      const uint32_t start = site.shifted ? 0 : kernel.arrays[site.arrays[0]].offset / 4;
      for (scratchpad::Pattern pattern : site.patterns) {
        if (!scratchpad::count_from(pattern, scratchpad::WordAddress(start)))
          return "an access by its address is outside it" + at;
        set.patterns.push_back(pattern);
      }
    }
    scratchpad::merge_equal(set.patterns);
    const unsigned least = static_cast<unsigned>(std::countr_zero(set.rules.banks)) + 1;
    if (!scratchpad::fit_address_bits(set, least)) return "it is larger than what hashes work on";
    if (assumed) notes += "; how often, or by which lanes, is assumed: see bankshot explain --static";
    if (shifted) notes += "; something unknown is added to addresses, and counted as 0";
    return {};
  }

  const ptx::Module& module_;
  const scratchpad::Rules& rules_;
  const PtxFix& fix_;
};

int deliver_ptx(const PtxFix& fix, const std::string& ptx, const std::string& summary) {
  if (fix.folder.empty()) {
    print(ptx);
    flush_output();
    std::fputs(summary.c_str(), stderr);
    return kDone;
  }
  if (const auto error = make_folder(fix.folder)) return refuse(error->message);
  if (const auto error = write_file(place_in_folder(fix.folder, fix.file), ptx)) return refuse(error->message);
  print(summary);
  return kDone;
}

}  // namespace

int fix_ptx(const PtxFix& fix) {
  const bool one_array = !fix.array.empty();
  if (one_array ? fix.hash.empty() == fix.patterns.empty() : !fix.hash.empty() || !fix.patterns.empty()) {
    return refuse("--array NAME goes with one of --hash SPEC and --patterns FILE");
  }
  if (one_array && fix.launch->is_given())
    return refuse(
        "--block, --grid and --param are for searching for the hashes of all arrays; --array NAME goes with --hash or "
        "--patterns alone");
  if (!one_array && !fix.launch->has_block()) {
    return refuse(
        "a PTX file is not run: say how many threads a block has, --block 16,16, or which hash an array is to have, "
        "--hash SPEC --array NAME");
  }
  const Result<std::string> text = read_text(fix.file);
  if (!text) return refuse(text.error().message);
  Result<ptx::Module, Diagnostics> module = ptx::parse(*text);
  const Diagnostics problems = module ? ptx::check(*module) : module.error();
  if (!problems.empty()) return refuse("\n" + format_diagnostics(problems, fix.file, *text));
  const Result<gpu::Gpu> gpu = gpu::find_gpu(fix.gpu);
  if (!gpu) return refuse(gpu.error().message);

  const Chooser chooser(*module, *gpu, fix);
  std::vector<Choices> all;
  if (one_array) {
    Result<Choices> choices = chooser.asked_for();
    if (!choices) return refuse(choices.error().message);
    all.push_back(std::move(*choices));
  } else {
    std::vector<analysis::Kernel> kernels;
    if (const int status = fix.launch->analyse(fix.file, {{fix.file, *text}}, *gpu, fix.kernels, kernels);
        status != kDone)
      return status;
    for (const analysis::Kernel& kernel : kernels) all.push_back(chooser.search(kernel));
  }
  std::string summary;
  size_t arrays = 0;
  for (const Choices& choices : all) {
    summary += choices.text;
    if (choices.list.empty()) continue;
    const auto done = rewrite::rewrite(*module, choices.kernel, choices.list, gpu->machine.scratchpad.bank_bytes);
    if (!done) return refuse(fix.file + ": " + done.error().message);
    for (const rewrite::Rewritten& one : *done) {
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
  return deliver_ptx(fix, ptx::print(*module), summary + fix.file + ": proved by construction, not run\n");
}

}  // namespace bankshot::cli
