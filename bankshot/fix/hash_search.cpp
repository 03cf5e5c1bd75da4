#include "bankshot/fix/hash_search.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "bankshot/report/text/text.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::fix {

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
                                  unsigned widest, std::chrono::milliseconds time_limit) {
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
  Result<search::Found> found = search::find(problem, "gf2", search::Method::optimal, options);
  if (!found) return found;
  // Of hashes that are as good, one that moves all bits by the same distance takes the fewest instructions.
  const search::Found simple = search::exhaustive_bitvector(problem, false, false, options);
  if (simple.excess <= found->excess) {
    found->hash = simple.hash;
    found->excess = simple.excess;
  }
  if (const auto form = scratchpad::in_place_form(found->hash)) found->hash = *form;
  return found;
}

std::string no_hash_text(bool proved) {
  return proved ? "no hash of its rows lessens its conflicts (proved)" : "no hash that lessens its conflicts was found";
}

std::string status_text(const search::Found& found) {
  if (found.status == search::Status::optimal) return "optimal (proved)";
  return "best found; nothing is below " + report::grouped(found.lower_bound);
}

}  // namespace bankshot::fix
