// bankshot search: the best bank hash for access patterns.
#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <thread>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/patterns_file.hpp"
#include "bankshot/cli/commands/search_by_instruction.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/library/certificate.hpp"
#include "bankshot/report/json/hash_json.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/scratchpad/hash/class_counts.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::cli {
namespace {

using search::Method;

constexpr std::array kMethods = {Method::exhaustive, Method::givargis, Method::mih, Method::optimal};

std::optional<Method> method_named(std::string_view text) {
  for (const Method m : kMethods) {
    if (search::name(m) == text) return m;
  }
  return std::nullopt;
}

constexpr size_t kTiesShown = 8;

/// A single bit as its number, a pair as "a^b".
std::string bit_text(uint32_t row) {
  const int low = std::countr_zero(row);
  return std::has_single_bit(row) ? std::to_string(low) : fmt::format("{}^{}", low, std::countr_zero(row & (row - 1)));
}

/// The same in JSON: single bits are numbers.
nlohmann::json bit_list(const std::vector<uint32_t>& rows) {
  nlohmann::json list = nlohmann::json::array();
  for (uint32_t row : rows)
    list.push_back(std::has_single_bit(row) ? nlohmann::json(std::countr_zero(row)) : nlohmann::json(bit_text(row)));
  return list;
}

/// The accesses as atomics, of which every lane counts.
scratchpad::PatternSet by_lanes(scratchpad::PatternSet set) {
  for (scratchpad::Pattern& pattern : set.patterns) pattern.kind = scratchpad::AccessKind::atomic;
  return set;
}

class Search final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("PATTERNS,--train", files_, "patterns files to search on, taken together; - is standard input");
    app.add_option("--test", tests_,
                   "also evaluate the hash on these patterns, which the search does not use; may be repeated")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_option("--gpu", gpu_, kPatternsGpuHelp)->type_name("NAME|FILE");
    app.add_option("--class", class_, "class of hashes to choose from: " + scratchpad::searchable_classes())
        ->type_name("C")
        ->capture_default_str();
    app.add_option("--method", method_,
                   "exhaustive, givargis, mih or optimal (default: optimal for gf2, else exhaustive)")
        ->type_name("M");
    app.add_flag("--count-lanes", count_lanes_,
                 "heuristics count a word once for each lane that accesses it, rather than once for all lanes: the "
                 "other reading of their paper");
    app.add_flag("--in-place", in_place_, "only hashes that software can apply without extra memory");
    app.add_option("--plain-low-bits", plain_low_bits_,
                   "only hashes with a form in which bank bits 0 to K-1 are address bits; with --in-place, vectors of "
                   "2^K words stay contiguous")
        ->type_name("K")
        ->check(CLI::Range(0u, scratchpad::kMaxBankBits));
    app.add_option("--time-limit", seconds_, "seconds after which the search stops with the best hash found so far")
        ->type_name("S")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    app.add_option("--threads", threads_, "host threads for the proof; 0 uses all cores")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    app.add_option("--certificate", certificate_,
                   "write the proof that the hash is the best, for bankshot verify; only with method optimal")
        ->type_name("FILE");
    app.add_flag("--per-instruction", per_instruction_,
                 "find a hash for each load and store: PATTERNS is the output of bankshot trace --per-instruction, and "
                 "--json writes the file for --instruction-hashes of explain and simulate; --time-limit applies to "
                 "each of the searches");
    app.add_flag("--count-classes", count_, "only print the number of hashes in each class");
    app.add_option("--address-bits", size_.address_bits, "for --count-classes")
        ->check(CLI::Range(1, 16))
        ->capture_default_str();
    app.add_option("--bank-bits", size_.bank_bits, "for --count-classes")
        ->check(CLI::Range(1u, scratchpad::kMaxBankBits))
        ->capture_default_str();
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }

  std::vector<std::string> values_of(const std::string& option) const override {
    if (option == "--class") return scratchpad::searchable_class_names();
    std::vector<std::string> names;
    for (const Method m : option == "--method" ? std::span(kMethods) : std::span<const Method>())
      names.emplace_back(search::name(m));
    return names;
  }

  int run(const std::vector<std::string>&) override {
    if (count_) return count_classes();
    if (files_.empty()) return refuse("no patterns file given; try: bankshot search patterns.json");
    const scratchpad::HashClass* const c = scratchpad::find_searchable_class(class_);
    if (c == nullptr) {
      return refuse(scratchpad::unknown_class(class_));
    }
    if (method_.empty()) method_ = search::name(search::methods_of(*c).front());
    const auto m = method_named(method_);
    if (!m) return refuse("no method is called '" + method_ + "'; there are exhaustive, givargis, mih and optimal");
    if (count_lanes_ && *m != Method::givargis && *m != Method::mih)
      return refuse("--count-lanes is for the methods givargis and mih; the others count the cost of an access");
    if (per_instruction_) return run_by_instruction(*m);
    std::vector<host::Input> inputs;
    for (const auto& list : {files_, tests_}) {
      for (const std::string& file : list) inputs.push_back({"the patterns", file});
    }
    if (const auto error = cannot_deliver(json_, inputs)) return refuse(error->message);
    if (!certificate_.empty()) {
      if (*m != Method::optimal)
        return refuse("only --method optimal writes a certificate; the other methods prove nothing or try all hashes");
      if (certificate_ == "-") return refuse("--certificate: give the name of a file; only --json accepts -");
      if (host::same_file(certificate_, json_)) return refuse("--certificate and --json name the same file, " + json_);
      if (const auto error = host::overwrites("--certificate", certificate_, inputs)) return refuse(error->message);
      if (const auto error = host::cannot_write(certificate_)) return refuse(error->message);
    }
    const Result<scratchpad::PatternSet> set = read_patterns(files_, gpu_);
    if (!set) return refuse(set.error().message);
    std::vector<scratchpad::PatternSet> tests;
    for (const std::string& file : tests_) {
      const Result<scratchpad::PatternSet> test = read_patterns(file, gpu_);
      if (!test) return refuse(test.error().message);
      if (test->rules != set->rules) return refuse(file + " is for other banks than " + files_[0]);
      tests.push_back(*test);
    }
    const scratchpad::Rules& rules = set->rules;
    if (const auto error = search::cannot_search(rules, set->patterns)) return refuse(error->message);
    search::SearchOptions options = search_options();
    options.proof = !certificate_.empty();
    if (count_lanes_ && set->sorted)
      return refuse("--count-lanes: these patterns are sorted and contain each word only once; trace with --as-is");
    const search::Problem problem = search::problem(rules, count_lanes_ ? by_lanes(*set) : *set);
    Result<search::Found> found = search::find(problem, class_, *m, options);
    if (!found) return refuse(found.error().message);
    if (count_lanes_) found->excess = scratchpad::excess(rules, *set, found->hash);
    if (found->proof) {
      if (const auto error =
              host::write_file(certificate_, verify::to_json(library::certificate_of(problem, options, *found))))
        return refuse(error->message);
    }
    const uint64_t baseline = scratchpad::excess(rules, *set, scratchpad::modulo_hash(scratchpad::size_of(*set)));
    const std::vector<Judged> judged = judge(tests, found->hash);
    return deliver(json_, json_of(*found, baseline, judged), text_of(*found, baseline) + text_of(judged));
  }

 private:
  search::SearchOptions search_options() const {
    search::SearchOptions options;
    options.in_place = in_place_;
    options.plain_low_bits = plain_low_bits_;
    options.time_limit = std::chrono::milliseconds(static_cast<int64_t>(seconds_ * 1000));
    options.threads = threads_ != 0 ? threads_ : std::max(1u, std::thread::hardware_concurrency());
    return options;
  }

  int run_by_instruction(Method method) const {
    if (files_.size() != 1)
      return refuse("--per-instruction takes one file, written by bankshot trace --per-instruction");
    if (!gpu_.empty() || !tests_.empty() || !certificate_.empty() || count_lanes_)
      return refuse("--per-instruction cannot be combined with --gpu, --test, --certificate or --count-lanes");
    return search_by_instruction(files_[0], json_, class_, [&](const search::Problem& problem) {
      return search::find(problem, class_, method, search_options());
    });
  }

  /// What a hash does to patterns that it was not searched on.
  struct Judged {
    std::string file;
    uint64_t excess = 0, baseline = 0;
  };

  std::vector<Judged> judge(const std::vector<scratchpad::PatternSet>& tests, scratchpad::BankHash hash) const {
    std::vector<Judged> all;
    for (size_t k = 0; k < tests.size(); ++k) {
      const scratchpad::HashSize size = scratchpad::size_of(tests[k]);
      hash.address_bits =
          std::max(hash.address_bits, size.address_bits);  // more address bits than any row has change nothing
      all.push_back({tests_[k], scratchpad::excess(tests[k].rules, tests[k], hash),
                     scratchpad::excess(tests[k].rules, tests[k], scratchpad::modulo_hash(size))});
    }
    return all;
  }

  static std::string text_of(const std::vector<Judged>& judged) {
    std::string text = judged.empty() ? "" : "\non patterns that the search did not use:\n";
    uint64_t excess = 0, baseline = 0;
    const auto line = [](const std::string& file, uint64_t with, uint64_t without) {
      return fmt::format("  excess {} of {} without a hash ({:.1f} % removed)  {}\n", with, without,
                         without == 0 ? 0 : 100 * (1 - static_cast<double>(with) / static_cast<double>(without)), file);
    };
    for (const Judged& one : judged) {
      text += line(one.file, one.excess, one.baseline);
      excess += one.excess;
      baseline += one.baseline;
    }
    return text + (judged.size() > 1 ? line("total", excess, baseline) : "");
  }

  std::string json_of(const search::Found& found, uint64_t baseline, const std::vector<Judged>& judged) const {
    nlohmann::json document = {{"schema", "bankshot/search/1"},
                               {"hash", nlohmann::json::parse(report::hash_to_json(found.hash))},
                               {"spec", scratchpad::spec(found.hash)},
                               {"excess", found.excess},
                               {"baseline_excess", baseline},
                               {"status", search::name(found.status)},
                               {"lower_bound", found.lower_bound},
                               {"evaluated", found.evaluated},
                               {"certificate", found.proof.has_value()},
                               {"in_place", scratchpad::is_in_place(found.hash)}};
    if (const auto form = scratchpad::in_place_form(found.hash)) document["in_place_rows"] = form->rows();
    if (found.status == search::Status::heuristic) {
      document["bits"] = bit_list(found.bits);
      document["ties"] = nlohmann::json::array();
      for (const std::vector<uint32_t>& ties : found.ties) document["ties"].push_back(bit_list(ties));
    }
    for (const Judged& one : judged) {
      document["tests"].push_back({{"file", one.file}, {"excess", one.excess}, {"baseline_excess", one.baseline}});
    }
    return report::json_text(document);
  }

  std::string text_of(const search::Found& found, uint64_t baseline) const {
    std::string text = fmt::format("excess {} of {} without a hash: ", found.excess, baseline);
    switch (found.status) {
      case search::Status::exhaustive:
        text += fmt::format("the best of its class ({} tried)\n", found.evaluated);
        break;
      case search::Status::heuristic: text += "a heuristic's choice\n"; break;
      case search::Status::optimal: text += "optimal (proved)\n"; break;
      case search::Status::best_found:
        text += fmt::format("best found, gap <= {} (nothing is below {})\n", found.excess - found.lower_bound,
                            found.lower_bound);
        break;
    }
    text += "  hash        " + scratchpad::spec(found.hash) + "\n";
    text += "  in a paper  " + scratchpad::paper_form(found.hash) + "\n";
    for (size_t k = 0; k < found.ties.size(); ++k) {  // another choice would be as much the heuristic's
      if (found.ties[k].empty()) continue;
      text += fmt::format("  tie         bit {} of the hash: {}, as good as", k, bit_text(found.bits[k]));
      for (size_t i = 0; i < std::min(kTiesShown, found.ties[k].size()); ++i) text += " " + bit_text(found.ties[k][i]);
      if (found.ties[k].size() > kTiesShown) text += fmt::format(" and {} more", found.ties[k].size() - kTiesShown);
      text += "\n";
    }
    text += "  rows       ";
    for (uint32_t row : found.hash.rows()) text += fmt::format(" {}", row);
    text += "\n";
    if (const std::string swizzle = scratchpad::swizzle_form(found.hash); !swizzle.empty()) {
      text += "  CuTe        " + swizzle + " of words\n";
    }
    text += std::string("  in place    ") + (scratchpad::is_in_place(found.hash)
                                                 ? "yes: software can apply it without extra memory\n"
                                                 : "no: only hardware, or software with a layout of its own\n");
    if (const auto form = scratchpad::in_place_form(found.hash); form && *form != found.hash) {
      text += "  applied as  " + scratchpad::spec(*form) + "\n";
    }
    if (!certificate_.empty()) {
      text += found.proof ? fmt::format("  certificate {} ({} numbers)\n", certificate_, found.proof->tree.size())
                          : "  certificate not written: no proof within the time limit; see --time-limit\n";
    }
    return text + "\n// C++; in CUDA with __host__ __device__ before constexpr, for use in kernels\n" +
           scratchpad::cpp_source(found.hash);
  }

  int count_classes() const {
    if (size_.bank_bits > size_.address_bits) return refuse("there are more bank bits than address bits");
    nlohmann::json counts = nlohmann::json::object();
    std::string text;
    for (const auto& [name, value] : scratchpad::class_counts(size_)) {
      const bool exact =
          value.find('e') == std::string::npos && value.size() <= 15;  // a number every reader of JSON keeps
      counts[name] = exact ? nlohmann::json(std::stoull(value)) : nlohmann::json(value);
      text += fmt::format("{:<15}  {}\n", name, value);
    }
    const nlohmann::json document = {{"schema", "bankshot/class-counts/1"},
                                     {"address_bits", size_.address_bits},
                                     {"bank_bits", size_.bank_bits},
                                     {"counts", counts}};
    return deliver(json_, report::json_text(document), text);
  }

  std::vector<std::string> files_, tests_;
  std::string class_ = "gf2", method_, gpu_, json_;
  bool in_place_ = false, count_ = false, count_lanes_ = false, per_instruction_ = false;
  std::string certificate_;
  unsigned plain_low_bits_ = 0, threads_ = 0;
  double seconds_ = 10;
  scratchpad::HashSize size_;
};

const RegisterCommand search_registered(
    {"search", "Find the best bank hash for access patterns",
     "Finds the hash with the least excess, the sum of weight * (passes - ideal). Without --class it is the best of "
     "all XOR\nhashes, with a proof; if the time runs out, with a bound on the least possible excess. docs/json.md "
     "describes PATTERNS.\n\n"
     "Examples:\n"
     "  bankshot search patterns.json\n"
     "  bankshot search --in-place patterns.json\n"
     "  bankshot search --gpu mi300x --class swizzle patterns.json\n"
     "  bankshot search --certificate proof.json patterns.json\n"
     "  bankshot search --class bitwise-xor --method mih patterns.json\n"
     "  bankshot search --train image1.json --test image2.json --test image3.json\n"
     "  bankshot trace --per-instruction -o parts.json ./app\n"
     "  bankshot search --per-instruction --json hashes.json parts.json\n"
     "  bankshot simulate --instruction-hashes hashes.json ./app\n"
     "  bankshot search --count-classes --address-bits 14 --bank-bits 5\n",
     [] { return std::make_unique<Search>(); }});

}  // namespace
}  // namespace bankshot::cli
