// How many ways to write each row of the table are accepted, against forms.txt: that a form is refused from now on, or
// accepted, does not go unnoticed. BANKSHOT_REBASE=1 in the environment writes the file anew.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "elsewhere.hpp"
#include "run_form.hpp"
#include "tests/paths.hpp"
#include "tests/unit/simt/rows_harness.hpp"

namespace bankshot::simt::conformance {
namespace {

const std::string kFile = paths::source() + "/tests/ptx/forms.txt";

/// Which of the statements a host refuses, by their numbers.
std::set<size_t> refused_by(const Host& host, const std::vector<std::string>& statements) {
  constexpr size_t kTogether = 500;  // there is a limit to the errors that are told
  std::set<size_t> refused;
  for (size_t first = 0; first < statements.size(); first += kTogether) {
    std::string text = ".version 9.0 .target sm_100 .address_size 64 .visible .entry k() {\n";  // one line
    for (size_t k = first; k < std::min(first + kTogether, statements.size()); ++k) text += statements[k] + "\n";
    const auto program = host.engine->load(text + "}\n", "forms.ptx");
    if (program) continue;
    for (const Diagnostic& diagnostic : program.error()) refused.insert(first + diagnostic.position.line - 2);
  }
  return refused;
}

/// "5 of 8": ways to write a row whose operands are registers. All hosts must agree.
std::string accepted_ways(const std::vector<Host>& hosts, const Row& row) {
  std::vector<std::string> statements;
  for (const Spelling& spelling : spellings_of(row)) statements.push_back(statement_of(spelling));
  const std::set<size_t> refused = refused_by(hosts[0], statements);
  for (size_t h = 1; h < hosts.size(); ++h) {
    const std::set<size_t> here = refused_by(hosts[h], statements);
    for (size_t k = 0; k < statements.size(); ++k) {
      EXPECT_EQ(here.count(k), refused.count(k))
          << statements[k] << " is refused by only one of " << hosts[0].isa << " and " << hosts[h].isa;
    }
  }
  return std::to_string(statements.size() - refused.size());
}

/// Of other rows operands are not known here: the modifiers that have a handler count, on all hosts the same.
std::string selected_ways(const std::vector<Host>& hosts, size_t row) {
  std::vector<size_t> selected;
  for (const Host& host : hosts) {
    const Row& here = (*rows_of(host.isa))[row];
    const Form form = parse_form(here);
    size_t& count = selected.emplace_back(0);
    for (const std::vector<std::string>& modifiers : testing::spellings(form)) {
      Match m;
      count += match(form, modifiers, m) && here.select(m) != nullptr ? 1 : 0;
    }
    EXPECT_EQ(count, selected[0]) << here.syntax << ": " << host.isa << " and " << hosts[0].isa
                                  << " have not the same forms";
  }
  return std::to_string(selected[0]);
}

size_t ways(const Form& form) {
  size_t count = 1;
  for (const Form::Modifier& modifier : form.modifiers) count *= modifier.choices.size() + (modifier.optional ? 1 : 0);
  return count;
}

std::string lines_of_table() {
  constexpr size_t kMost = 20000;  // loads and stores have millions: of these all are counted
  const std::vector<Host> all = hosts();
  const Rows& rows = *rows_of("portable");
  std::string text;
  for (size_t k = 0; k < rows.size(); ++k) {
    const size_t count = ways(parse_form(rows[k]));
    const std::string accepted = !is_elsewhere(rows[k]) ? accepted_ways(all, rows[k])
                                 : count <= kMost       ? selected_ways(all, k)
                                                        : "?";
    text += fmt::format("{:>6} of {:>8}  {}\n", accepted, count, rows[k].syntax);
  }
  return text;
}

TEST(Forms, are_accepted_as_before) {
  const std::string now = lines_of_table();
  if (std::getenv("BANKSHOT_REBASE") != nullptr) {
    std::ofstream(kFile) << now;
    return;
  }
  std::ifstream file(kFile);
  std::stringstream before;
  before << file.rdbuf();
  std::istringstream old_lines(before.str()), new_lines(now);
  std::multiset<std::string> gone, come;
  for (std::string line; std::getline(old_lines, line);) gone.insert(line);
  for (std::string line; std::getline(new_lines, line);) {
    if (const auto same = gone.find(line); same != gone.end())
      gone.erase(same);
    else
      come.insert(line);
  }
  std::string changes;
  for (const std::string& line : gone) changes += "- " + line + "\n";
  for (const std::string& line : come) changes += "+ " + line + "\n";
  EXPECT_EQ(changes, "") << "forms have come or gone. If that is meant: BANKSHOT_REBASE=1 bankshot_tests "
                            "--gtest_filter=Forms.are_accepted_as_before";
}

}  // namespace
}  // namespace bankshot::simt::conformance
