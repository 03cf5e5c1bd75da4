#include "bankshot/report/json/instruction_hashes_json.hpp"

#include <bit>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json_text.hpp"
#include "bankshot/report/json/word_ranges_json.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using namespace json_values;

constexpr const char* kHashesSchema = "bankshot/instruction-hashes/1";

HashedInstructions read_hashed(const json& object, const InstructionHashes& of) {
  HashedInstructions one;
  const scratchpad::HashSize size{scratchpad::kMaxAddressBits, static_cast<unsigned>(std::countr_zero(of.banks))};
  const Result<scratchpad::BankHash> hash = scratchpad::parse_hash(text(object, "hash"), size);
  if (!hash) throw Bad{"\"hash\": " + hash.error().message};
  one.hash = *hash;
  one.words = word_ranges(object, "words");
  if (list(object, "ptx_lines").empty()) throw Bad{"\"ptx_lines\" is empty"};
  for (const json& line : list(object, "ptx_lines")) {
    if (!line.is_number_unsigned() || line.get<uint64_t>() > UINT32_MAX)
      throw Bad{"\"ptx_lines\" must be whole numbers"};
    one.ptx_lines.push_back(line.get<uint32_t>());
  }
  return one;
}

/// Two hashes may not be for words of one block, nor for one instruction.
void refuse_mixed(const HashedKernel& kernel, const InstructionHashes& of) {
  scratchpad::Rules rules;
  rules.banks = of.banks;
  rules.bank_bytes = of.bank_bytes;
  for (const HashedInstructions& a : kernel.hashes) {
    if (!scratchpad::is_full_rank(a.hash)) throw Bad{"\"hashes\": " + scratchpad::spec(a.hash) + " leaves banks empty"};
    for (const HashedInstructions& b : kernel.hashes) {
      if (&a == &b) continue;
      if (scratchpad::share_block(a.words, b.words, scratchpad::block_of(rules, a.hash)))
        throw Bad{"\"hashes\": " + scratchpad::spec(a.hash) + " moves words to places where " +
                  scratchpad::spec(b.hash) + " also has words"};
      for (const uint32_t line : a.ptx_lines) {
        if (std::ranges::find(b.ptx_lines, line) != b.ptx_lines.end())
          throw Bad{"\"hashes\": PTX line " + std::to_string(line) + " has two hashes"};
      }
    }
  }
}

}  // namespace

std::string to_json(const InstructionHashes& hashes) {
  ordered_json document = {{"schema", kHashesSchema}, {"banks", hashes.banks}, {"bank_bytes", hashes.bank_bytes}};
  if (!hashes.hash_class.empty())
    document["encoding"] = {{"class", hashes.hash_class},
                            {"bits_of_parameters", hashes.bits_of_parameters},
                            {"bits_of_number", hashes.bits_of_number}};
  document["kernels"] = ordered_json::array();
  for (const HashedKernel& kernel : hashes.kernels) {
    ordered_json object = {{"name", kernel.name},
                           {"demangled", kernel.demangled},
                           {"module", kernel.module},
                           {"baseline_excess", kernel.baseline},
                           {"one_hash", {{"hash", scratchpad::spec(kernel.one.hash)}, {"excess", kernel.one.excess}}},
                           {"excess", kernel.excess},
                           {"kept", kernel.kept}};
    object["hashes"] = ordered_json::array();
    for (const HashedInstructions& one : kernel.hashes) {
      object["hashes"].push_back({{"hash", scratchpad::spec(one.hash)},
                                  {"words", word_ranges_json(one.words)},
                                  {"arrays", one.arrays},
                                  {"ptx_lines", one.ptx_lines},
                                  {"baseline_excess", one.baseline},
                                  {"excess", one.excess}});
    }
    document["kernels"].push_back(std::move(object));
  }
  return report::json_text(document);
}

Result<InstructionHashes> instruction_hashes_from_json(std::string_view text) {
  return from_document<InstructionHashes>(text, kHashesSchema, [](const json& document) {
    InstructionHashes all;
    all.banks = number<unsigned>(document, "banks");
    all.bank_bytes = number<unsigned>(document, "bank_bytes");
    if (all.banks < 2 || all.banks > scratchpad::kMaxBanks || !std::has_single_bit(all.banks))
      throw Bad{"\"banks\" must be a power of two from 2 to " + std::to_string(scratchpad::kMaxBanks)};
    if (all.bank_bytes != 4 && all.bank_bytes != 8) throw Bad{"\"bank_bytes\" must be 4 or 8"};
    each(document, "kernels", [&](const json& object) {
      HashedKernel kernel{json_values::text(object, "name"),
                          json_values::text(object, "demangled"),
                          json_values::text(object, "module"),
                          {}};
      each(object, "hashes", [&](const json& one) { kernel.hashes.push_back(read_hashed(one, all)); });
      refuse_mixed(kernel, all);
      for (const HashedKernel& other : all.kernels) {
        if (other.name == kernel.name && other.module == kernel.module) throw Bad{"\"name\": the kernel occurs twice"};
      }
      all.kernels.push_back(std::move(kernel));
    });
    return all;
  });
}

}  // namespace bankshot::report
