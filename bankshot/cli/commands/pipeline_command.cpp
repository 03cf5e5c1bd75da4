// bankshot pipeline: a sequence of instructions in the stages of a GPU core, cycle by cycle.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/timing/pipelines/stages.hpp"
#include "bankshot/timing/schedulers/foresight.hpp"

namespace bankshot::cli {
namespace {

using timing::Cycle;
using timing::kOrganisations;
using timing::Organisation;
using timing::StageStall;
using timing::SubWarp;
using Sequence = std::vector<std::optional<SubWarp>>;

constexpr size_t kMostInstructions = 10'000;
constexpr unsigned kMostDegree = 64;
constexpr std::array<std::string_view, 4> kStalls = {"", "bank conflict", "write-back", "data from outside"};

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
      sequence.push_back(SubWarp{id, true, timing::safe_distance({&degree, 1}, ports, true)});
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
    app.add_flag("--squeeze", shape_.squeeze,
                 "instructions behind a gap close it during a standstill; without: all behind stop, as in the paper");
    number("--ports", ports_, 1, "words that a bank delivers in a cycle");
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }

  int run(const std::vector<std::string>&) override {
    if (const auto error = cannot_deliver(json_, {})) return refuse(error->message);
    const Result<Sequence> sequence = parse_sequence(text_, ports_);
    if (!sequence) return refuse(sequence.error().message);
    const auto named = std::find(kOrganisations.begin(), kOrganisations.end(), organisation_);
    shape_.organisation = static_cast<Organisation>(named - kOrganisations.begin());
    std::vector<Drawn> all = pass(*sequence);
    std::string text = head();
    std::vector<unsigned> stalls;
    std::vector<uint64_t> order;
    Cycle last = 0;
    for (const Drawn& one : all) last = std::max(last, one.times.write_back);
    size_t first = 0, behind = 0;  // who is in the stages: fetched, and not written back
    for (Cycle cycle = 0; !all.empty() && cycle <= last; ++cycle) {
      while (behind < all.size() && all[behind].times.fetch <= cycle) ++behind;
      while (all[first].times.write_back < cycle) ++first;
      text += row(cycle, std::span(all).subspan(first, behind - first), stalls, order);
    }
    nlohmann::json instructions = nlohmann::json::array();
    for (const Drawn& one : all) {
      instructions.push_back({{"place", one.who.id},
                              {"fetch", one.times.fetch},
                              {"leaves_execution", one.times.leave},
                              {"write_back", one.times.write_back},
                              {"stopped_by", kStalls[static_cast<size_t>(one.times.why)]}});
    }
    text += fmt::format("\n{} in which the front stood still; {}\n",
                        stalls.size() == 1 ? "1 cycle" : std::to_string(stalls.size()) + " cycles",
                        all.empty() ? "nothing was fetched" : fmt::format("the last write-back is in cycle {}", last));
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
                                     {"last_writeback_cycle", last},
                                     {"writeback_order", order}};
    return deliver(json_, document.dump(1) + "\n", text);
  }

 private:
  struct Drawn {
    SubWarp who;
    timing::StageTimes times;
    unsigned stage = 0;  ///< of the front, or of those beside the memory stages
  };

  /// Fetches one after the other, as early as possible.
  std::vector<Drawn> pass(const Sequence& sequence) const {
    timing::Stages stages(shape_);
    std::vector<Drawn> all;
    Cycle cycle = 0;
    for (const std::optional<SubWarp>& next : sequence) {
      cycle = stages.moves(cycle);
      if (next) {
        stages.forget_before(cycle);
        const timing::StageTimes times = stages.fetch(cycle, *next);
        all.push_back({*next, times});
        for (const auto& late : stages.late()) {
          const auto whose =
              std::find_if(all.rbegin(), all.rend(), [&](const Drawn& one) { return one.who.id == late.id; });
          whose->times.write_back = late.write_back;
        }
        stages.late().clear();
      }
      ++cycle;
    }
    return all;
  }

  bool is_beside(const Drawn& one) const { return has_beside() && !one.who.memory; }
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

  /// Who is where in a cycle.
  std::string row(Cycle cycle, std::span<Drawn> all, std::vector<unsigned>& stalls,
                  std::vector<uint64_t>& order) const {
    std::vector<std::string> front(shape_.front, "."), memory(shape_.memory, "."), beside(shape_.memory, ".");
    std::string premem, nonmem, written = ".", stall;
    const auto add = [](std::string& queue, const std::string& id) { queue += (queue.empty() ? "" : " ") + id; };
    const auto stands = std::find_if(
        all.begin(), all.end(), [&](const Drawn& one) { return one.times.arrive <= cycle && cycle < one.times.leave; });
    const bool still = std::any_of(all.begin(), all.end(), [&](const Drawn& one) {
      return one.times.still_begin <= cycle && cycle < one.times.still_end;
    });
    if (still && stands != all.end()) {
      stall = fmt::format("  stall: {}", kStalls[static_cast<size_t>(stands->times.why)]);
      stalls.push_back(static_cast<unsigned>(cycle));
    }
    // Those beside stand still, too, if the one in their last stage is not written back now.
    const bool held = std::any_of(all.begin(), all.end(), [&](const Drawn& one) {
      return is_beside(one) && one.times.leave < cycle && one.stage + 1 == shape_.memory &&
             cycle < one.times.write_back;
    });
    const auto one_on = [&](unsigned stage, bool stop, unsigned& end) {  // no further than who is before
      if (shape_.squeeze) return end = std::min(stage + 1, end - 1);
      return stop ? stage : stage + 1;
    };
    unsigned front_end = shape_.front, beside_end = shape_.memory;
    for (Drawn& one : all) {
      const timing::StageTimes& times = one.times;
      const std::string id = std::to_string(one.who.id);
      if (cycle > times.write_back) continue;
      if (cycle == times.write_back) {
        written = id;
        order.push_back(one.who.id);
      } else if (cycle < times.leave) {
        if (cycle > times.fetch) one.stage = one_on(one.stage, stands != all.end(), front_end);
        front[one.stage] = id;
      } else if (one.who.memory || shape_.organisation == Organisation::unified) {
        const Cycle served = times.begin + (one.who.memory ? one.who.degree : 1);
        if (cycle < times.begin) {
          add(premem, id);
        } else {
          memory[cycle < served ? 0 : cycle - served + 1] = id;
        }
      } else if (has_queues()) {
        add(nonmem, id);
      } else {
        one.stage = cycle == times.leave ? 0 : one_on(one.stage, held, beside_end);
        beside[one.stage] = id;
      }
    }
    const auto cells = [](const std::vector<std::string>& stages) {
      std::string text;
      for (const std::string& stage : stages) text += fmt::format("{:>5}", stage);
      return text;
    };
    const auto queue = [](const std::string& ids) { return fmt::format("  {:<12}", ids.empty() ? "." : ids); };
    return fmt::format("{:>5} {}{}{}{}{}{:>5}{}\n", cycle, cells(front), has_queues() ? queue(premem) : "",
                       cells(memory), has_queues() ? queue(nonmem) : "", has_beside() ? cells(beside) : "", written,
                       stall);
  }

  std::string text_, organisation_ = "split", json_;
  timing::StageShape shape_{Organisation::split, 3, 2, 1, 2};
  unsigned ports_ = 1;
};

const RegisterCommand pipeline_registered(
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
