#include "tests/property/tx_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace bankshot::simt::tx {
namespace {

using scratchpad::AccessKind;
using What = scratchpad::TxEvent::What;

/// All atomics are one kind here: their effects are compared.
AccessKind plain(AccessKind kind) { return scratchpad::is_atomic(kind) ? AccessKind::atomic : kind; }

template <class F>
void each(const Warp& warp, uint64_t lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    f(warp.index * warp.worker->warp_size + lane, lane);
  }
}

/// On a chip a lane may access shared memory while an access to global memory that comes before is still under way.
std::vector<Access> by_memory(std::vector<Access> accesses) {
  std::stable_partition(accesses.begin(), accesses.end(), [](const Access& access) { return access.global; });
  return accesses;
}

}  // namespace

void Recorder::tell(What what, const Warp& warp, unsigned thread) {
  history_.push_back({what, 0, static_cast<uint16_t>(warp.cta->linear * threads_ + thread), 0});
}

void Recorder::tell(const Access& a, const Warp& warp, unsigned thread) {
  const auto who = static_cast<uint16_t>(warp.cta->linear * threads_ + thread);
  const uint32_t first = zone_ * static_cast<uint32_t>(a.global ? ctas_.size() : warp.cta->linear) + a.offset;
  for (uint32_t k = 0; k < a.width && a.kind != AccessKind::store; ++k)
    history_.push_back({What::read, a.seen[k], who, first + k});
  for (uint32_t k = 0; k < a.width && a.kind != AccessKind::load; ++k)
    history_.push_back({What::write, a.left[k], who, first + k});
}

void Recorder::start(const Program& program, uint64_t words) {
  zone_ = program.zone;
  global_zone_ = program.global_zone;
  threads_ = program.threads;
  words_ = words;
  most_attempts_ = 20'000 + uint64_t{4'000} * program.threads * program.ctas;
  ctas_.assign(program.ctas, {});
  for (OfCta& cta : ctas_) cta.running.resize(program.threads);
  history_.clear();
  committed_.clear();
}

void Recorder::begins(const Warp& warp, uint64_t lanes) {
  OfCta& cta = of(warp);
  if (++cta.attempts > most_attempts_) throw std::runtime_error(fmt::format("livelock: {} attempts", cta.attempts));
  if (warp.cta->alone != nullptr && warp.cta->alone != &warp) {
    throw std::runtime_error(
        fmt::format("warp {} begins while warp {} runs alone", warp.index, warp.cta->alone->index));
  }
  if (warp.tx.masks.mode == scratchpad::TxMode::cta_serialised && !std::has_single_bit(lanes)) {
    throw std::runtime_error(fmt::format("lanes {:x} of warp {} run, which is to run one", lanes, warp.index));
  }
  each(warp, lanes, [&](unsigned thread, unsigned) {
    cta.running[thread].clear();
    tell(What::begin, warp, thread);
  });
}

void Recorder::begins_access(Access& access, const std::byte* at) const {
  if (access.kind != AccessKind::store) std::memcpy(access.seen.data(), at, access.width);
}

void Recorder::ends_access(Access& access, const std::byte* at, const Warp& warp, unsigned thread) {
  if (access.kind != AccessKind::load) std::memcpy(access.left.data(), at, access.width);
  of(warp).running[thread].push_back(access);
  if (access.global || access.offset < zone_) tell(access, warp, thread);
}

void Recorder::accesses(const Warp& warp, AccessKind kind, unsigned width, const uint32_t* offsets, uint64_t lanes,
                        bool done) {
  each(warp, lanes, [&](unsigned thread, unsigned lane) {
    const std::byte* const at = warp.cta->shared + offsets[lane];
    if (done) return ends_access(before_[lane], at, warp, thread);
    before_[lane] = {.kind = plain(kind), .offset = offsets[lane], .width = width};
    begins_access(before_[lane], at);
  });
}

void Recorder::accesses_global(const Warp& warp, AccessKind kind, unsigned width, unsigned lane, uint64_t address,
                               bool done) {
  if (address - words_ >= global_zone_) return;  // the input
  const auto* const at = reinterpret_cast<const std::byte*>(address);
  if (done) return ends_access(before_[lane], at, warp, warp.index * warp.worker->warp_size + lane);
  before_[lane] = {
      .kind = plain(kind), .offset = static_cast<uint32_t>(address - words_), .width = width, .global = true};
  begins_access(before_[lane], at);
}

