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

template <class F>
void each(const Warp& warp, uint64_t lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    f(warp.index * warp.worker->warp_size + lane, lane);
  }
}

}  // namespace

void Recorder::OfCta::tell(What what, unsigned thread) {
  history.push_back({what, 0, static_cast<uint16_t>(thread), 0});
}

void Recorder::OfCta::tell(const Access& a, unsigned thread) {
  const auto byte = [&](What what, uint8_t value, uint32_t k) {
    history.push_back({what, value, static_cast<uint16_t>(thread), a.offset + k});
  };
  for (uint32_t k = 0; k < a.width && a.kind != AccessKind::store; ++k) byte(What::read, a.seen[k], k);
  for (uint32_t k = 0; k < a.width && a.kind != AccessKind::load; ++k) byte(What::write, a.left[k], k);
}

void Recorder::start(const Program& program, unsigned ctas) {
  zone_ = program.zone;
  most_attempts_ = 20'000 + uint64_t{4'000} * program.threads;
  ctas_.assign(ctas, {});
  for (OfCta& cta : ctas_) cta.running.resize(program.threads);
}

void Recorder::begins(const Warp& warp, uint64_t lanes) {
  OfCta& cta = of(warp);
  if (++cta.attempts > most_attempts_) throw std::runtime_error(fmt::format("livelock: {} attempts", cta.attempts));
  if (warp.cta->alone != nullptr && warp.cta->alone != &warp) {
    throw std::runtime_error(
        fmt::format("warp {} begins while warp {} runs alone", warp.index, warp.cta->alone->index));
  }
  if (warp.cta->alone != nullptr && !std::has_single_bit(lanes)) {
    throw std::runtime_error(fmt::format("lanes {:x} of warp {} run, which is to run one", lanes, warp.index));
  }
  each(warp, lanes, [&](unsigned thread, unsigned) {
    cta.running[thread].clear();
    cta.tell(What::begin, thread);
  });
}

void Recorder::accesses(const Warp& warp, AccessKind kind, unsigned width, const uint32_t* offsets, uint64_t lanes,
                        bool done) {
  OfCta& cta = of(warp);
  each(warp, lanes, [&](unsigned thread, unsigned lane) {
    Access& a = before_[lane];
    const std::byte* const at = warp.cta->shared + offsets[lane];
    if (!done) {
      a = {kind, offsets[lane], width, {}, {}};
      if (kind != AccessKind::store) std::memcpy(a.seen.data(), at, width);
      return;
    }
    if (kind != AccessKind::load) std::memcpy(a.left.data(), at, width);
    cta.running[thread].push_back(a);
    if (a.offset < zone_) cta.tell(a, thread);
  });
}

void Recorder::aborts(const Warp& warp, uint64_t lanes) {
  OfCta& cta = of(warp);
  each(warp, lanes, [&](unsigned thread, unsigned) {
    cta.running[thread].clear();
    cta.tell(What::abort, thread);
  });
}

void Recorder::commits(const Warp& warp, uint64_t lanes) {
  OfCta& cta = of(warp);
  each(warp, lanes, [&](unsigned thread, unsigned) {
    cta.committed.push_back({thread, std::exchange(cta.running[thread], {})});
    cta.tell(What::commit, thread);
  });
}

std::string Recorder::replay(const Program& program, const OfCta& cta, const uint32_t* out) {
  Reference reference(program);
  std::vector<Access> expected;
  for (size_t k = 0; k < cta.committed.size(); ++k) {
    const auto& [thread, accesses] = cta.committed[k];
    const std::string which = fmt::format("commit {} of {}, thread {}: ", k, cta.committed.size(), thread);
    if (!reference.run(thread, expected)) return which + "its program has no further transaction";
    if (accesses == expected) continue;
    size_t n = 0;
    while (n < std::min(accesses.size(), expected.size()) && accesses[n] == expected[n]) ++n;
    return fmt::format("{}access {} is {}; alone it is {}", which, n, n < accesses.size() ? text(accesses[n]) : "none",
                       n < expected.size() ? text(expected[n]) : "none");
  }
  for (unsigned thread = 0; thread < program.threads; ++thread) {
    if (reference.run(thread, expected)) return fmt::format("thread {} did not commit all its transactions", thread);
  }
  for (unsigned thread = 0; thread < program.threads; ++thread) {
    const uint32_t alone = reference.checksum(thread);
    if (out[thread] == alone) continue;
    return fmt::format("what thread {} has at the end is {:#x}; alone it is {:#x}", thread, out[thread], alone);
  }
  const auto* const memory = reinterpret_cast<const uint8_t*>(out + program.threads);
  for (uint32_t k = 0; k < program.bytes(); ++k) {
    const uint8_t alone = reference.memory[k];
    if (memory[k] == alone) continue;
    return fmt::format("byte {} of shared memory ends as {:#04x}; alone it is {:#04x}", k, memory[k], alone);
  }
  return {};
}

std::string Recorder::judge(const Program& program, const std::vector<uint32_t>& out) const {
  std::vector<uint8_t> first(program.zone), last(program.zone);
  for (uint32_t k = 0; k < program.zone; ++k) first[k] = initial_byte(k);
  for (size_t k = 0; k < ctas_.size(); ++k) {
    const uint32_t* const of_cta = out.data() + k * program.words_out();
    std::memcpy(last.data(), of_cta + program.threads, program.zone);
    const std::string violation = scratchpad::check_history(ctas_[k].history, first, last);
    if (!violation.empty()) return fmt::format("CTA {} is not serialisable: {}", k, violation);
    const std::string other = replay(program, ctas_[k], of_cta);
    if (!other.empty()) return fmt::format("CTA {} is not as single threads in the order of commits: {}", k, other);
  }
  return {};
}

}  // namespace bankshot::simt::tx
