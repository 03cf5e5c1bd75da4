// What users are told of a command line that cannot be parsed.
#include "bankshot/cli/base/usage_error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace bankshot::cli {
namespace {

/// The message about these words, the first of which is a command; empty if they are fine.
std::string told(const std::vector<std::string>& words) {
  CLI::App app("", "bankshot");
  std::string file, gpu;
  CLI::App* const look = app.add_subcommand("look");
  look->footer("Examples:\n  bankshot look p.json            what it has\n  bankshot look --gpu t4 p.json   on a T4\n");
  look->add_option("FILE", file, "the file to look at")->required();
  look->add_option("--gpu", gpu, "the GPU")->type_name("NAME");
  CLI::App* const parts = app.add_subcommand("parts");
  parts->require_subcommand(1);
  parts->add_subcommand("one");
  parts->add_subcommand("two")->add_option("--size", file, "how large")->required();
  parts->footer("Examples:\n  bankshot parts one\n  bankshot parts two --size 1\n");
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // the order CLI11 wants
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  return {};
}

TEST(UsageErrors, name_what_is_missing_and_show_an_example) {
  EXPECT_EQ(told({"look", "p.json"}), "");
  EXPECT_EQ(told({"look"}),
            "argument 'FILE' is missing (the file to look at); for example: bankshot look p.json (bankshot look --help "
            "explains)");
  EXPECT_EQ(
      told({"look", "p.json", "--gpu"}),
      "--gpu needs a value (the GPU); for example: bankshot look --gpu t4 p.json (bankshot look --help explains)");
  EXPECT_EQ(
      told({"parts", "two"}),
      "--size is missing (how large); for example: bankshot parts two --size 1 (bankshot parts two --help explains)");
}

TEST(UsageErrors, suggest_the_option_that_was_meant) {
  EXPECT_EQ(told({"look", "--gup", "t4", "p.json", "more"}),
            "there is no option --gup; did you mean '--gpu'? (bankshot look --help explains)");
  EXPECT_EQ(told({"look", "p.json", "--gup=t4"}),
            "there is no option --gup; did you mean '--gpu'? (bankshot look --help explains)");
  EXPECT_EQ(told({"look", "p.json", "--verbose"}), "there is no option --verbose (bankshot look --help explains)");
}

TEST(UsageErrors, name_the_first_word_too_many) {
  EXPECT_EQ(told({"look", "p.json", "q.json", "r.json"}),
            "unexpected argument 'q.json' (bankshot look --help explains)");
}

TEST(UsageErrors, list_the_parts_of_a_command) {
  EXPECT_EQ(told({"parts"}), "which? one or two (bankshot parts --help explains)");
}

}  // namespace
}  // namespace bankshot::cli
