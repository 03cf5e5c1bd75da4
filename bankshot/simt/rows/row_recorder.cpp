#include "bankshot/simt/rows/row_recorder.hpp"

#include <atomic>
#include <map>
#include <mutex>

#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {
namespace {

struct Recorded {
  Handler run = nullptr;
  std::atomic<bool>* executed = nullptr;
};

/// The instructions of a program by their places.
using Places = std::vector<Recorded>;

std::atomic<bool> recording = false;
std::mutex busy;
std::atomic<uint64_t> programs_seen = 0;
std::map<const LoadedProgram*, Places>& programs() {
  static std::map<const LoadedProgram*, Places> all;
  return all;
}
std::map<const Row*, std::atomic<bool>>& rows() {
  static std::map<const Row*, std::atomic<bool>> all;
  return all;
}

/// Asked for at each instruction, so that each thread remembers its last answer.
const Places& places_of(const LoadedProgram* program) {
  struct Last {
    const LoadedProgram* program = nullptr;
    uint64_t seen = 0;
    const Places* places = nullptr;
  };
  thread_local Last last;
  const uint64_t seen = programs_seen.load(std::memory_order_acquire);
  if (last.program != program || last.seen != seen) {
    const std::scoped_lock lock(busy);
    last = {program, seen, &programs().at(program)};
  }
  return *last.places;
}

const Instr* run_recorded(Warp& w, const Instr* i) {
  const LoadedProgram* const program = w.worker->program;
  const Recorded& recorded = places_of(program)[static_cast<size_t>(i - program->code.data())];
  uint64_t lanes = w.active;
  if (i->guard != OperandRef::kNone) {
    const uint64_t guard = w.predicate_value(i->guard);
    lanes &= (i->flags & InstrFlag::kGuardNegated) != 0 ? ~guard : guard;
  }
  if (lanes != 0) recorded.executed->store(true, std::memory_order_relaxed);
  return recorded.run(w, i);
}

}  // namespace

void record_rows() { recording = true; }

std::set<const Row*> recorded_rows() {
  const std::scoped_lock lock(busy);
  std::set<const Row*> all;
  for (const auto& [row, executed] : rows()) {
    if (executed) all.insert(row);
  }
  return all;
}

void record_row(const LoadedProgram& program, const Row* row, Instr& instr) {
  if (!recording || row == nullptr) return;
  const std::scoped_lock lock(busy);
  Places& places = programs()[&program];
  const size_t place = program.code.size();
  if (places.empty() || place < places.size()) {  // another program was here before
    places.clear();
    programs_seen.fetch_add(1, std::memory_order_release);
  }
  places.resize(place + 1);
  places[place] = {instr.run, &rows()[row]};
  instr.run = &run_recorded;
}

}  // namespace bankshot::simt
