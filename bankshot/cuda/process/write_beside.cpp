#include "bankshot/cuda/process/write_beside.hpp"

#include <cerrno>
#include <cstdio>
#include <fstream>

namespace bankshot::cuda {

bool write_beside_and_rename(const std::string& path, const std::string& text) {
  const std::string beside = path + ".part";
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  if (file && std::rename(beside.c_str(), path.c_str()) == 0) return true;
  const int why = errno;
  std::remove(beside.c_str());
  errno = why;
  return false;
}

}  // namespace bankshot::cuda
