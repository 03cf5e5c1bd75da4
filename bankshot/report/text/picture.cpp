#include "bankshot/report/text/picture.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>

#include "bankshot/scratchpad/access/bank_words.hpp"
#include "bankshot/scratchpad/access/passes.hpp"

namespace bankshot::report {
namespace {

using scratchpad::AccessKind;
using scratchpad::LaneMask;
using scratchpad::Pass;

char cell(int8_t lane) {
  if (lane == Pass::kIdle) return '.';
  if (lane == Pass::kSeveral) return '*';
  return lane_letter(static_cast<unsigned>(lane));
}

/// Cells one blank apart while a row fits an 80-column terminal.
unsigned pitch(const scratchpad::Rules& rules) { return rules.banks <= 32 ? 2 : 1; }

std::string row(std::string_view label, std::span<const int8_t> banks, unsigned pitch) {
  std::string line = fmt::format("{:<9}", label);
  for (const int8_t lane : banks) {
    line += cell(lane);
    if (pitch == 2) line += ' ';
  }
  while (line.back() == ' ') line.pop_back();
  return line;
}

/// A row for each port of the banks, of those behind the first one only where a bank uses it.
void add_rows(std::vector<std::string>& lines, std::string_view label, const Pass& pass,
              const scratchpad::Rules& rules) {
  for (unsigned port = 0; port < rules.ports; ++port) {
    const auto served = std::span(pass.bank).subspan(size_t{port} * rules.banks, rules.banks);
    const bool idle = std::all_of(served.begin(), served.end(), [](int8_t lane) { return lane == Pass::kIdle; });
    if (port == 0 || !idle) lines.push_back(row(port == 0 ? label : "", served, pitch(rules)));
  }
}

std::string ruler(const scratchpad::Rules& rules) {
  std::string line = "bank     ";
  for (unsigned bank = 0; bank < rules.banks; bank += 8) line += fmt::format("{:<{}}", bank, 8 * pitch(rules));
  while (line.back() == ' ') line.pop_back();
  return line;
}

/// What a phase asks of its busiest bank.
struct Busiest {
  unsigned bank = 0;
  size_t words = 0, lanes = 0;
  unsigned idle = 0;  ///< banks without an access
};

Busiest busiest(const Site& site, const scratchpad::Rules& rules, const Pass& phase) {
  std::vector<std::set<uint32_t>> words(rules.banks);
  std::vector<size_t> lanes(rules.banks);
  const LaneMask served = phase.phase & LaneMask(site.totals.worst.mask);
  for (const unsigned lane : served) {
    const scratchpad::ByteOffset address(site.totals.worst.addresses[lane]);
    scratchpad::for_each_bank_word(rules, address, site.width, [&](uint32_t word) {
      const unsigned bank = rules.bank(word);
      words[bank].insert(word);
      ++lanes[bank];
    });
  }
  const bool turns = scratchpad::lanes_take_turns(rules, kind_of(site));
  Busiest most;
  for (unsigned bank = 0; bank < rules.banks; ++bank) {
    most.idle += lanes[bank] == 0;
    if (turns ? lanes[bank] > most.lanes : words[bank].size() > most.words) {
      most.bank = bank;
      most.words = words[bank].size();
      most.lanes = lanes[bank];
    }
  }
  return most;
}

/// A pass of the phase that takes the most passes; the first of equals.
const Pass& slowest_phase(const std::vector<Pass>& passes) {
  std::map<uint64_t, size_t> length;  // by phase
  for (const Pass& pass : passes) ++length[pass.phase.bits()];
  return *std::max_element(passes.begin(), passes.end(), [&](const Pass& a, const Pass& b) {
    return length[a.phase.bits()] < length[b.phase.bits()];
  });
}

std::string plural(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string summary(const Site& site, const scratchpad::Rules& rules, const std::vector<Pass>& passes) {
  const Pass& phase = slowest_phase(passes);
  const Busiest most = busiest(site, rules, phase);
  std::string text;
  if (phase.phase != passes.front().phase || phase.phase != passes.back().phase) {
    text = fmt::format("lanes {}: ", scratchpad::lanes_text(phase.phase));
  }
  if (scratchpad::lanes_take_turns(rules, kind_of(site))) {
    text += fmt::format("bank {} serves {} on {}, one after the other", most.bank, plural(most.lanes, "lane"),
                        plural(most.words, "word"));
  } else {
    text += fmt::format("bank {} must deliver {}", most.bank, plural(most.words, "different word"));
  }
  if (rules.ports != 1) text += fmt::format(", {} in a pass", rules.ports);
  if (most.idle != 0) text += fmt::format("; {} of {} banks idle", most.idle, rules.banks);
  return text;
}

}  // namespace

char lane_letter(unsigned lane) {
  constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#@";
  return lane < kLetters.size() ? kLetters[lane] : '?';
}

std::vector<std::string> picture(const Site& site, const scratchpad::Rules& rules, unsigned most_passes) {
  const auto& worst = site.totals.worst;
  if (worst.mask == 0) return {};
  const std::vector<Pass> passes =
      scratchpad::passes(rules, kind_of(site), site.width, worst.addresses.data(), worst.mask);
  std::vector<std::string> lines = {ruler(rules)};
  const LaneMask lanes = LaneMask::first(LaneMask(worst.mask).highest() + 1);
  for (size_t i = 0; i < passes.size() && i < most_passes; ++i) {
    const size_t start = lines.size();
    add_rows(lines, fmt::format("pass {}", i + 1), passes[i], rules);
    const bool first_of_phase = i == 0 || passes[i].phase != passes[i - 1].phase;
    if (first_of_phase && !lanes.without(passes[i].phase).empty()) {
      lines[start] += "  lanes " + scratchpad::lanes_text(passes[i].phase);
    }
  }
  if (passes.size() > most_passes) {
    lines.push_back(fmt::format("         … {} more", passes.size() - most_passes));
  }
  lines.push_back(summary(site, rules, passes));
  return lines;
}

}  // namespace bankshot::report
