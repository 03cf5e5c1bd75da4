#include "bankshot/host/ptxas.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "bankshot/host/captured.hpp"
#include "bankshot/host/launch.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/host/temporary_folder.hpp"
#include "bankshot/host/write_file.hpp"

namespace bankshot::host {
namespace {

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

/// "ptxas fatal: …", the first line that says what is wrong.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string find_ptxas() {
  std::string path = value_of("PATH");
  for (const char* root : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string folder = value_of(root); !folder.empty()) path += ":" + folder + "/bin";
  }
  return find_in(path + ":/usr/local/cuda/bin", "ptxas");
}

Result<std::vector<std::byte>> assemble(const std::string& ptx, const std::string& architecture) {
  Target ptxas;
  ptxas.path = find_ptxas();
  if (ptxas.path.empty()) return Error{"ptxas is not installed"};
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  const std::string text = folder->path() + "/module.ptx", cubin = folder->path() + "/module.cubin";
  if (const auto error = write_file(text, ptx)) return Error{error->message + "; " + kNeedsRoom};
  const Result<Captured> said = Captured::make();
  if (!said) return said.error();
  ptxas.arguments = {ptxas.path, "-arch=" + architecture, "-o", cubin, text};
  const Result<Ending> ending =
      launch(ptxas, {}, {.output = said->descriptor(), .error = said->descriptor(), .fixed_addresses = false});
  if (!ending) return ending.error();
  if (ending->shell_status() != 0) {
    const std::string why = first_line(said->text());
    return Error{fmt::format("ptxas failed: {}", why.empty() ? fmt::format("status {}", ending->shell_status()) : why)};
  }
  const Result<std::string> bytes = read_text(cubin);
  if (!bytes) return bytes.error();
  std::vector<std::byte> all(bytes->size());
  std::memcpy(all.data(), bytes->data(), all.size());
  return all;
}

}  // namespace bankshot::host
