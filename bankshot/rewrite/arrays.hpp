// The shared arrays of a kernel: which instructions access them, and which of them a hash may move words in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bankshot/ptx/kernel_code.hpp"
#include "bankshot/rewrite/provenance.hpp"
#include "bankshot/scratchpad/access/access.hpp"

namespace bankshot::rewrite {

/// An instruction that reads or writes an array.
struct Access {
  size_t step = 0;       ///< of KernelCode::steps()
  size_t operand = 0;    ///< the address, of the instruction's operands
  int base = -1;         ///< the register of the address (an entity), or -1: the array's name itself
  bool generic = false;  ///< the register holds a generic address
  int64_t offset = 0;    ///< bytes added to the base
  unsigned width = 4;    ///< bytes a lane
  scratchpad::AccessKind kind = scratchpad::AccessKind::load;
};

/// Why an array is left alone.
struct Refusal {
  std::string reason;
  Place place;  ///< of the instruction; line 0 everywhere if there is none
};

/// A .shared variable, or all dynamic shared memory (of whatever names: they all start at one place).
struct Array {
  std::string name;                  ///< as in the PTX
  bool dynamic = false;              ///< extern, without a size: the launch says how much there is
  uint64_t bytes = 0;                ///< 0 if dynamic
  std::vector<Access> accesses{};    ///< in the order of the text
  unsigned widest = 0;               ///< bytes a lane of the widest access
  std::optional<Refusal> refusal{};  ///< set: some access may touch it that could not be rewritten with it
};

struct KernelArrays {
  KernelCode code;
  std::vector<Array> arrays;  ///< in the order of their first mention
  std::vector<int> array_of;  ///< by entity: the array it is, or -1
  Provenance provenance;

  KernelArrays(const ptx::Module& module, const ptx::Function& kernel);
  KernelArrays(const KernelArrays&) = delete;
  KernelArrays& operator=(const KernelArrays&) = delete;

 private:
  std::vector<int> find_arrays(const ptx::Module& module, const ptx::Function& kernel);
  void find_accesses(const ptx::Module& module);
};

}  // namespace bankshot::rewrite
