// Files that a command must not write over: those that it reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::host {

/// A file that a command reads, and what messages call it: "the file of --gpu".
struct Input {
  std::string what, path;
};

/// Whether two names are one file, or would be if it were written. "" and "-" are not files.
bool same_file(const std::string& a, const std::string& b);

/// Refuses a program as the file of an option that writes one: the user forgot the name of the file.
std::optional<Error> names_a_program(const std::string& option, const std::string& file);

/// Refuses to overwrite a program, source code or an input; nothing for "", "-" and anything that is not a plain file,
/// such as /dev/null.
/// @param option  which names `file`
std::optional<Error> overwrites(const std::string& option, const std::string& file, const std::vector<Input>& inputs);

}  // namespace bankshot::host
