#include <algorithm>

#include "bankshot/search/optimal.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::search {

using scratchpad::HashClass;
using scratchpad::RowSpace;

std::vector<Method> methods_of(const HashClass& hash_class) {
  if (hash_class.rows == RowSpace::any) return {Method::optimal};
  if (hash_class.rows != RowSpace::none) return {Method::exhaustive, Method::givargis, Method::mih};
  return {Method::exhaustive};
}

namespace {

/// "exhaustive, givargis and mih"
std::string names_of(const std::vector<Method>& methods) {
  std::string text;
  for (size_t k = 0; k < methods.size(); ++k) {
    if (k != 0) text += k + 1 == methods.size() ? " and " : ", ";
    text += name(methods[k]);
  }
  return text;
}

}  // namespace

Result<Found> find(const Problem& problem, std::string_view hash_class, Method method, const SearchOptions& options) {
  const HashClass* const c = scratchpad::find_searchable_class(hash_class);
  if (c == nullptr) {
    return Error{scratchpad::unknown_class(hash_class)};
  }
  if (options.plain_low_bits > problem.size.bank_bits) {
    return Error{std::to_string(options.plain_low_bits) + " plain low bits, but there are only " +
                 std::to_string(problem.size.bank_bits) + " bank bits"};
  }
  const std::vector<Method> methods = methods_of(*c);
  if (std::ranges::find(methods, method) == methods.end()) {
    return Error{"class " + std::string(hash_class) + " has no method " + std::string(name(method)) + "; it has " +
                 names_of(methods)};
  }
  const bool pairs = c->rows == RowSpace::bit_pairs;
  switch (method) {
    case Method::optimal: return optimal(problem, options);
    case Method::givargis: return givargis(problem, pairs, options);
    case Method::mih: return minimum_imbalance(problem, pairs, options);
    default: return c->each != nullptr ? exhaustive(problem, *c, options) : exhaustive_bitwise(problem, pairs, options);
  }
}

Found best_of_all(const Problem& problem, const SearchOptions& options) {
  Found found = optimal(problem, options);
  const Found simple = exhaustive_bitvector(problem, false, false, options);
  if (simple.excess <= found.excess) {
    found.hash = simple.hash;
    found.excess = simple.excess;
  }
  return found;
}

}  // namespace bankshot::search
