// The hash for one array, from what its accesses want.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/search/search.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::fix {

/// Adds accesses to an array, as words from its start. @param end  bytes from there that belong to the array
/// @return false if one is outside of it
bool add_from_start(scratchpad::PatternSet& set, std::vector<scratchpad::Pattern> patterns,
                    scratchpad::WordAddress start, scratchpad::ByteOffset end = scratchpad::ByteOffset(UINT64_MAX));

/// Merges what was added and sizes the set. @return why no hash can be searched for it, or empty
std::string make_searchable(scratchpad::PatternSet& set);

/// The best hash that software can apply in place, in the form in which it does. It keeps the words of a lane together.
/// @param widest      bytes a lane of the widest access in the text: joined ones, among the patterns, may be wider
/// @param hash_class  that it is of, as in `bankshot search --class`; empty: any
Result<search::Found> search_hash(const scratchpad::Rules& rules, const scratchpad::PatternSet& patterns,
                                  unsigned widest, std::chrono::milliseconds time_limit,
                                  const std::string& hash_class = {});

/// Why an array is left alone whose best hash has as many conflicts as none. @param proved  that there is no better one
std::string no_hash_text(bool proved);
/// "optimal (proved)", "the best of its class (all tried)", or that it is the best found and what no hash is below.
std::string status_text(const search::Found& found);

}  // namespace bankshot::fix
