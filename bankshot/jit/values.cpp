#include "bankshot/jit/values.hpp"

#include "bankshot/jit/lane_library.hpp"

namespace bankshot::jit {

int32_t Patterns::intern(const Pattern& pattern) {
  const auto [at, added] = ids_.try_emplace(pattern, static_cast<int32_t>(all_.size()));
  if (added) all_.push_back(&at->first);
  return at->second;
}

namespace {

/// Bytes of an integer type by its name, 0 of others.
unsigned integer_bytes(const std::string& type) {
  if (type.size() < 2 || (type[0] != 'u' && type[0] != 's' && type[0] != 'b')) return 0;
  const std::string bits = type.substr(1);
  return bits == "32" ? 4 : bits == "64" ? 8 : 0;
}

}  // namespace

Linear linear_of(const std::string& text) {
  using How = Linear::How;
  const std::vector<std::string> words = words_of(text);
  const std::string& opcode = words.front();
  const std::string& type = words.back();
  const unsigned bytes = integer_bytes(type);
  if (bytes == 0) return {};
  const bool is_signed = type[0] == 's', plain = words.size() == 2;
  if (opcode == "mov" && plain) return {How::copy, is_signed, bytes};
  if (opcode == "cvta") return {How::copy, is_signed, bytes};
  if (opcode == "add" && plain) return {How::sum, is_signed, bytes};
  if (opcode == "sub" && plain) return {How::difference, is_signed, bytes};
  if (opcode == "shl" && plain) return {How::shift, is_signed, bytes};
  if (opcode == "cvt" && words.size() == 3) {
    const unsigned to = integer_bytes(words[1]);
    if (to == 0) return {};
    return {to > bytes ? How::widen : How::copy, is_signed, to};
  }
  if (words.size() != 3) return {};
  const bool low = words[1] == "lo", wide = words[1] == "wide" && bytes == 4;
  if (opcode == "mul" && low) return {How::product, is_signed, bytes};
  if (opcode == "mad" && low) return {How::product_sum, is_signed, bytes};
  if (opcode == "mul" && wide) return {How::widen_product, is_signed, 8};
  if (opcode == "mad" && wide) return {How::widen_product_sum, is_signed, 8};
  return {};
}

}  // namespace bankshot::jit
