#include "bankshot/search/optimal.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::search {

Result<Found> find(const Problem& problem, HashClass c, Method method, const SearchOptions& options) {
  const bool bitvector = c == HashClass::bitvector_perm || c == HashClass::bitvector_xor;
  const bool pairs = c == HashClass::bitwise_xor;
  if (c == HashClass::gf2 && method == Method::optimal) return optimal(problem, options);
  if (bitvector && method == Method::exhaustive) {
    return exhaustive_bitvector(problem, c == HashClass::bitvector_perm, false, options.in_place);
  }
  if (!bitvector && c != HashClass::gf2) {
    if (method == Method::exhaustive) return exhaustive_bitwise(problem, pairs, options);
    if (method == Method::givargis || method == Method::mih) {
      if (options.in_place) return Error{"the heuristics cannot be held to in-place hashes: use --method exhaustive"};
      return method == Method::givargis ? givargis(problem, pairs) : minimum_imbalance(problem, pairs);
    }
  }
  const char* const methods = c == HashClass::gf2 ? "optimal" : bitvector ? "exhaustive" : "exhaustive, givargis and mih";
  return Error{"class " + std::string(name(c)) + " has no method " + std::string(name(method)) + "; it has " + methods};
}

}  // namespace bankshot::search
