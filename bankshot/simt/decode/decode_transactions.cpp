// Transactions in a function: where they begin and end, and whether they let CTAs see each other.
#include <algorithm>

#include "bankshot/ptx/pragmas.hpp"
#include "bankshot/simt/decode/decoder.hpp"
#include "bankshot/simt/transactions/transaction.hpp"

namespace bankshot::simt {

/// tx_begin() and tx_commit() of <bankshot/tm.cuh>. Other pragmas are for other tools.
void FunctionDecoder::decode_pragma(const ptx::Pragma& pragma) {
  for (const std::string& text : pragma.texts) {
    if (!text.starts_with(ptx::kOurPragmas)) continue;
    const bool begins = text == ptx::kTxBegin;
    if (!begins && text != ptx::kTxCommit) {
      error(pragma.position, "unknown pragma '" + text + "'",
            "There are " + std::string(ptx::kTxBegin) + " and " + std::string(ptx::kTxCommit) + ".");
      continue;
    }
    Item item = new_item(pragma.position, text.substr(ptx::kOurPragmas.size()));
    item.info.unit = begins ? Unit::tx_begin : Unit::tx_commit;
    item.instr.run = item.instr.body = begins ? &run_tx_begin : &run_tx_commit;
    items_.push_back(std::move(item));
    info_.has_transactions = true;
  }
}

/// Transactions that may write global memory make CTAs see each other: which do is followed from their begins to their
/// commits. Of those in transactions only the outermost commit ends one.
void FunctionDecoder::note_transactions(const std::vector<FlowNode>& nodes) {
  std::vector<uint8_t> depth(nodes.size(), 0);  // transactions around it, at most
  std::vector<uint32_t> inside;
  const auto reach = [&](uint32_t k, unsigned begins) {
    begins = std::min(begins, 255u);
    if (k >= nodes.size() || depth[k] >= begins) return;
    depth[k] = static_cast<uint8_t>(begins);
    inside.push_back(k);
  };
  for (uint32_t k = 0; k < items_.size(); ++k) {
    if (items_[k].instr.body == &run_tx_begin) reach(k + 1, 1);
  }
  while (!inside.empty()) {
    const uint32_t k = inside.back();
    inside.pop_back();
    const Item& item = items_[k];
    const bool writes = item.site >= 0 &&
                        scratchpad::writes(context_.program->sites[static_cast<size_t>(item.site)].kind) &&
                        static_cast<ptx::Space>(item.instr.small & MemorySmall::kSpaceMask) != ptx::Space::shared;
    if (writes || item.call >= 0) {
      const std::string why =
          context_.program->texts[item.info.text] + " at PTX line " + std::to_string(item.info.ptx_line) +
          (writes ? " (a transaction may write global memory)" : " (a transaction may call what writes global memory)");
      if (info_.isolated) info_.why_not_isolated = why;
      if (info_.why_all_ctas.empty()) info_.why_all_ctas = why;
      info_.isolated = false;
    }
    const unsigned behind = depth[k] + (item.instr.body == &run_tx_begin) - (item.instr.body == &run_tx_commit);
    if (nodes[k].falls_through || nodes[k].conditional) reach(k + 1, behind);
    for (const uint32_t target : nodes[k].targets) reach(target, behind);
  }
}

}  // namespace bankshot::simt
