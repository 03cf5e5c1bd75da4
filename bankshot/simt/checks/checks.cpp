#include "bankshot/simt/checks/checks.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/access/lane_addresses.hpp"
#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/warp_sync.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/thread_index.hpp"

namespace bankshot::simt {
namespace {

using Kind = Finding::Kind;

constexpr uint64_t kClusterUnit = 16;  ///< bytes: the memory of each CTA of a cluster begins at a multiple

/// ld, st, atom and red of memory that threads share.
CheckedOp checked_access(const ptx::Access& access) {
  using K = CheckedOp::Kind;
  const ptx::Space space = access.space;
  CheckedOp op;
  if (space == ptx::Space::local || space == ptx::Space::constant || space == ptx::Space::param) return op;
  op.kind = access.is_atomic() ? K::atomic : access.kind == ptx::Access::Kind::store ? K::store : K::load;
  op.bytes = static_cast<uint8_t>(access.bytes());
  op.acquires = access.acquires();
  op.releases = access.releases();
  op.ignores = access.operation == ptx::Access::Operation::exch;
  op.is_volatile = access.is_volatile;
  op.strong = access.is_strong();
  return op;
}

/// fence.proxy.async, but for one of global memory.
bool is_proxy_fence(const Match& m) {
  return m.access.space != ptx::Space::global && (m.has("async") || m.has("async::generic"));
}

hazards::SharedRaces::Queue queue_of(ptx::Access::Layout layout) {
  using Layout = ptx::Access::Layout;
  return layout == Layout::operands ? hazards::SharedRaces::kProducts
         : layout == Layout::bulk   ? hazards::SharedRaces::kBulks
                                    : hazards::SharedRaces::kLanes;
}

}  // namespace

CheckedOp checked_op(const ptx::Instruction& instruction, const Match& m) {
  using A = ptx::Access::Kind;
  using K = CheckedOp::Kind;
  const std::string& opcode = instruction.opcode;
  const ptx::Access& access = m.access;
  CheckedOp op;
  switch (access.kind) {
    case A::load:
      if (opcode == "wgmma") op.kind = K::products;
      [[fallthrough]];
    case A::store:
    case A::atomic:
    case A::reduction:
      return access.layout == ptx::Access::Layout::lanes && !access.asynchronous ? checked_access(access) : op;
    case A::fence:
      if (access.layout == ptx::Access::Layout::operands) return op;  // wgmma.fence orders registers
      if (opcode == "membar" || !m.has("proxy")) {
        op.kind = K::fence;
      } else if (is_proxy_fence(m)) {
        op.kind = K::proxy_fence;
      }
      return op;
    case A::commit:
    case A::wait:
      op.kind = access.kind == A::commit ? K::commit : K::wait;
      op.queue = queue_of(access.layout);
      return op;
    case A::mbarrier:
      if (access.asynchronous && access.layout != ptx::Access::Layout::operands) op.kind = K::copies_arrive;
      return op;
    default: break;
  }
  if (opcode == "tcgen05" && m.has("ld")) {
    op.kind = K::tensor_load;
  } else if (opcode == "tcgen05" && (m.has("wait::ld") || m.has("wait::st"))) {
    op.kind = K::tensor_wait;
    op.of_stores = m.has("wait::st");
  } else if (m.has("sync") && (opcode == "shfl" || opcode == "vote" || opcode == "match" || opcode == "redux" ||
                               opcode == "elect" || (opcode == "bar" && m.has("warp")))) {
    op.kind = K::members;
  } else if ((opcode == "bar" || opcode == "barrier") && !m.has("cluster")) {
    op.kind = K::barrier;
    op.aligned = opcode == "bar" || m.has("aligned");
  }
  return op;
}

std::string names_of(const CheckOptions& checks, const char* between) {
  std::string text;
  for (const CheckName& check : kCheckNames) {
    if (checks.*check.wanted) text += (text.empty() ? "" : between) + std::string(check.name);
  }
  return text;
}

const char* check_of(Kind kind) {
  switch (kind) {
    case Kind::invalid_access:
    case Kind::unwritten_shared:
    case Kind::unwritten_global:
    case Kind::wrong_swizzle:
    case Kind::leak:
    case Kind::unfreed_columns: return "memory";
    case Kind::read_after_write:
    case Kind::write_after_read:
    case Kind::write_after_write: return "race";
    default: return "sync";
  }
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::invalid_access: return "invalid-access";
    case Kind::unwritten_shared: return "uninitialised-shared-read";
    case Kind::unwritten_global: return "uninitialised-global-read";
    case Kind::wrong_swizzle: return "wrong-swizzle";
    case Kind::leak: return "leak";
    case Kind::unfreed_columns: return "unfreed-columns";
    case Kind::read_after_write: return "read-after-write";
    case Kind::write_after_read: return "write-after-read";
    case Kind::write_after_write: return "write-after-write";
    case Kind::divergent_barrier: return "divergent-barrier";
    case Kind::barrier_count: return "barrier-count";
    case Kind::missing_member: return "missing-member";
    case Kind::absent_member: return "absent-member";
    case Kind::missing_wait: return "missing-wait";
    default: return "invalid-barrier";
  }
}