void Recorder::aborts(const Warp& warp, uint64_t lanes) {
  each(warp, lanes, [&](unsigned thread, unsigned) {
    of(warp).running[thread].clear();
    tell(What::abort, warp, thread);
  });
}

void Recorder::commits(const Warp& warp, uint64_t lanes) {
  each(warp, lanes, [&](unsigned thread, unsigned) {
    const auto cta = static_cast<unsigned>(warp.cta->linear);
    committed_.push_back({cta, thread, std::exchange(of(warp).running[thread], {})});
    tell(What::commit, warp, thread);
  });
}

/// Single threads, one whole transaction after the other, in the order of commits.
std::string Recorder::replay(const Program& program, const std::vector<uint32_t>& out,
                             const std::vector<uint8_t>& global) const {
  std::vector<uint8_t> words(program.global_zone);
  for (uint32_t k = 0; k < words.size(); ++k) words[k] = initial_byte(k);
  std::vector<Reference> references;
  for (unsigned cta = 0; cta < program.ctas; ++cta) references.emplace_back(program, cta, words);
  std::vector<Access> expected;
  for (size_t k = 0; k < committed_.size(); ++k) {
    const auto& [cta, thread, done] = committed_[k];
    const std::string which = fmt::format("commit {} of {}, CTA {}, thread {}: ", k, committed_.size(), cta, thread);
    if (!references[cta].run(thread, expected)) return which + "its program has no further transaction";
    const std::vector<Access> accesses = by_memory(done);
    expected = by_memory(expected);
    if (accesses == expected) continue;
    size_t n = 0;
    while (n < std::min(accesses.size(), expected.size()) && accesses[n] == expected[n]) ++n;
    return fmt::format("{}access {} is {}; alone it is {}", which, n, n < accesses.size() ? text(accesses[n]) : "none",
                       n < expected.size() ? text(expected[n]) : "none");
  }
  for (unsigned cta = 0; cta < program.ctas; ++cta) {
    Reference& reference = references[cta];
    const uint32_t* const of_cta = out.data() + size_t{cta} * program.words_out();
    for (unsigned thread = 0; thread < program.threads; ++thread) {
      if (reference.run(thread, expected))
        return fmt::format("CTA {}, thread {} did not commit all its transactions", cta, thread);
      const uint32_t alone = reference.checksum(thread);
      if (of_cta[thread] == alone) continue;
      return fmt::format("what CTA {}, thread {} has at the end is {:#x}; alone it is {:#x}", cta, thread,
                         of_cta[thread], alone);
    }
    const auto* const memory = reinterpret_cast<const uint8_t*>(of_cta + program.threads);
    for (uint32_t k = 0; k < program.bytes(); ++k) {
      const uint8_t alone = reference.memory[k];
      if (memory[k] == alone) continue;
      return fmt::format("byte {} of CTA {}'s shared memory ends as {:#04x}; alone it is {:#04x}", k, cta, memory[k],
                         alone);
    }
  }
  for (uint32_t k = 0; k < words.size(); ++k) {
    if (global[k] == words[k]) continue;
    return fmt::format("byte {} of global memory ends as {:#04x}; alone it is {:#04x}", k, global[k], words[k]);
  }
  return {};
}

std::string Recorder::judge(const Program& program, const std::vector<uint32_t>& out,
                            const std::vector<uint8_t>& global) const {
  std::vector<uint8_t> first, last;
  for (unsigned cta = 0; cta < program.ctas; ++cta) {
    const auto* const memory =
        reinterpret_cast<const uint8_t*>(out.data() + size_t{cta} * program.words_out() + threads_);
    for (uint32_t k = 0; k < zone_; ++k) first.push_back(initial_byte(k));
    last.insert(last.end(), memory, memory + zone_);
  }
  for (uint32_t k = 0; k < global_zone_; ++k) first.push_back(initial_byte(k));
  last.insert(last.end(), global.begin(), global.end());
  const std::string violation = scratchpad::check_history(history_, first, last);
  if (!violation.empty()) return "not serialisable: " + violation;
  const std::string other = replay(program, out, global);
  return other.empty() ? other : "not as single threads in the order of commits: " + other;
}

}  // namespace bankshot::simt::tx
