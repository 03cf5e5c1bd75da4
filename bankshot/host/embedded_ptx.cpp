#include "bankshot/host/embedded_ptx.hpp"

#include <cstring>
#include <span>

#include "bankshot/cuda/modules/fatbin.hpp"
#include "bankshot/host/elf.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/support/mapped_file.hpp"

namespace bankshot::host {
namespace {

/// Containers are found by their magic number: stripped programs have no section names.
Result<std::vector<PtxText>> embedded(const std::string& file, std::span<const std::byte> bytes) {
  constexpr size_t kHeader = 16, kAlignment = 8;
  std::vector<PtxText> found;
  std::string problem;
  for (size_t at = 0; at + kHeader <= bytes.size();) {
    uint32_t magic;
    uint64_t size;
    std::memcpy(&magic, bytes.data() + at, sizeof magic);
    std::memcpy(&size, bytes.data() + at + 8, sizeof size);
    if (magic != cuda::kContainerMagic || size > bytes.size() - at - kHeader) {
      at += kAlignment;
      continue;
    }
    const auto entries = cuda::read_fatbin(bytes.subspan(at, kHeader + size));
    at += kHeader + (size + kAlignment - 1) / kAlignment * kAlignment;
    if (!entries) {
      problem = entries.error().message;
      continue;
    }
    const auto best = cuda::choose_ptx(*entries);
    if (!best) {
      problem = best.error().message;
      continue;
    }
    const auto text = cuda::decompress((*best)[0]);
    if (!text) {
      problem = text.error().message;
      continue;
    }
    found.push_back({file + ": PTX " + std::to_string(found.size() + 1), *text});
  }
  if (!found.empty()) return found;
  return Error{file + (problem.empty() ? " holds no CUDA code" : ": " + problem)};
}

}  // namespace

bool has_kernels(const std::string& file) {
  const MappedFile mapped(file);
  if (!is_elf(mapped.bytes())) return false;
  const Result<Elf> elf = read_elf(mapped.bytes());
  return elf && elf->has_fatbin;
}

Result<std::vector<PtxText>> ptx_texts(const std::string& file) {
  if (file != "-") {
    const MappedFile mapped(file);
    if (is_elf(mapped.bytes())) return embedded(file, mapped.bytes());
  }
  const Result<std::string> text = read_text(file);
  if (!text) return text.error();
  return std::vector<PtxText>{{file == "-" ? "standard input" : file, *text}};
}

}  // namespace bankshot::host
