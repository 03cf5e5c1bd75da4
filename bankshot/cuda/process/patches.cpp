#include "bankshot/cuda/process/patches.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "bankshot/cuda/process/hand_in.hpp"
#include "bankshot/cuda/process/request.hpp"
#include "bankshot/cuda/process/say.hpp"

namespace bankshot::cuda {

std::optional<Patch> patch_of(const std::string& digest) {
  const std::string& folder = process_request().patch_folder;
  if (folder.empty()) return std::nullopt;
  std::error_code code;
  if (!std::filesystem::is_directory(folder, code)) {
    say_once(folder,
             std::string(kPatchFolderVariable) + " is \"" + folder + "\" and not a folder: nothing is replaced");
    return std::nullopt;
  }
  const std::string path = folder + "/" + digest + ".ptx";
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return Patch{path, std::string(std::istreambuf_iterator<char>(file), {})};
}

void keep_ptx(const std::string& digest, const std::string& text) {
  const Request& request = process_request();
  if (request.witness) hand_in(Output::module, request.report_folder + "/" + digest + ".ptx", text);
}

}  // namespace bankshot::cuda
