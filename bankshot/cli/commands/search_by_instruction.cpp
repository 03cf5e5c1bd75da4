#include "bankshot/cli/commands/search_by_instruction.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/patterns_file.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/regions/choose.hpp"
#include "bankshot/report/json/instruction_hashes_json.hpp"
#include "bankshot/report/json/instruction_patterns_json.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::cli {
namespace {

using report::HashedInstructions;
using report::HashedKernel;
using report::PatternsOfKernel;

std::string words_text(const scratchpad::WordRanges& words) {
  std::vector<std::string> texts;
  for (const scratchpad::WordRange& range : words) texts.push_back(fmt::format("{}-{}", range.begin, range.end - 1));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// "below" of an array that a function declares.
std::string array_text(const std::string& name) {
  const std::string full = report::demangle(name);
  const size_t at = full.rfind("::");
  return at == std::string::npos ? full : full.substr(at + 2);
}

std::string kernel_text(const HashedKernel& kernel) {
  std::string text =
      fmt::format("\n{}\n  excess without a hash  {}\n  one hash               {}  {}\n  by instruction         {}\n",
                  kernel.demangled, report::grouped(kernel.baseline), report::grouped(kernel.one.excess),
                  scratchpad::spec(kernel.one.hash), report::grouped(kernel.excess));
  for (const HashedInstructions& one : kernel.hashes) {
    std::vector<std::string> arrays;
    for (const std::string& array : one.arrays) arrays.push_back(array_text(array));
    text += fmt::format("    {}  for {} on words {} ({}): excess {} of {}\n", scratchpad::spec(one.hash),
                        report::counted(one.ptx_lines.size(), "instruction", "instructions"), words_text(one.words),
                        fmt::join(arrays, ", "), report::grouped(one.excess), report::grouped(one.baseline));
  }
  for (const std::string& why : kernel.kept) text += fmt::format("    words that keep their banks: {}\n", why);
  return text;
}

std::string hashes_text(const report::InstructionHashes& all) {
  std::string text;
  for (const HashedKernel& kernel : all.kernels) text += kernel_text(kernel);
  text += "\nencoding: ";
  if (all.bits_of_parameters != 0)
    text += fmt::format("{} in a load or store can hold the parameters of any hash of the class {};\n",
                        report::counted(all.bits_of_parameters, "bit", "bits"), all.hash_class);
  return text + fmt::format("{} name{} one of a kernel's hashes or none\n",
                            report::counted(all.bits_of_number, "bit", "bits"), all.bits_of_number == 1 ? "s" : "");
}

}  // namespace

int search_by_instruction(const std::string& file, const std::string& json, const std::string& hash_class,
                          const search::Chooser& choose) {
  if (const auto error = cannot_deliver(json, {{"the patterns", file}})) return refuse(error->message);
  const Result<std::string> text = host::read_text(file);
  if (!text) return refuse(text.error().message);
  const Result<report::InstructionPatterns> patterns = report::instruction_patterns_from_json(*text);
  if (!patterns) return refuse((file == "-" ? "standard input" : file) + ": " + patterns.error().message);
  report::InstructionHashes all;
  all.banks = patterns->rules.banks;
  all.bank_bytes = patterns->rules.bank_bytes;
  all.hash_class = hash_class;
  size_t most = 0;
  for (const PatternsOfKernel& kernel : patterns->kernels) {
    for (const report::PatternsOfPart& part : kernel.parts) {
      if (const auto error = search::cannot_search(patterns->rules, part.patterns.patterns))
        return refuse(error->message);
    }
    Result<HashedKernel> found = regions::choose_hashes(kernel, patterns->rules, choose);
    if (!found) return refuse(kernel.demangled + ": " + found.error().message);
    most = std::max(most, found->hashes.size());
    all.kernels.push_back(std::move(*found));
  }
  all.bits_of_parameters = regions::bits_of_parameters(hash_class, all.banks);
  all.bits_of_number = static_cast<unsigned>(std::bit_width(most));
  return deliver(json, report::to_json(all), hashes_text(all));
}

}  // namespace bankshot::cli
