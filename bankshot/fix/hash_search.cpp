#include "bankshot/fix/hash_search.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "bankshot/report/text/text.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::fix {
namespace {

Result<search::Found> best_of(const std::string& hash_class, const search::Problem& problem,
                              const search::SearchOptions& options) {
  const scratchpad::HashClass* const known = scratchpad::find_searchable_class(hash_class);
  // find() has the message for a class that is not known.
  const search::Method method = known == nullptr ? search::Method::exhaustive : search::methods_of(*known).front();
  return search::find(problem, hash_class, method, options);
}

/// Whether a linear hash leaves `low_bits` bits of every address alone and moves no word by them.
bool moves_whole(const scratchpad::BankHash& hash, unsigned low_bits) {
  const uint32_t low = (uint32_t{1} << low_bits) - 1;
  for (unsigned i = 0; i < hash.bank_bits; ++i) {
    const bool is_plain = i < low_bits ? hash.row[i] == uint32_t{1} << i : (hash.row[i] & low) == 0;
    if (!is_plain) return false;
  }
  return hash.linear();
}

}  // namespace

bool add_from_start(scratchpad::PatternSet& set, std::vector<scratchpad::Pattern> patterns,
                    scratchpad::WordAddress start, scratchpad::ByteOffset end) {
  for (scratchpad::Pattern& pattern : patterns) {
    if (!scratchpad::count_from(pattern, start, end)) return false;
    set.patterns.push_back(pattern);
  }
  return true;
}

std::string make_searchable(scratchpad::PatternSet& set) {
  scratchpad::merge_equal(set.patterns);
  const unsigned least = static_cast<unsigned>(std::countr_zero(set.rules.banks)) + 1;
  return scratchpad::fit_address_bits(set, least) ? "" : "it is larger than what hashes work on";
}

Result<search::Found> search_hash(const scratchpad::Rules& rules, const scratchpad::PatternSet& patterns,
                                  unsigned widest, std::chrono::milliseconds time_limit,
                                  const std::string& hash_class) {
  if (rules.hash || rules.ports != 1) {
    return Error{
        "`fix` supports only single-ported banks that are addressed modulo their number, and this GPU has others"};
  }
  search::SearchOptions options;
  options.time_limit = time_limit;
  options.in_place = true;
  for (const scratchpad::Pattern& pattern : patterns.patterns) widest = std::max(widest, pattern.width);
  if (scratchpad::lane_exceeds_banks(rules, widest)) {
    return Error{
        "a lane reads more bytes than all banks of this GPU deliver at once, which a search does not weigh; "
        "name another GPU with --gpu"};
  }
  if (widest > rules.bank_bytes)
    options.plain_low_bits = static_cast<unsigned>(std::countr_zero(widest / rules.bank_bytes));
  const search::Problem problem = search::problem(rules, patterns);
  Result<search::Found> found =
      hash_class.empty() ? search::best_of_all(problem, options) : best_of(hash_class, problem, options);
  if (!found) return found;
  // What is of a class stays as it is if it can: its form in place may take more instructions.
  if (!hash_class.empty() && moves_whole(found->hash, options.plain_low_bits)) return found;
  if (const auto form = scratchpad::in_place_form(found->hash)) found->hash = *form;
  return found;
}

std::string no_hash_text(bool proved) {
  return proved ? "no hash of its rows lessens its conflicts (proved)" : "no hash that lessens its conflicts was found";
}

std::string status_text(const search::Found& found) {
  if (found.status == search::Status::optimal) return "optimal (proved)";
  if (found.status == search::Status::exhaustive) return "the best of its class (all tried)";
  return "best found; nothing is below " + report::grouped(found.lower_bound);
}

}  // namespace bankshot::fix
