#include "bankshot/simt/access/l1_sites.hpp"

#include "bankshot/simt/access/lane_addresses.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/warp.hpp"

namespace bankshot::simt {
namespace {

using ptx::Access;
using ptx::Space;

void count(Warp& w, const Instr* i, uint32_t index) {
  Worker& worker = *w.worker;
  const L1SiteInfo& site = worker.program->l1_sites[index];
  scratchpad::L1Counter& counter = worker.l1_sites[index];
  const bool plain = static_cast<Space>(i->small & MemorySmall::kSpaceMask) == Space::global &&
                     i->op[0] != OperandRef::kNone && (i->flags & InstrFlag::kWide) != 0;
  if (plain) {
    counter.record(*worker.l1, site.reads, site.width, w.row<const uint64_t>(i->op[0]), i->imm, w.active,
                   w.cta->linear);
    return;
  }
  LaneAddresses to;
  addresses_of(w, i, w.active, to);
  if (to.global == 0) return;
  counter.record(*worker.l1, site.reads, site.width, to.address.data(), 0, to.global, w.cta->linear);
}

}  // namespace

bool may_access_global(const Access& access) {
  if (access.layout != Access::Layout::lanes) return false;
  if (access.kind == Access::Kind::copy) return access.from == Space::global;
  const bool can = access.kind == Access::Kind::load || access.kind == Access::Kind::store || access.is_atomic();
  return can && !access.asynchronous && (access.space == Space::global || access.space == Space::generic);
}

const Instr* run_l1_counted(Warp& w, const Instr* i) {
  const LoadedProgram& program = *w.worker->program;
  const L1Op& op = program.l1_ops[static_cast<size_t>(i - program.code.data())];
  if (w.worker->l1 != nullptr && w.active != 0) count(w, i, op.site);
  return op.body(w, i);
}

}  // namespace bankshot::simt
