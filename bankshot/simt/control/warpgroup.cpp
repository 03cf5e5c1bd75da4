#include "bankshot/simt/control/warpgroup.hpp"

#include <string>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/native.hpp"
#include "bankshot/simt/control/paths.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {
namespace {

using State = Path::State;

/// The path on which a warp waits for its warpgroup; null if it does not.
Path* waiting_in(Warp& w) {
  for (Path& path : w.paths) {
    if (path.state == State::at_warpgroup) return &path;
  }
  return nullptr;
}

const Instr* arrive(Warp& w, const Instr* i, WarpgroupBody body) {
  account(w, i, i + 1);
  if (const std::string why = never_together(w, i); !why.empty())
    return fault(w, i, Fault::Kind::partial_warp, -1, 0, why);
  Path& own = w.paths[static_cast<size_t>(w.current)];
  own.pc = i + 1;
  own.state = State::at_warpgroup;
  Warpgroup group;
  std::array<Path*, 4> paths;
  for (size_t k = 0; k < group.size(); ++k) {
    group[k] = &w.cta->warps[w.index / 4 * 4 + k];
    paths[k] = waiting_in(*group[k]);
    if (paths[k] == nullptr) return next_path(w);
  }
  for (size_t k = 0; k < group.size(); ++k) group[k]->base[0] = group[k]->registers + paths[k]->registers;
  if (!body(group, i)) return nullptr;
  for (Path* path : paths) path->state = State::ready;
  return next_path(w);
}

}  // namespace

std::string never_together(const Warp& w, const Instr* i) {
  const size_t first = w.index / 4 * 4, count = w.cta->warps.size();
  if (first + 4 > count) {
    return "the four warps of a warpgroup have to execute this instruction together, but warp " +
           std::to_string(w.index) + " is in a group of " + std::to_string(count - first) + ": the block has " +
           std::to_string(w.cta->threads) + " threads, not a multiple of 128";
  }
  for (size_t k = first; k < first + 4; ++k) {
    Warp& other = w.cta->warps[k];
    const auto name = [&] { return "warp " + std::to_string(k) + ", of the same warpgroup, "; };
    if (other.done) return name() + "has ended and does not execute this instruction";
    const Path* const path = waiting_in(other);
    if (path != nullptr && path->pc != i + 1)
      return name() + "is at another instruction, " + w.worker->program->place_of(path->pc - 1) +
             ": the four warps have to execute the same ones";
  }
  return {};
}

const Instr* meet_in_warpgroup(Warp& w, const Instr* i, WarpgroupBody body) { return enter(w, arrive(w, i, body)); }

}  // namespace bankshot::simt
