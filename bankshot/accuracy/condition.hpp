// Reading what a row says of its measurement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bankshot::accuracy {

/// The number behind the first place where `prefix` stands and a digit follows: number_after("buffer 1.5 kB", "buffer
/// ") is 1.5. Nothing if there is none.
std::optional<double> number_after(std::string_view text, std::string_view prefix);

/// Whether the text is `prefix` and a whole number, and nothing else: "w16", "w".
std::optional<uint32_t> whole_number(std::string_view text, std::string_view prefix);

/// What stands between two marks, or nothing.
std::optional<std::string> between(std::string_view text, std::string_view begin, std::string_view end);

}  // namespace bankshot::accuracy
