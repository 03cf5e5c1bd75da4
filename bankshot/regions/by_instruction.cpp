#include "bankshot/regions/by_instruction.hpp"

#include <algorithm>
#include <optional>

#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/regions/split.hpp"
#include "bankshot/simt/decode/mistakes.hpp"

namespace bankshot::regions {
namespace {

using report::PartInstruction;
using report::PatternsOfPart;

/// The analysis of a kernel's launches; nothing if they differ in shape, or the analysis does not end.
std::optional<analysis::Kernel> walk(const ptx::Module& module, const report::Kernel& kernel,
                                     const scratchpad::Rules& rules, unsigned warp_size) {
  if (kernel.launch_shapes_vary) return {};
  analysis::Launch launch;
  launch.block = {kernel.block.x, kernel.block.y, kernel.block.z};
  launch.grid = analysis::Extent{kernel.grid.x, kernel.grid.y, kernel.grid.z};
  launch.warp_size = warp_size;
  Result<analysis::Kernel> walked = analysis::analyse(module, kernel.name, launch, rules);
  if (!walked) return {};
  return std::move(*walked);
}

Layout layout_of(const simt::KernelInfo& info) {
  Layout layout;
  for (const simt::SharedInfo& one : info.shared) layout.arrays.emplace_back(one.name, one.offset);
  layout.dynamic = info.dynamic_base;
  return layout;
}

PatternsOfPart part_without_patterns(const Part& part) {
  PatternsOfPart made{part.words, part.arrays, {}, part.why_kept, {}};
  for (const Instruction& one : part.instructions)
    made.instructions.push_back({{one.place.file, one.place.line, one.place.ptx_line}, one.op, one.by_walk});
  return made;
}

bool is_within(const scratchpad::Pattern& pattern, const scratchpad::WordRanges& words) {
  for (unsigned lane = 0; lane < scratchpad::kMaxLanes; ++lane) {
    const uint32_t first = pattern.words[lane], last = first + std::max(4u, pattern.width) / 4 - 1;
    if ((pattern.mask >> lane & 1) != 0 && !(scratchpad::contains(words, first) && scratchpad::contains(words, last)))
      return false;
  }
  return true;
}

/// Puts the patterns of a kernel's instructions into their parts. @return what contradicts the parts, or empty
std::string assign_patterns(const report::Kernel& kernel, std::vector<PatternsOfPart>& parts) {
  for (const report::Site& site : kernel.sites) {
    const auto has_line = [&](const PatternsOfPart& part) {
      return std::ranges::any_of(
          part.instructions, [&](const PartInstruction& one) { return one.source.ptx_line == site.source.ptx_line; });
    };
    const std::string where = ptx::to_string({site.source.ptx_line, site.source.file, site.source.line});
    const auto part = std::ranges::find_if(parts, has_line);
    if (part == parts.end()) return "the address of " + site.op + " at " + where + " comes from no shared array";
    for (const scratchpad::Pattern& pattern :
         scratchpad::patterns(site.totals.trace, report::kind_of(site), site.width)) {
      if (!is_within(pattern, part->words)) return site.op + " at " + where + " accessed words outside its array";
      part->patterns.patterns.push_back(pattern);
    }
  }
  return {};
}

/// All accesses of a kernel as one part.
std::vector<PatternsOfPart> undivided(const report::Kernel& kernel, const std::string& why_kept) {
  PatternsOfPart all{{{0, 1u << scratchpad::kMaxAddressBits}}, {}, {}, why_kept, {}};
  for (const report::Site& site : kernel.sites) {
    all.instructions.push_back({site.source, site.op, false});
    const auto patterns = scratchpad::patterns(site.totals.trace, report::kind_of(site), site.width);
    all.patterns.patterns.insert(all.patterns.patterns.end(), patterns.begin(), patterns.end());
  }
  return {all};
}

/// In the form of a patterns file.
std::optional<Error> make_canonical(scratchpad::PatternSet& set, const scratchpad::Rules& rules) {
  set.rules = rules;
  set.sorted = true;
  for (scratchpad::Pattern& pattern : set.patterns) pattern = scratchpad::canonical(rules, pattern);
  scratchpad::merge_equal(set.patterns);
  if (scratchpad::fit_address_bits(set, scratchpad::kUsualAddressBits)) return {};
  return Error{"shared memory is accessed beyond word 2^" + std::to_string(scratchpad::kMaxAddressBits) +
               ", the limit of bank hashes"};
}

std::vector<PatternsOfPart> parts_of(const report::Kernel& kernel, const ptx::Module& module,
                                     const std::vector<simt::KernelInfo>& infos, const scratchpad::Rules& rules,
                                     unsigned warp_size) {
  const ptx::Function* const function = ptx::find_kernel(module, kernel.name);
  const auto info = std::ranges::find(infos, kernel.name, &simt::KernelInfo::name);
  if (function == nullptr || info == infos.end()) return undivided(kernel, "its PTX is not known");
  const std::optional<analysis::Kernel> walked = walk(module, kernel, rules, warp_size);
  const Result<std::vector<Part>> split_parts =
      split(module, *function, layout_of(*info), scratchpad::row_words(rules), walked ? &*walked : nullptr);
  if (!split_parts) return undivided(kernel, split_parts.error().message);
  std::vector<PatternsOfPart> parts;
  for (const Part& part : *split_parts) parts.push_back(part_without_patterns(part));
  if (const std::string contradiction = assign_patterns(kernel, parts); !contradiction.empty())
    return undivided(kernel, contradiction);
  return parts;
}

}  // namespace

Result<report::InstructionPatterns> by_instruction(const report::RunReport& report,
                                                   const std::map<std::string, std::string>& ptx) {
  report::InstructionPatterns all;
  all.rules = report.rules;
  all.rules.hash.reset();
  for (const auto& [digest, text] : ptx) {
    const bool wanted = std::ranges::any_of(report.kernels, [&](const report::Kernel& kernel) {
      return kernel.module.digest == digest && !kernel.sites.empty();
    });
    if (!wanted) continue;
    const Result<ptx::Module, Diagnostics> module = ptx::parse(text);
    std::vector<simt::KernelInfo> infos;
    const Diagnostics mistakes = module ? simt::mistakes(*module, infos) : module.error();
    if (!mistakes.empty()) return Error{format_diagnostics(mistakes, "module.ptx", text)};
    for (const report::Kernel& kernel : report.kernels) {
      if (kernel.module.digest != digest || kernel.sites.empty()) continue;
      report::PatternsOfKernel made{kernel.name, kernel.demangled, digest,
                                    parts_of(kernel, *module, infos, all.rules, report.warp_size)};
      for (PatternsOfPart& part : made.parts) {
        if (auto error = make_canonical(part.patterns, all.rules))
          return Error{kernel.demangled + ": " + error->message};
      }
      all.kernels.push_back(std::move(made));
    }
  }
  return all;
}

}  // namespace bankshot::regions
