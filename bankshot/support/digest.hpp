// A digest of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bankshot {

/// A digest of 128 bits: equal for equal bytes, and different for different ones but for a chance of about 2^-128. Not
/// made against forgers.
class Digest {
 public:
  void add(const void* bytes, uint64_t count);
  /// A text with its length, so that "a", "bc" and "ab", "c" differ.
  void add_text(std::string_view text) { add(text.data(), text.size()); }
  /// The bytes of a file. @return false if it cannot be read; then it counts as empty
  bool add_file(const std::string& path);
  std::string text() const;  ///< 32 hexadecimal digits

 private:
  uint64_t a_ = 0x6a09e667f3bcc908, b_ = 0xbb67ae8584caa73b;
};

}  // namespace bankshot
