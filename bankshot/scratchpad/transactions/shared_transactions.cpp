#include "bankshot/scratchpad/transactions/shared_transactions.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

#include "bankshot/scratchpad/access/bank_words.hpp"

namespace bankshot::scratchpad {
namespace {

/// Which lanes the banks serve together. Section 2: the LDS unit "schedules the access of the wavefront, allowing up to
/// 32 coalesced (i.e., without bank conflicts) accesses simultaneously". So a lane waits for those before it at its own
/// bank and for no others, in whichever half of the wavefront they are. The paper has no lanes that want more than a
/// word of a bank at once: these come in the phases of atomics, as lanes are not merged here either.
Phases lanes_together(const Rules& rules, unsigned width, const uint32_t* addresses, LaneMask active) {
  if (width <= rules.bank_bytes) return Phases::neighbours(kMaxLanes);
  return phases_of(rules, AccessKind::atomic, width, addresses, active);
}

}  // namespace

void SharedTransactions::start(std::byte* shared, uint32_t bytes, unsigned threads) {
  shared_ = shared;
  bytes_ = bytes;
  const uint32_t words = (bytes + rules_.bank_bytes - 1) >> shift();
  log2_bits_ = static_cast<unsigned>(std::countr_zero(config_.filter_bits));
  classes_ = config_.exact ? words : rules_.banks << log2_bits_;
  row_words_ = (threads + 63) / 64;
  marks_.assign((config_.separate ? 2 : 1) * size_t{classes_} * row_words_, 0);
  shadow_.assign(words, {});
  logs_.assign(threads, {});
  by_bank_.assign(rules_.banks, 0);
}

/// Two words conflict if they have a row in common: one bit of one bank's filters, or the word itself.
uint32_t SharedTransactions::row_of(uint32_t word, Set set) const {
  const uint32_t of_set = config_.separate && set == Set::written ? classes_ : 0;
  if (config_.exact) return of_set + word;
  return of_set + (bank_of(word) << log2_bits_) + config_.hash_function()(word / rules_.banks, log2_bits_);
}

bool SharedTransactions::others_have(uint32_t row, unsigned thread) const {
  const uint64_t* const threads = marks_.data() + row * row_words_;
  for (size_t k = 0; k < row_words_; ++k) {
    const uint64_t own = k == thread / 64 ? uint64_t{1} << thread % 64 : 0;
    if ((threads[k] & ~own) != 0) return true;
  }
  return false;
}

void SharedTransactions::mark(uint32_t row, unsigned thread) {
  uint64_t& threads = marks_[row * row_words_ + thread / 64];
  const uint64_t own = uint64_t{1} << thread % 64;
  if ((threads & own) == 0) logs_[thread].marks.push_back(row);
  threads |= own;
}

/// The lanes that are served together, bank by bank in ascending order: each bank serves one after the other (section
/// 3.3).
void SharedTransactions::collect(const Access& access, LaneMask phase) {
  requests_.clear();
  std::fill(by_bank_.begin(), by_bank_.end(), 0u);
  for (const unsigned lane : phase) {
    for_each_bank_word(rules_, ByteOffset(access.addresses[lane]), access.width, [&](uint32_t word) {
      const unsigned bank = bank_of(word);
      const unsigned turn = by_bank_[bank]++ / rules_.ports;
      requests_.push_back({word, static_cast<uint8_t>(lane), static_cast<uint8_t>(bank), static_cast<uint16_t>(turn)});
    });
  }
  std::sort(requests_.begin(), requests_.end(), [](const Request& a, const Request& b) {
    return std::tie(a.turn, a.lane, a.word) < std::tie(b.turn, b.lane, b.word);
  });
}

bool SharedTransactions::truly_conflicts(uint32_t word, unsigned thread, bool writes) const {
  const uint16_t owner = shadow_[word].owner;
  if (owner != 0 && owner != thread + 1) return true;
  if (!config_.separate || !writes) return false;
  for (unsigned other = 0; other < logs_.size(); ++other) {
    const std::vector<uint32_t>& read = logs_[other].read;
    if (other != thread && std::find(read.begin(), read.end(), word) != read.end()) return true;
  }
  return false;
}

/// @return whether it is new to the thread
bool SharedTransactions::own(uint32_t word, unsigned thread) {
  Shadow& shadow = shadow_[word];
  if (shadow.owner == thread + 1) return false;
  shadow = {0, static_cast<uint16_t>(thread + 1), false};
  const uint32_t at = word << shift();
  std::memcpy(&shadow.backup, shared_ + at, std::min(rules_.bank_bytes, bytes_ - at));
  logs_[thread].owned.push_back(word);
  return true;
}

/// Stages 1 and 2 for one lane at one bank. @return the cycles that they take beside the query
unsigned SharedTransactions::serve(const Request& request, const Access& access, uint64_t& conflicts,
                                   TxTotals& totals) {
  const TxCosts& cost = costs(config_);
  const unsigned thread = access.first + request.lane;
  const bool writes = scratchpad::writes(access.kind);
  const uint32_t read_row = row_of(request.word, Set::read), written_row = row_of(request.word, Set::written);
  ++totals.accesses;
  if (others_have(written_row, thread) || (writes && others_have(read_row, thread))) {
    const uint64_t bit = uint64_t{1} << request.lane;
    if ((conflicts & bit) == 0) {
      if (!truly_conflicts(request.word, thread, writes)) {
        ++totals.false_conflicts;
      } else if (!writes && !shadow_[request.word].written) {
        ++totals.read_conflicts;
      }
    }
    conflicts |= bit;
    // Case i: its entries in this bank's shadow memory are cleared; as section 4.2 charges it, as many as in the
    // slowest one.
    std::fill(by_bank_.begin(), by_bank_.end(), 0u);
    for (const uint32_t word : logs_[thread].owned) ++by_bank_[bank_of(word)];
    return slowest_bank();
  }
  const uint32_t row = writes || !config_.separate ? written_row : read_row;
  const bool hit = (marks_[row * row_words_ + thread / 64] >> thread % 64 & 1) != 0;
  mark(row, thread);
  if (config_.separate && !writes) {
    std::vector<uint32_t>& read = logs_[thread].read;
    if (!hit || std::find(read.begin(), read.end(), request.word) == read.end()) read.push_back(request.word);
    return 0;  // a bit in a filter; a read needs no backup
  }
  // Case ii where the filter is not hit, else case iii: then stage 2 finds the owner. Without filters the query does.
  const bool is_new = own(request.word, thread);
  if (writes) shadow_[request.word].written = true;
  if (is_new) return cost.record;
  return config_.exact ? 0 : cost.check;
}

SharedTransactions::Outcome SharedTransactions::access(const Access& access, TxTotals& totals) {
  Outcome outcome;
  const TxCosts& cost = costs(config_);
  const LaneMask active(access.mask);
  lanes_together(rules_, access.width, access.addresses, active).for_each(active, [&](LaneMask, LaneMask phase) {
    collect(access, phase);
    for (size_t k = 0; k < requests_.size();) {
      // One turn: all banks at once, then stage 3 for those that met a conflict in it.
      const unsigned turn = requests_[k].turn;
      unsigned slowest = 0;
      uint64_t conflicts = 0;
      for (; k < requests_.size() && requests_[k].turn == turn; ++k) {
        if ((outcome.conflicts >> requests_[k].lane & 1) != 0) continue;
        slowest = std::max(slowest, serve(requests_[k], access, conflicts, totals));
      }
      ++outcome.passes;
      outcome.cycles += cost.query + slowest;
      if (conflicts != 0) outcome.cycles += release(access.first, conflicts, true);
      outcome.conflicts |= conflicts;
    }
  });
  totals.conflicts += static_cast<uint64_t>(std::popcount(outcome.conflicts));
  totals.conflicting_accesses += outcome.conflicts != 0;
  return outcome;
}

void SharedTransactions::release(unsigned thread, bool restore) {
  Log& log = logs_[thread];
  for (const uint32_t word : log.owned) {
    Shadow& shadow = shadow_[word];
    const uint32_t at = word << shift();
    if (restore) std::memcpy(shared_ + at, &shadow.backup, std::min(rules_.bank_bytes, bytes_ - at));
    shadow.owner = 0;
    ++by_bank_[bank_of(word)];
  }
  for (const uint32_t row : log.marks) marks_[row * row_words_ + thread / 64] &= ~(uint64_t{1} << thread % 64);
  log.owned.clear();
  log.read.clear();
  log.marks.clear();
}

unsigned SharedTransactions::release(unsigned first, uint64_t lanes, bool restore) {
  std::fill(by_bank_.begin(), by_bank_.end(), 0u);
  for (; lanes != 0; lanes &= lanes - 1) release(first + static_cast<unsigned>(std::countr_zero(lanes)), restore);
  return slowest_bank();
}

unsigned SharedTransactions::abort_others(unsigned first, unsigned lanes) {
  std::fill(by_bank_.begin(), by_bank_.end(), 0u);
  for (unsigned thread = 0; thread < logs_.size(); ++thread) {
    if (thread - first >= lanes) release(thread, true);
  }
  return slowest_bank();
}

/// Cycles for as many entries as the fullest bank had.
unsigned SharedTransactions::slowest_bank() const {
  return *std::max_element(by_bank_.begin(), by_bank_.end()) * costs(config_).clear;
}

bool SharedTransactions::owns_nothing(unsigned thread) const {
  const Log& log = logs_[thread];
  return log.owned.empty() && log.read.empty() && log.marks.empty();
}

}  // namespace bankshot::scratchpad
