#include "bankshot/circuit/testbench.hpp"

#include <random>

#include <fmt/format.h>

#include "bankshot/scratchpad/hash/gf2.hpp"

namespace bankshot::circuit {
namespace {

using scratchpad::BankHash;
using scratchpad::HashClass;
using scratchpad::HashSize;
using scratchpad::RowSpace;

constexpr uint64_t kFactor = 6364136223846793005;
constexpr size_t kTold = 1000;  // settings between two calls of the progress

/// A row that a class allows.
uint32_t random_row(RowSpace space, unsigned address_bits, std::mt19937_64& random) {
  // A remainder, as distributions differ between libraries.
  if (space == RowSpace::any) return static_cast<uint32_t>(random()) & scratchpad::low_bits(address_bits);
  uint32_t row = 1u << random() % address_bits;
  if (space == RowSpace::bit_pairs) row |= 1u << random() % address_bits;
  return row;
}

std::vector<BankHash> random_hashes(const HashClass& c, HashSize size, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<BankHash> all;
  if (c.each != nullptr) {
    c.each(size, [&](const BankHash& hash) { all.push_back(hash); });
    for (size_t k = 0; k + 1 < all.size(); ++k) std::swap(all[k], all[k + random() % (all.size() - k)]);
    if (all.size() > count) all.resize(count);
    return all;
  }
  for (size_t k = 0; k < count; ++k) {
    BankHash& hash = all.emplace_back(BankHash{nullptr, size.address_bits, size.bank_bits, {}});
    for (unsigned i = 0; i < size.bank_bits; ++i) hash.row[i] = random_row(c.rows, size.address_bits, random);
  }
  return all;
}

}  // namespace

uint64_t signature(const BankHash& hash) {
  uint64_t sum = 0;
  for (uint32_t address = 0; address < 1u << hash.address_bits; ++address) sum = sum * kFactor + hash.bank(address) + 1;
  return sum;
}

std::vector<Expectation> random_expectations(const HashClass& c, HashSize size, size_t count, uint64_t seed,
                                             const std::function<void(size_t done, size_t all)>& progress) {
  std::vector<Expectation> all;
  const std::vector<BankHash> hashes = random_hashes(c, size, count, seed);
  for (const BankHash& hash : hashes) {
    all.push_back({c.circuit->setting(hash), signature(hash)});
    if (progress && all.size() % kTold == 0) progress(all.size(), hashes.size());
  }
  return all;
}

std::vector<Expectation> one_expectation(const BankHash& hash) { return {{{}, signature(hash)}}; }

std::string testbench(const Design& design, const std::vector<Expectation>& expected, uint64_t seed,
                      std::string_view module) {
  const unsigned n = design.size.address_bits, m = design.size.bank_bits;
  const bool set = design.configurable();
  const std::string setting = set ? fmt::format("[{}:0]", design.setting_bits() - 1) : "";
  std::string text =
      fmt::format("// Compares {} ({}) with the model: all {} addresses{}.\n", module, design.what, 1u << n,
                  set ? fmt::format(", {} random settings (seed {})", expected.size(), seed) : "");
  text += fmt::format("`timescale 1ns / 1ns\nmodule {}_test;\n", module);
  if (set) text += fmt::format("  reg clk = 0, configure = 0;\n  reg {} setting;\n", setting);
  text += fmt::format("  reg [{}:0] address;\n  wire [{}:0] bank;\n  {} dut (", n - 1, m - 1, module);
  if (set) text += ".clk(clk), .configure(configure), .setting(setting), ";
  text +=
      fmt::format(".address(address), .bank(bank));\n\n  reg [63:0] sum;\n  integer i, failures = 0;\n  task check;\n");
  if (set) text += fmt::format("    input {} value;\n", setting);
  text += "    input [63:0] expected;\n    begin\n";
  if (set) {
    text +=
        "      setting = value;\n      configure = 1;\n      #1 clk = 1;\n      #1 clk = 0;\n      configure = 0;\n";
  }
  text += fmt::format(
      "      sum = 0;\n      for (i = 0; i < {}; i = i + 1) begin\n        address = i[{}:0];\n        #1;\n"
      "        sum = sum * 64'd{} + {{{}'d0, bank}} + 64'd1;\n      end\n",
      1u << n, n - 1, kFactor, 64 - m);
  text += fmt::format(
      "      if (sum !== expected) begin\n        failures = failures + 1;\n        $display(\"FAIL{}\"{});\n",
      set ? ": setting %h" : "", set ? ", value" : "");
  text += "      end\n    end\n  endtask\n\n  initial begin\n";
  for (const Expectation& one : expected) {
    text += fmt::format("    check({}{}64'h{:016x});\n", set ? setting_literal(design, one.fields) : "",
                        set ? ", " : "", one.signature);
  }
  text += fmt::format(
      "    if (failures == 0) $display(\"PASS: {} addresses, {} setting{}\");\n"
      "    else $display(\"FAIL: %0d of {}\", failures);\n    $finish;\n  end\nendmodule\n",
      1u << n, expected.size(), expected.size() == 1 ? "" : "s", expected.size());
  return text;
}

}  // namespace bankshot::circuit
