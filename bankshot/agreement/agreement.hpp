// The model of ptxas against machine code: which accesses of shared memory both have, by kernel and source line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/agreement/difference.hpp"
#include "bankshot/optimise/optimise.hpp"
#include "bankshot/ptx/kernel_code.hpp"
#include "bankshot/ptx/module.hpp"
#include "bankshot/sass/cubin.hpp"

namespace bankshot::agreement {

/// Accesses of one kind and width at one line. Machine code may have more of them where it unrolled a loop.
struct Accesses {
  std::string place;   ///< "kernel.cu:12", "PTX line 40"
  ptx::Place source;   ///< the same; without a line of the PTX if the machine code has none
  std::string kind;    ///< as sass::name_of() has it: "shared load"
  unsigned bytes = 0;  ///< a lane
  size_t model = 0;    ///< instructions that the model expects
  size_t machine = 0;  ///< instructions of machine code

  bool agree() const { return (model == 0) == (machine == 0); }
};

struct Kernel {
  std::string name;
  unsigned registers = 0;          ///< a thread, by the machine code
  std::vector<Accesses> accesses;  ///< by place, kind and width
  /// Accesses of shared memory in the text that are not compared, as machine code may have several for one: loads and
  /// stores of wmma, atomics, operations on barrier objects.
  size_t not_compared = 0;

  /// Accesses that the model expects, and of these the ones of which machine code has one of that place, kind and
  /// width.
  size_t model() const { return sum(&Accesses::model, &Accesses::model); }
  size_t model_found() const { return sum(&Accesses::model, &Accesses::machine); }
  /// Accesses of machine code, and of these the ones that the model expects.
  size_t machine() const { return sum(&Accesses::machine, &Accesses::machine); }
  size_t machine_found() const { return sum(&Accesses::machine, &Accesses::model); }
  bool agrees() const { return model() == model_found() && machine() == machine_found(); }

 private:
  size_t sum(size_t Accesses::* counted, size_t Accesses::* needed) const;
};

/// Kernels that the module and the cubin have.
/// @param module  free of mistakes; its accesses are joined as for the cubin's architecture
/// @param cubin   what ptxas made of the same text, with -lineinfo: instructions are matched by their line in it
/// @param seen    what machine code is taken at its word for; null: the model alone
std::vector<Kernel> compare(ptx::Module& module, const sass::Cubin& cubin,
                            const optimise::SeenAccesses* seen = nullptr);

/// The accesses of machine code by their lines in the PTX; nothing if it has no such lines (compiled without
/// -lineinfo).
std::optional<optimise::SeenAccesses> seen_in(const sass::Cubin& cubin);

/// Whether machine code can have been made of this text: at the lines that its accesses of shared memory come from,
/// the text accesses memory. A program may have machine code of one text and PTX of another (-gencode).
bool is_made_of(const ptx::Module& module, const sass::Cubin& cubin);

struct Checked {
  std::string kernel;
  std::vector<Difference> differences;  ///< by place and kind
  size_t not_compared = 0;              ///< as Kernel has it
};
/// The kernels that the text and the cubin have. @param ptx  free of mistakes @param seen  of seen_in()
std::vector<Checked> check(std::string_view ptx, const sass::Cubin& cubin, const optimise::SeenAccesses& seen);

}  // namespace bankshot::agreement
