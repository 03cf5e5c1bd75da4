#include "bankshot/measure/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace bankshot::measure {
namespace {

using nlohmann::json;

/// "bank, stride 32": what conflicts there are.
std::string conflicts_of(const Series& series, const Locks& locks) {
  const bool of_banks = series.conflicts == "mixed" || (series.conflicts == "lock" && !locks.number);
  return fmt::format("{}, stride {}", of_banks ? "bank" : series.conflicts, series.stride);
}

std::string latency_table(const Calibration& calibration) {
  std::string text = fmt::format("{:<30} {:<18} {:>7} {:>8} {:>8} {:>9} {:>6} {:>8} {:>6}\n", "one access of a warp",
                                 "conflicts", "degrees", "first", "last", "each more", "fitted", "residual", "spread");
  for (const Series& one : calibration.series) {
    const size_t degrees = one.latency.size();
    text += fmt::format("{:<30} {:<18} {:>7} {:>8.1f} {:>8.1f} {:>9} {:>6} {:>8.1f} {:>6.1f}\n",
                        info(one.access).meaning, conflicts_of(one, calibration.locks), fmt::format("1..{}", degrees),
                        one.line.first, degrees == 0 ? 0 : one.latency.back().median(),
                        one.line.points > 1 ? fmt::format("{:.2f}", one.line.step) : "-",
                        fmt::format("1..{}", one.line.points), one.line.residual, one.spread);
  }
  return text;
}

std::string rate_table(const Calibration& calibration) {
  std::string text =
      fmt::format("{:<30} {:<18}", fmt::format("an access of {} warps at once", calibration.warps), "conflicts");
  if (calibration.rates.empty()) return {};
  for (const unsigned degree : calibration.rates[0].degrees) text += fmt::format(" {:>6}", degree);
  text += '\n';
  for (const Rate& one : calibration.rates) {
    text += fmt::format("{:<30} {:<18}", info(one.access).meaning,
                        one.conflicts == "warps" ? "warps on the words" : one.conflicts);
    for (const Samples& ticks : one.ticks) text += fmt::format(" {:>6.2f}", ticks.median());
    text += '\n';
  }
  return text;
}

std::string locks_text(const Locks& locks) {
  if (locks.number) {
    return fmt::format(
        "locks: {} of them: words that far apart share one. Such a pair costs {:.1f} more than no conflict, of it\n"
        "{:.1f} for reading again; a bank conflict level {:.1f} in reading and {:.1f} in writing\n",
        *locks.number, locks.pair, locks.read_level, locks.read_level, locks.write_level);
  }
  if (locks.distances.empty()) return "locks: not measured, too little shared memory\n";
  return fmt::format("locks: none seen: words {} to {} apart cost the same\n", locks.distances.front(),
                     locks.distances.back());
}

double mean(const std::vector<double>& all) {
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(std::max<size_t>(1, all.size()));
}

json numbers(const std::vector<Samples>& all) {
  json list = json::array();
  for (const Samples& one : all) list.push_back(one.median());
  return list;
}

json series_json(const Series& one) {
  return {{"access", info(one.access).name}, {"conflicts", one.conflicts},    {"stride", one.stride},
          {"latency", numbers(one.latency)}, {"first", one.line.first},       {"each_more", one.line.step},
          {"fitted", one.line.points},       {"residual", one.line.residual}, {"spread", one.spread}};
}

std::string votes_table(const Result<VoteCheck>& checked) {
  if (!checked) return "votes: not compared with the GPU: " + checked.error().message + '\n';
  const VoteCheck& votes = *checked;
  std::string text = fmt::format(
      "votes of a warp, random of equal probability: means of {} warps in ticks, seed {}; model and simulator with "
      "the\n"
      "values above\n{:>6} {:>6} {:<9} {:<8} {:>9} {:>9} {:>9}\n",
      votes.warps, votes.seed, "words", "copies", "mapping", "votes", "measured", "model", "simulated");
  for (const VoteCase& one : votes.cases) {
    text += fmt::format("{:>6} {:>6} {:<9} {:<8} {:>9.1f} {:>9.1f} {:>9.1f}\n", one.layout.words, one.layout.copies,
                        one.layout.copies == 1 ? "-" : scratchpad::name(one.layout.mapping),
                        one.sorted ? "sorted" : "as drawn", mean(one.measured), mean(one.model), mean(one.simulated));
  }
  const Apart model = votes.apart(&VoteCase::model), simulated = votes.apart(&VoteCase::simulated);
  return text + fmt::format(
                    "of the measured time of a warp differ: the model by {:.1f} % in the median and {:.1f} % at "
                    "most, the\nsimulator by {:.1f} % and {:.1f} %\n",
                    model.median, model.most, simulated.median, simulated.most);
}

json votes_json(const Result<VoteCheck>& checked) {
  if (!checked) return {{"reason", checked.error().message}};
  const VoteCheck& votes = *checked;
  json cases = json::array();
  for (const VoteCase& one : votes.cases) {
    cases.push_back({{"words", one.layout.words},
                     {"copies", one.layout.copies},
                     {"mapping", scratchpad::name(one.layout.mapping)},
                     {"sorted", one.sorted},
                     {"measured", one.measured},
                     {"model", one.model},
                     {"simulated", one.simulated}});
  }
  const auto apart = [&](auto of) -> json {
    const Apart percent = votes.apart(of);
    return {{"median", percent.median}, {"most", percent.most}};
  };
  return {{"seed", votes.seed},
          {"cases", cases},
          {"apart_percent", {{"model", apart(&VoteCase::model)}, {"simulated", apart(&VoteCase::simulated)}}}};
}

json findings_json(const std::vector<Finding>& all) {
  json list = json::array();
  for (const Finding& one : all) {
    list.push_back({{"key", one.key}, {"value", one.text}, {"base", one.was}, {"remark", one.remark}});
    if (!one.ticks) continue;
    list.back()["ticks"] = *one.ticks;
    list.back()["spread"] = one.spread;
  }
  return list;
}

}  // namespace

