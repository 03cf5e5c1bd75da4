// Messages in a stream: "Content-Length: N", a blank line, and N bytes of JSON (LSP 3.17, Base Protocol).
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "bankshot/support/result.hpp"

namespace bankshot::lsp {

inline constexpr size_t kLargestMessage = size_t{64} << 20;  ///< bytes of JSON

/// The content of the next message; nothing at the end of the input, also in the middle of a message. Of a message that
/// is too large or whose header has no length, the error says so, and the next call goes on after it.
std::optional<Result<std::string>> read_message(std::istream& in);

void write_message(std::ostream& out, const nlohmann::json& message);

}  // namespace bankshot::lsp
