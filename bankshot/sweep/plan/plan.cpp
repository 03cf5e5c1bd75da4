#include "bankshot/sweep/plan/plan.hpp"

#include <algorithm>
#include <filesystem>

#include "bankshot/host/read_text.hpp"
#include "bankshot/sweep/plan/draft.hpp"

namespace bankshot::sweep {

size_t Plan::find(std::string_view column) const {
  return static_cast<size_t>(std::ranges::find(columns, column, &Column::name) - columns.begin());
}

const Program& Plan::program(size_t index) const {
  return *std::ranges::find(programs, text_of(value(index, 0)), &Program::name);
}

Result<Plan> parse_plan(std::string_view toml, const std::string& file) {
  Diagnostics problems;
  const Draft draft = read_draft(toml, problems);
  Plan plan;
  plan.file = file;
  plan.text = toml;
  std::error_code code;
  const std::filesystem::path path = std::filesystem::absolute(file, code).lexically_normal();
  plan.folder = path.parent_path().string();
  plan.name = draft.name.empty() ? path.stem().string() : draft.name;
  if (plan.name.starts_with("bankshot_") || plan.name.starts_with("sqlite_"))
    problems.push_back({{1, 1},
                        "the name of a sweep cannot begin with bankshot_ or sqlite_, as those of tables do",
                        "give it another one: name = \"…\""});
  if (problems.empty()) expand(draft, plan, problems);
  if (problems.empty()) return plan;
  std::ranges::stable_sort(problems, {},
                           [](const Diagnostic& one) { return std::pair(one.position.line, one.position.column); });
  return Error{format_diagnostics(problems, file, toml)};
}

Result<Plan> load_plan(const std::string& file) {
  const Result<std::string> text = host::read_text(file);
  if (!text) return text.error();
  if (text->find('\0') != std::string::npos) return Error{file + ": is not a text file, so not a plan"};
  return parse_plan(*text, file);
}

}  // namespace bankshot::sweep
