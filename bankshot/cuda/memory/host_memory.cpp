#include "bankshot/cuda/memory/host_memory.hpp"

#include <cinttypes>
#include <cstdio>
#include <memory>

namespace bankshot::cuda {

std::vector<simt::Allocation> mapped_host_memory(const simt::Memory& memory) {
  std::vector<simt::Allocation> ranges;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "re"), &std::fclose);
  char line[512];
  bool begins = true;  // a line may be longer, and only its begin has what is asked for
  while (maps && std::fgets(line, sizeof line, maps.get()) != nullptr) {
    uint64_t begin = 0, end = 0;
    char rights[5] = {};
    const std::string_view text = line;
    const bool is_begin = begins;
    begins = text.ends_with('\n');
    if (!is_begin || std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &begin, &end, rights) != 3) continue;
    if (rights[0] != 'r' || memory.contains(begin) || text.find("[vvar") != text.npos ||
        text.find("[vsyscall]") != text.npos)
      continue;
    const bool writable = rights[1] == 'w';
    if (!ranges.empty() && ranges.back().address + ranges.back().size == begin && ranges.back().writable == writable) {
      ranges.back().size += end - begin;
    } else {
      ranges.push_back(
          {.address = begin, .size = end - begin, .kind = simt::MemoryKind::registered, .writable = writable});
    }
  }
  return ranges;
}

}  // namespace bankshot::cuda
