// How a shared array is declared in the source.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bankshot::fix {

/// `__shared__ float tile[32][33];`
struct Declaration {
  uint32_t line = 0;                    ///< 1: the first of the text
  std::string type;                     ///< "float"
  uint32_t element_bytes = 0;           ///< sizeof(type)
  std::vector<std::string> dimensions;  ///< as they are written: "32", "TILE + 1"; "" in dynamic shared memory
  std::vector<uint64_t> sizes;          ///< their values; empty if they are not known
};

/// Finds the declaration of an array: the last one of this name that stands in line `before` or above. Sizes are
/// computed from numbers, and from names that the text defines once (#define, const); one more name, of a template's
/// parameter for instance, follows from the array's size.
/// @param bytes  of the array; 0: dynamic
/// @return nothing if there is none, or if the size of its elements is not known for sure
std::optional<Declaration> find_declaration(std::string_view source, const std::string& name, uint32_t before,
                                            uint64_t bytes);

}  // namespace bankshot::fix
