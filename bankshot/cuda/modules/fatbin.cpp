#include "bankshot/cuda/modules/fatbin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace bankshot::cuda {
namespace {

constexpr uint64_t kContainerHeader = 16;
constexpr uint64_t kEntryHeader = 64;  ///< the part of an entry's header that has the fields read here
constexpr uint64_t kFlagLz4 = 0x2000, kFlagZstd = 0x8000;
constexpr uint64_t kFlagArchSpecific = 0x100000, kFlagFamilySpecific = 0x200000;

/// Reads numbers at offsets that the caller has checked with `has`.
struct Bytes {
  std::span<const std::byte> data;

  bool has(uint64_t offset, uint64_t count) const { return offset <= data.size() && count <= data.size() - offset; }
  template <class T>
  T at(uint64_t offset) const {
    T value;
    std::memcpy(&value, data.data() + offset, sizeof value);
    return value;
  }
};

Error bad(uint64_t offset, std::string_view reason) {
  return {fmt::format("fat binary, byte {}: {}; the file is damaged or not a CUDA fat binary: build it again", offset,
                      reason)};
}

/// The name the compiler noted lies within the entry's header; anything else there is ignored.
std::string source_name(const Bytes& bytes, uint64_t entry, uint32_t header) {
  const auto offset = bytes.at<uint32_t>(entry + 32);
  const auto length = bytes.at<uint32_t>(entry + 36);
  if (offset < kEntryHeader || offset > header || length > header - offset) return {};
  const auto* text = reinterpret_cast<const char*>(bytes.data.data() + entry + offset);
  return std::string(text, strnlen(text, length));
}

Result<FatbinEntry> read_entry(const Bytes& bytes, uint64_t offset, uint64_t end, uint64_t& next) {
  if (end - offset < kEntryHeader)
    return bad(offset, fmt::format("an entry needs {} bytes, but {} are left", kEntryHeader, end - offset));
  const auto header = bytes.at<uint32_t>(offset + 4);
  const auto padded = bytes.at<uint64_t>(offset + 8);
  if (header < kEntryHeader || header > end - offset)
    return bad(offset + 4, fmt::format("an entry header of {} bytes does not fit", header));
  if (padded > end - offset - header)
    return bad(offset + 8, fmt::format("a payload of {} bytes ends after its container", padded));

  FatbinEntry entry;
  const auto kind = bytes.at<uint16_t>(offset);
  entry.kind = kind == 1   ? FatbinEntry::Kind::ptx
               : kind == 2 ? FatbinEntry::Kind::machine_code
                           : FatbinEntry::Kind::other;
  entry.offset = offset;
  entry.architecture = bytes.at<uint32_t>(offset + 28);
  const auto flags = bytes.at<uint64_t>(offset + 40);
  entry.variant = flags & kFlagArchSpecific ? 'a' : flags & kFlagFamilySpecific ? 'f' : '\0';
  entry.source = source_name(bytes, offset, header);

  uint64_t stored = padded;
  entry.size = padded;
  if (const auto compressed = bytes.at<uint32_t>(offset + 16); compressed != 0) {
    entry.compression = flags & kFlagZstd ? Compression::zstd : flags & kFlagLz4 ? Compression::lz4 : Compression::none;
    if (entry.compression == Compression::none)
      return bad(offset + 40,
                 fmt::format("flags {:#x} name no known compression, but the payload is compressed", flags));
    if (compressed > padded)
      return bad(offset + 16, fmt::format("{} compressed bytes in a payload of {}", compressed, padded));
    stored = compressed;
    entry.size = bytes.at<uint64_t>(offset + 56);
  }
  if (entry.size > kMaxPayload)
    return bad(offset + 56, fmt::format("a payload of {} bytes is more than the limit of {}", entry.size, kMaxPayload));
  entry.payload = bytes.data.subspan(offset + header, stored);
  next = offset + header + padded;
  return entry;
}

}  // namespace

std::string architecture_name(const FatbinEntry& entry) {
  std::string name = fmt::format("sm_{}", entry.architecture);
  if (entry.variant) name += entry.variant;
  return name;
}