std::string summary(const Calibration& calibration) {
  const Device& device = calibration.device;
  std::string text = fmt::format("{}, compute capability {}.{}, {}, at most {} MHz, on {}\n", device.name, device.major,
                                 device.minor, device.driver, device.clock_khz / 1000, calibration.date);
  text += fmt::format("medians of {} samples, in ticks of %clock{}\n\n", calibration.samples,
                      device.issue_cycles_by_tick == 1 ? "" : ", two of which are a cycle of issue");
  return text + latency_table(calibration) + '\n' + rate_table(calibration) + '\n' + locks_text(calibration.locks);
}

std::string to_text(const Calibration& calibration, const Base& base, const Description& description,
                    const Result<VoteCheck>& votes) {
  std::string text = summary(calibration) + '\n';
  text += fmt::format("{:<32} {:>16} {:>16}  {}\n", "description", "value", base.name, "because");
  for (const auto* list : {&description.measured, &description.told}) {
    for (const Finding& one : *list)
      text += fmt::format("{:<32} {:>16} {:>16}  {}\n", one.key, one.text, one.was, one.remark);
  }
  for (const Finding& one : description.refused) {
    text += fmt::format("{:<32} {:>16} {:>16}  not taken: {}\n", one.key, one.text, one.was, one.remark);
  }
  return text + '\n' + votes_table(votes);
}

std::string to_json(const Calibration& calibration, const Base& base, const Description& description,
                    const Result<VoteCheck>& votes) {
  const Device& device = calibration.device;
  const Locks& locks = calibration.locks;
  json document = {{"schema", "bankshot/calibrate/1"},
                   {"device",
                    {{"name", device.name},
                     {"compute_capability", fmt::format("{}.{}", device.major, device.minor)},
                     {"driver", device.driver},
                     {"clock_khz", device.clock_khz},
                     {"issue_cycles_by_tick", device.issue_cycles_by_tick}}},
                   {"date", calibration.date},
                   {"samples", calibration.samples},
                   {"warps", calibration.warps},
                   {"base", base.name}};
  document["series"] = json::array();
  for (const Series& one : calibration.series) document["series"].push_back(series_json(one));
  document["rates"] = json::array();
  for (const Rate& one : calibration.rates) {
    document["rates"].push_back({{"access", info(one.access).name},
                                 {"conflicts", one.conflicts},
                                 {"degrees", one.degrees},
                                 {"ticks", numbers(one.ticks)}});
  }
  document["locks"] = {{"distances", locks.distances},
                       {"latency", numbers(locks.latency)},
                       {"spread", locks.spread},
                       {"number", nullptr}};
  if (locks.number) {
    document["locks"]["number"] = *locks.number;
    document["locks"]["pair"] = locks.pair;
    document["locks"]["read_level"] = locks.read_level;
    document["locks"]["write_level"] = locks.write_level;
  }
  document["votes"] = votes_json(votes);
  document["measured"] = findings_json(description.measured);
  document["told"] = findings_json(description.told);
  document["refused"] = findings_json(description.refused);
  return document.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace bankshot::measure
