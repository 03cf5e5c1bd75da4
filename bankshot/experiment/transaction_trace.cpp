// Table 1 of GPU-LocalTM.
#include <bit>
#include <map>
#include <sstream>

#include <fmt/format.h>

#include "bankshot/experiment/parameters.hpp"
#include "bankshot/experiment/transactions_paper.hpp"
#include "bankshot/scratchpad/transactions/shared_transactions.hpp"
#include "bankshot/scratchpad/transactions/tx_masks.hpp"

namespace bankshot::experiment {
namespace {

using scratchpad::TxMasks;

using Accesses = std::map<unsigned, std::vector<uint32_t>>;  ///< words by lane

/// A warp at the instructions of Figure 2 that change masks, numbered as there.
class MaskTracer {
 public:
  MaskTracer(unsigned lanes, uint64_t taken, Accesses accesses)
      : lanes_(lanes), taken_(taken), accesses_(std::move(accesses)) {
    memory_.start(reinterpret_cast<std::byte*>(shared_.data()), static_cast<uint32_t>(shared_.size() * 4), lanes);
  }

  std::vector<std::string> run() {
    exec_ = (uint64_t{1} << lanes_) - 1;
    add(1);
    masks_.enter(exec_);
    while (masks_.mode != scratchpad::TxMode::none) attempt();
    return std::move(rows_);
  }

 private:
  void attempt() {
    masks_.begin();
    exec_ = masks_.exec;
    add(2);
    const uint64_t entered = exec_;  // 4: s0
    exec_ &= taken_;
    add(5);
    exec_ = entered & ~exec_;
    add(10);
    const uint64_t before = masks_.conflicts;
    otherwise();
    add(13, masks_.conflicts & ~before);
    exec_ = entered;
    add(15);
    // The masks of the instruction itself: what it leaves for the next try is in the line of that.
    if (masks_.conflicts != 0) exec_ = masks_.conflicts;
    add(16);
    memory_.commit(0, masks_.commit());
  }

  /// The "else": all lanes at their first word, then at their second.
  void otherwise() {
    for (size_t step = 0;; ++step) {
      std::array<uint32_t, scratchpad::kMaxLanes> addresses{};
      uint64_t running = 0;
      for (const auto& [lane, words] : accesses_) {
        const uint64_t bit = uint64_t{1} << lane;
        if ((exec_ & ~masks_.conflicts & bit) == 0 || step >= words.size()) continue;
        addresses[lane] = words[step] * 4;
        running |= bit;
      }
      if (running == 0) return;
      masks_.conflict(
          memory_.access({scratchpad::AccessKind::store, 4, addresses.data(), running, 0}, totals_).conflicts);
    }
  }

  std::string bits(uint64_t mask) const {
    std::string text;
    for (unsigned lane = 0; lane < lanes_; ++lane) text += (mask >> lane & 1) != 0 ? '1' : '0';
    return text;
  }

  void add(unsigned line, uint64_t conflicts = 0) {
    std::string met;
    for (; conflicts != 0; conflicts &= conflicts - 1) {
      met += fmt::format("{}WI{}", met.empty() ? "" : " and ", std::countr_zero(conflicts));
    }
    const bool inside = masks_.mode != scratchpad::TxMode::none;
    rows_.push_back(fmt::format("{} {} {} {} {} {}", line, bits(exec_), inside ? bits(masks_.conflicts) : "-",
                                masks_.has_last ? bits(masks_.last) : "-", paper_name(masks_.mode),
                                met.empty() ? "-" : met));
  }

  const unsigned lanes_;
  const uint64_t taken_;
  const Accesses accesses_;
  uint64_t exec_ = 0;
  TxMasks masks_;
  std::vector<uint32_t> shared_ = std::vector<uint32_t>(1024);
  scratchpad::SharedTransactions memory_{scratchpad::Rules{}, scratchpad::TxConfig{}};
  scratchpad::TxTotals totals_;
  std::vector<std::string> rows_;
};

}  // namespace

Result<Outcome> transaction_trace(const Experiment& experiment, const Settings&) {
  Parameters parameters(experiment);
  const unsigned lanes = parameters.number("lanes", 1, 32);
  const std::string taken = parameters.text("taken");
  uint64_t mask = 0;
  for (size_t lane = 0; lane < taken.size() && lane < lanes; ++lane) mask |= uint64_t{taken[lane] == '1'} << lane;
  Accesses accesses;
  for (const std::string& text : parameters.texts("accesses")) {
    std::istringstream words(text);
    unsigned lane = 0;
    char colon = 0;
    if (!(words >> lane >> colon) || colon != ':' || lane >= lanes)
      parameters.fail("accesses", "'" + text + "' is not 'lane: words'");
    for (uint32_t word = 0; words >> word;) {
      if (word >= 1024) parameters.fail("accesses", "words are below 1024");
      accesses[lane].push_back(word);
    }
  }
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  for (const std::string& line : MaskTracer(lanes, mask, std::move(accesses)).run()) {
    const std::string label = fmt::format("line {:02}", outcome.rows.size() + 1);
    outcome.rows.push_back(
        {label, published(experiment, label), line, "instruction EXEC TCM TCM-OLD mode conflicts", {}});
  }
  return outcome;
}

}  // namespace bankshot::experiment
