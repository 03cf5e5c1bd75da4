#include "bankshot/lsp/advice.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/report/json/json_values.hpp"
#include "bankshot/report/json/source_json.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/support/json_error.hpp"

namespace bankshot::lsp {
namespace {

using nlohmann::json;
using namespace report::json_values;

constexpr std::string_view kFixSchema = "bankshot/fix/2";

Remedy remedy(const std::string& what, uint64_t before, uint64_t after, const std::string& code) {
  return {fmt::format("{}: conflicts {} -> {}", what, report::grouped(before), report::grouped(after)), code};
}

/// Conflicts that a remedy leaves: as it ran, else as it was searched for.
uint64_t left_by(const json& object) {
  const json& rewritten = member(object, "rewritten");
  return rewritten.is_null() ? number<uint64_t>(object, "excess")
                             : number<uint64_t>(member(rewritten, "after"), "conflicts");
}

std::vector<Remedy> read_remedies(const json& array, const std::string& chosen) {
  const uint64_t conflicts = number<uint64_t>(member(array, "before"), "conflicts");
  std::vector<Remedy> remedies;
  const auto add = [&](const std::string& name, Remedy one) {
    remedies.insert(name == chosen ? remedies.begin() : remedies.end(), std::move(one));
  };
  if (const json& hash = member(array, "hash"); !hash.is_null())
    add("hash", remedy("bank hash " + text(hash, "spec"), conflicts, left_by(hash), text(hash, "cpp")));
  if (const json& padding = member(array, "padding"); !padding.is_null()) {
    const std::string what =
        fmt::format("rows of {} + {} words", number<uint64_t>(padding, "row"), number<uint64_t>(padding, "words"));
    add("padding", remedy(what, conflicts, left_by(padding), text(padding, "cpp")));
  }
  for (const json& layout : list(array, "layouts")) {
    const std::string title =
        fmt::format("{}: {} left", text(layout, "what"),
                    report::counted(number<uint64_t>(layout, "conflicts"), "conflict", "conflicts"));
    remedies.push_back({title, text(layout, "cpp")});
  }
  return remedies;
}

Advice read_array(const json& array, const json& kernel) {
  const json& form = member(kernel, "chosen");
  Advice advice{text(array, "source_name"), text(kernel, "demangled"), text(kernel, "module"), {}, {}, {}};
  for (const json& place : list(array, "lines")) advice.places.push_back(report::read_place(place));
  advice.remedies = read_remedies(array, form.is_string() ? form.get<std::string>() : "");
  for (const json& edit : list(array, "source_edits")) {
    advice.edits.push_back(
        {text(edit, "file"), number<uint32_t>(edit, "line"), texts(edit, "before"), texts(edit, "after")});
  }
  return advice;
}

}  // namespace

bool is_fix_report(std::string_view text) { return text.substr(0, 64).find(kFixSchema) != text.npos; }

Result<std::vector<Advice>> read_advice(std::string_view text_of_json) {
  try {
    const json root = json::parse(text_of_json);
    if (text(root, "schema") != kFixSchema) throw Bad{fmt::format("\"schema\" is not {}", kFixSchema)};
    if (text(root, "status") == "refused") return Error{"fix did nothing: " + text(root, "reason")};
    std::vector<Advice> all;
    for (const json& kernel : list(root, "kernels")) {
      for (const json& array : list(kernel, "arrays")) all.push_back(read_array(array, kernel));
    }
    return all;
  } catch (const Bad& bad) {
    return Error{bad.message};
  } catch (const json::exception& error) {
    return Error{json_error(error.what())};
  }
}

}  // namespace bankshot::lsp
