#include "bankshot/cuda/process/request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "bankshot/simt/rows/isa_names.hpp"

namespace bankshot::cuda {
namespace {

constexpr const char *kIsa = "BANKSHOT_ISA", *kCompile = "BANKSHOT_COMPILE", *kTiming = "BANKSHOT_TIMING",
                     *kReportFolder = "BANKSHOT_REPORT_DIR", *kTrace = "BANKSHOT_TRACE", *kCheck = "BANKSHOT_CHECK",
                     *kSimulate = "BANKSHOT_SIMULATE", *kWitness = "BANKSHOT_WITNESS", *kJoined = "BANKSHOT_JOINED",
                     *kModules = "BANKSHOT_MODULES", *kMachineCode = "BANKSHOT_MACHINE_CODE", *kL1 = "BANKSHOT_L1",
                     *kRecord = "BANKSHOT_RECORD", *kProgress = "BANKSHOT_PROGRESS",
                     *kTellCompiled = "BANKSHOT_TELL_COMPILED", *kSampleCtas = "BANKSHOT_SAMPLE_CTAS",
                     *kQuicker = "BANKSHOT_QUICKER";
/// By simt::Compile.
constexpr std::string_view kCompileNames[] = {"never", "often", "at-once"};
/// By UseOfMachineCode; that of registers is what there is without the variable.
constexpr std::string_view kUsesOfMachineCode[] = {"nothing", "registers", "accesses"};

std::optional<Error> read_number(const char* variable, std::string_view text, unsigned most, unsigned& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && number <= most) return std::nullopt;
  return Error{fmt::format("{} is \"{}\" and not a number up to {}", variable, text, most)};
}

std::optional<Error> read_checks(std::string_view names, simt::CheckOptions& options) {
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    const auto* const check = std::find_if(std::begin(simt::kCheckNames), std::end(simt::kCheckNames),
                                           [&](const simt::CheckName& one) { return name == one.name; });
    if (check == std::end(simt::kCheckNames)) {
      return Error{fmt::format("{} names \"{}\", which is no check: there are memory, race and sync", kCheck, name)};
    }
    options.*check->wanted = true;
  }
  return std::nullopt;
}

}  // namespace

EnvironmentChanges to_environment(const Request& request) {
  EnvironmentChanges changes;
  const auto set_or_remove = [&](const char* name, const std::string& value) {
    changes[name] = value.empty() ? std::nullopt : std::optional(value);
  };
  set_or_remove(kGpuVariable, request.gpu);
  set_or_remove(kThreadsVariable, request.threads == 0 ? "" : std::to_string(request.threads));
  set_or_remove(kBankHashVariable, request.bank_hash);
  set_or_remove(kInstructionHashesVariable, request.instruction_hashes);
  set_or_remove(kReportFolder, request.report_folder);
  set_or_remove(kTrace, request.trace_accesses == 0 ? "" : std::to_string(request.trace_accesses));
  set_or_remove(kSampleCtas, request.sample_ctas == 0 ? "" : std::to_string(request.sample_ctas));
  set_or_remove(kQuicker, request.quicker);
  set_or_remove(kCheck, simt::names_of(request.checks, ","));
  changes[kSimulate] = request.simulate ? std::optional(to_text(*request.simulate)) : std::nullopt;
  set_or_remove(kRecord, fmt::format("{}", fmt::join(request.record, ",")));
  set_or_remove(kWitness, request.witness ? "1" : "");
  set_or_remove(kModules, request.modules ? "1" : "");
  set_or_remove(kJoined, request.joined ? "1" : "");
  set_or_remove(kL1, request.l1 ? "1" : "");
  set_or_remove(kPageableMemoryVariable, request.pageable_memory ? "1" : "");
  set_or_remove(kProgress, request.progress ? "1" : "");
  set_or_remove(kTellCompiled, request.tell_compiled ? "1" : "");
  set_or_remove(kMachineCode, request.machine_code == UseOfMachineCode::registers
                                  ? ""
                                  : std::string(kUsesOfMachineCode[static_cast<size_t>(request.machine_code)]));
  if (!request.patch_folder.empty()) changes[kPatchFolderVariable] = request.patch_folder;
  if (!request.isa.empty()) changes[kIsa] = request.isa;
  if (request.compile != simt::Compile::often)
    changes[kCompile] = std::string(kCompileNames[static_cast<size_t>(request.compile)]);
  if (request.time_launches) changes[kTiming] = "1";
  return changes;
}

