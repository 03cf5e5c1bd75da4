// Which banks hold the words of a small square, and what its columns and diagonals cost.
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bankshot/experiment/atomics_machine.hpp"
#include "bankshot/experiment/atomics_paper.hpp"
#include "bankshot/experiment/rows.hpp"
#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::experiment {
namespace {

/// A line through the picture that crosses every row once. Row i holds the words i * banks and up.
struct Line {
  const char* name;
  uint32_t (*column)(uint32_t start, uint32_t row, uint32_t banks);
};
constexpr Line kPictureLines[] = {
    {"columns", [](uint32_t start, uint32_t, uint32_t) { return start; }},
    {"diagonals", [](uint32_t start, uint32_t row, uint32_t banks) { return (start + row) % banks; }}};

void add_line(Rows& rows, const Line& line, const scratchpad::Rules& rules, const std::string& hash) {
  std::vector<unsigned> degrees;
  std::vector<size_t> used;
  for (uint32_t start = 0; start < rules.banks; ++start) {
    std::array<uint32_t, scratchpad::kMaxLanes> bytes{};
    std::set<unsigned> banks;
    for (uint32_t row = 0; row < rules.banks; ++row) {
      const uint32_t word = row * rules.banks + line.column(start, row, rules.banks);
      bytes[row] = 4 * word;
      banks.insert(rules.bank(word));
    }
    const uint64_t lanes = scratchpad::LaneMask::first(rules.banks).bits();
    degrees.push_back(cost(rules, scratchpad::AccessKind::load, 4, bytes.data(), lanes).wavefronts);
    used.push_back(banks.size());
  }
  rows.add(fmt::format("{}, {}: conflict degree of each", line.name, hash), fmt::format("{}", fmt::join(degrees, " ")),
           "words");
  rows.add(fmt::format("{}, {}: banks that each uses", line.name, hash), fmt::format("{}", fmt::join(used, " ")),
           fmt::format("of {}", rules.banks));
}

}  // namespace

Result<Outcome> hashed_picture(const Experiment& experiment, const Settings&) {
  Parameters parameters(experiment);
  const unsigned bits = parameters.number("bank_bits", 1, 5);
  const std::vector<std::string> hashes = parameters.texts("hashes");
  if (hashes.empty()) parameters.fail("hashes", "is missing");
  std::vector<scratchpad::BankHash> all;
  for (const std::string& hash : hashes) {
    const Result<scratchpad::BankHash> parsed = scratchpad::parse_hash(hash, {2 * bits, bits});
    if (!parsed) {
      parameters.fail("hashes", parsed.error().message);
      break;
    }
    all.push_back(*parsed);
  }
  if (parameters.error()) return *parameters.error();
  Outcome outcome;
  Rows rows(experiment, outcome);
  report::PlotPanel panel;
  panel.title = "banks of words";
  panel.x_title = "word";
  panel.y_title = "bank";
  scratchpad::Rules rules;
  rules.banks = rules.lanes_b32 = 1u << bits;
  for (const Line& line : kPictureLines) {
    for (size_t k = 0; k < all.size(); ++k) {
      rules.hash = all[k];
      add_line(rows, line, rules, hash_label(hashes[k]));
    }
  }
  for (size_t k = 0; k < all.size(); ++k) {
    report::PlotSeries& series = panel.series.emplace_back();
    series.label = hash_label(hashes[k]);
    for (uint32_t word = 0; word < rules.banks * rules.banks; ++word)
      series.points.push_back({static_cast<double>(word), static_cast<double>(all[k].bank(word))});
  }
  outcome.panels = {panel};
  return outcome;
}

}  // namespace bankshot::experiment
