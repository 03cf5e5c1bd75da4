#include "bankshot/cuda/process/ledger.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "bankshot/cuda/process/process_id.hpp"
#include "bankshot/cuda/process/request.hpp"
#include "bankshot/support/file_writing.hpp"

namespace bankshot::cuda {
namespace {

constexpr size_t kEntries = 511;

struct LedgerFile {
  uint32_t taken = 0;  ///< entries, or more if processes share the last one
  std::array<LedgerEntry, kEntries> entries{};
};

std::string path_in(const std::string& folder) { return folder + "/ledger"; }

template <class T>
void store(T& field, T value) {
  std::atomic_ref<T>(field).store(value, std::memory_order_relaxed);
}

LedgerFile* map_ledger(const std::string& folder) {
  if (folder.empty()) return nullptr;
  const int file = open(path_in(folder).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const mapped = lseek(file, 0, SEEK_END) == sizeof(LedgerFile)
                           ? mmap(nullptr, sizeof(LedgerFile), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                           : MAP_FAILED;
  close(file);
  return mapped == MAP_FAILED ? nullptr : static_cast<LedgerFile*>(mapped);
}

/// Null if there is no ledger. Callers hold the session's lock.
LedgerEntry* own_entry() {
  static LedgerFile* const file = map_ledger(process_request().report_folder);
  static LedgerEntry* entry = nullptr;
  static pid_t owner = 0;
  if (!file) return nullptr;
  if (owner != process_id()) {  // a fork's child takes one of its own
    owner = process_id();
    const uint32_t number = std::atomic_ref(file->taken).fetch_add(1);
    entry = &file->entries[std::min<size_t>(number, kEntries - 1)];
    store(entry->pid, static_cast<int32_t>(owner));
  }
  return entry;
}

}  // namespace

std::optional<Error> make_ledger(const std::string& folder) {
  const FileSizeSignalHeld held;
  const int file = open(path_in(folder).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const int error = file < 0 ? errno : posix_fallocate(file, 0, sizeof(LedgerFile));
  if (file >= 0) close(file);
  if (error == 0) return std::nullopt;
  return Error{std::strerror(error)};
}

Result<std::vector<LedgerEntry>> read_ledger(const std::string& folder) {
  LedgerFile* const file = map_ledger(folder);
  if (!file) return Error{path_in(folder) + " is gone or damaged"};
  std::vector<LedgerEntry> entries(file->entries.begin(),
                                   file->entries.begin() + std::min<size_t>(file->taken, kEntries));
  munmap(file, sizeof(LedgerFile));
  return entries;
}

bool note_begun() {
  LedgerEntry* const entry = own_entry();
  if (entry) store(entry->begun, 1u);
  return entry != nullptr;
}

bool note_handed_in(Paper paper) {
  LedgerEntry* const entry = own_entry();
  if (!entry) return false;
  if (paper == Paper::report) store(entry->reported, 1u);
  store(entry->lost[static_cast<size_t>(paper)], 0);
  return true;
}

bool note_lost(Paper paper, int error) {
  LedgerEntry* const entry = own_entry();
  if (entry) store(entry->lost[static_cast<size_t>(paper)], error);
  return entry != nullptr;
}

}  // namespace bankshot::cuda
