// bankshot conflicts: what access patterns cost under a bank hash.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/patterns_file.hpp"
#include "bankshot/report/json/hash_json.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::cli {
namespace {

class Conflicts final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("PATTERNS", file_, "patterns file; - is standard input")->required();
    app.add_option("--hash", hash_, "bank hash: " + scratchpad::hash_syntaxes())
        ->type_name("SPEC")
        ->capture_default_str();
    app.add_option("--gpu", gpu_, kPatternsGpuHelp)->type_name("NAME|FILE");
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }

  int run(const std::vector<std::string>&) override {
    if (const auto error = cannot_deliver(json_, {{"the patterns", file_}})) return refuse(error->message);
    const Result<scratchpad::PatternSet> set = read_patterns(file_, gpu_);
    if (!set) return refuse(set.error().message);
    const scratchpad::Rules& rules = set->rules;
    const Result<scratchpad::BankHash> hash = scratchpad::parse_hash(hash_, scratchpad::size_of(*set));
    if (!hash) return refuse(hash.error().message);
    nlohmann::json document = {{"schema", "bankshot/conflicts/1"},
                               {"hash", nlohmann::json::parse(report::hash_to_json(*hash))}};
    nlohmann::json& list = document["patterns"] = nlohmann::json::array();
    std::string text = fmt::format("{:>8}  {:>10}  {:>6}  {:>6}  {}\n", "pattern", "weight", "degree", "ideal", "kind");
    for (size_t k = 0; k < set->patterns.size(); ++k) {
      const scratchpad::Pattern& pattern = set->patterns[k];
      const scratchpad::Cost cost = scratchpad::cost(rules, pattern, *hash);
      list.push_back({{"degree", cost.wavefronts}, {"ideal", cost.ideal}, {"position", cost.position}});
      text += fmt::format("{:>8}  {:>10}  {:>6}  {:>6}  {}\n", k, pattern.weight, cost.wavefronts, cost.ideal,
                          scratchpad::name(pattern.kind));
    }
    const uint64_t excess = scratchpad::excess(rules, *set, *hash);
    document["excess"] = excess;
    text += fmt::format("excess {} with {}\n", excess, scratchpad::paper_form(*hash));
    return deliver(json_, report::json_text(document), text);
  }

 private:
  std::string file_, hash_ = "none", gpu_, json_;
};

const RegisterCommand conflicts_registered(
    {"conflicts", "Count the conflicts of access patterns under a bank hash",
     "The degree of a pattern is the number of passes over the banks that it needs; ideal is that number without "
     "conflicts.\nThe excess is the sum of weight * (degree - ideal). docs/json.md describes PATTERNS and the forms of "
     "SPEC.\n\n"
     "Examples:\n"
     "  bankshot conflicts patterns.json\n"
     "  bankshot conflicts --hash xor patterns.json\n"
     "  bankshot conflicts --gpu mi300x patterns.json\n"
     "  bankshot conflicts --hash swizzle:3,0,5 --json - patterns.json\n",
     [] { return std::make_unique<Conflicts>(); }});

}  // namespace
}  // namespace bankshot::cli
