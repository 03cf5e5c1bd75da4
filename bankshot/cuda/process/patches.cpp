#include "bankshot/cuda/process/patches.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "bankshot/cuda/process/hand_in.hpp"
#include "bankshot/cuda/process/request.hpp"

namespace bankshot::cuda {

Result<std::optional<Patch>> patch_of(const std::string& digest) {
  const std::string& folder = process_request().patch_folder;
  if (folder.empty()) return std::optional<Patch>();
  const std::string path = folder + "/" + digest + ".ptx";
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file && errno == ENOENT) return std::optional<Patch>();
  std::ostringstream text;
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || !text) return Error{path + " cannot be read: " + std::strerror(errno)};
  return std::optional(Patch{path, text.str()});
}

void keep_ptx(const std::string& digest, const std::string& text) {
  const Request& request = process_request();
  if (request.witness || request.modules) hand_in(Output::module, request.report_folder + "/" + digest + ".ptx", text);
}

}  // namespace bankshot::cuda
