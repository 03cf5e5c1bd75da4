// bankshot pipeline: a sequence of instructions in the stages of a GPU core, cycle by cycle.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/timing/pipelines/stage_chart.hpp"
#include "bankshot/timing/schedulers/foresight.hpp"

namespace bankshot::cli {
namespace {

using timing::Cycle;
using timing::kOrganisations;
using timing::Organisation;
using timing::StageRow;
using timing::StageStall;

constexpr std::array<std::string_view, 4> kStalls = {"", "bank conflict", "write-back", "data from outside"};

/// Of banks with several ports: the cycles for which each access has them.
void serve(timing::FetchSequence& sequence, unsigned ports) {
  for (std::optional<timing::SubWarp>& one : sequence) {
    if (one && one->memory) one->degree = timing::safe_distance({&one->degree, 1}, ports, true);
  }
}

class Pipeline final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("SEQUENCE", text_,
                   "the instructions to fetch, one per cycle: N (no memory access), S2 (shared memory, conflict degree "
                   "2), M (other memory) or - (nothing)")
        ->required();
    app.add_option("--organisation", organisation_, "organisation of the stages")
        ->check(CLI::IsMember(std::vector<std::string>(kOrganisations.begin(), kOrganisations.end())))
        ->capture_default_str();
    const auto number = [&](const std::string& name, unsigned& value, unsigned least, const std::string& what) {
      app.add_option(name, value, what)->check(CLI::Range(least, 64u))->capture_default_str();
    };
    number("--mem-stages", shape_.memory, 1, "number of memory stages");
    number("--premem", shape_.premem, 0, "elastic: accesses that can wait before the memory stages");
    number("--nonmem", shape_.nonmem, 0, "elastic: other instructions that can wait beside the memory stages");
    app.add_flag(
        "--squeeze", shape_.squeeze,
        "during a stall, instructions behind a gap move up to close it; by default they all stop, as in the paper");
    number("--ports", ports_, 1, "words that a bank delivers per cycle");
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }

  int run(const std::vector<std::string>&) override {
    if (const auto error = cannot_deliver(json_, {})) return refuse(error->message);
    Result<timing::FetchSequence> sequence = timing::parse_fetches(text_);
    if (!sequence) return refuse(sequence.error().message);
    serve(*sequence, ports_);
    const auto named = std::find(kOrganisations.begin(), kOrganisations.end(), organisation_);
    shape_.organisation = static_cast<Organisation>(named - kOrganisations.begin());
    const timing::StageChart chart(shape_, *sequence);
    std::string text = head();
    std::vector<Cycle> stalls;
    std::vector<uint64_t> order;
    chart.each_cycle([&](const StageRow& row) {
      text += drawn(row);
      if (row.stall != StageStall::none) stalls.push_back(row.cycle);
      if (row.write_back != StageRow::kNobody) order.push_back(row.write_back);
    });
    nlohmann::json instructions = nlohmann::json::array();
    for (const auto& one : chart.all()) {
      instructions.push_back({{"place", one.who.id},
                              {"fetch", one.times.fetch},
                              {"leaves_execution", one.times.leave},
                              {"write_back", one.times.write_back},
                              {"stopped_by", kStalls[static_cast<size_t>(one.times.why)]}});
    }
    text += fmt::format(
        "\n{} in which the front stalled; {}\n",
        stalls.size() == 1 ? "1 cycle" : std::to_string(stalls.size()) + " cycles",
        chart.all().empty() ? "nothing was fetched" : fmt::format("the last write-back is in cycle {}", chart.last()));
    const nlohmann::json document = {{"schema", "bankshot/pipeline/1"},
                                     {"organisation", organisation_},
                                     {"sequence", text_},
                                     {"ports", ports_},
                                     {"squeeze", shape_.squeeze},
                                     {"mem_stages", shape_.memory},
                                     {"premem", has_queues() ? shape_.premem : 0},
                                     {"nonmem", has_queues() ? shape_.nonmem : 0},
                                     {"instructions", instructions},
                                     {"stall_cycles", stalls},
                                     {"last_writeback_cycle", chart.last()},
                                     {"writeback_order", order}};
    return deliver(json_, report::json_text(document), text);
  }

 private:
  bool has_queues() const { return shape_.organisation == Organisation::elastic; }
  bool has_beside() const { return shape_.organisation == Organisation::split; }

  std::string head() const {
    std::string text = "cycle    IF   ID  EXE";
    if (has_queues()) text += fmt::format("  {:<12}", "PREMEM");
    for (unsigned k = 0; k < shape_.memory; ++k) text += fmt::format("{:>5}", fmt::format("MEM{}", k));
    if (has_queues()) text += fmt::format("  {:<12}", "NONMEM");
    for (unsigned k = 0; k < shape_.memory && has_beside(); ++k) text += fmt::format("{:>5}", fmt::format("NON{}", k));
    return text + "   WB\n";
  }

  std::string drawn(const StageRow& row) const {
    const auto name = [](uint64_t id) { return id == StageRow::kNobody ? "." : std::to_string(id); };
    const auto cells = [&](const std::vector<uint64_t>& stages) {
      std::string text;
      for (const uint64_t id : stages) text += fmt::format("{:>5}", name(id));
      return text;
    };
    const auto queue = [](const std::vector<uint64_t>& ids) {
      return fmt::format("  {:<12}", ids.empty() ? "." : fmt::format("{}", fmt::join(ids, " ")));
    };
    const std::string stall =
        row.stall == StageStall::none ? "" : fmt::format("  stall: {}", kStalls[static_cast<size_t>(row.stall)]);
    return fmt::format("{:>5} {}{}{}{}{}{:>5}{}\n", row.cycle, cells(row.front), has_queues() ? queue(row.premem) : "",
                       cells(row.memory), has_queues() ? queue(row.nonmem) : "", cells(row.beside),
                       name(row.write_back), stall);
  }

  std::string text_, organisation_ = "split", json_;
  timing::StageShape shape_{Organisation::split, 3, 2, 1, 2};
  unsigned ports_ = 1;
};

const RegisterCommand pipeline_registered(
    {"pipeline", "Draw a sequence of instructions in the stages of a GPU core",
     "The stages are IF, ID, EXE, the memory stages and WB; a number is the position of an instruction in the "
     "sequence, from 0.\nOrganisations as in Elastic Pipeline (CF'11): unified, all instructions pass through the "
     "memory stages; split, other\ninstructions have stages beside the memory stages; elastic, both kinds wait in "
     "queues.\n\n"
     "Examples:\n"
     "  bankshot pipeline --organisation unified 'M S2 N N N'\n"
     "  bankshot pipeline --organisation elastic --premem 1 --nonmem 2 --json - 'S2 N N M - N'\n",
     [] { return std::make_unique<Pipeline>(); }});

}  // namespace
}  // namespace bankshot::cli
