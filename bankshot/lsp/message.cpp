#include "bankshot/lsp/message.hpp"

#include <charconv>
#include <istream>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bankshot::lsp {
namespace {

constexpr size_t kLongestHeader = 1024;  ///< bytes of a line that are looked at

/// A line without its end; nothing at the end of the input.
std::optional<std::string> header_line(std::istream& in) {
  std::string line;
  for (int c = in.get(); c != '\n'; c = in.get()) {
    if (c == std::istream::traits_type::eof()) return std::nullopt;
    if (line.size() < kLongestHeader) line += static_cast<char>(c);
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

/// N of "Content-Length: N"; names of headers have no case.
std::optional<uint64_t> content_length(std::string_view line) {
  constexpr std::string_view kName = "content-length:";
  if (line.size() < kName.size()) return std::nullopt;
  for (size_t k = 0; k < kName.size(); ++k) {
    const char c = line[k];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c) != kName[k]) return std::nullopt;
  }
  line.remove_prefix(kName.size());
  while (line.starts_with(' ')) line.remove_prefix(1);
  while (line.ends_with(' ')) line.remove_suffix(1);
  uint64_t length = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), length);
  if (error != std::errc{} || end != line.data() + line.size()) return std::nullopt;
  return length;
}

}  // namespace

std::optional<Result<std::string>> read_message(std::istream& in) {
  std::optional<uint64_t> length;
  for (bool any = false;;) {
    const std::optional<std::string> line = header_line(in);
    if (!line) return std::nullopt;
    if (line->empty() && any) break;
    any |= !line->empty();
    if (const auto found = content_length(*line)) length = found;
  }
  if (!length) return Result<std::string>(Error{"the header of a message has no Content-Length: N"});
  if (*length > kLargestMessage) {
    in.ignore(static_cast<std::streamsize>(std::min<uint64_t>(*length, INT64_MAX)));
    return Result<std::string>(
        Error{fmt::format("a message of {} bytes is too large; at most {} are allowed", *length, kLargestMessage)});
  }
  std::string content(*length, '\0');
  in.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (static_cast<uint64_t>(in.gcount()) < *length) return std::nullopt;
  return Result<std::string>(std::move(content));
}

void write_message(std::ostream& out, const nlohmann::json& message) {
  const std::string content = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  out << "Content-Length: " << content.size() << "\r\n\r\n" << content << std::flush;
}

}  // namespace bankshot::lsp
