// bankshot atomics: what atomics on shared memory cost by the closed models, and what to do about it.
#include <limits>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/patterns_file.hpp"
#include "bankshot/cli/commands/atomics_advice.hpp"
#include "bankshot/library/atomics_machine.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"

namespace bankshot::cli {
namespace {

class Atomics final : public Command {
 public:
  void define(CLI::App& app) override {
    app.require_subcommand(1);
    model_ = app.add_subcommand("model", "Predict the latency of the atomics in a patterns file, with its components");
    model_->add_option("PATTERNS", file_, "patterns file; - is standard input")->required();
    common(*model_);
    model_->add_option("--bank-hash", request_.bank_hash, "bank hash: " + scratchpad::hash_syntaxes())
        ->type_name("SPEC")
        ->capture_default_str();
    model_
        ->add_option("--lock-hash", request_.lock_hash,
                     "lock hash: none, xor, add, or rows:… with one row per lock bit")
        ->type_name("SPEC")
        ->capture_default_str();
    model_->footer(
        "Examples:\n  bankshot atomics model patterns.json\n  bankshot atomics model --form fsm --bank-hash xor "
        "--lock-hash xor patterns.json\n");
    advise_ = app.add_subcommand("advise", "Choose the number of copies of a vote space, their mapping and padding");
    advise_->add_option("--words", advice_.words, "words of the vote space, for example the bins of a histogram")
        ->required()
        ->check(CLI::Range(1, 65536));
    advise_->add_option("--budget", advice_.budget, "bytes of shared memory for all copies")
        ->check(CLI::Range(4, 262144))
        ->default_str("a block's default on the GPU");
    CLI::Option* const data = advise_
                                  ->add_option("--data", advice_.data,
                                               "random: votes without spatial correlation; sorted: neighbouring lanes "
                                               "often vote for the same word, as neighbouring pixels do")
                                  ->check(CLI::IsMember({"random", "sorted"}))
                                  ->capture_default_str();
    CLI::Option* const votes =
        advise_
            ->add_option(
                "--votes", advice_.file,
                "take the votes from the addresses of this patterns file, 0 to words - 1, instead of generating them")
            ->type_name("FILE");
    CLI::Option* const patterns =
        advise_->add_option("--patterns", advice_.patterns, "number of warps for which votes are generated")
            ->check(CLI::Range(1, 1'000'000))
            ->capture_default_str();
    CLI::Option* const seed = advise_->add_option("--seed", advice_.seed, "seed of the generated votes")
                                  ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()))
                                  ->capture_default_str();
    for (CLI::Option* generated : {data, patterns, seed}) votes->excludes(generated);
    advise_->add_option("--top", advice_.top, "number of layouts shown")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    common(*advise_);
    advise_->footer(
        "Examples:\n  bankshot atomics advise --words 256\n  bankshot atomics advise --words 256 --data sorted --gpu "
        "h100\n");
  }

  int run(const std::vector<std::string>&) override {
    if (const auto error = cannot_deliver(json_, {{"the patterns", file_}, {"the votes", advice_.file}}))
      return refuse(error->message);
    if (advise_->parsed()) {
      const Result<Advice> advice = advise(request_, advice_);
      if (!advice) return refuse(advice.error().message);
      return deliver(json_, json_of(*advice), text_of(*advice));
    }
    return model();
  }

 private:
  void common(CLI::App& app) {
    app.add_option("--gpu", request_.gpu, "the GPU whose atomics are modelled: a name or a TOML file")
        ->capture_default_str();
    app.add_option("--form", request_.form,
                   "tpds: algorithm 1 of TPDS'13; fsm: the state machine of ICCD'13; native: at the banks, without "
                   "locks; loadlike: like a load (default: the form of the GPU's atomics unit; for locks tpds)");
    app.add_flag("--weights", request_.weights,
                 "the atomics add values other than 1, or their results are used; newer GPUs combine only additions of "
                 "1 without results");
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }

