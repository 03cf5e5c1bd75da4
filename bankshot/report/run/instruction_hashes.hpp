// Bank hashes of single instructions: parameters in loads and stores, in place of one hash for all that a GPU runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/scratchpad/patterns/region.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::report {

/// One hash, and the instructions that have it.
struct HashedInstructions {
  scratchpad::BankHash hash;
  scratchpad::WordRanges words;       ///< of shared memory, that these access and no others do
  std::vector<uint32_t> ptx_lines;    ///< of the kernel's module
  std::vector<std::string> arrays;    ///< in these words
  uint64_t excess = 0, baseline = 0;  ///< on the patterns for which it was chosen: with it, and with word modulo banks
};

struct HashedKernel {
  std::string name, demangled;             ///< as in the PTX, and in the source
  std::string module;                      ///< ModuleId::digest of its PTX
  std::vector<HashedInstructions> hashes;  ///< instructions in none of them keep the machine's banks
  // What it is worth, on the same patterns.
  uint64_t baseline = 0, excess = 0;  ///< with word modulo banks, and with these hashes
  HashedInstructions one;             ///< the best of the class for all instructions together
  std::vector<std::string> kept;      ///< why words that have conflicts keep the machine's banks
};

/// What `bankshot search --per-instruction -o` writes, and `--instruction-hashes` takes.
struct InstructionHashes {
  unsigned banks = 32, bank_bytes = 4;
  std::string hash_class;           ///< that was searched
  unsigned bits_of_parameters = 0;  ///< of an instruction that holds the parameters of any hash of the class
  unsigned bits_of_number = 0;      ///< … that names one of those of the kernel with the most, or none
  std::vector<HashedKernel> kernels;
};

/// Why the hashes are none for these banks, or nothing.
std::optional<Error> unfit(const InstructionHashes& hashes, const scratchpad::Rules& rules);

}  // namespace bankshot::report
