#include "bankshot/hazards/clock.hpp"

#include <algorithm>

namespace bankshot::hazards {
namespace {

bool covers(const Steps& a, const Steps& b) {
  if (a.size() < b.size()) return false;
  for (size_t k = 0; k < b.size(); ++k) {
    if (a[k] < b[k]) return false;
  }
  return true;
}

}  // namespace

Clock join(const Clock& a, const Clock& b) {
  if (a == b || b == nullptr) return a;
  if (a == nullptr) return b;
  if (covers(*a, *b)) return a;
  if (covers(*b, *a)) return b;
  auto both = std::make_shared<Steps>(*a);
  both->resize(std::max(a->size(), b->size()));
  for (size_t k = 0; k < b->size(); ++k) (*both)[k] = std::max((*both)[k], (*b)[k]);
  return both;
}

Clock with(const Clock& clock, Agent agent, uint32_t step) {
  if (known(clock, agent) >= step) return clock;
  auto more = clock == nullptr ? std::make_shared<Steps>() : std::make_shared<Steps>(*clock);
  if (more->size() <= agent) more->resize(agent + 1);
  (*more)[agent] = step;
  return more;
}

}  // namespace bankshot::hazards
