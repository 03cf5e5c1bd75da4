#include "bankshot/host/target.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "bankshot/cuda/embedded/symbols.hpp"
#include "bankshot/gpu/machine_code.hpp"
#include "bankshot/host/elf.hpp"
#include "bankshot/support/find_program.hpp"
#include "bankshot/support/mapped_file.hpp"

namespace bankshot::host {
namespace {

namespace fs = std::filesystem;

#if defined(__aarch64__)
constexpr uint16_t kOurMachine = EM_AARCH64;
#else
constexpr uint16_t kOurMachine = EM_X86_64;
#endif

using cuda::embedded::Release;

/// What is loaded into every process: programs may have the runtime inside, and start others that have.
constexpr const char* kPreload = "libbankshot_preload.so";

constexpr const char* kRebuild = "rebuild it with: nvcc -cudart shared -lineinfo …";

bool is_file(const std::string& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

/// Where a name as typed leads, as a shell would find it but here first.
Result<std::string> find(const std::string& name) {
  std::error_code code;
  if (name.empty()) return Error{"the program's name is empty"};
  if (fs::is_directory(name, code)) return Error{name + " is a folder, not a program"};
  if (name.find('/') != std::string::npos) {
    if (!fs::exists(name, code)) return Error{name + ": no such file"};
    return name;
  }
  if (is_file("./" + name)) return "./" + name;
  if (std::string found = find_in_path(name); !found.empty()) return found;
  return Error{name + ": no such file here, and no such program in PATH"};
}

bool contains(std::span<const std::byte> bytes, std::string_view text) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return all.find(text) != std::string_view::npos;
}

/// python3 program.py: what it loads is unknown before it runs.
bool runs_a_script(const Target& target) {
  return std::any_of(target.arguments.begin() + 1, target.arguments.end(), [](const std::string& argument) {
    return (argument.ends_with(".py") || argument.ends_with(".sh")) && is_file(argument);
  });
}

/// The command that runs a source file of an interpreted language; empty for other files.
std::string with_interpreter(const std::string& path) {
  if (path.ends_with(".py")) return "python3 " + path;
  if (path.ends_with(".sh")) return "bash " + path;
  return {};
}

/// What a runtime within the program means for us. @param release  none: its functions cannot be found
/// @return why it cannot run, or empty
std::string check_static_runtime(const Elf& elf, Release release, const std::string& folder, const std::string& path) {
  const std::string what = path + " holds its own (static) CUDA runtime, ";
  if (release == Release::none)
    return what + "whose functions cannot be found without symbols: do not strip it (no strip, no -s), or " + kRebuild;
  if (release == Release::unknown)
    return what + "from a CUDA version other than 12 and 13: rebuild it with one of these";
  if (!elf.has_loader) return what + "and is linked with -static, so no library can replace it: " + kRebuild;
  if (kOurMachine != EM_X86_64) return what + "which can be replaced on x86-64 only: " + kRebuild;
  if (!is_file(folder + "/" + kPreload))
    return folder + "/" + kPreload + " is missing: build Bankshot's libraries (make)";
  return {};
}

/// What the libraries the program asks for mean for us. @return why it cannot run, or empty
std::string check_libraries(const Elf& elf, std::span<const std::byte> bytes, const std::string& folder,
                            Target& target) {
  bool runtime = false, driver = false;
  for (const std::string& library : elf.needed) {
    const bool is_runtime = library.starts_with("libcudart.so"), is_driver = library.starts_with("libcuda.so");
    runtime |= is_runtime;
    driver |= is_driver;
    if (is_runtime || is_driver) {
      const auto& ours = drop_in_libraries();
      if (std::find(ours.begin(), ours.end(), library) == ours.end()) {
        return target.path + " needs " + library +
               "; Bankshot replaces only libcudart.so.12, libcudart.so.13 and libcuda.so.1: " + std::string(kRebuild) +
               " with CUDA 12 or 13";
      }
      if (!is_file(folder + "/" + library)) {
        return folder + "/" + library + " is missing: build Bankshot's libraries (make)";
      }
      if (!elf.rpath.empty() && elf.runpath.empty()) target.preload.push_back(folder + "/" + library);
    } else if (library.starts_with("libasan.so.")) {
      target.preload.insert(target.preload.begin(), library);  // it insists on being the first
    } else if (gpu::machine_code_only(library)) {
      target.warnings.push_back(target.path + " needs " + library +
                                ", which contains only machine code: it cannot be used without a GPU, and calls to it "
                                "fail or end the program");
    }
  }
  const auto release = cuda::embedded::release_of(cuda::embedded::function_symbols(bytes));
  // A static runtime loads the driver itself, through this function; a program of the driver interface does not.
  const bool hidden =
      release == Release::none && elf.has_fatbin && !runtime && (!driver || contains(bytes, "cuGetExportTable"));
  if (release != Release::none || hidden) return check_static_runtime(elf, release, folder, target.path);
  if (!runtime && !driver && !runs_a_script(target)) {
    target.warnings.push_back(
        target.path + " does not look like a CUDA program: it needs neither libcudart nor libcuda; it runs anyway");
  }
  return {};
}

}  // namespace

const std::vector<std::string>& drop_in_libraries() {
  static const std::vector<std::string> names = {"libcudart.so.12", "libcudart.so.13", "libcuda.so.1"};
  return names;
}

Result<Target> inspect_target(const std::vector<std::string>& command, const std::string& libraries) {
  if (command.empty()) return Error{"which program?"};
  const Result<std::string> path = find(command[0]);
  if (!path) return path.error();
  Target target{*path, command, {}, {}};
  target.arguments[0] = *path;
  if (const std::string library = libraries + "/" + kPreload; is_file(library)) target.preload.push_back(library);
  for (const char* source : {".cu", ".cpp", ".cc", ".c", ".ptx"}) {
    if (path->ends_with(source)) {
      return Error{*path + " is source code; compile it first, with nvcc -lineinfo" +
                   (path->ends_with(".ptx") ? "; bankshot ptx checks PTX" : "")};
    }
  }
  if (!is_file(*path)) return Error{*path + " is not a plain file"};
  struct stat status{};
  if (access(path->c_str(), X_OK) != 0 && stat(path->c_str(), &status) == 0 && (status.st_mode & 0111) == 0111)
    return Error{*path + " cannot be executed: its file system is mounted noexec; copy it elsewhere"};
  const std::string interpreted = with_interpreter(*path);
  if (access(path->c_str(), X_OK) != 0)
    return Error{*path + " is not executable; run: " + (interpreted.empty() ? "chmod +x " + *path : interpreted)};
  const MappedFile file(*path);
  if (!file.readable()) return target;  // executable but not readable: there is nothing to look at
  const auto bytes = file.bytes();
  if (bytes.size() >= 2 && std::memcmp(bytes.data(), "#!", 2) == 0) return target;
  if (!is_elf(bytes))
    return Error{
        *path + " is neither a program (ELF) nor a script (#!); run" +
        (interpreted.empty() ? " the program that reads it, with this file as an argument" : ": " + interpreted)};
  const Result<Elf> elf = read_elf(bytes);
  if (!elf) return Error{*path + " is damaged: " + elf.error().message};
  if (!elf->is_64_bit) return Error{*path + " is a 32-bit program: CUDA programs are 64-bit"};
  if (elf->machine != kOurMachine) return Error{*path + " was built for another processor"};
  if (elf->type != ET_EXEC && elf->type != ET_DYN) return Error{*path + " is an ELF file but not a program"};
  if (const std::string reason = check_libraries(*elf, bytes, libraries, target); !reason.empty()) {
    return Error{reason};
  }
  return target;
}

}  // namespace bankshot::host
