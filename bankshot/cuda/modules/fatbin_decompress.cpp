// The only file that knows the compression libraries.
#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include "bankshot/cuda/modules/fatbin.hpp"

namespace bankshot::cuda {
namespace {

Error bad(const FatbinEntry& entry, std::string_view reason) {
  return {fmt::format(
      "fat binary, byte {}: the payload for {} does not decompress: {}; the file is damaged: build it again",
      entry.offset, architecture_name(entry), reason)};
}

Result<std::string> decompress_zstd(const FatbinEntry& entry) {
  // A frame states its own size: comparing first saves allocating what a corrupt header claims.
  const auto stated = ZSTD_getFrameContentSize(entry.payload.data(), entry.payload.size());
  if (stated == ZSTD_CONTENTSIZE_ERROR) return bad(entry, "not a zstd frame");
  if (stated != ZSTD_CONTENTSIZE_UNKNOWN && stated != entry.size)
    return bad(entry, fmt::format("{} bytes according to the frame, {} according to the entry", stated, entry.size));
  // A block makes at most 128 KiB and takes at least 3 bytes.
  if (entry.size / (128 * 1024) > entry.payload.size() / 3)
    return bad(entry, fmt::format("{} compressed bytes cannot decompress to {}", entry.payload.size(), entry.size));
  std::string text(entry.size, '\0');
  const size_t got = ZSTD_decompress(text.data(), text.size(), entry.payload.data(), entry.payload.size());
  if (ZSTD_isError(got)) return bad(entry, ZSTD_getErrorName(got));
  if (got != entry.size) return bad(entry, fmt::format("{} bytes instead of {}", got, entry.size));
  return text;
}

Result<std::string> decompress_lz4(const FatbinEntry& entry) {
  // One byte of an LZ4 block makes at most 255: a larger claim is a corrupt header, not worth allocating for.
  if (entry.size / 255 > entry.payload.size())
    return bad(entry, fmt::format("{} compressed bytes cannot decompress to {}", entry.payload.size(), entry.size));
  std::string text(entry.size, '\0');
  const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(entry.payload.data()), text.data(),
                                      static_cast<int>(entry.payload.size()), static_cast<int>(entry.size));
  if (got < 0) return bad(entry, fmt::format("bad LZ4 block at byte {}", -int64_t{got}));
  if (static_cast<uint64_t>(got) != entry.size)
    return bad(entry, fmt::format("{} bytes instead of {}", got, entry.size));
  return text;
}

}  // namespace

Result<std::string> decompress(const FatbinEntry& entry) {
  std::string text;
  if (entry.compression == Compression::none) {
    text.assign(reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size());
  } else {
    auto result = entry.compression == Compression::zstd ? decompress_zstd(entry) : decompress_lz4(entry);
    if (!result) return result.error();
    text = std::move(*result);
  }
  if (entry.kind == FatbinEntry::Kind::ptx)
    while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace bankshot::cuda
