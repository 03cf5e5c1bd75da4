#include "bankshot/cli/commands/atomics_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/patterns_file.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"

namespace bankshot::cli {
namespace {

using scratchpad::Layout;
using scratchpad::Votes;
using scratchpad::VotingCost;

/// The votes of a patterns file, each with its weight.
Result<Votes> votes_of(const AdviceRequest& request, unsigned lanes) {
  const Result<scratchpad::PatternSet> set = read_patterns(request.file);
  if (!set) return set.error();
  Votes votes{lanes, {}, {}};
  for (const size_t k : library::atomics_of(*set)) {
    const scratchpad::Pattern& pattern = set->patterns[k];
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if ((pattern.mask >> lane & 1) == 0)
        return Error{fmt::format("{}: patterns[{}] has inactive lanes; votes need all {} lanes of a warp", request.file,
                                 k, lanes)};
      if (pattern.words[lane] >= request.words) {
        return Error{fmt::format("{}: patterns[{}].addresses[{}] is {}, but votes must be below --words {}",
                                 request.file, k, lane, pattern.words[lane], request.words)};
      }
    }
    votes.of.insert(votes.of.end(), pattern.words.begin(), pattern.words.begin() + lanes);
    votes.weights.push_back(pattern.weight);
  }
  return votes;
}

std::string layout_text(const Layout& layout) {
  if (layout.copies == 1) return "one copy";
  return fmt::format("{} copies, {}{}", layout.copies, name(layout.mapping),
                     layout.padding != 0 ? ", padded by a word" : "");
}

nlohmann::json json_of(const Advice::Candidate& candidate) {
  nlohmann::json costs = nlohmann::json::object();
  for (size_t h = 0; h < Advice::kHashes.size(); ++h) {
    const VotingCost& c = candidate.cost[h];
    costs[Advice::kHashes[h]] = {{"latency", c.latency},         {"rounds_cycles", c.rounds},
                                 {"read_penalty", c.reads},      {"write_penalty", c.writes},
                                 {"lock_degree", c.lock_degree}, {"bank_degree", c.bank_degree}};
  }
  const Layout& l = candidate.layout;
  return {{"copies", l.copies},
          {"mapping", name(l.mapping)},
          {"padding", l.padding},
          {"bytes", l.size() * 4},
          {"by_hash", costs}};
}

}  // namespace

Result<Advice> advise(const library::AtomicsRequest& asked, const AdviceRequest& request) {
  Advice advice;
  advice.request = request;
  std::vector<scratchpad::AtomicsModel> models;
  unsigned lanes = 32;
  uint64_t most_words = 0, most_bytes = 0, usual_bytes = 0;
  for (const char* hash : Advice::kHashes) {
    library::AtomicsRequest with = asked;
    with.bank_hash = hash;
    Result<library::AtomicsMachine> machine = library::atomics_machine(with);
    if (machine && machine->has_locks()) {
      with.lock_hash = hash;
      machine = library::atomics_machine(with);
    }
    if (!machine) return machine.error();
    advice.gpu = machine->gpu.name;
    advice.form = machine->form;
    lanes = machine->gpu.machine.warp_size;
    most_words = uint64_t{1} << machine->address_bits;
    usual_bytes = machine->gpu.shared_per_block;
    most_bytes = std::max(machine->gpu.shared_per_block, machine->gpu.shared_per_block_optin);
    models.push_back(machine->model);
  }
  if (request.budget > most_bytes)
    return Error{fmt::format("--budget {} exceeds the {} bytes that a block of {} can have", request.budget, most_bytes,
                             advice.gpu)};
  if (request.budget == 0) advice.request.budget = usual_bytes;
  const uint64_t budget = std::min(advice.request.budget / 4, most_words);
  const std::vector<Layout> layouts = scratchpad::layouts(request.words, lanes, budget);
  if (layouts.empty()) {
    return Error{
        fmt::format("{} words of 4 bytes do not fit into {} bytes; raise --budget, or vote in several passes over "
                    "parts of the vote space",
                    request.words, advice.request.budget)};
  }
  Votes votes =
      scratchpad::random_votes(request.seed, request.file.empty() ? request.patterns : 0, lanes, request.words);
  if (request.data == "sorted") scratchpad::sort_warps(votes);
  if (!request.file.empty()) {
    Result<Votes> read = votes_of(request, lanes);
    if (!read) return read.error();
    votes = std::move(*read);
  }
  advice.warps = votes.warps();
  for (const Layout& layout : layouts) {
    Advice::Candidate candidate{layout, {}};
    for (size_t h = 0; h < models.size(); ++h) candidate.cost[h] = voting_cost(models[h], layout, votes);
    advice.candidates.push_back(candidate);
  }
  std::stable_sort(advice.candidates.begin(), advice.candidates.end(), [](const auto& a, const auto& b) {
    return std::pair(a.cost[0].latency, a.layout.size()) < std::pair(b.cost[0].latency, b.layout.size());
  });
  for (size_t k = 0; k < advice.candidates.size(); ++k) {
    if (advice.candidates[k].layout.copies == 1) advice.plain = k;
    for (size_t h = 1; h < Advice::kHashes.size(); ++h) {
      if (advice.hash != 0 &&
          advice.candidates[k].cost[h].latency >= advice.candidates[advice.best_hashed].cost[advice.hash].latency)
        continue;
      advice.best_hashed = k;
      advice.hash = h;
    }
  }
  return advice;
}

