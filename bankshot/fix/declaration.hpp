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
  std::string type;                     ///< "float", as it is written
  uint32_t element_bytes = 0;           ///< sizeof(type)
  std::vector<std::string> dimensions;  ///< as they are written: "32", "TILE + 1"; "" in dynamic shared memory
  std::vector<uint64_t> sizes;          ///< their values, 0 for the first of dynamic ones; empty if not known

  bool operator==(const Declaration&) const = default;
};

/// Bytes of a type that C++ or CUDA defines, 0 for others.
uint32_t bytes_of_builtin(std::string_view type);

/// Finds the declaration of an array. Sizes are computed from numbers, and from names that the text defines once
/// (#define, const); one more name, of a template's parameter for instance, follows from the array's size.
/// @param function  mangled; the declaration is one in this function if there is any
/// @param bytes  of the array; 0: dynamic
/// @return nothing if there is none, if several may be meant, or if the size of its elements is not known for sure
std::optional<Declaration> find_declaration(std::string_view source, const std::string& name,
                                            const std::string& function, uint64_t bytes);

}  // namespace bankshot::fix
