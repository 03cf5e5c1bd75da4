#include "bankshot/library/certificate.hpp"

namespace bankshot::library {

std::vector<verify::Group> groups_to_verify(const std::vector<scratchpad::Group>& groups) {
  std::vector<verify::Group> result;
  for (const scratchpad::Group& group : groups) result.push_back({group.weight, group.words});
  return result;
}

verify::Certificate certificate_of(const search::Problem& problem, const search::Restriction& restriction,
                                   const search::Found& found) {
  verify::Certificate c;
  c.address_bits = problem.size.address_bits;
  c.bank_bits = problem.size.bank_bits;
  c.in_place = restriction.in_place;
  c.plain_low_bits = restriction.plain_low_bits;
  c.unavoidable = problem.unavoidable;
  c.groups = groups_to_verify(problem.groups);
  c.hash.assign(found.hash.rows().begin(), found.hash.rows().end());
  c.excess = found.excess;
  c.scale = found.proof->scale;
  c.tree = found.proof->tree;
  return c;
}

}  // namespace bankshot::library
