// The independent check of a certificate. It shares no code with the search but the pool of threads.
#pragma once

#include <string>

#include "bankshot/verify/certificate.hpp"

namespace bankshot::verify {

struct Verdict {
  bool proved = false;
  std::string text;    ///< what is proved, or what fails and at which node
  uint64_t nodes = 0;  ///< looked at, if it is proved
};

/// Whether the hash of a certificate costs what it says, keeps to the restriction, and nothing that does costs less.
///
/// A row space U of dimension m, the bank bits, holds 2^m vectors h. With f(h) = sum over the words a of a group of
/// (-1)^parity(h & a), k words and weight w, its excess is at least 2^-m * sum over h in U and the groups of w f(h)^2 /
/// k, less the sum of the w: the sum of squares of the loads of the banks is 2^-m sum f^2, and the fullest has at least
/// that over k. The tree of the certificate splits the row spaces: those of a node hold its rows and no vector of a
/// child listed before on the way to it. Where a node ends, what is left has no room: every coset that could still be a
/// part has loads that are as bad as the excess claimed, or there are too few, or those of least sum exceed the bound
/// together.
/// @param threads  of the host that may help; the verdict does not depend on them
Verdict check(const Certificate& certificate, unsigned threads = 1);

/// Why a certificate is not about these groups, or nothing.
/// @param unavoidable  excess beside them
std::string differs(const Certificate& certificate, std::vector<Group> groups, uint64_t unavoidable);

}  // namespace bankshot::verify
