// bankshot pipeline: a sequence of instructions in the stages of a GPU core, cycle by cycle.
#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/cli/command.hpp"
#include "bankshot/cli/deliver.hpp"
#include "bankshot/timing/stages.hpp"

namespace bankshot::cli {
namespace {

using timing::Organisation;
using timing::StageStall;
using timing::SubWarp;
using Sequence = std::vector<std::optional<SubWarp>>;

constexpr size_t kMostInstructions = 10'000;
constexpr unsigned kMostDegree = 64;
constexpr std::array<std::string_view, 3> kOrganisations = {"unified", "split", "elastic"};
constexpr std::array<std::string_view, 3> kStalls = {"", "bank conflict", "write-back"};

/// "S2 N N M - N"
Result<Sequence> parse_sequence(const std::string& text, unsigned ports) {
  Sequence sequence;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto id = static_cast<uint32_t>(sequence.size());
    if (word == "-") {
      sequence.emplace_back();
    } else if (word == "N" || word == "M") {
      sequence.push_back(SubWarp{id, word == "M", 1});
    } else {
      unsigned degree = 0;
      const char* const end = word.data() + word.size();
      const auto [at, error] = std::from_chars(word.data() + 1, end, degree);
      if (word[0] != 'S' || error != std::errc() || at != end || degree == 0 || degree > kMostDegree) {
        return Error{
            fmt::format("'{}' is no instruction; there are N (not memory), S1 to S{} (shared memory, by conflict "
                        "degree), M (other memory) and - (nothing)",
                        word, kMostDegree)};
      }
      sequence.push_back(SubWarp{id, true, (degree + ports - 1) / ports});
    }
    if (sequence.size() > kMostInstructions)
      return Error{fmt::format("there are more than {} instructions", kMostInstructions)};
  }
  if (sequence.empty()) return Error{"there is no instruction; for example: bankshot pipeline 'S2 N N M - N'"};
  return sequence;
}

class Pipeline final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option(
           "SEQUENCE", text_,
           "what is fetched, one a cycle: N not a memory access, S2 shared memory with conflict degree 2, M other "
           "memory, - nothing")
        ->required();
    app.add_option("--organisation", organisation_, "of the stages")
        ->check(CLI::IsMember(std::vector<std::string>(kOrganisations.begin(), kOrganisations.end())))
        ->capture_default_str();
    const auto number = [&](const std::string& name, unsigned& value, unsigned least, const std::string& what) {
      app.add_option(name, value, what)->check(CLI::Range(least, 64u))->capture_default_str();
    };
    number("--mem-stages", shape_.memory, 1, "memory stages");
    number("--premem", shape_.premem, 0, "elastic: accesses that wait in front of them");
    number("--nonmem", shape_.nonmem, 0, "elastic: others that wait beside them");
    number("--ports", ports_, 1, "words that a bank delivers in a cycle");
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }

  int run(const std::vector<std::string>&) override {
    if (const auto error = cannot_deliver(json_, {})) return refuse(error->message);
    const Result<Sequence> sequence = parse_sequence(text_, ports_);
    if (!sequence) return refuse(sequence.error().message);
    const auto named = std::find(kOrganisations.begin(), kOrganisations.end(), organisation_);
    shape_.organisation = static_cast<Organisation>(named - kOrganisations.begin());
    timing::Stages stages(shape_);
    std::string text = head();
    std::vector<unsigned> stalls, order;
    unsigned last = 0;
    size_t next = 0;
    for (unsigned cycle = 0; next < sequence->size() || !stages.is_empty(); ++cycle) {
      const bool fetches = next < sequence->size();
      const StageStall stall = stages.step(fetches ? (*sequence)[next] : std::nullopt);
      if (stall != StageStall::none) {
        stalls.push_back(cycle);
      } else if (fetches) {
        ++next;
      }
      if (const auto& done = stages.write_back()) {
        order.push_back(done->id);
        last = cycle;
      }
      if (!stages.is_empty()) text += row(cycle, stages, stall);
    }
    text += fmt::format("\n{} in which the front stood still; the last write-back is in cycle {}\n",
                        stalls.size() == 1 ? "1 cycle" : std::to_string(stalls.size()) + " cycles", last);
    const nlohmann::json document = {{"schema", "bankshot/pipeline/1"},
                                     {"organisation", organisation_},
                                     {"stall_cycles", stalls},
                                     {"last_writeback_cycle", last},
                                     {"writeback_order", order}};
    return deliver(json_, document.dump(1) + "\n", text);
  }

 private:
  bool has_queues() const { return shape_.organisation == Organisation::elastic; }
  static std::string cell(const std::optional<SubWarp>& who) { return who ? fmt::format("{:>5}", who->id) : "    ."; }
  static std::string queue(const std::deque<SubWarp>& all) {
    std::string text;
    for (const SubWarp& one : all) text += (text.empty() ? "" : " ") + std::to_string(one.id);
    return fmt::format("  {:<12}", text.empty() ? "." : text);
  }

  std::string head() const {
    std::string text = "cycle    IF   ID  EXE";
    if (has_queues()) text += fmt::format("  {:<12}", "PREMEM");
    for (unsigned k = 0; k < shape_.memory; ++k) text += fmt::format("{:>5}", fmt::format("MEM{}", k));
    if (has_queues()) text += fmt::format("  {:<12}", "NONMEM");
    for (unsigned k = 0; k < shape_.memory && shape_.organisation == Organisation::split; ++k)
      text += fmt::format("{:>5}", fmt::format("NON{}", k));
    return text + "   WB\n";
  }

  std::string row(unsigned cycle, const timing::Stages& stages, StageStall stall) const {
    std::string text = fmt::format("{:>5} ", cycle);
    for (const auto& stage : stages.front()) text += cell(stage);
    if (has_queues()) text += queue(stages.premem());
    for (const auto& stage : stages.memory()) text += cell(stage);
    if (has_queues()) text += queue(stages.nonmem());
    for (const auto& stage : stages.beside()) text += cell(stage);
    text += cell(stages.write_back());
    if (stall != StageStall::none) text += fmt::format("  stall: {}", kStalls[static_cast<size_t>(stall)]);
    return text + '\n';
  }

  std::string text_, organisation_ = "split", json_;
  timing::StageShape shape_{Organisation::split, 3, 2, 1, 2};
  unsigned ports_ = 1;
};

const RegisterCommand registration(
    {"pipeline", "Draw a sequence of instructions in the stages of a GPU core",
     "Stages IF, ID and EXE, the memory stages, WB; a number is the place of the instruction "
     "in the sequence, from 0 on. Organisations\n"
     "after Elastic Pipeline (CF'11): unified, all pass the memory stages; split, the others "
     "have stages beside them; elastic, both wait in\n"
     "queues.\n\n"
     "Examples:\n"
     "  bankshot pipeline --organisation unified 'M S2 N N N'\n"
     "  bankshot pipeline --organisation elastic --premem 1 --nonmem 2 --json - 'S2 N N M - N'\n",
     [] { return std::make_unique<Pipeline>(); }});

}  // namespace
}  // namespace bankshot::cli