Result<std::vector<FatbinEntry>> read_fatbin(std::span<const std::byte> data) {
  const Bytes bytes{data};
  std::vector<FatbinEntry> entries;
  uint64_t offset = 0;
  bool any = false;
  while (true) {
    while (any && offset < data.size() && data[offset] == std::byte{0}) ++offset;
    if (any && offset == data.size()) return entries;
    if (!bytes.has(offset, kContainerHeader))
      return bad(offset,
                 fmt::format("a container needs {} bytes, but {} are left", kContainerHeader, data.size() - offset));
    if (const auto magic = bytes.at<uint32_t>(offset); magic != kContainerMagic)
      return bad(offset, fmt::format("magic number {:#010x} instead of {:#010x}", magic, kContainerMagic));
    const auto header = bytes.at<uint16_t>(offset + 6);
    const auto size = bytes.at<uint64_t>(offset + 8);
    if (header < kContainerHeader || !bytes.has(offset, header))
      return bad(offset + 6, fmt::format("a container header of {} bytes does not fit", header));
    if (!bytes.has(offset + header, size))
      return bad(offset + 8,
                 fmt::format("the container claims {} bytes, but {} are left", size, data.size() - offset - header));
    const uint64_t end = offset + header + size;
    offset += header;
    while (offset < end) {
      auto entry = read_entry(bytes, offset, end, offset);
      if (!entry) return entry.error();
      entries.push_back(std::move(*entry));
    }
    any = true;
  }
}

bool runs_on(const FatbinEntry& entry, unsigned architecture) {
  if (entry.kind != FatbinEntry::Kind::machine_code) return false;
  if (entry.variant == 'a') return entry.architecture == architecture;
  return entry.architecture / 10 == architecture / 10 && entry.architecture <= architecture;
}

Result<std::vector<FatbinEntry>> choose_ptx(const std::vector<FatbinEntry>& entries) {
  std::vector<FatbinEntry> ptx;
  std::string others;
  for (const auto& entry : entries) {
    if (entry.kind == FatbinEntry::Kind::ptx)
      ptx.push_back(entry);
    else if (entry.kind == FatbinEntry::Kind::machine_code)
      others += (others.empty() ? "" : ", ") + architecture_name(entry);
  }
  if (ptx.empty())
    return Error{
        fmt::format("no PTX in this fat binary, only machine code ({}), which needs a GPU: rebuild it with nvcc "
                    "-arch=sm_XX, or add -gencode arch=compute_75,code=compute_75",
                    others.empty() ? "none" : others)};
  std::stable_sort(ptx.begin(), ptx.end(), [](const FatbinEntry& a, const FatbinEntry& b) {
    if (a.architecture != b.architecture) return a.architecture > b.architecture;
    return a.variant < b.variant;
  });
  return ptx;
}

size_t container_extent(const void* container) {
  if (!container) return 0;
  const Bytes bytes{{static_cast<const std::byte*>(container), kContainerHeader}};
  if (bytes.at<uint32_t>(0) != kContainerMagic) return 0;
  return bytes.at<uint16_t>(6) + bytes.at<uint64_t>(8);
}

namespace {

struct Wrapper {
  uint32_t magic, version;
  const void* container;
  const void* more;
};

}  // namespace

std::span<const std::byte> machine_code_container(const void* wrapper) {
  Wrapper head;
  std::memcpy(&head, wrapper, sizeof head);
  return {static_cast<const std::byte*>(head.container), container_extent(head.container)};
}

Result<std::vector<std::span<const std::byte>>> containers_of(const void* wrapper) {
  Wrapper head;
  std::memcpy(&head, wrapper, sizeof head);
  if (head.magic != kWrapperMagic)
    return Error{
        fmt::format("the program registered no fat binary: magic number {:#010x} instead of {:#010x}; build it "
                    "with nvcc or clang",
                    head.magic, kWrapperMagic)};
  std::vector<std::span<const std::byte>> containers;
  const auto add = [&](const void* container) {
    const size_t extent = container_extent(container);
    if (extent != 0) containers.emplace_back(static_cast<const std::byte*>(container), extent);
    return extent != 0;
  };
  bool fine = true;
  if (head.version < 2) {
    fine = add(head.container);
  } else {
    for (auto unit = static_cast<const void* const*>(head.more); unit != nullptr && *unit != nullptr && fine; ++unit)
      fine = add(*unit);
  }
  if (!fine || containers.empty()) return Error{"the registered fat binary has no container: build the program again"};
  return containers;
}

}  // namespace bankshot::cuda
