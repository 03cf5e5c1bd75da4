#include "bankshot/experiment/vote_setup.hpp"

#include <algorithm>

namespace bankshot::experiment {

VoteSetup vote_setup(Parameters& parameters, const Settings& settings) {
  VoteSetup setup;
  setup.geometry = *atomics_geometry("none");
  setup.times = atomics_times(parameters);
  setup.seed = parameters.number("seed", 0, 4'000'000'000);
  setup.patterns = parameters.number("patterns", 1, 100'000'000);
  if (settings.quick) setup.patterns = std::max<size_t>(1, setup.patterns / 50);
  setup.threads = settings.threads;
  return setup;
}

std::vector<unsigned> vote_spaces(Parameters& parameters) { return parameters.numbers("words", 1, kWords); }

unsigned most_copies(unsigned words) {
  unsigned copies = 1;
  while (copies < kLanes && 2 * copies * words <= kWords) copies *= 2;
  return copies;
}

}  // namespace bankshot::experiment
