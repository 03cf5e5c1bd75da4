// Which file of the process an address belongs to, for messages.
#pragma once

#include <string>

namespace bankshot::cuda {

struct Origin {
  std::string file;         ///< "libsolver.so"; the program's own name for addresses of no file
  bool is_program = false;  ///< the program itself and no library
};

Origin origin_of(const void* address);

}  // namespace bankshot::cuda
