// bankshot doctor: what Bankshot finds on this machine, what is wrong, and how to fix it.
#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/cli/base/version.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/host/embedded_ptx.hpp"
#include "bankshot/host/shell.hpp"
#include "bankshot/host/target.hpp"
#include "bankshot/measure/driver.hpp"
#include "bankshot/project/project.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/simt/run/compiling.hpp"
#include "bankshot/support/find_program.hpp"
#include "bankshot/support/installation.hpp"
#include "bankshot/support/printable.hpp"
#include "bankshot/support/temporary_folder.hpp"
#include "bankshot/toolkit/ptxas.hpp"

namespace bankshot::cli {
namespace {

namespace fs = std::filesystem;

enum class State { ok, note, problem };
constexpr std::array<const char*, 3> kStateNames = {"ok", "note", "problem"};

struct Item {
  std::string what;
  State state = State::ok;
  std::string found;   ///< or what is missing
  std::string remedy;  ///< what to do; empty: nothing
};

struct Section {
  std::string title;
  std::vector<Item> items;
};

/// What a program says of its version: "release 13.0", or its first line; empty if it cannot be run.
std::string version_line(const std::string& program) {
  FILE* const pipe = popen((host::shell_word(program) + " --version 2>/dev/null").c_str(), "re");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 512> part;
  while (fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
  if (pclose(pipe) != 0) return "";
  const size_t release = text.find("release ");  // nvcc and ptxas: "Cuda compilation tools, release 13.0, V13.0.88"
  if (release != std::string::npos) return text.substr(release, text.find(',', release) - release);
  return text.substr(0, text.find('\n'));
}

Section bankshot_itself() {
  Section section{"Bankshot", {}};
  section.items.push_back({"version", State::ok, version_text().substr(0, version_text().find('\n')), ""});
  const std::string libraries = library_folder();
  std::vector<std::string> names = host::drop_in_libraries();
  names.insert(names.end(), {"libbankshot.so", "libbankshot_preload.so"});
  std::string missing;
  std::error_code code;
  for (const std::string& name : names) {
    if (!fs::exists(fs::path(libraries) / name, code)) missing += (missing.empty() ? "" : ", ") + name;
  }
  section.items.push_back(missing.empty() ? Item{"libraries", State::ok, libraries, ""}
                                          : Item{"libraries", State::problem, libraries + " has no " + missing,
                                                 "reinstall Bankshot; in the source tree: make build"});
  const size_t gpus = gpu::gpu_names().size();
  const auto file = gpu::find_gpu_file(std::string(gpu::kDefaultGpu));
  section.items.push_back(
      file ? Item{"GPUs", State::ok, fmt::format("{} descriptions in {}", gpus, fs::path(*file).parent_path().string()),
                  ""}
           : Item{"GPUs", State::problem, file.error().message, ""});
  const simt::NativeProblem problem = simt::compiler_problem();
  section.items.push_back(problem.why.empty() ? Item{"compiler", State::ok,
                                                     "long-running kernels are compiled for " + instruction_set(), ""}
                                              : Item{"compiler", problem.is_fault ? State::problem : State::note,
                                                     "kernels are interpreted, which is slower: " + problem.why,
                                                     problem.is_fault ? "reinstall Bankshot" : ""});
  return section;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.find(": ") + 2, line.size()));
  }
  return "unknown";
}

Section this_machine() {
  Section section{"This machine", {}};
  section.items.push_back(
      {"processor", State::ok,
       fmt::format("{}, {} cores, {}", processor(), std::thread::hardware_concurrency(), instruction_set()), ""});
  const auto pages = static_cast<double>(sysconf(_SC_PHYS_PAGES)), page = static_cast<double>(sysconf(_SC_PAGESIZE));
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  section.items.push_back(limited
                              ? Item{"memory", State::note,
                                     fmt::format("the address space is limited to {} MB", limit.rlim_cur / 1'000'000),
                                     "if programs run out of memory: ulimit -v unlimited"}
                              : Item{"memory", State::ok, fmt::format("{:.1f} GB", pages * page / 1e9), ""});
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  std::error_code code;
  if (!folder) {
    section.items.push_back({"temporary", State::problem, folder.error().message, ""});
  } else {
    const std::string where = fs::path(folder->path()).parent_path().string();
    const fs::space_info space = fs::space(folder->path(), code);
    constexpr uintmax_t kLittle = 64'000'000;
    const std::string found =
        code ? fmt::format("{}; how much is free cannot be told: {}", where, code.message())
             : fmt::format("{}, {:.1f} GB free", where, static_cast<double>(space.available) / 1e9);
    section.items.push_back(code || space.available < kLittle ? Item{"temporary", State::note, found, kNeedsRoom}
                                                              : Item{"temporary", State::ok, found, ""});
  }
  return section;
}

