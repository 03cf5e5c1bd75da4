// Which source files are headers of libraries: their lines are not the user's to mend.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bankshot::ptx {

/// Folders whose files count as headers of a library, or such files, separated by ':'. `--header-roots` sets it for a
/// command and the program that the command runs.
inline constexpr const char* kHeaderRootsVariable = "BANKSHOT_HEADER_ROOTS";

/// Whether a file belongs to the system, to a CUDA toolkit, to a well-known CUDA library (CUTLASS, CuTe, CUB, Thrust,
/// libcu++, <bankshot/…>), or lies below one of `roots`. The path alone decides; no file is looked at.
bool is_library_header(std::string_view file, const std::vector<std::string>& roots);

/// Sets kHeaderRootsVariable for this process and those that it starts. Called before any PTX is read.
void set_header_roots(const std::vector<std::string>& roots);

/// The folders of kHeaderRootsVariable, read at first use.
const std::vector<std::string>& header_roots();

/// The folders of a list that ':' separates, without a slash at their ends; empty ones are left out.
std::vector<std::string> folders_of(std::string_view list);

}  // namespace bankshot::ptx
