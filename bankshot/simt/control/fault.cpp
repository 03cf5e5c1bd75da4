// Faults of the simulated program: what happened, and where.
#include <cstdio>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/thread_index.hpp"

namespace bankshot::simt {

Source LoadedProgram::source_of(const Instr* instr) const {
  const InstrInfo& i = info_of(instr);
  Source source;
  source.ptx_line = i.ptx_line;
  if (i.line != 0 && !sources.file(i.file).empty()) {
    source.file = sources.file(i.file);
    source.line = i.line;
    source.frames = sources.frames(i.chain);
  }
  return source;
}

std::string LoadedProgram::place_of(const Instr* instr) const {
  const Source source = source_of(instr);
  if (!source.file.empty()) return source.file + ":" + std::to_string(source.line);
  return "PTX line " + std::to_string(source.ptx_line);
}

const Instr* fault(Warp& w, const Instr* i, Fault::Kind kind, int lane, uint64_t address, std::string what) {
  if (w.cta->faulted) return nullptr;
  w.cta->faulted = true;
  const LoadedProgram& program = *w.worker->program;
  Fault& fault = w.worker->fault;
  fault.kind = kind;
  fault.kernel = w.worker->launch->kernel->name;
  fault.source = program.source_of(i);
  fault.cta = w.cta->index;
  fault.address = address;
  fault.thread = thread_of(w, static_cast<unsigned>(lane < 0 ? 0 : lane));
  const auto triple = [](const Dim3& d) {
    return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
  };
  std::string where;
  if (!fault.source.file.empty()) where = fault.source.file + ":" + std::to_string(fault.source.line) + ", ";
  where += "PTX line " + std::to_string(fault.source.ptx_line) + ", " + program.texts[program.info_of(i).text];
  fault.message = what + "\n  in kernel " + fault.kernel + ", " + where + "\n  CTA " + triple(fault.cta) + ", thread " +
                  triple(fault.thread) +
                  (lane < 0 ? "" : ", warp " + std::to_string(w.index) + " lane " + std::to_string(lane));
  return nullptr;
}

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

const Instr* refuse_in_transaction(Warp& w, const Instr* i, const char* what) {
  return fault(w, i, Fault::Kind::bad_transaction, std::countr_zero(w.active), 0,
               std::string(what) + " in a transaction, which began at " + w.worker->program->place_of(w.tx.begin) +
                   ": lanes that met a conflict do not get there, so tx_commit() must come before it");
}

}  // namespace bankshot::simt