/// A tool that was found, with its version.
Item tool(const std::string& name, const std::string& path) {
  const std::string version = version_line(path);
  if (version.empty()) return {name, State::note, path + " --version fails", "reinstall it, or take it off PATH"};
  return {name, State::ok, fmt::format("{} ({})", path, version), ""};
}

Section compilers() {
  Section section{"To build CUDA programs: nvcc, or clang 19 or newer, here or on another machine", {}};
  const std::string nvcc = toolkit::find_tool("nvcc");
  bool any = !nvcc.empty();
  if (any) {
    section.items.push_back(tool("nvcc", nvcc));
    unsigned major = 0;
    if (std::sscanf(version_line(nvcc).c_str(), "release %u", &major) == 1 && major < 12) {
      section.items.back().state = State::note;
      section.items.back().remedy = "programs of CUDA 11 and older do not run: build them with CUDA 12 or 13";
    }
  } else {
    section.items.push_back(
        {"nvcc", State::note, "not found on PATH or in $CUDA_HOME, $CUDA_PATH or /usr/local/cuda", ""});
  }
  std::string clang;
  for (const char* name : {"clang++-19", "clang++-20", "clang++-21", "clang++-22"}) {
    if (clang.empty()) clang = find_in_path(name);
  }
  any |= !clang.empty();
  section.items.push_back(clang.empty() ? Item{"clang", State::note, "not found: no clang++-19 or newer on PATH", ""}
                                        : tool("clang", clang));
  if (!any) section.items.back().remedy = "to build programs here: CUDA 12 or 13 from NVIDIA, or apt install clang-19";
  const std::string ptxas = toolkit::find_ptxas();
  section.items.push_back(ptxas.empty() ? Item{"ptxas", State::note,
                                               "not found: --machine-code reads only the machine code in programs", ""}
                                        : tool("ptxas", ptxas));
  return section;
}

/// Needed only by commands that measure: calibrate, accuracy --device and fix --device.
Section real_gpu() {
  Section section{"A real GPU, needed only by calibrate, accuracy --device and fix --device", {}};
  Item item{"driver", State::note, "", ""};
  void* const handle = dlopen(measure::kDriverLibrary, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    item.found = fmt::format("not found: {}", measure::kDriverLibrary);
  } else if (const Result<measure::Driver> driver = measure::open_driver(measure::kDriverLibrary); !driver) {
    item.found = driver.error().message;
  } else {
    int count = 0, version = 0, error = driver->cuInit(0);
    if (error == 0) error = driver->cuDeviceGetCount(&count);
    if (error == 0) error = driver->cuDriverGetVersion(&version);
    std::string names;
    for (int k = 0; k < count && error == 0; ++k) {
      int device = 0;
      std::array<char, 128> name{};
      error = driver->cuDeviceGet(&device, k);
      if (error == 0) error = driver->cuDeviceGetName(name.data(), static_cast<int>(name.size()), device);
      names += std::string(k == 0 ? "" : ", ") + name.data();
    }
    if (error != 0 || count == 0) {
      item.found =
          "found, but no GPU: " + (error != 0 ? driver->text_of(error) : std::string("the driver reports none"));
    } else {
      item.state = State::ok;
      item.found = fmt::format("{}, for CUDA {}.{}", names, version / 1000, version % 1000 / 10);
    }
  }
  section.items.push_back(item);
  return section;
}