// Events from outside.

void Checks::allocated(const Allocation& allocation) {
  if (!options_.memory) return;
  // The host writes to the other kinds as it likes.
  const bool fresh =
      !allocation.mapped && (allocation.kind == MemoryKind::device || allocation.kind == MemoryKind::heap);
  if (fresh) {
    global_.add(allocation.address, allocation.size);
  } else {
    global_.forget(allocation.address, allocation.size);
  }
}

void Checks::freed(const Allocation& allocation) { global_.remove(allocation.address); }

void Checks::written(uint64_t address, uint64_t bytes) {
  if (options_.memory) global_.write(address, bytes);
}

void Checks::faulted(const Fault& fault) {
  Finding finding;
  switch (fault.kind) {
    case Fault::Kind::illegal_address:
    case Fault::Kind::misaligned:
    case Fault::Kind::out_of_shared:
    case Fault::Kind::out_of_local:
    case Fault::Kind::bad_tensor_memory:
    case Fault::Kind::bad_copy: finding.kind = Kind::invalid_access; break;
    case Fault::Kind::deadlock:
    case Fault::Kind::divergent_barrier:
    case Fault::Kind::partial_warp:
    case Fault::Kind::bad_barrier: finding.kind = Kind::invalid_barrier; break;
    default: return;  // the program's own doing: told as a launch that failed
  }
  finding.kernel = fault.kernel;
  finding.source = fault.source;
  finding.count = 1;
  finding.cta = fault.cta;
  finding.thread = fault.thread;
  finding.detail = fault.message.substr(0, fault.message.find('\n'));
  // A deadlock lists who waits for what.
  for (size_t line = fault.message.find("\n  warp "); line != std::string::npos;
       line = fault.message.find("\n  warp ", line + 1))
    finding.detail += "; " + fault.message.substr(line + 3, fault.message.find('\n', line + 1) - line - 3);
  findings_.push_back(std::move(finding));
}

// Findings.

uint64_t Checks::spot(const Warp& w, const Instr* at) const {
  if (at == nullptr) return ~uint64_t{0};
  const InstrInfo& info = w.worker->program->info_of(at);
  return info.line == 0 ? info.ptx_line : (uint64_t{info.file} + 1) << 32 | info.line;
}

Finding& Checks::find(const Warp& w, Kind kind, const Instr* i, const Instr* other, uint64_t count, bool& is_new) {
  const LoadedProgram& program = *w.worker->program;
  const Key key{kind, program.serial, w.worker->launch->function, spot(w, i), spot(w, other)};
  const auto [it, added] = index_.try_emplace(key, findings_.size());
  is_new = added;
  if (!added) {
    findings_[it->second].count += count;
    return findings_[it->second];
  }
  Finding& finding = findings_.emplace_back();
  finding.kind = kind;
  finding.kernel = w.worker->launch->kernel->name;
  finding.count = count;
  finding.cta = w.cta->index;
  finding.source = program.source_of(i);
  finding.op = program.texts[program.info_of(i).text];
  if (other != nullptr) {
    finding.other = program.source_of(other);
    finding.other_op = program.texts[program.info_of(other).text];
  }
  return finding;
}

void Checks::name_shared(Warp& w, Finding& finding, uint64_t place) {
  const uint64_t offset = place % of(w).stride;
  finding.address = offset;
  const KernelInfo& kernel = *w.worker->launch->kernel;
  for (const SharedInfo& variable : kernel.shared) {
    if (offset < variable.offset || offset - variable.offset >= variable.size) continue;
    finding.variable = variable.name;
    finding.address = offset - variable.offset;
  }
}

