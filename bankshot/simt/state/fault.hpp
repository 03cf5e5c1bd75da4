// Where something happened in a kernel, and what stopped it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/ptx/source_frame.hpp"

namespace bankshot::simt {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

/// A place in the program text.
struct Source {
  std::string file;                           ///< of .file/.loc, empty if the PTX has no line information
  uint32_t line = 0;                          ///< in that file
  uint32_t ptx_line = 0;                      ///< in the PTX text
  std::vector<ptx::SourceFrame> frames = {};  ///< of inlined code, innermost first; empty if nothing was inlined
};

/// What stopped a kernel.
struct Fault {
  enum class Kind {
    illegal_address,    ///< outside every allocation, or of a freed one
    misaligned,         ///< not a multiple of the access size
    out_of_shared,      ///< outside the CTA's shared memory
    out_of_local,       ///< outside the thread's local memory or stack
    deadlock,           ///< all live warps blocked
    divergent_barrier,  ///< lanes of one CTA wait at barriers that can never complete
    trap,               ///< trap instruction
    assertion,          ///< __assertfail
    bad_call,           ///< indirect call to something that is not a function
    bad_barrier,        ///< an mbarrier that was not set up, or more arrivals than it expects
    bad_copy,           ///< an asynchronous copy of a size or to an address that it cannot have
    bad_transaction,    ///< a barrier or the like in a transaction, or a commit without one
    foreign_words,      ///< words of shared memory that an instruction's own bank hash is not for
    bad_tensor_memory,  ///< an address, a range or an operand of tensor memory that hardware does not take
    partial_warp,       ///< an instruction that all lanes of a warp execute alike, and some did not
  };
  Kind kind = Kind::illegal_address;
  std::string message;  ///< whole sentence(s) with kernel, source line, CTA, thread and address
  std::string kernel;
  Source source;
  Dim3 cta, thread;
  uint64_t address = 0;
};

}  // namespace bankshot::simt
