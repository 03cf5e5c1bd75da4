// bankshot hash: what a bank hash is, its hardware in Verilog, and what that costs.
#include <unistd.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/circuit/design.hpp"
#include "bankshot/circuit/synthesis.hpp"
#include "bankshot/circuit/testbench.hpp"
#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/cli/base/progress_line.hpp"
#include "bankshot/cli/commands/hash_cost.hpp"
#include "bankshot/host/overwrite.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::cli {
namespace {

using scratchpad::BankHash;
using scratchpad::HashClass;

/// What the user asks about: one hash, or a class.
struct Subject {
  std::optional<BankHash> hash;
  const HashClass* of_class = nullptr;  ///< if there is no hash
  circuit::Design design;
};

/// What a class's register holds for the hash.
struct Setting {
  std::string of_class, literal;
  circuit::Design design;
  std::vector<uint32_t> fields;
};

std::vector<Setting> settings_of(const BankHash& hash) {
  std::vector<Setting> all;
  for (const HashClass& c : scratchpad::hash_classes()) {
    if (c.circuit == nullptr || !c.parameters_of(hash)) continue;
    Result<circuit::Design> design = circuit::configurable_design(c, hash.size());
    const std::vector<uint32_t> fields = c.circuit->setting(hash);
    all.push_back(
        {std::string(c.search_name()), circuit::setting_literal(*design, fields), std::move(*design), fields});
  }
  return all;
}

std::string describe(const BankHash& hash) {
  std::string text = fmt::format("{}: {}, {} address bits, {} banks\n\n", scratchpad::fixed_spec(hash),
                                 scratchpad::class_name(hash), hash.address_bits, hash.banks());
  const auto line = [&](std::string_view what, const std::string& is) {
    text += fmt::format("  {:<12} {}\n", what, is);
  };
  if (hash.linear()) {
    for (unsigned i = 0; i < hash.bank_bits; ++i)
      line(fmt::format("bank bit {}", i), scratchpad::row_text(hash.row[i]));
    const unsigned rank = scratchpad::rank(hash.rows());
    line("rank", rank == hash.bank_bits
                     ? fmt::format("{}: every bank holds {} words", rank, 1u << (hash.address_bits - hash.bank_bits))
                     : fmt::format("{} of {}: some banks hold more words than others", rank, hash.bank_bits));
    const circuit::XorGates xors = circuit::xor_gates(hash);
    line("XOR gates", fmt::format("{}, {} in series", xors.gates, xors.levels));
  }
  line("in place", scratchpad::is_in_place(hash) ? "yes: software can apply it without extra memory" : "no");
  line("C++", scratchpad::bank_expression(hash));
  const std::vector<Setting> settings = settings_of(hash);
  if (!settings.empty())
    text += "\nConfigurable hardware that can compute this hash, and the setting of its register:\n";
  for (const Setting& setting : settings) text += fmt::format("  {:<14} {}\n", setting.of_class, setting.literal);
  return text;
}

std::string describe(const HashClass& c, const circuit::Design& design) {
  std::string text = fmt::format("{}: {}; {} address bits, {} banks\n\n", c.search_name(), c.summary,
                                 design.size.address_bits, 1u << design.size.bank_bits);
  if (c.count != nullptr)
    text += fmt::format("  {:<12} {}, as the XOR-hash paper counts them\n", "hashes", c.count(design.size));
  text += fmt::format("  {:<12} {} bit{}\n", "register", design.setting_bits(), design.setting_bits() == 1 ? "" : "s");
  const std::vector<std::string> ranges = circuit::setting_ranges(design);
  for (size_t k = 0; k < ranges.size(); ++k)
    text += fmt::format("    {:<10} {:<8} 0 to {}\n", ranges[k], design.fields[k].name, design.fields[k].last);
  return text;
}

nlohmann::ordered_json fields_json(const circuit::Design& design) {
  nlohmann::ordered_json fields = nlohmann::ordered_json::array();
  for (const scratchpad::CircuitField& field : design.fields)
    fields.push_back({{"name", field.name}, {"bits", field.bits}, {"last", field.last}});
  return fields;
}

nlohmann::ordered_json json_of(const Subject& subject) {
  nlohmann::ordered_json json = {{"schema", "bankshot/hash/1"},
                                 {"address_bits", subject.design.size.address_bits},
                                 {"banks", 1u << subject.design.size.bank_bits}};
  if (!subject.hash) {
    json["class"] = subject.of_class->search_name();
    json["register"] = fields_json(subject.design);
    return json;
  }
  const BankHash& hash = *subject.hash;
  json["class"] = scratchpad::class_name(hash);
  json["spec"] = scratchpad::fixed_spec(hash);
  if (hash.linear()) {
    const circuit::XorGates xors = circuit::xor_gates(hash);
    json["rows"] = std::vector<uint32_t>(hash.rows().begin(), hash.rows().end());
    json["rank"] = scratchpad::rank(hash.rows());
    json["xor_gates"] = xors.gates;
    json["xor_levels"] = xors.levels;
  }
  json["in_place"] = scratchpad::is_in_place(hash);
  json["expression"] = scratchpad::bank_expression(hash);
  json["settings"] = nlohmann::ordered_json::array();
  for (const Setting& setting : settings_of(hash)) {
    json["settings"].push_back({{"class", setting.of_class},
                                {"register", fields_json(setting.design)},
                                {"fields", setting.fields},
                                {"literal", setting.literal}});
  }
  return json;
}

class Hash final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("SPEC|CLASS", what_,
                   "a hash: " + scratchpad::hash_syntaxes() +
                       "; or a configurable class: " + scratchpad::configurable_classes())
        ->required();
    app.add_option("--address-bits", address_bits_, "bits of a word address (n)")
        ->check(CLI::Range(1u, scratchpad::kMaxAddressBits))
        ->capture_default_str();
    app.add_option("--banks", banks_, "number of banks, a power of two (2^m)")
        ->type_name("COUNT")
        ->capture_default_str();
    app.add_option("--verilog", verilog_, "write the hardware in Verilog; - is standard output")->type_name("FILE|-");
    app.add_option("--testbench", testbench_,
                   "write a testbench that compares the hardware with the model at every address")
        ->type_name("FILE|-");
    CLI::Option* const testbench = app.get_option("--testbench");
    app.add_option("--module", module_, "name of the module in both files, and prefix of the names of its parts")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--settings", settings_, "number of settings of a class that the testbench tries")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str()
        ->needs(testbench);
    app.add_option("--seed", seed_, "seed of the settings")
        ->check(CLI::Range(0.0, 9e18))
        ->capture_default_str()
        ->needs(testbench);
    CLI::Option* const cost =
        app.add_flag("--cost", cost_, "synthesise the hardware: area, delay and power (yosys, OpenSTA)");
    app.add_option("--frequencies", ghz_, "clock frequencies for --cost in GHz, for a 40 nm process")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(0.001, 1000.0))
        ->needs(cost);
    app.add_option("--activities", activities_,
                   "switching activities for the power of --cost: changes of an address bit per cycle")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::Range(0.0, 1.0))
        ->needs(cost);
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }

  int run(const std::vector<std::string>&) override {
    if (const std::string reason = outputs_problem(); !reason.empty()) return refuse(reason);
    for (const double number : ghz_) {
      if (!std::isfinite(number)) return refuse("--frequencies: not a number; give GHz, for example 1.43");
    }
    for (const double number : activities_) {
      if (!std::isfinite(number)) return refuse("--activities: not a number; give numbers from 0 to 1");
    }
    if (const std::string reason = circuit::module_problem(module_); !reason.empty())
      return refuse(fmt::format("--module {}: {}", module_, reason));
    if (module_ != circuit::kModule && verilog_.empty() && testbench_.empty())
      return refuse("--module names the module of --verilog or --testbench: give at least one of them");
    const Result<Subject> subject = find_subject();
    if (!subject) return refuse(subject.error().message);

    nlohmann::ordered_json json = json_of(*subject);
    std::string text = subject->hash ? describe(*subject->hash) : describe(*subject->of_class, subject->design);
    if (cost_) {
      const Result<HashCost> cost = measure(*subject);
      if (!cost) {
        const int status = refuse(cost.error().message);
        return cost.error().message == circuit::kInterrupted ? 128 + SIGINT : status;
      }
      text += "\n" + to_text(*cost);
      json["cost"] = to_json(*cost);
    }
    if (const auto error = write(verilog_, circuit::to_verilog(subject->design, module_)))
      return refuse(error->message);
    if (!testbench_.empty()) {
      const std::string bench = circuit::testbench(subject->design, expectations(*subject), seed_, module_);
      if (const auto error = write(testbench_, bench)) return refuse(error->message);
    }
    const bool busy = verilog_ == "-" || testbench_ == "-";
    return deliver(json_, report::json_text(json), busy ? "" : text);
  }

 private:
  /// Why the files cannot be written, or empty.
  std::string outputs_problem() const {
    const std::pair<const char*, const std::string*> outputs[] = {
        {"--verilog", &verilog_}, {"--testbench", &testbench_}, {"--json", &json_}};
    for (size_t k = 0; k < std::size(outputs); ++k) {
      const auto& [option, file] = outputs[k];
      if (file->empty()) continue;
      for (size_t other = 0; other < k; ++other) {
        const auto& [other_option, other_file] = outputs[other];
        if (!other_file->empty() && (*file == *other_file || (*file != "-" && host::same_file(*file, *other_file))))
          return fmt::format("{} and {} both write to {}", other_option, option,
                             *file == "-" ? "standard output" : *file);
      }
      if (const auto error = cannot_deliver(*file)) return error->message;
    }
    return {};
  }

  Result<Subject> find_subject() const {
    if (banks_ == 0 || !std::has_single_bit(banks_) || banks_ > scratchpad::kMaxBanks || banks_ < 2) {
      return Error{fmt::format("--banks {}: must be a power of two from 2 to {}", banks_, scratchpad::kMaxBanks)};
    }
    const scratchpad::HashSize size{address_bits_, static_cast<unsigned>(std::countr_zero(banks_))};
    if (size.bank_bits > size.address_bits) {
      return Error{fmt::format("{} banks need at least {} address bits; --address-bits is {}", banks_, size.bank_bits,
                               address_bits_)};
    }
    if (const HashClass* const c = scratchpad::find_configurable_class(what_)) {
      Result<circuit::Design> design = circuit::configurable_design(*c, size);
      return Subject{std::nullopt, c, std::move(*design)};
    }
    const Result<BankHash> hash = scratchpad::parse_hash(what_, size);
    if (!hash) {
      return Error{
          fmt::format("{}; configurable classes: {}", hash.error().message, scratchpad::configurable_classes())};
    }
    return Subject{*hash, nullptr, circuit::fixed_design(*hash)};
  }

  std::vector<circuit::Expectation> expectations(const Subject& subject) const {
    if (subject.hash) return circuit::one_expectation(*subject.hash);
    std::function<void(size_t, size_t)> progress;
    if (isatty(STDERR_FILENO) != 0)
      progress = [line = ProgressLine()](size_t done, size_t all) mutable { line(done, all, "settings"); };
    auto all = circuit::random_expectations(*subject.of_class, subject.design.size, settings_, seed_, progress);
    if (progress) ProgressLine::erase();
    return all;
  }

  Result<HashCost> measure(const Subject& subject) const {
    const Result<circuit::Tools> tools = circuit::find_tools();
    if (!tools) return tools.error();
    const Result<circuit::Units> units = circuit::measure_units(*tools);
    if (!units) return units.error();
    Result<circuit::Synthesis> synthesis = circuit::synthesise(*tools, subject.design, activities_);
    if (!synthesis) return synthesis.error();
    return HashCost{*units, std::move(*synthesis), activities_, ghz_};
  }

  /// Nothing if there is no file to write.
  static std::optional<Error> write(const std::string& file, const std::string& text) {
    if (file.empty()) return std::nullopt;
    if (file != "-") return host::write_file(file, text);
    print(text);
    return std::nullopt;
  }

  std::string what_, verilog_, testbench_, json_, module_ = std::string(circuit::kModule);
  unsigned address_bits_ = 14, banks_ = 32;
  size_t settings_ = 1000;
  uint64_t seed_ = 1;
  bool cost_ = false;
  std::vector<double> ghz_ = {1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5};  // Figure 4 of the XOR-hash paper
  circuit::Activities activities_ = {0.1, 0.25, 0.5};
};

const RegisterCommand hash_registered(
    {"hash", "Show a bank hash, write its hardware in Verilog, and estimate what that costs",
     "The hardware of a hash is fixed; that of a class has a register that selects any hash of the class.\n--cost "
     "needs Debian's packages yosys, opensta and qflow-tech-osu018.\n\n"
     "Examples:\n"
     "  bankshot hash bvxor:2,8,7\n"
     "  bankshot hash --verilog hash.v --testbench test.v bitvector-xor\n"
     "  iverilog -o test hash.v test.v && ./test\n"
     "  bankshot hash --verilog b.v --module second_hash bvxor:0,5,7\n"
     "  bankshot hash --cost --frequencies 1.43 bitwise-xor\n",
     [] { return std::make_unique<Hash>(); }});

}  // namespace
}  // namespace bankshot::cli