Result<Request> from_environment(const std::function<const char*(const char*)>& variable) {
  const auto text = [&](const char* name) {
    const char* value = variable(name);
    return std::string(value ? value : "");
  };
  Request request;
  request.gpu = text(kGpuVariable);
  request.bank_hash = text(kBankHashVariable);
  request.instruction_hashes = text(kInstructionHashesVariable);
  request.patch_folder = text(kPatchFolderVariable);
  if (std::error_code code; !request.patch_folder.empty() && !std::filesystem::is_directory(request.patch_folder, code))
    return Error{fmt::format("{} is \"{}\" and not a folder", kPatchFolderVariable, request.patch_folder)};
  const std::string compile = text(kCompile);
  if (const auto* const name = std::ranges::find(kCompileNames, compile); name != std::end(kCompileNames)) {
    request.compile = static_cast<simt::Compile>(name - kCompileNames);
  } else if (!compile.empty()) {
    return Error{fmt::format("{} is \"{}\" and not one of {}", kCompile, compile, fmt::join(kCompileNames, ", "))};
  }
  request.isa = text(kIsa);
  if (!request.isa.empty() && std::ranges::find(simt::kIsaNames, request.isa) == std::end(simt::kIsaNames)) {
    return Error{fmt::format("{} is \"{}\" and not one of {}", kIsa, request.isa, fmt::join(simt::kIsaNames, ", "))};
  }
  request.time_launches = variable(kTiming) != nullptr;
  request.report_folder = text(kReportFolder);
  if (const std::string threads = text(kThreadsVariable); !threads.empty()) {
    if (auto error = read_number(kThreadsVariable, threads, kMostThreads, request.threads)) return *error;
  }
  if (const std::string accesses = text(kTrace); !accesses.empty()) {
    if (auto error = read_number(kTrace, accesses, kMostTracedAccesses, request.trace_accesses)) return *error;
  }
  if (const std::string ctas = text(kSampleCtas); !ctas.empty()) {
    if (auto error = read_number(kSampleCtas, ctas, kMostSampledCtas, request.sample_ctas)) return *error;
  }
  request.quicker = text(kQuicker);
  if (auto error = read_checks(text(kCheck), request.checks)) return *error;
  if (const char* simulate = variable(kSimulate)) {
    const Result<SimulateRequest> read = parse_simulate(simulate);
    if (!read) return Error{fmt::format("{}: {}", kSimulate, read.error().message)};
    request.simulate = *read;
  }
  if (const std::string joined = text(kJoined); !joined.empty()) {
    if (joined != "1") return Error{fmt::format("{} is \"{}\" and not 1", kJoined, joined)};
    request.joined = true;
  }
  if (const std::string modules = text(kModules); !modules.empty()) {
    if (modules != "1") return Error{fmt::format("{} is \"{}\" and not 1", kModules, modules)};
    if (request.report_folder.empty()) return Error{fmt::format("{} needs {}", kModules, kReportFolder)};
    request.modules = true;
  }
  if (const std::string l1 = text(kL1); !l1.empty()) {
    if (l1 != "1") return Error{fmt::format("{} is \"{}\" and not 1", kL1, l1)};
    request.l1 = true;
  }
  if (const std::string pageable = text(kPageableMemoryVariable); !pageable.empty()) {
    if (pageable != "1") return Error{fmt::format("{} is \"{}\" and not 1", kPageableMemoryVariable, pageable)};
    request.pageable_memory = true;
  }
  if (const std::string progress = text(kProgress); !progress.empty()) {
    if (progress != "1") return Error{fmt::format("{} is \"{}\" and not 1", kProgress, progress)};
    request.progress = true;
  }
  if (const std::string compiled = text(kTellCompiled); !compiled.empty()) {
    if (compiled != "1") return Error{fmt::format("{} is \"{}\" and not 1", kTellCompiled, compiled)};
    request.tell_compiled = true;
  }
  if (const std::string use = text(kMachineCode); !use.empty()) {
    const auto* const known = std::ranges::find(kUsesOfMachineCode, use);
    if (known == std::end(kUsesOfMachineCode)) {
      return Error{
          fmt::format("{} is \"{}\" and not one of {}", kMachineCode, use, fmt::join(kUsesOfMachineCode, ", "))};
    }
    request.machine_code = static_cast<UseOfMachineCode>(known - std::begin(kUsesOfMachineCode));
  }
  if (const std::string witness = text(kWitness); !witness.empty()) {
    if (witness != "1") return Error{fmt::format("{} is \"{}\" and not 1", kWitness, witness)};
    if (request.report_folder.empty()) return Error{fmt::format("{} needs {}", kWitness, kReportFolder)};
    request.witness = true;
  }
  std::string_view record = variable(kRecord) ? variable(kRecord) : "";
  if (!record.empty() && request.report_folder.empty())
    return Error{fmt::format("{} needs {}", kRecord, kReportFolder)};
  while (!record.empty()) {
    const std::string_view kernel = record.substr(0, record.find(','));
    record.remove_prefix(std::min(record.size(), kernel.size() + 1));
    request.record.emplace_back(kernel);
  }
  return request;
}

namespace {

struct ReadRequest {
  Request request;
  std::optional<Error> problem;
};

const ReadRequest& read_request() {
  static const ReadRequest& read = *[] {
    const auto made = from_environment([](const char* name) { return std::getenv(name); });
    return made ? new ReadRequest{*made, std::nullopt} : new ReadRequest{{}, made.error()};
  }();
  return read;
}

}  // namespace

const Request& process_request() { return read_request().request; }
const std::optional<Error>& request_problem() { return read_request().problem; }

}  // namespace bankshot::cuda
