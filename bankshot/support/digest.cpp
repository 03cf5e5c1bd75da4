#include "bankshot/support/digest.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "bankshot/support/mapped_file.hpp"

namespace bankshot {

void Digest::add(const void* bytes, uint64_t count) {
  // Two multiply-and-rotate chains over words; each step is a bijection of its state, so that no difference is lost in
  // it.
  const auto step = [&](uint64_t word) {
    a_ = std::rotl(a_ ^ word, 29) * 0x9e3779b97f4a7c15;
    b_ = std::rotl((b_ + word) * 0xd6e8feb86659fd93, 31) ^ a_;
  };
  const auto* at = static_cast<const char*>(bytes);
  const uint64_t total = count;
  for (; count >= 8; at += 8, count -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    step(word);
  }
  uint64_t rest = 0;
  if (count != 0) std::memcpy(&rest, at, count);
  step(rest);
  step(total);
}

std::string Digest::text() const { return fmt::format("{:016x}{:016x}", a_, b_); }

bool Digest::add_file(const std::string& path) {
  const MappedFile file(path);
  const uint64_t bytes = file.readable() ? file.bytes().size() : 0;
  add(&bytes, sizeof bytes);
  add(file.bytes().data(), bytes);
  return file.readable();
}

}  // namespace bankshot
