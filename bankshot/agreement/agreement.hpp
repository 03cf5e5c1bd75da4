// The model of ptxas against machine code: which accesses of shared memory both have, by kernel and source line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bankshot/ptx/module.hpp"
#include "bankshot/sass/cubin.hpp"

namespace bankshot::agreement {

/// Accesses of one kind and width at one line. Machine code may have more of them where it unrolled a loop.
struct Accesses {
  std::string place;   ///< "kernel.cu:12", "PTX line 40"
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
std::vector<Kernel> compare(ptx::Module& module, const sass::Cubin& cubin);

}  // namespace bankshot::agreement
