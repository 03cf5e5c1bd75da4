#include "bankshot/circuit/design.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::circuit {
namespace {

using scratchpad::BankHash;
using scratchpad::CircuitField;

/// "address[0] ^ address[5]"
std::string row_of_address(uint32_t row) {
  return scratchpad::xor_of_bits(row, [](unsigned bit) { return scratchpad::verilog_bit("address", bit); }, "1'b0");
}

/// "[4:0]"
std::string range(unsigned bits) { return fmt::format("[{}:0]", bits - 1); }

/// The fields as one signal, the highest first: "{mask, k2, k1}".
std::string all_fields(const Design& design) {
  std::string text;
  for (const CircuitField& field : design.fields) text = field.name + (text.empty() ? "" : ", ") + text;
  return "{" + text + "}";
}

std::string layout(const Design& design) {
  std::string text;
  const std::vector<std::string> ranges = setting_ranges(design);
  for (size_t k = 0; k < ranges.size(); ++k)
    text += fmt::format("//   setting{}  {}, 0 to {}\n", ranges[k], design.fields[k].name, design.fields[k].last);
  return text;
}

}  // namespace

unsigned Design::setting_bits() const {
  unsigned sum = 0;
  for (const CircuitField& field : fields) sum += field.bits;
  return sum;
}

std::vector<std::string> setting_ranges(const Design& design) {
  std::vector<std::string> ranges;
  unsigned at = 0;
  for (const CircuitField& field : design.fields) {
    ranges.push_back(fmt::format("[{}:{}]", at + field.bits - 1, at));
    at += field.bits;
  }
  return ranges;
}

std::string logic_module(const Design& design, std::string_view module) {
  return std::string(module) + (design.configurable() ? "_logic" : "");
}

Design fixed_design(const BankHash& hash) {
  Design design{scratchpad::fixed_spec(hash), "", hash.size(), {}, {}};
  if (!hash.linear()) {
    design.body = {"assign bank = " + hash.formula->verilog(hash.size()) + ";"};
    return design;
  }
  for (unsigned i = 0; i < hash.bank_bits; ++i)
    design.body.push_back("assign " + scratchpad::verilog_bit("bank", i) + " = " + row_of_address(hash.row[i]) + ";");
  return design;
}

Result<Design> configurable_design(const scratchpad::HashClass& c, scratchpad::HashSize size) {
  if (c.circuit == nullptr) {
    return Error{fmt::format("class {} is not configurable; configurable classes are {}", c.search_name(),
                             scratchpad::configurable_classes())};
  }
  return Design{std::string(c.search_name()), std::string(c.summary), size, c.circuit->fields(size),
                c.circuit->body(size)};
}

std::string setting_literal(const Design& design, const std::vector<uint32_t>& fields) {
  std::vector<bool> bits;  // bit 0 first
  for (size_t f = 0; f < design.fields.size(); ++f) {
    for (unsigned i = 0; i < design.fields[f].bits; ++i) bits.push_back((fields[f] >> i & 1) != 0);
  }
  const size_t count = bits.size();
  bits.resize((count + 3) / 4 * 4);
  std::string digits;
  for (size_t i = bits.size(); i != 0; i -= 4) {
    const unsigned digit = 8u * bits[i - 1] + 4u * bits[i - 2] + 2u * bits[i - 3] + 1u * bits[i - 4];
    digits += "0123456789abcdef"[digit];
  }
  return fmt::format("{}'h{}", count, digits);
}

std::string to_verilog(const Design& design, std::string_view module) {
  const auto& [n, m] = design.size;
  const std::string address = fmt::format("input wire {} address", range(n)),
                    bank = fmt::format("output wire {} bank", range(m));
  std::string text = fmt::format("// Bank hash {}{} of {} address bits (words of shared memory) and {} banks.\n",
                                 design.what, design.meaning.empty() ? "" : ": " + design.meaning + ",", n, 1u << m);
  std::string logic = fmt::format("module {} (\n", logic_module(design, module));
  for (const CircuitField& field : design.fields)
    logic += fmt::format("    input wire {} {},\n", range(field.bits), field.name);
  logic += fmt::format("    {},\n    {}\n);\n", address, bank);
  for (const std::string& line : design.body) logic += "  " + line + "\n";
  logic += "endmodule\n";
  if (!design.configurable()) return text + logic;

  text +=
      "// The bank follows the address in the same cycle. A rising edge of clk with configure = 1 takes over the "
      "setting:\n" +
      layout(design) + logic;
  text += fmt::format(
      "\nmodule {} (\n    input wire clk,\n    input wire configure,\n    input wire {} setting,\n    {},\n    "
      "{}\n);\n",
      module, range(design.setting_bits()), address, bank);
  std::string connections;
  for (const CircuitField& field : design.fields) {
    text += fmt::format("  reg {} {};\n", range(field.bits), field.name);
    connections += fmt::format(".{0}({0}), ", field.name);
  }
  text += fmt::format("  always @(posedge clk) begin\n    if (configure) {} <= setting;\n  end\n", all_fields(design));
  return text + fmt::format("  {} logic_of_bank ({}.address(address), .bank(bank));\nendmodule\n",
                            logic_module(design, module), connections);
}

XorGates xor_gates(const BankHash& hash) {
  XorGates sum;
  for (const uint32_t row : hash.rows()) {
    const auto inputs = static_cast<unsigned>(std::popcount(row));
    if (inputs < 2) continue;
    sum.gates += inputs - 1;
    sum.levels = std::max(sum.levels, static_cast<unsigned>(std::bit_width(inputs - 1)));
  }
  return sum;
}

}  // namespace bankshot::circuit
