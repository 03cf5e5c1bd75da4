#include "bankshot/simt/state/global_log.hpp"

#include <algorithm>

namespace bankshot::simt {
namespace {

uint32_t& word(uint64_t address) { return *reinterpret_cast<uint32_t*>(address); }

}  // namespace

void GlobalLog::clear() {
  reads_.clear();
  writes_.clear();
}

GlobalLog::Write* GlobalLog::find(uint64_t address) {
  const auto found = std::find_if(writes_.begin(), writes_.end(), [&](const Write& w) { return w.address == address; });
  return found == writes_.end() ? nullptr : &*found;
}

/// Who polls reads the same again and again.
void GlobalLog::note(const Read& read) {
  if (std::find(reads_.begin(), reads_.end(), read) == reads_.end()) reads_.push_back(read);
}

uint32_t GlobalLog::show(uint64_t address, bool reads) {
  const uint32_t held = word(address);
  const Write* const own = find(address);
  const uint32_t known = own != nullptr ? own->bits : 0;
  if (reads && known != ~uint32_t{0}) note({address, held});
  if (own != nullptr) word(address) = (held & ~own->bits) | (own->value & own->bits);
  return held;
}

void GlobalLog::hide(uint64_t address, uint32_t bits, uint32_t held) {
  const uint32_t now = word(address);
  word(address) = held;
  if (bits == 0) return;
  Write* own = find(address);
  if (own == nullptr) own = &writes_.emplace_back(Write{address, 0, 0});
  own->value = (own->value & ~bits) | (now & bits);
  own->bits |= bits;
}

bool GlobalLog::is_valid() const {
  return std::all_of(reads_.begin(), reads_.end(), [](const Read& read) { return word(read.address) == read.value; });
}

void GlobalLog::publish() const {
  for (const Write& write : writes_)
    word(write.address) = (word(write.address) & ~write.bits) | (write.value & write.bits);
}

}  // namespace bankshot::simt
