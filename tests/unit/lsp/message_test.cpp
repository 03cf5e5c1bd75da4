#include "bankshot/lsp/message.hpp"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace bankshot::lsp {
namespace {

/// Contents and errors, in their order.
std::vector<std::string> all_messages(const std::string& stream) {
  std::istringstream in(stream);
  std::vector<std::string> all;
  while (const auto message = read_message(in))
    all.push_back(*message ? **message : "error: " + message->error().message);
  return all;
}

using Texts = std::vector<std::string>;

TEST(LspMessage, content_has_the_length_of_its_header) {
  EXPECT_EQ(all_messages("Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]"), (Texts{"{}", "[1]"}));
}

TEST(LspMessage, other_headers_and_case_do_not_matter) {
  EXPECT_EQ(all_messages("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-LENGTH:2\r\n\r\n{}"),
            (Texts{"{}"}));
}

TEST(LspMessage, length_counts_bytes) {
  EXPECT_EQ(all_messages("Content-Length: 4\r\n\r\n\"\xc3\xa9\""), (Texts{"\"\xc3\xa9\""}));
}

TEST(LspMessage, rejects_a_header_without_a_length_and_goes_on) {
  for (const char* header : {"X: 1", "Content-Length: -2", "Content-Length: 2x",
                             "Content-Length:", "Content-Length: 99999999999999999999"}) {
    EXPECT_EQ(all_messages(header + std::string("\r\n\r\nContent-Length: 2\r\n\r\n{}")),
              (Texts{"error: the header of a message has no Content-Length: N", "{}"}))
        << header;
  }
}

TEST(LspMessage, rejects_a_message_that_is_too_large_and_goes_on) {
  const std::string large(kLargestMessage + 1, ' ');
  EXPECT_EQ(all_messages("Content-Length: 67108865\r\n\r\n" + large + "Content-Length: 2\r\n\r\n{}"),
            (Texts{"error: a message of 67108865 bytes is too large; at most 67108864 are allowed", "{}"}));
}

TEST(LspMessage, input_that_ends_in_a_message_is_the_end) {
  EXPECT_EQ(all_messages("Content-Length: 9\r\n\r\n{}"), Texts());
  EXPECT_EQ(all_messages("Content-Len"), Texts());
  EXPECT_EQ(all_messages(""), Texts());
}

TEST(LspMessage, what_is_written_is_read_again) {
  std::ostringstream out;
  write_message(out, {{"a", "é"}});
  EXPECT_EQ(out.str(), "Content-Length: 10\r\n\r\n{\"a\":\"é\"}");
  EXPECT_EQ(all_messages(out.str()), (Texts{"{\"a\":\"é\"}"}));
}

}  // namespace
}  // namespace bankshot::lsp
