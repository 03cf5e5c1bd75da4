#include "bankshot/scratchpad/hash/hash_text.hpp"

#include <bit>
#include <map>

#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/spec_parts.hpp"
#include "bankshot/support/nearest_name.hpp"

namespace bankshot::scratchpad {
namespace {

std::string unknown_word(std::string_view word) {
  NearestName nearest(word);
  for (const HashClass& c : hash_classes()) nearest.compare(c.word);
  return "no such class; choose one of " + hash_syntaxes() + did_you_mean(nearest);
}

}  // namespace

Result<BankHash> parse_hash(std::string_view spec, HashSize size) {
  const size_t colon = spec.find(':');
  const std::string_view word = spec.substr(0, colon);
  const bool has_parameters = colon != std::string_view::npos;
  const auto fail = [&](const std::string& why) { return Error{"hash '" + std::string(spec) + "': " + why}; };
  const HashClass* const c = find_hash_class(word);
  if (c == nullptr) return fail(unknown_word(word));
  if (has_parameters && c->parameters.empty()) return fail("'" + std::string(word) + "' takes no numbers");
  Result<BankHash> hash = c->parse(has_parameters ? spec.substr(colon + 1) : std::string_view{}, size);
  if (!hash) return fail(hash.error().message);
  return hash;
}

std::string_view class_name(const BankHash& hash) { return class_of(hash).name; }

namespace {

std::string spec_of(const HashClass& c, const std::string& parameters) {
  return std::string(c.word) + (parameters.empty() ? "" : ":" + parameters);
}

}  // namespace

std::string spec(const BankHash& hash) {
  const HashClass& c = class_of(hash);
  return spec_of(c, *c.parameters_of(hash));
}

std::string fixed_spec(const BankHash& hash) {
  for (const HashClass& c : hash_classes()) {
    if (c.fixed && c.parameters_of(hash)) return spec_of(c, *c.parameters_of(hash));
  }
  return spec(hash);
}

std::string paper_form(const BankHash& hash) {
  const HashClass& c = class_of(hash);
  return c.paper != nullptr ? c.paper(hash) : "bits " + bit_lists_text(hash, " ");
}

std::string xor_of_bits(uint32_t row, const std::function<std::string(unsigned bit)>& name, std::string_view zero) {
  std::string text;
  for (uint32_t rest = row; rest != 0; rest &= rest - 1)
    text += (text.empty() ? "" : " ^ ") + name(static_cast<unsigned>(std::countr_zero(rest)));
  return text.empty() ? std::string(zero) : text;
}

std::string row_text(uint32_t row) {
  return xor_of_bits(row, [](unsigned bit) { return "a" + std::to_string(bit); }, "0");
}

std::string bank_expression(const BankHash& hash, std::string_view a) {
  const std::string name(a);
  if (!hash.linear()) return hash.formula->expression(a, hash.size());
  // Bank bit i takes address bit j from j - i places further up: equal distances are one term.
  std::map<int, uint32_t> terms;
  for (unsigned i = 0; i < hash.bank_bits; ++i) {
    for (uint32_t rest = hash.row[i]; rest != 0; rest &= rest - 1)
      terms[std::countr_zero(rest) - static_cast<int>(i)] |= 1u << i;
  }
  std::string text;
  for (const auto& [distance, bank_bits] : terms) {
    std::string term = distance == 0 ? name
                                     : "(" + name + (distance > 0 ? " >> " : " << ") +
                                           std::to_string(distance < 0 ? -distance : distance) + ")";
    term = "(" + term + " & " + std::to_string(bank_bits) + ")";
    text += (text.empty() ? "" : " ^ ") + term;
  }
  return text.empty() ? "0" : text;
}

std::string cpp_source(const BankHash& hash, std::string_view array) {
  const std::string words = std::to_string(1u << hash.address_bits), banks = std::to_string(hash.banks());
  const std::string low = std::to_string(hash.banks() - 1), suffix = array.empty() ? "" : "_" + std::string(array);
  const std::string bank = "bank" + suffix, place = "place" + suffix, check = place + "_is_a_permutation";
  const std::string function = array.empty() ? "constexpr " : "__host__ __device__ constexpr ";
  std::string text = function + "unsigned " + bank + "(unsigned a) { return " + bank_expression(hash) + "; }\n";
  if (!is_in_place(hash)) return text;
  text += function + "unsigned " + place + "(unsigned a) { return (a & ~" + low + "u) | " + bank + "(a); }\n";
  const bool two = hash.banks() > 64;  // numbers whose bits are the words of a row
  const std::string seen = two ? "seen[(" + place + "(a) - row) / 64]" : "seen";
  const std::string moved = two ? "((" + place + "(a) - row) % 64)" : "(" + place + "(a) - row)";
  const std::string all =
      hash.banks() >= 64 ? std::string("~0ull") : std::to_string((uint64_t{1} << hash.banks()) - 1) + "ull";
  text += "constexpr bool " + check +
          "() {\n"
          "  for (unsigned row = 0; row < " +
          words + "; row += " + banks +
          ") {\n"
          "    unsigned long long " +
          (two ? "seen[2] = {0, 0}" : "seen = 0") +
          ";\n"
          "    for (unsigned a = row; a < row + " +
          banks + "; ++a) " + seen + " |= 1ull << " + moved +
          ";\n"
          "    if (" +
          (two ? "seen[0] != " + all + " || seen[1]" : "seen") + " != " + all +
          ") return false;\n"
          "  }\n"
          "  return true;\n"
          "}\n"
          "static_assert(" +
          check + "(), \"every row of words keeps its words\");\n";
  return text;
}

}  // namespace bankshot::scratchpad
