#include "bankshot/host/overwrite.hpp"

#include <filesystem>

#include "bankshot/host/elf.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/support/mapped_file.hpp"
#include "bankshot/support/source_endings.hpp"

namespace bankshot::host {
namespace {

namespace fs = std::filesystem;

bool is_name(const std::string& file) { return !file.empty() && file != "-"; }

/// To open a pipe would wait for its other end.
bool is_plain(const std::string& file) {
  std::error_code code;
  return fs::is_regular_file(file, code);
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  if (!is_name(a) || !is_name(b)) return false;
  std::error_code code;
  if (fs::equivalent(a, b, code)) return true;  // links as well
  return real_place(a) == real_place(b);        // neither is there yet
}

std::optional<Error> names_a_program(const std::string& option, const std::string& file) {
  if (!is_name(file) || !is_plain(file) || !is_elf(MappedFile(file).bytes())) return std::nullopt;
  return Error{option + " takes the name of a file to write, and " + file + " is a program"};
}

std::optional<Error> overwrites(const std::string& option, const std::string& file, const std::vector<Input>& inputs) {
  std::error_code code;
  if (!is_name(file) || (fs::exists(file, code) && !is_plain(file))) return std::nullopt;
  for (const Input& input : inputs) {
    if (same_file(file, input.path))
      return Error{option + " would overwrite " + input.what + ", " + input.path + "; name another file"};
  }
  // PTX is a source as well, but one that `fix -o` may have written before.
  if (fs::exists(file, code) && is_source(file) && !file.ends_with(".ptx"))
    return Error{option + " takes the name of a file to write, and " + file + " is source code; name another file"};
  return names_a_program(option, file);
}

}  // namespace bankshot::host
