#include "bankshot/cuda/process/running_kernel.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "bankshot/cuda/process/ledger.hpp"
#include "bankshot/cuda/process/process_id.hpp"
#include "bankshot/cuda/process/request.hpp"
#include "bankshot/support/file_writing.hpp"

namespace bankshot::cuda {
namespace {

constexpr size_t kPageBytes = 4096;

}  // namespace

RunningKernel::Scope RunningKernel::begin(std::string_view kernel) {
  if (pid_ != process_id()) map();
  if (page_) {
    const size_t length = std::min(kernel.size(), kPageBytes - 1);
    std::memcpy(page_, kernel.data(), length);
    page_[length] = '\0';
  }
  return Scope(*this);
}

void RunningKernel::end() {
  if (page_) page_[0] = '\0';
}

void RunningKernel::map() {
  pid_ = process_id();
  page_ = nullptr;  // a parent's page stays mapped: it is the parent's to change
  const std::string& folder = process_request().report_folder;
  if (folder.empty()) return;
  note_begun();
  const FileSizeSignalHeld held;
  const int file = open(fmt::format("{}/running-{}", folder, pid_).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  // The blocks are there before the page is written: a full disk must not be a SIGBUS.
  if (posix_fallocate(file, 0, kPageBytes) == 0) {
    void* page = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) page_ = static_cast<char*>(page);
  }
  close(file);
}

}  // namespace bankshot::cuda
