// The bytes of a file, mapped read-only.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <string>

namespace bankshot {

class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status{};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
      readable_ = true;
      size_ = static_cast<size_t>(status.st_size);
      if (size_ != 0) data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (data_ == MAP_FAILED) data_ = nullptr, readable_ = false;
    }
    close(file);
  }
  ~MappedFile() {
    if (data_ != nullptr) munmap(data_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  bool readable() const { return readable_; }
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(data_), data_ == nullptr ? 0 : size_};
  }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
  bool readable_ = false;
};

}  // namespace bankshot
