// Texts for people, made of what others wrote.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bankshot/support/json_error.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot {
namespace {

TEST(Printable, control_characters_become_question_marks) {
  EXPECT_EQ(printable("a\033[31mb\tc\nd\x7f"), "a?[31mb c?d?");
  EXPECT_EQ(printable("a\nb", true), "a\nb");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m \xc3\xa4 \xc2\xa0"),
            "?31m \xc3\xa4 \xc2\xa0");  // U+009B starts a sequence too; ä and a hard blank do not
  EXPECT_EQ(printable("\xc2"), "\xc2");
}

TEST(JsonError, names_the_place_and_the_reason) {
  const auto error_of = [](const char* text) {
    try {
      (void)nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& error) {
      return json_error(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(error_of("{\n  nope}"),
            "not JSON: line 2, column 4: invalid literal; last read: '{<U+000A>  no'; expected string literal");
  EXPECT_EQ(json_error("[json.exception.type_error.302] type must be number, but is string"),
            "unexpected JSON: type must be number, but is string");
}

}  // namespace
}  // namespace bankshot