std::string text_of(const Advice& advice) {
  const AdviceRequest& request = advice.request;
  std::string text =
      fmt::format("{} votes for {} words on {}, form {}; {}\n", request.file.empty() ? request.data : request.file,
                  request.words, advice.gpu, advice.form,
                  request.file.empty()
                      ? fmt::format("{} warps, seed {}", advice.warps, request.seed)
                      : (advice.warps == 1 ? "1 pattern" : fmt::format("{} patterns by their weights", advice.warps)));
  text += fmt::format(
      "mean cycles of a warp's atomic: without a hash, and with a hardware hash of banks and locks\n\n{:>7}  {:<9} "
      "{:>7} {:>8}  {:>9} {:>9} {:>9}  {:>11} {:>11}\n",
      "copies", "mapping", "padding", "bytes", "none", "xor", "add", "lock degree", "bank degree");
  for (size_t k = 0; k < advice.candidates.size(); ++k) {
    if (k >= request.top && k != advice.plain) continue;
    const auto& [layout, cost] = advice.candidates[k];
    text += fmt::format("{:>7}  {:<9} {:>7} {:>8}  {:>9.1f} {:>9.1f} {:>9.1f}  {:>11.2f} {:>11.2f}\n", layout.copies,
                        layout.copies == 1 ? "-" : name(layout.mapping), layout.padding, layout.size() * 4,
                        cost[0].latency, cost[1].latency, cost[2].latency, cost[0].lock_degree, cost[0].bank_degree);
  }
  if (advice.candidates.size() > request.top)
    text += fmt::format("… of {} layouts that fit into {} bytes (--top shows more, --json all)\n",
                        advice.candidates.size(), request.budget);
  const auto& best = advice.candidates.front();
  const double plain = advice.candidates[advice.plain].cost[0].latency;
  text += "\nfastest votes: " + layout_text(best.layout) + fmt::format(": {:.1f} cycles", best.cost[0].latency);
  if (best.layout.copies != 1)
    text += fmt::format(", {:.2f} times as fast as in one copy", plain / best.cost[0].latency);
  text += '\n';
  const auto& hashed = advice.candidates[advice.best_hashed];
  if (const double latency = hashed.cost[advice.hash].latency; latency < best.cost[0].latency) {
    text += fmt::format("with {} in hardware: {}: {:.1f} cycles\n", Advice::kHashes[advice.hash],
                        layout_text(hashed.layout), latency);
  } else {
    text += "a hash in hardware would not help further\n";
  }
  return text +
         "This counts only the votes. More copies take longer to clear before and to add up after, and they use shared "
         "memory,\nwhich limits the CTAs on an SM. bankshot simulate shows what a program gains in total.\n";
}

std::string json_of(const Advice& advice) {
  const AdviceRequest& request = advice.request;
  nlohmann::json list = nlohmann::json::array();
  for (const Advice::Candidate& candidate : advice.candidates) list.push_back(json_of(candidate));
  nlohmann::json document = {{"schema", "bankshot/advice/1"},
                             {"gpu", advice.gpu},
                             {"form", advice.form},
                             {"words", request.words},
                             {"budget_bytes", request.budget},
                             {"warps", advice.warps},
                             {"candidates", list},
                             {"best", 0},
                             {"best_hashed", advice.best_hashed},
                             {"best_hash", Advice::kHashes[advice.hash]}};
  if (request.file.empty()) {
    document["data"] = request.data;
    document["seed"] = request.seed;
  } else {
    document["votes"] = request.file;
  }
  return report::json_text(document);
}

}  // namespace bankshot::cli
