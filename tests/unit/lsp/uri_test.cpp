#include "bankshot/lsp/uri.hpp"

#include <gtest/gtest.h>

namespace bankshot::lsp {
namespace {

TEST(LspUri, paths_and_uris_correspond) {
  EXPECT_EQ(uri_of("/a b/é%.cu"), "file:///a%20b/%C3%A9%25.cu");
  EXPECT_EQ(path_of("file:///a%20b/%c3%A9%25.cu"), "/a b/é%.cu");
  EXPECT_EQ(path_of("file://localhost/x.cu"), "/x.cu");
  EXPECT_EQ(path_of("FILE://LocalHost/X.cu"), "/X.cu") << "case does not matter in schemes and hosts";
}

TEST(LspUri, rejects_what_is_no_file_here) {
  for (const char* uri : {"untitled:1", "file://host/x.cu", "https://a/x.cu", "file:x.cu", "file:///%zz", "file:///%4",
                          "file:///a%00.cu", ""})
    EXPECT_EQ(path_of(uri), std::nullopt) << uri;
}

}  // namespace
}  // namespace bankshot::lsp
