// Where bulk copies go, and who learns that they are there.
#pragma once

#include <array>
#include <cstdint>

#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// Where the data of a lane goes, and the barrier that learns of it: offsets in the shared window.
struct BulkTargets {
  struct Place {
    uint64_t to = 0, barrier = 0;
  };
  std::array<Place, Windows::kMostCtas> places;
  unsigned count = 0;
};
/// One place; with .multicast the same byte of each CTA in the mask.
BulkTargets bulk_targets(const Warp& w, const CopyInfo& copy, unsigned lane, uint64_t to, uint64_t barrier);

/// The data is there: tells the barriers, or a timing model, which does so later. @return false after a fault
bool bulk_arrives(Warp& w, const Instr* i, const BulkTargets& targets, BulkArrival arrival, unsigned lane);

/// The data has been stored in global memory: tells a timing model, if there is one.
void bulk_leaves(Warp& w, BulkArrival store);

}  // namespace bankshot::simt
