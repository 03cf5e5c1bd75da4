// bankshot.toml: what a project says of its GPU, its gates and the conflicts that it accepts. docs/gates.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/compare/counters.hpp"
#include "bankshot/compare/gate.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::project {

inline constexpr std::string_view kFileName = "bankshot.toml";
/// In the name of a baseline: stands for the name of the program.
inline constexpr std::string_view kProgramInNames = "{program}";

/// What one command must fulfil.
struct Gates {
  std::vector<compare::Gate> fail_on;
  std::string baseline;  ///< as the file has it: relative to the folder; {program} is the name of the program
  compare::Allowances allow;
  bool ratchet = false;  ///< better than the baseline fails, too
};

/// Accepts what has all that it names.
struct Suppression {
  Position position;
  std::string kind;     ///< "bank-conflict", a check or a kind of finding
  std::string program;  ///< name of the program without folders; empty: any, as below
  std::string kernel;   ///< part of the name in the source
  std::string file;     ///< end of the path, of whole components; "folder/": a folder in it
  std::string text;     ///< part of the source line
  std::string reason;
};

/// What happens if a suppression suppresses nothing.
enum class Unused : uint8_t { ignore, warn, error };

struct Project {
  std::string file;                          ///< absolute
  std::string folder;                        ///< of the file, without symbolic links
  std::string gpu;                           ///< a name, or an absolute path below the folder; empty: not said
  std::vector<std::string> header_roots;     ///< absolute; see ptx/library_headers.hpp
  std::vector<std::string> source_roots;     ///< absolute: the folders whose sources may be read; empty: not said
  std::vector<std::string> reports;          ///< absolute: those that editors show; they need not exist
  std::vector<std::string> missing_folders;  ///< roots that do not exist, a sentence each, with the place in the file
  Gates explain, simulate, check;
  Unused unused_suppressions = Unused::warn;
  std::vector<Suppression> suppressions;
};

/// The file in `folder`; in a repository the nearest one at or above it, up to the top of the repository. Empty if
/// there is none. A file that belongs to neither this user nor the owner of `folder` does not count.
std::string find_project(const std::string& folder);

/// The folder that names of sources in a baseline are relative to: the nearest one at or above the file's that has
/// bankshot.toml or .git; else the file's own. Without symbolic links.
std::string folder_of(const std::string& file);

/// Reads a file. Everything that is wrong with it is told, with line and column.
/// @param file  its path, which need not exist
Result<Project> parse_project(std::string_view toml, const std::string& file);
Result<Project> load_project(const std::string& file);

/// The absolute path of a file below the project's folder. An error if it is elsewhere, also by a symbolic link: a
/// project that somebody else wrote must not name files of the user.
Result<std::string> path_in(const Project& project, const std::string& relative);
/// The same of a folder, which may be the project's: ".".
Result<std::string> folder_in(const Project& project, const std::string& relative);

}  // namespace bankshot::project