  int model() const {
    const Result<library::AtomicsMachine> machine = library::atomics_machine(request_);
    if (!machine) return refuse(machine.error().message);
    const Result<scratchpad::PatternSet> set = read_patterns(file_);
    if (!set) return refuse(set.error().message);
    const std::string file = file_ == "-" ? "standard input" : file_;
    if (set->rules.banks != machine->rules.banks || set->rules.bank_bytes != machine->rules.bank_bytes) {
      return refuse(fmt::format("{} is for {} banks of {} bytes, but {} has {} of {}", file, set->rules.banks,
                                set->rules.bank_bytes, machine->gpu.name, machine->rules.banks,
                                machine->rules.bank_bytes));
    }
    nlohmann::json list = nlohmann::json::array();
    std::string text =
        fmt::format("{}, form {}, bank hash {}, lock hash {}; in cycles of its clock\n\n", machine->gpu.name,
                    machine->form, request_.bank_hash, machine->has_locks() ? request_.lock_hash : "-");
    text += fmt::format("{:>8}  {:>10}  {:>8}  {:>10}  {:>11}  {:>11}   {:>8} {:>8} {:>8}\n", "pattern", "weight",
                        "latency", "iterations", "lock degree", "bank degree", "rounds", "reads", "writes");
    double sum = 0, weights = 0;
    const std::vector<size_t> taken = library::atomics_of(*set);
    for (const size_t k : taken) {
      const scratchpad::Pattern& pattern = set->patterns[k];
      if (pattern.width != 4)
        return refuse(fmt::format("{}: patterns[{}].width is {}, but the models are for 4 bytes per lane", file, k,
                                  pattern.width));
      std::array<uint32_t, scratchpad::kMaxLanes> words;
      unsigned lanes = 0;
      for (unsigned lane = 0; lane < scratchpad::kMaxLanes; ++lane) {
        if ((pattern.mask >> lane & 1) != 0) words[lanes++] = pattern.words[lane];
      }
      const scratchpad::AtomicsCost cost = machine->model(words.data(), lanes);
      list.push_back({{"pattern", k},
                      {"latency", cost.cycles.total()},
                      {"iterations", cost.rounds},
                      {"lock_degree", cost.lock_degree},
                      {"bank_degree", cost.bank_degree},
                      {"rounds_cycles", cost.cycles.rounds},
                      {"read_penalty", cost.cycles.reads},
                      {"write_penalty", cost.cycles.writes}});
      text += fmt::format("{:>8}  {:>10}  {:>8}  {:>10}  {:>11}  {:>11}   {:>8} {:>8} {:>8}\n", k, pattern.weight,
                          cost.cycles.total(), cost.rounds, cost.lock_degree, cost.bank_degree, cost.cycles.rounds,
                          cost.cycles.reads, cost.cycles.writes);
      sum += static_cast<double>(cost.cycles.total()) * static_cast<double>(pattern.weight);
      weights += static_cast<double>(pattern.weight);
    }
    const double mean = weights == 0 ? 0 : sum / weights;
    text += fmt::format("\nweighted mean latency {:.1f}\n", mean);
    const size_t left_out = set->patterns.size() - taken.size();
    if (left_out != 0) text += fmt::format("{} patterns of loads and stores are left out\n", left_out);
    if (machine->combines)
      text +=
          "lanes that add 1 to one word without using the result count as one; for all other additions use --weights\n";
    const nlohmann::json document = {{"schema", "bankshot/atomics/1"},
                                     {"gpu", machine->gpu.name},
                                     {"form", machine->form},
                                     {"bank_hash", request_.bank_hash},
                                     {"lock_hash", request_.lock_hash},
                                     {"combines", machine->combines},
                                     {"patterns", list},
                                     {"left_out", left_out},
                                     {"mean_latency", mean}};
    return deliver(json_, report::json_text(document), text);
  }

  CLI::App *model_ = nullptr, *advise_ = nullptr;
  library::AtomicsRequest request_;
  AdviceRequest advice_;
  std::string file_, json_;
};

const RegisterCommand atomics_registered(
    {"atomics", "Estimate the cost of atomics on shared memory with a closed model, and lay out votes",
     "Sources: Performance Modeling of Atomic Additions on GPU Scratchpad Memory "
     "(TPDS'13), Simulation and Architecture\n"
     "Improvements of Atomic Operations on GPU Scratchpad Memory (ICCD'13).\n\n"
     "Examples:\n"
     "  bankshot atomics model patterns.json\n"
     "  bankshot atomics advise --words 256 --budget 49152 --data sorted\n",
     [] { return std::make_unique<Atomics>(); }});

}  // namespace
}  // namespace bankshot::cli
