#include "bankshot/cuda/process/instruction_hashes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "bankshot/cuda/process/request.hpp"
#include "bankshot/report/json/instruction_hashes_json.hpp"
#include "bankshot/report/run/run_report.hpp"

namespace bankshot::cuda {
namespace {

/// The file, read when the first module is loaded.
const Result<report::InstructionHashes>& wanted_hashes() {
  static const auto& hashes = *new Result<report::InstructionHashes>([]() -> Result<report::InstructionHashes> {
    const std::string& path = process_request().instruction_hashes;
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
      return Error{fmt::format("{} cannot be read: {}", path, std::strerror(errno))};
    Result<report::InstructionHashes> read = report::instruction_hashes_from_json(text.str());
    if (!read) return Error{path + ": " + read.error().message};
    return read;
  }());
  return hashes;
}

}  // namespace

std::optional<Error> set_instruction_hashes(simt::Program& program, const std::string& digest,
                                            const scratchpad::Rules& rules) {
  if (process_request().instruction_hashes.empty()) return {};
  const Result<report::InstructionHashes>& hashes = wanted_hashes();
  if (!hashes) return hashes.error();
  if (auto error = report::unfit(*hashes, rules)) return error;
  for (const simt::KernelInfo& info : simt::kernels(program)) {
    const auto is_it = [&](const report::HashedKernel& kernel) { return kernel.name == info.name; };
    const auto own = std::ranges::find_if(
        hashes->kernels, [&](const report::HashedKernel& kernel) { return is_it(kernel) && kernel.module == digest; });
    if (own == hashes->kernels.end()) {
      if (std::ranges::none_of(hashes->kernels, is_it)) continue;
      return Error{fmt::format("{} is for another build of kernel {}: trace and search again",
                               process_request().instruction_hashes, report::demangle(info.name))};
    }
    if (own->hashes.empty()) continue;
    std::vector<simt::InstructionHash> all;
    for (const report::HashedInstructions& one : own->hashes) {
      scratchpad::Rules hashed = rules;
      hashed.hash = one.hash;
      all.push_back({hashed, one.words, one.ptx_lines});
    }
    simt::set_hashes(program, info.name, rules, std::move(all));
  }
  return {};
}

}  // namespace bankshot::cuda