/// The bankshot.toml in force here.
Section this_project() {
  Section section{"The project of this folder", {}};
  std::error_code code;
  const std::string file = project::find_project(fs::current_path(code).string());
  if (file.empty()) {
    section.items.push_back({"project", State::ok, "no bankshot.toml here or above", ""});
    return section;
  }
  const Result<project::Project> read = project::load_project(file);
  if (!read) {
    section.items.push_back(
        {"project", State::problem, read.error().message, "bankshot explain --no-config ignores it"});
    return section;
  }
  const size_t suppressions = read->suppressions.size();
  section.items.push_back(
      {"project", State::ok,
       fmt::format("{}: {}{} suppression{}", file, read->gpu.empty() ? "" : "GPU " + read->gpu + ", ", suppressions,
                   suppressions == 1 ? "" : "s"),
       ""});
  return section;
}

Section program(const std::vector<std::string>& command) {
  Section section{"The program " + command[0], {}};
  const Result<host::Target> target = host::inspect_target(command, library_folder());
  if (!target) {
    section.items.push_back({"program", State::problem, target.error().message, ""});
    return section;
  }
  section.items.push_back({"program", State::ok, target->path + " can be run", ""});
  if (host::has_kernels(target->path)) {
    if (const auto texts = host::ptx_texts(target->path); !texts) {
      section.items[0].state = State::problem;
      section.items[0].found = "its kernels cannot run: " + texts.error().message;
    }
  }
  for (const std::string& warning : target->warnings) section.items.push_back({"program", State::note, warning, ""});
  return section;
}

std::string text_of(const std::vector<Section>& sections) {
  std::string text;
  size_t problems = 0;
  for (const Section& section : sections) {
    text += section.title + "\n";
    for (const Item& item : section.items) {
      text += fmt::format("  {:<8} {:<10} {}\n", kStateNames[static_cast<size_t>(item.state)], item.what, item.found);
      if (!item.remedy.empty()) text += fmt::format("  {:<8} {:<10} -> {}\n", "", "", item.remedy);
      problems += item.state == State::problem ? 1 : 0;
    }
    text += "\n";
  }
  return printable(text, true) + (problems == 0   ? "Bankshot can run CUDA programs here.\n"
                                  : problems == 1 ? "1 problem: see above.\n"
                                                  : fmt::format("{} problems: see above.\n", problems));
}

nlohmann::ordered_json json_of(const std::vector<Section>& sections) {
  nlohmann::ordered_json json = {
      {"schema", "bankshot/doctor/1"}, {"version", kVersion}, {"sections", nlohmann::ordered_json::array()}};
  for (const Section& section : sections) {
    nlohmann::ordered_json items = nlohmann::ordered_json::array();
    for (const Item& item : section.items) {
      items.push_back({{"what", item.what},
                       {"state", kStateNames[static_cast<size_t>(item.state)]},
                       {"found", item.found},
                       {"remedy", item.remedy}});
    }
    json["sections"].push_back({{"title", section.title}, {"items", items}});
  }
  return json;
}

class Doctor final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }
  bool takes_target() const override { return true; }

  int run(const std::vector<std::string>& target) override {
    if (const auto error = cannot_deliver(json_)) return refuse(error->message);
    std::vector<Section> sections = {bankshot_itself(), this_machine(), compilers(), real_gpu(), this_project()};
    if (!target.empty()) sections.push_back(program(target));
    const int status = deliver(json_, report::json_text(json_of(sections)), text_of(sections));
    if (status != kDone) return status;
    for (const Section& section : sections) {
      for (const Item& item : section.items) {
        if (item.state == State::problem) return kProgramFailed;
      }
    }
    return kDone;
  }

 private:
  std::string json_;
};

const RegisterCommand doctor_registered(
    {"doctor", "Check this machine: what Bankshot finds, what is wrong, and how to fix it",
     "With a program, also checks whether it can run, without running it. Exit status: 0; 1 if there is a problem.\n\n"
     "Examples:\n"
     "  bankshot doctor\n"
     "  bankshot doctor ./app\n"
     "  bankshot doctor --json -\n",
     [] { return std::make_unique<Doctor>(); }});

}  // namespace
}  // namespace bankshot::cli
