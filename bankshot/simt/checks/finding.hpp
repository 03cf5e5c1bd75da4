// What Checks found wrong with a program.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "bankshot/simt/state/fault.hpp"

namespace bankshot::simt {

struct CheckOptions {
  bool memory = false;      ///< reads of uninitialised memory
  bool race = false;        ///< accesses to shared memory without an order
  bool sync = false;        ///< barriers that some required threads do not reach
  bool same_value = false;  ///< of races: also those with stores of the value that is already there
  bool any() const { return memory || race || sync; }
};

/// The checks by name, in the order of reports.
struct CheckName {
  const char* name;
  bool CheckOptions::* wanted;
};
constexpr CheckName kCheckNames[] = {{"memory", &CheckOptions::memory},
                                     {"race", &CheckOptions::race},
                                     {"sync", &CheckOptions::sync},
                                     {"same-value", &CheckOptions::same_value}};
/// "memory, race": those that are wanted.
std::string names_of(const CheckOptions& checks, const char* between);

struct Finding {
  enum class Kind : uint8_t {
    invalid_access,     ///< memory: outside of all allocations, misaligned, freed: a fault that ended the launch
    unwritten_shared,   ///< memory: read of uninitialised shared memory
    unwritten_global,   ///< memory: the same of an allocation
    wrong_swizzle,      ///< memory: a descriptor reads with another swizzle than a tensor copy wrote with
    leak,               ///< memory: an allocation that was not freed
    unfreed_columns,    ///< memory: columns of tensor memory that are allocated when the CTA ends
    read_after_write,   ///< race: what a read gets depends on who is faster
    write_after_read,   ///< race
    write_after_write,  ///< race: what stays depends on who is faster
    divergent_barrier,  ///< sync: an aligned barrier that not all threads execute together
    barrier_count,      ///< sync: a number of threads that is not a multiple of the warp size
    missing_member,     ///< sync: a thread executes with a membermask that does not name it
    absent_member,      ///< sync: a thread that a membermask names is elsewhere and never comes
    missing_wait,       ///< sync: registers or tensor memory are used before an asynchronous instruction is waited for
    invalid_barrier,    ///< sync: a deadlock, or a barrier misused: a fault that ended the launch
  };
  Kind kind = Kind::invalid_access;
  bool is_warning = false;  ///< works as things are on some hardware, but nothing promises it
  std::string kernel;       ///< as in the PTX; empty for leaks
  Source source,
      other;  ///< of a race: the later and the earlier access; of a barrier where the others are, if they are
  std::string op, other_op;  ///< "ld.shared.f32"; empty if there is none
  uint64_t count = 0;        ///< threads that did it, each as often as it did; of leaks: allocations
  // The first of them.
  Dim3 cta, thread, other_thread;  ///< of a race: the later and the earlier
  uint64_t address = 0;            ///< in shared memory: byte offset; else where it is in the variable or allocation
  uint64_t bytes = 0;
  std::string variable;  ///< what is there, as in the PTX, or empty
  std::string detail;    ///< a sentence more, or empty
  /// Of a leak: the calls that led to the allocation, innermost first, without those of Bankshot.
  struct Caller {
    std::string file;     ///< program or library
    uint64_t offset = 0;  ///< in it
    bool operator<(const Caller& other) const { return std::tie(file, offset) < std::tie(other.file, other.offset); }
  };
  std::vector<Caller> callers;
};

constexpr unsigned kFindingKinds = 15;

/// "memory", "race" or "sync".
const char* check_of(Finding::Kind kind);
/// "read-after-write", for JSON.
const char* name_of(Finding::Kind kind);

}  // namespace bankshot::simt