CtaChecks& Checks::made(Cta& cta, const Worker& worker) {
  // All CTAs of the cluster are there, or were when the first of them asked.
  const auto ctas = static_cast<unsigned>(cta.cluster->ctas.size());
  CtaChecks made;
  made.stride = (uint64_t{cta.shared_bytes} / kClusterUnit + 1) * kClusterUnit;
  if (options_.race) {
    unsigned alive = 0;
    for (const Warp& w : cta.warps) alive += static_cast<unsigned>(std::popcount(w.alive));
    made.races = std::make_shared<hazards::QuickRaces>(cta.threads, worker.warp_size, made.stride * ctas, ctas, alive,
                                                       has(*worker.program).asynchronous);
  }
  if (options_.memory) made.swizzles = std::make_shared<CtaChecks::Swizzles>();
  if (options_.memory || options_.race) {
    made.written = std::make_shared<hazards::WrittenBytes>(made.stride * ctas);
    // The bytes after the memory of each CTA are never read.
    for (unsigned k = 0; k < ctas; ++k)
      made.written->write(k * made.stride + cta.shared_bytes, made.stride - cta.shared_bytes);
  }
  if (options_.sync) made.warps.resize(cta.warps.size());
  for (Cta* one : cta.cluster->ctas) {
    if (one == nullptr) continue;
    one->checks = std::make_shared<CtaChecks>(made);
    one->checks->first_warp = one->rank * static_cast<unsigned>(cta.warps.size());
  }
  return *cta.checks;
}

int64_t Checks::place_of(Warp& w, uint64_t offset, uint64_t bytes) {
  const Cta* const cta = cta_at(*w.cta, offset);
  const uint64_t byte = byte_in_cta(offset);
  if (cta == nullptr || byte + bytes > cta->shared_bytes) return -1;
  return static_cast<int64_t>(cta->rank * of(w).stride + byte);
}

std::byte* Checks::memory_at(Warp& w, uint64_t place) {
  const uint64_t stride = of(w).stride, offset = place - w.cta->rank * stride;
  if (offset < stride) return w.cta->shared + offset;
  return w.cta->cluster->ctas[place / stride]->shared + place % stride;
}

Dim3 Checks::cta_of_rank(const Warp& w, unsigned rank) const {
  const Launch& launch = *w.worker->launch;
  const Dim3 grid = launch.config->grid;
  const uint64_t linear = cta_in_cluster(launch, in_cluster(launch, w.cta->index).linear, rank);
  return {static_cast<uint32_t>(linear % grid.x), static_cast<uint32_t>(linear / grid.x % grid.y),
          static_cast<uint32_t>(linear / grid.x / grid.y)};
}

// Handlers.

constexpr uint64_t kWholeWarp = 0xffffffff;

const Instr* Checks::run(Warp& w, const Instr* i, const CheckedOp& op) {
  using K = CheckedOp::Kind;
  // Lanes that wait for the rest of their warp come back.
  if ((i->flags & InstrFlag::kAligned) != 0 && w.active != kWholeWarp) return op.run(w, i);
  switch (op.kind) {
    case K::load:
    case K::store:
    case K::atomic: return run_access(w, i, op);
    case K::fence:
      if (options_.race) of(w).races->fence(warp_of(w), executing_lanes(w, i));
      break;
    case K::proxy_fence:
      if (options_.race) of(w).races->exact().fence_proxy(warp_of(w), executing_lanes(w, i));
      break;
    case K::commit:
      if (options_.race) of(w).races->exact().commit_group(warp_of(w), executing_lanes(w, i), op.queue);
      break;
    case K::wait:
      if (options_.race) of(w).races->exact().wait_groups(warp_of(w), executing_lanes(w, i), i->imm, op.queue);
      break;
    case K::copies_arrive: copies_arrive(w, i); break;
    case K::members: check_members(w, i, op); break;
    case K::products:
    case K::tensor_load:
      if (op.early != 0 && options_.sync) tell_early(w, i, op);
      break;
    case K::tensor_wait:
      if (options_.sync)
        std::erase_if(of(w).moved, [&](const CtaChecks::Moved& one) {
          return one.warp == w.index && one.range.written == op.of_stores;
        });
      break;
    default: break;
  }
  return op.run(w, i);
}

void have_met(Warp& w, uint64_t lanes) { w.worker->checks->meets(w, lanes); }

const Instr* run_checked(Warp& w, const Instr* i) {
  const LoadedProgram& program = *w.worker->program;
  const CheckedOp& op = (*program.checked)[static_cast<size_t>(i - program.code.data())];
  // A module is decoded with the wrapper for an engine that has checks.
  return w.worker->checks == nullptr ? op.run(w, i) : w.worker->checks->run(w, i, op);
}

}  // namespace bankshot::simt
