#include "bankshot/lsp/hover.hpp"

#include <gtest/gtest.h>

namespace bankshot::lsp {
namespace {

TEST(LspHover, no_text_ends_its_block_of_code) {
  EXPECT_EQ(code_block("a"), "```text\na\n```");
  EXPECT_EQ(code_block("``"), "```text\n``\n```");
  EXPECT_EQ(code_block("```\n# x"), "````text\n```\n# x\n````");
}

}  // namespace
}  // namespace bankshot::lsp
