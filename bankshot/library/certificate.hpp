// From the words of the search to those of the checker.
#pragma once

#include "bankshot/search/search.hpp"
#include "bankshot/verify/certificate.hpp"

namespace bankshot::library {

/// Groups as the checker has them: its own type, since it shares nothing with the search.
std::vector<verify::Group> groups_to_verify(const std::vector<scratchpad::Group>& groups);

/// @param found  an optimum with a proof
verify::Certificate certificate_of(const search::Problem& problem, const search::Restriction& restriction,
                                   const search::Found& found);

}  // namespace bankshot::library
