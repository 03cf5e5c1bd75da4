// Tensor memory and the registers of asynchronous instructions, as Checks sees them. Source: PTX ISA 9.0, sections
// 9.7.15.3 (wgmma) and 9.7.16.6 (tcgen05).
#include "bankshot/simt/checks/checks.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/thread_index.hpp"

namespace bankshot::simt {
namespace {

bool is_store(const Warp& w, const Instr* i) {
  const LoadedProgram& program = *w.worker->program;
  return program.texts[program.info_of(i).text].starts_with("tcgen05.st.");
}

bool is_load(const Warp& w, const Instr* i) {
  const LoadedProgram& program = *w.worker->program;
  return program.texts[program.info_of(i).text].starts_with("tcgen05.ld.");
}

}  // namespace

void Checks::allocates_columns(Warp& w, const Instr* i, unsigned first, unsigned count) {
  if (!options_.memory) return;
  if (count == 0) {
    of(w).columns.erase(first);
  } else {
    of(w).columns[first] = {i, count};
  }
}

void Checks::tell_unfreed(Warp& w) {
  for (const auto& [first, made] : of(w).columns) {
    bool is_new = false;
    Finding& finding = find(w, Finding::Kind::unfreed_columns, made.by, nullptr, 1, is_new);
    if (!is_new) continue;
    finding.thread = finding.other_thread = thread_of(w, 0);
    finding.detail =
        std::to_string(made.count) + " columns are still allocated when the CTA ends: free them with tcgen05.dealloc";
  }
}

/// Before tcgen05.wait::st nothing else may rely on what was stored; before tcgen05.wait::ld nothing may overwrite what
/// is being loaded. Of stores and loads of one warp, only loads of what it stored are examined.
void Checks::accesses_tensor(Warp& w, const Instr* i, int lane, Cta& cta, const TensorRange& range) {
  if (!options_.sync) return;
  const bool stores = is_store(w, i);
  if (stores || is_load(w, i)) {
    look_at_queue(w, i, lane, cta, range);
  } else {
    queue(w, i, cta, range);
  }
  std::vector<CtaChecks::Moved>& moved = of(cta, *w.worker).moved;
  bool is_known = false;
  for (const CtaChecks::Moved& before : moved) {
    is_known |= before.by == i && before.warp == w.index && before.range == range;
    const bool conflicts = before.range.written ? !stores : range.written && !(stores && before.warp == w.index);
    if (!conflicts || !before.range.overlaps(range)) continue;
    bool is_new = false;
    Finding& finding = find(w, Finding::Kind::missing_wait, i, before.by, 1, is_new);
    if (!is_new) continue;
    finding.thread = thread_of(w, static_cast<unsigned>(lane));
    finding.other_thread = thread_of(cta.warps[before.warp], 0);
    finding.detail = before.range.written
                         ? "stored values are not visible before tcgen05.wait::st of the warp that stores them"
                         : "the warp that loads has not executed tcgen05.wait::ld yet";
  }
  if (!is_known && (stores || is_load(w, i))) moved.push_back({i, w.index, range});
}

/// tcgen05.mma, cp and shift are executed in the order in which they are issued.
void Checks::queue(Warp& w, const Instr* i, Cta& cta, const TensorRange& range) {
  std::vector<CtaChecks::Queued>& queued = of(cta, *w.worker).queued;
  const unsigned warp = warp_of(w);
  const auto known = std::ranges::find_if(
      queued, [&](const CtaChecks::Queued& one) { return one.by == i && one.warp == warp && one.range == range; });
  if (known == queued.end()) {
    queued.push_back({i, warp, range, {}});
  } else {
    known->told.clear();
  }
}

void Checks::look_at_queue(Warp& w, const Instr* i, int lane, Cta& cta, const TensorRange& range) {
  for (const CtaChecks::Queued& before : of(cta, *w.worker).queued) {
    if (!(before.range.written || range.written) || !before.range.overlaps(range)) continue;
    bool is_new = false;
    Finding& finding = find(w, Finding::Kind::missing_wait, i, before.by, 1, is_new);
    if (!is_new) continue;
    finding.thread = finding.other_thread = thread_of(w, static_cast<unsigned>(lane));
    finding.detail = std::string(before.range.written ? "it may not have written it" : "it may not have read it") +
                     " yet: no thread has waited for an mbarrier that a later tcgen05.commit tells";
  }
}

template <class F>
void Checks::for_queued(Warp& w, F f) {
  for (Cta* const cta : w.cta->cluster->ctas) {
    if (cta != nullptr && cta->checks != nullptr) f(cta->checks->queued);
  }
}

void Checks::commits_queued(Warp& w, int64_t place) {
  for_queued(w, [&](std::vector<CtaChecks::Queued>& queued) {
    for (CtaChecks::Queued& one : queued) {
      if (one.warp == warp_of(w) && std::ranges::find(one.told, place) == one.told.end()) one.told.push_back(place);
    }
  });
}

void Checks::waited_for_queued(Warp& w, int64_t place) {
  for_queued(w, [&](std::vector<CtaChecks::Queued>& queued) {
    std::erase_if(queued,
                  [&](const CtaChecks::Queued& one) { return std::ranges::find(one.told, place) != one.told.end(); });
  });
}

void Checks::tell_early(Warp& w, const Instr* i, const CheckedOp& op) {
  bool is_new = false;
  const Instr* const early = w.worker->program->code.data() + op.early;
  Finding& finding = find(w, Finding::Kind::missing_wait, early, i, 1, is_new);
  if (!is_new) return;
  finding.is_warning = true;  // ptxas may wait by itself
  finding.thread = finding.other_thread = thread_of(w, 0);
  finding.detail = "registers of wgmma.mma_async must not be used before wgmma.wait_group";
}

}  // namespace bankshot::simt
