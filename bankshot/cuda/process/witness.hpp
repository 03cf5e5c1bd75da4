// Watches what a process does to memory, for `bankshot fix`, which compares a program with its rewritten self.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "bankshot/cuda/process/witness_record.hpp"
#include "bankshot/simt/memory/memory.hpp"
#include "bankshot/simt/run/engine.hpp"
#include "bankshot/support/digest.hpp"

namespace bankshot::cuda {

/// Keeps a WitnessRecord and hands it in as witness-<pid>.json when the process comes to its end. The session's mutex
/// must be held.
class Witness {
 public:
  /// Null unless the request asks for it.
  static Witness* get();

  void launched(const std::string& kernel, simt::Dim3 grid, simt::Dim3 block, uint64_t dynamic_shared);
  /// The launch is over. Registered memory is recorded now, because it is the program's own and may be gone at the end.
  void ran(const simt::Memory& memory);
  void copied_row(const void* bytes, uint64_t count);
  void freed(const simt::Allocation& allocation);
  /// Everything that lives is about to go, or the process ends. May come several times. @param memory  null: none was
  /// used
  void finish(const simt::Memory* memory);

 private:
  void add(const std::string& event);

  pid_t pid_ = 0;
  std::string path_;
  Digest all_;  ///< of all events
  WitnessRecord record_;
};

}  // namespace bankshot::cuda
