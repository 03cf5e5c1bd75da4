#include "bankshot/report/run/scaled.hpp"

#include <algorithm>
#include <span>

namespace bankshot::report {
namespace {

class Scale {
 public:
  explicit Scale(const simt::SampledCtas& sample) : all_(sample.ctas), ran_(sample.ran) {}

  /// To the nearest whole number.
  uint64_t of(uint64_t count) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(count) * all_ + ran_ / 2) / ran_);
  }
  void apply(uint64_t& count) const { count = of(count); }
  /// Parts of a sum: each by at most one more or less than its share, so that they add up to the scaled sum.
  void apply(std::span<uint64_t> parts) const {
    uint64_t before = 0;
    for (uint64_t& part : parts) {
      const uint64_t sum = before + part;
      part = of(sum) - of(before);
      before = sum;
    }
  }

 private:
  uint64_t all_, ran_;
};

void apply(const Scale& scale, scratchpad::SiteTotals& totals) {
  const uint64_t conflicts = scale.of(totals.conflicts());
  scale.apply(totals.accesses);
  totals.in_transactions = std::min(totals.accesses, scale.of(totals.in_transactions));
  scale.apply(totals.lanes);
  scale.apply(totals.ideal);
  totals.wavefronts = totals.ideal + conflicts;
  scale.apply(totals.position);
  scale.apply(totals.classes);
  scale.apply(totals.degrees);
}

void apply(const Scale& scale, scratchpad::L1Totals& totals) {
  scale.apply(totals.accesses);
  scale.apply(totals.lanes);
  for (const auto& sum : scratchpad::kL1SumNames<uint64_t>) scale.apply(totals.sums.*sum.value);
}

void apply(const Scale& scale, simt::OperandReport& report) {
  scale.apply(report.reads);
  for (simt::OperandReport::Part& part : report.written) scale.apply(part.bytes);
}

void apply(const Scale& scale, simt::SwizzleConflicts& counts) {
  scale.apply(counts.accesses);
  scale.apply(counts.conflicts);
  for (std::optional<uint64_t>& conflicts : counts.by_span) {
    if (conflicts) scale.apply(*conflicts);
  }
}

void apply(const Scale& scale, scratchpad::TxTotals& totals) {
  for (const scratchpad::TxCounterName& counter : scratchpad::tx_counter_names()) scale.apply(totals.*counter.value);
  totals.aborts = totals.conflicts + totals.killed + totals.invalid;
  totals.lanes = totals.commits + totals.aborts;
}

}  // namespace

void scale(Kernel& launch, const simt::SampledCtas& sample) {
  const Scale scale(sample);
  scale.apply(launch.warp_instructions);
  scale.apply(launch.thread_instructions);
  if (launch.compiled) scale.apply(launch.compiled->warp_instructions);
  apply(scale, launch.transactions);
  for (Site& site : launch.sites) {
    apply(scale, site.totals);
    for (simt::OperandReport& report : site.operands) apply(scale, report);
    for (simt::SwizzleConflicts& counts : site.swizzles) apply(scale, counts);
  }
  for (L1Site& site : launch.l1_sites) apply(scale, site.totals);
}

}  // namespace bankshot::report
