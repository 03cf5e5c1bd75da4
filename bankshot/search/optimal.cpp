// The best XOR hash of all: good ones first, then the proof.
#include "bankshot/search/optimal.hpp"

#include "bankshot/search/incumbent.hpp"
#include "bankshot/search/quotient.hpp"
#include "bankshot/search/tree.hpp"

namespace bankshot::search {
namespace {

constexpr size_t kProofLimit = 1'000'000;  // numbers
/// Those that a heuristic looks at: some tenths of a second.
constexpr size_t kHeuristicGroups = 2048;

/// What the other methods offer, descents from there, and from random places.
void find_good_ones(const Problem& problem, const Quotient& quotient, const SearchOptions& options,
                    Incumbent::Clock::time_point deadline, Incumbent& best) {
  const auto offer = [&](const scratchpad::BankHash& hash) {
    const std::vector<uint32_t> rows = best.start(quotient.rows(hash));
    if (!rows.empty()) best.offer(rows);
  };
  offer(scratchpad::modulo_hash(problem.size));
  offer(scratchpad::fixed_xor_hash(problem.size));
  offer(exhaustive_bitvector(problem, false, false, options, deadline).hash);
  if (Incumbent::Clock::now() <= deadline)
    offer(minimum_imbalance(sample(problem, kHeuristicGroups), true, options).hash);
  best.improve(deadline);
}

}  // namespace

Found optimal(const Problem& problem, const SearchOptions& options) {
  const auto deadline = Incumbent::Clock::now() + options.time_limit;
  const Quotient quotient = make_quotient(problem, options);
  const unsigned bank_bits = problem.size.bank_bits;
  Found result;
  result.status = Status::optimal;
  Proof proof;
  proof.tree = {Transcript::kEnd};
  if (quotient.bits <= bank_bits) {  // every pattern can be told apart entirely
    std::vector<uint32_t> rows;
    for (unsigned j = 0; j < quotient.bits; ++j) rows.push_back(uint32_t{1} << j);
    result.hash = quotient.hash(rows, problem.size);
    result.excess = Evaluator(problem.groups).excess(result.hash.rows());
    result.lower_bound = result.excess;
    result.evaluated = 1;
  } else {
    Incumbent best(quotient, bank_bits, options);
    find_good_ones(problem, quotient, options, deadline, best);
    result.lower_bound = best.excess;
    if (!best.at_floor() && options.plain_low_bits < bank_bits) {
      const std::optional<Spectrum> s = spectrum(quotient.groups, quotient.bits, deadline);
      Transcript transcript(options.plain_low_bits, bank_bits - 1, kProofLimit);
      const TreeResult tree =
          s ? search_tree(quotient, bank_bits, options, *s, deadline, best, options.proof ? &transcript : nullptr)
            : TreeResult{false, best.floor};
      if (!tree.finished) result.status = Status::best_found;
      result.lower_bound = tree.lower_bound;
      if (s) proof.scale = s->scale;
      if (options.proof && !best.at_floor()) {
        proof.tree = transcript.numbers();
        for (int32_t& number : proof.tree) {
          if (number > 0) number = static_cast<int32_t>(quotient.address_bits(static_cast<uint32_t>(number)));
        }
      }
    }
    result.hash = quotient.hash(best.rows, problem.size);
    result.excess = best.excess;
    result.evaluated = best.evaluated;
  }
  if (options.proof && result.status == Status::optimal) result.proof = std::move(proof);
  result.excess += problem.unavoidable;
  result.lower_bound += problem.unavoidable;
  return result;
}

}  // namespace bankshot::search
