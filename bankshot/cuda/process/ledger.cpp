#include "bankshot/cuda/process/ledger.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

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

Result<LedgerFile*> map_ledger(const std::string& folder) {
  const std::string path = path_in(folder);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return Error{path + " cannot be opened: " + std::strerror(errno)};
  const bool whole = lseek(file, 0, SEEK_END) == sizeof(LedgerFile);
  void* const mapped =
      whole ? mmap(nullptr, sizeof(LedgerFile), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  const std::string why = whole ? std::strerror(errno) : "it is damaged";
  close(file);
  if (mapped == MAP_FAILED) return Error{path + " cannot be mapped: " + why};
  return static_cast<LedgerFile*>(mapped);
}

/// What this process writes to. Whoever uses it holds the session's lock.
struct Own {
  LedgerFile* file = nullptr;
  LedgerEntry* entry = nullptr;
  pid_t pid = 0;  ///< whose entry it is; a fork's child takes one of its own
  bool begun = false, reported = false;
};
Own own;

/// Null if there is no ledger.
LedgerEntry* own_entry() {
  if (!own.file) open_ledger(process_request().report_folder);  // a process that ends without a call of CUDA
  if (own.file && own.pid != process_id()) {
    const uint32_t number = std::atomic_ref(own.file->taken).fetch_add(1);
    own = {own.file, &own.file->entries[std::min<size_t>(number, kEntries - 1)], process_id()};
    store(own.entry->pid, static_cast<int32_t>(own.pid));
  }
  return own.entry;
}

bool is_shared(const LedgerEntry* entry) { return entry == &own.file->entries.back(); }

void count_once(uint32_t& processes, bool& counted) {
  if (!std::exchange(counted, true)) std::atomic_ref(processes).fetch_add(1, std::memory_order_relaxed);
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

std::optional<Error> open_ledger(const std::string& folder) {
  if (folder.empty()) return std::nullopt;
  const Result<LedgerFile*> file = map_ledger(folder);
  if (!file) return file.error();
  own = {*file};
  return std::nullopt;
}

Result<std::vector<LedgerEntry>> read_ledger(const std::string& folder) {
  const Result<LedgerFile*> mapped = map_ledger(folder);
  if (!mapped) return mapped.error();
  LedgerFile* const file = *mapped;
  std::vector<LedgerEntry> entries(file->entries.begin(),
                                   file->entries.begin() + std::min<size_t>(file->taken, kEntries));
  munmap(file, sizeof(LedgerFile));
  return entries;
}

void note_begun() {
  if (LedgerEntry* const entry = own_entry()) count_once(entry->begun, own.begun);
}

void note_handed_in(Output output) {
  LedgerEntry* const entry = own_entry();
  if (!entry) return;
  if (output == Output::report) count_once(entry->reported, own.reported);
  if (!is_shared(entry)) store(entry->lost[static_cast<size_t>(output)], 0);
}

bool note_lost(Output output, int error) {
  LedgerEntry* const entry = own_entry();
  if (entry) store(entry->lost[static_cast<size_t>(output)], error);
  return entry != nullptr;
}

}  // namespace bankshot::cuda
