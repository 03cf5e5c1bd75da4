#include "bankshot/cuda/process/checking.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "bankshot/cuda/process/request.hpp"

namespace bankshot::cuda {
namespace {

using Callers = std::vector<simt::Finding::Caller>;

struct Made {
  uint64_t order = 0, bytes = 0;
  bool by_kernel = false;
  Callers callers;
};

/// Allocations that are not freed, by address. Under the session's lock; never destroyed, as static destructors may
/// allocate.
std::map<uint64_t, Made>& made() {
  static auto& all = *new std::map<uint64_t, Made>;
  return all;
}

bool is_ours(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return name.starts_with("libcudart.so") || name.starts_with("libcuda.so") || name.starts_with("libbankshot");
}

/// Where a file says that its address 0 is: a program that is not position-independent names its addresses as they are.
uint64_t base_of(const Dl_info& info) {
  const auto* const header = static_cast<const Elf64_Ehdr*>(info.dli_fbase);
  return header->e_type == ET_EXEC ? 0 : reinterpret_cast<uint64_t>(info.dli_fbase);
}

/// The innermost calls that are not the library's: a few, as some are wrappers in headers.
Callers callers() {
  constexpr int kDeepest = 32;
  constexpr size_t kMost = 4;
  void* frames[kDeepest];
  const int count = backtrace(frames, kDeepest);
  Callers found;
  for (int k = 0; k < count && found.size() < kMost; ++k) {
    Dl_info info;
    if (dladdr(frames[k], &info) == 0 || info.dli_fname == nullptr || is_ours(info.dli_fname)) continue;
    // Of the call, not of what comes behind it.
    // The program may change its folder before its end.
    std::error_code code;
    const std::filesystem::path file = std::filesystem::absolute(info.dli_fname, code);
    found.push_back({code ? info.dli_fname : file.string(), reinterpret_cast<uint64_t>(frames[k]) - base_of(info) - 1});
  }
  return found;
}

}  // namespace

simt::Checks* checks() {
  static simt::Checks* const wanted = []() -> simt::Checks* {
    const simt::CheckOptions& options = process_request().checks;
    return options.any() ? new simt::Checks(options) : nullptr;
  }();
  return wanted;
}

void note_allocation(const simt::Allocation& allocation) {
  simt::Checks* const all = checks();
  if (all == nullptr) return;
  all->allocated(allocation);
  const bool by_kernel = allocation.kind == simt::MemoryKind::heap;
  if (!all->options().memory || !allocation.label.empty() ||
      (allocation.kind != simt::MemoryKind::device && !by_kernel))
    return;
  static uint64_t order = 0;
  made()[allocation.address] = {++order, allocation.size, by_kernel, by_kernel ? Callers{} : callers()};
}

void note_free(const simt::Allocation& allocation) {
  if (simt::Checks* const all = checks()) all->freed(allocation);
  made().erase(allocation.address);
}

void tell_leaks(Status corrupted) {
  simt::Checks* const all = checks();
  if (all == nullptr) return;
  if (corrupted != Status::success) return made().clear();
  std::map<std::pair<bool, Callers>, simt::Finding> by_origin;
  std::vector<const simt::Finding*> in_order;
  std::map<uint64_t, const std::pair<const uint64_t, Made>*> by_order;
  for (const auto& entry : made()) by_order[entry.second.order] = &entry;
  for (const auto& [order, entry] : by_order) {
    const Made& leak = entry->second;
    const auto [it, is_new] = by_origin.try_emplace({leak.by_kernel, leak.callers});
    simt::Finding& finding = it->second;
    finding.kind = simt::Finding::Kind::leak;
    finding.bytes += leak.bytes;
    ++finding.count;
    if (!is_new) continue;
    finding.is_warning = true;  // it is not needed any more
    finding.callers = leak.callers;
    finding.detail = leak.by_kernel ? "allocated by a kernel" : "";
    in_order.push_back(&finding);
  }
  for (const simt::Finding* finding : in_order) all->add(*finding);
  made().clear();
}

}  // namespace bankshot::cuda
