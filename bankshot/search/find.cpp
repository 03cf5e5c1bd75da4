#include "bankshot/search/optimal.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::search {

Result<Found> find(const Problem& problem, HashClass c, Method method, const SearchOptions& options) {
  const bool bitvector = c == HashClass::bitvector_perm || c == HashClass::bitvector_xor;
  if (options.plain_low_bits > problem.size.bank_bits) {
    return Error{std::to_string(options.plain_low_bits) + " plain low bits, but there are only " +
                 std::to_string(problem.size.bank_bits) + " bank bits"};
  }
  const bool pairs = c == HashClass::bitwise_xor;
  if (c == HashClass::gf2 && method == Method::optimal) return optimal(problem, options);
  if (bitvector && method == Method::exhaustive) {
    return exhaustive_bitvector(problem, c == HashClass::bitvector_perm, false, options);
  }
  if (!bitvector && c != HashClass::gf2) {
    if (method == Method::exhaustive) return exhaustive_bitwise(problem, pairs, options);
    if (method == Method::givargis || method == Method::mih) {
      return method == Method::givargis ? givargis(problem, pairs, options)
                                        : minimum_imbalance(problem, pairs, options);
    }
  }
  const char* const methods = c == HashClass::gf2 ? "optimal"
                              : bitvector         ? "exhaustive"
                                                  : "exhaustive, givargis and mih";
  return Error{"class " + std::string(name(c)) + " has no method " + std::string(name(method)) + "; it has " + methods};
}

}  // namespace bankshot::search
