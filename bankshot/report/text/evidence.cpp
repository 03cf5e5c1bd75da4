#include "bankshot/report/text/evidence.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace bankshot::report {
namespace {

using scratchpad::AccessKind;

template <class F>
bool any_site(const RunReport& report, F wanted) {
  return std::any_of(report.kernels.begin(), report.kernels.end(), [&](const Kernel& kernel) {
    return std::any_of(kernel.sites.begin(), kernel.sites.end(), wanted);
  });
}

bool is_matrix(const Site& site) { return site.matrix; }
bool is_atomic(const Site& site) { return scratchpad::is_atomic(site.kind); }

/// "lanes 0-3 20-23, 4-7 16-19, …" or "8 neighbouring lanes".
std::string served_together(const scratchpad::Rules& rules, AccessKind kind, unsigned width, unsigned warp_size) {
  if (const scratchpad::PhaseTable* const table = scratchpad::table_of(rules, kind, width)) {
    std::string text = "lanes ";
    for (const scratchpad::LaneMask phase : *table) {
      if (phase.lowest() < warp_size) text += (text.back() == ' ' ? "" : ", ") + scratchpad::lanes_text(phase);
    }
    return text;
  }
  const unsigned lanes = scratchpad::neighbours_together(rules, kind, width);
  return fmt::format("{} neighbouring lane{}", lanes, lanes == 1 ? "" : "s");
}

/// Which lanes are served together by the GPU that was used.
std::string phases_text(const scratchpad::Rules& rules, unsigned warp_size) {
  const scratchpad::Rules usual;
  if (warp_size == 32 && std::tie(rules.lanes_b32, rules.lanes_b64, rules.lanes_b128, rules.tables) ==
                             std::tie(usual.lanes_b32, usual.lanes_b64, usual.lanes_b128, usual.tables)) {
    return "  B  measurements agree: a whole warp is served together up to 32 bits a lane, a half-warp at\n"
           "     64 bits, a quarter-warp at 128 bits\n";
  }
  std::string text =
      "  -  from this GPU's file, with its evidence in docs/wavefronts.md; lanes that are served together:\n";
  for (const unsigned width : {4u, 8u, 16u}) {
    const std::string loads = served_together(rules, AccessKind::load, width, warp_size);
    const std::string stores = served_together(rules, AccessKind::store, width, warp_size);
    const char* const up_to = width == 4 ? "up to " : "at ";
    if (loads == stores) {
      text += fmt::format("     {}{} bits a lane: {}\n", up_to, 8 * width, loads);
    } else {
      text += fmt::format("     {}{} bits a lane, loads: {}\n", up_to, 8 * width, loads);
      text += fmt::format("     {}{} bits a lane, stores: {}\n", up_to, 8 * width, stores);
    }
  }
  return text;
}

}  // namespace

std::string evidence_text(const RunReport& report) {
  std::string text =
      "\nPictures: a row is one pass over the banks, a letter the lane that a bank serves in it (0-9, a = 10\n"
      "to v = 31), * several lanes on one word, . an idle bank.\n"
      "\nHow well the rules are known (docs/wavefronts.md has each with its evidence):\n"
      "  A  the vendor says so: " +
      std::string(report.rules.hash ? "" : "bank = word modulo banks; ") +
      "different words of one bank take a pass each;\n"
      "     lanes that read one word share it" +
      (report.rules.hash ? " (which bank a word is on is the assumption above)\n" : "\n") +
      phases_text(report.rules, report.warp_size);
  if (any_site(report, is_matrix)) {
    text +=
        "  B  machine code of ptxas 13 for sm_80: which accesses wmma.load and wmma.store are\n"
        "  M  counted on an H200: ldmatrix and stmatrix serve 8 lines of 16 bytes together\n";
  }
  if (any_site(report, is_atomic)) {
    text +=
        "  M  counted on an H200: lanes of an atomic that meet on one word take a pass each (position\n"
        "     conflicts), but share it where they add 1 and the result is unused; compare-and-swap takes two\n"
        "     passes for each. Float additions are repeated until they succeed, which is not counted. GPUs\n"
        "     before Maxwell lock words in a loop instead (docs/atomics.md)\n";
  }
  if (any_site(report, [](const Site& site) { return site.totals.in_transactions != 0; })) {
    text +=
        "  -  a design that no hardware has: in a transaction a bank serves one lane per pass "
        "(docs/transactions.md)\n";
  }
  return text;
}

}  // namespace bankshot::report
