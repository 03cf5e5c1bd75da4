// Reads numbers and texts one after the other and never beyond the end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace bankshot::sass {

/// After a read beyond the end every read gives zero and `failed()` is true: one test at the end of a table is enough.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes, size_t at = 0) : bytes_(bytes), at_(at) {
    if (at_ > bytes_.size()) fail();
  }

  size_t at() const { return at_; }
  bool failed() const { return failed_; }
  bool done() const { return at_ >= bytes_.size(); }

  template <class T>
  T number() {
    T value{};
    if (sizeof(T) > bytes_.size() - at_) {
      fail();
    } else {
      std::memcpy(&value, bytes_.data() + at_, sizeof(T));
      at_ += sizeof(T);
    }
    return value;
  }

  /// LEB128: seven bits per byte, the lowest first. Bits beyond 64 are dropped.
  uint64_t unsigned_leb() { return leb(false); }
  int64_t signed_leb() { return static_cast<int64_t>(leb(true)); }

  /// Up to a NUL, which is skipped. No name is longer than kLongest.
  std::string_view text() {
    const char* begin = reinterpret_cast<const char*>(bytes_.data()) + at_;
    const void* end = done() ? nullptr : std::memchr(begin, 0, std::min(bytes_.size() - at_, kLongest));
    if (end == nullptr) {
      fail();
      return {};
    }
    const std::string_view found(begin, static_cast<const char*>(end));
    at_ += found.size() + 1;
    return found;
  }

  void skip(uint64_t count) {
    if (count > bytes_.size() - at_)
      fail();
    else
      at_ += count;
  }

  static constexpr size_t kLongest = 1 << 16;

 private:
  void fail() {
    failed_ = true;
    at_ = bytes_.size();
  }

  uint64_t leb(bool is_signed) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    do {
      byte = number<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7FU} << shift;
      shift += shift < 64 ? 7 : 0;
    } while ((byte & 0x80) != 0 && !failed_);
    if (is_signed && shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
    return value;
  }

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace bankshot::sass
