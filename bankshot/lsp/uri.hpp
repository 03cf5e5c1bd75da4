// Names of files as the protocol has them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bankshot::lsp {

/// "file:///a%20b.cu" of "/a b.cu".
std::string uri_of(const std::string& path);

/// The absolute path of a file's URI; nothing of others ("untitled:1"), of files of other hosts, and of escapes that
/// are not hexadecimal or stand for a zero byte.
std::optional<std::string> path_of(std::string_view uri);

}  // namespace bankshot::lsp
