#include "bankshot/report/json/instruction_patterns_json.hpp"

#include <nlohmann/json.hpp>

#include "bankshot/report/json/patterns_json.hpp"
#include "bankshot/report/json/rules_json.hpp"
#include "bankshot/report/json/word_ranges_json.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using namespace json_values;

constexpr const char* kPatternsSchema = "bankshot/instruction-patterns/1";

ordered_json part_json(const PatternsOfPart& part) {
  ordered_json object = {{"words", word_ranges_json(part.words)}, {"arrays", part.arrays}};
  if (!part.why_kept.empty()) object["why_kept"] = part.why_kept;
  object["instructions"] = ordered_json::array();
  for (const PartInstruction& one : part.instructions) {
    ordered_json instruction = {{"ptx_line", one.source.ptx_line}, {"op", one.op}};
    if (!one.source.file.empty()) instruction.update({{"file", one.source.file}, {"line", one.source.line}});
    instruction["known_by"] = one.by_walk ? "words" : "arrays";
    object["instructions"].push_back(std::move(instruction));
  }
  if (!part.patterns.patterns.empty()) object["patterns"] = ordered_json::parse(patterns_to_json(part.patterns));
  return object;
}

PartInstruction read_part_instruction(const json& object) {
  PartInstruction one;
  one.source.ptx_line = number<uint32_t>(object, "ptx_line");
  one.op = text(object, "op");
  if (object.contains("file")) {
    one.source.file = text(object, "file");
    one.source.line = number<uint32_t>(object, "line");
  }
  one.by_walk = text(object, "known_by") == "words";
  return one;
}

PatternsOfPart read_part(const json& object, const scratchpad::Rules& rules) {
  PatternsOfPart part;
  part.words = word_ranges(object, "words");
  if (part.words.empty()) throw Bad{"\"words\" is empty"};
  for (const json& name : list(object, "arrays")) {
    if (!name.is_string()) throw Bad{"\"arrays\" must be texts"};
    part.arrays.push_back(name.get<std::string>());
  }
  if (object.contains("why_kept")) part.why_kept = text(object, "why_kept");
  each(object, "instructions", [&](const json& one) { part.instructions.push_back(read_part_instruction(one)); });
  part.patterns.rules = rules;
  if (!object.contains("patterns")) return part;
  Result<scratchpad::PatternSet> patterns = patterns_from_json(object["patterns"].dump());
  if (!patterns) throw Bad{"patterns." + patterns.error().message};
  if (patterns->rules != rules) throw Bad{"\"patterns\" is for banks other than those of the document"};
  part.patterns = std::move(*patterns);
  return part;
}

/// No two parts may share a row of banks: their hashes would put two words at one place. Nor an instruction,
/// which has one hash.
void refuse_overlaps(const PatternsOfKernel& kernel, const scratchpad::Rules& rules) {
  for (size_t a = 0; a < kernel.parts.size(); ++a) {
    for (size_t b = a + 1; b < kernel.parts.size(); ++b) {
      if (scratchpad::share_block(kernel.parts[a].words, kernel.parts[b].words, scratchpad::row_words(rules)))
        throw Bad{"\"parts\" " + std::to_string(a) + " and " + std::to_string(b) + " share a row of banks"};
      for (const PartInstruction& one : kernel.parts[a].instructions) {
        for (const PartInstruction& other : kernel.parts[b].instructions) {
          if (one.source.ptx_line == other.source.ptx_line)
            throw Bad{"\"parts\" " + std::to_string(a) + " and " + std::to_string(b) + " both have PTX line " +
                      std::to_string(one.source.ptx_line)};
        }
      }
    }
  }
}

}  // namespace

std::string to_json(const InstructionPatterns& patterns) {
  scratchpad::Rules rules = patterns.rules;
  rules.hash.reset();
  ordered_json document = {{"schema", kPatternsSchema}};
  document.update(rules_json(rules, false));
  document["kernels"] = ordered_json::array();
  for (const PatternsOfKernel& kernel : patterns.kernels) {
    ordered_json object = {{"name", kernel.name}, {"demangled", kernel.demangled}, {"module", kernel.module}};
    object["parts"] = ordered_json::array();
    for (const PatternsOfPart& part : kernel.parts) object["parts"].push_back(part_json(part));
    document["kernels"].push_back(std::move(object));
  }
  return document.dump() + "\n";
}

Result<InstructionPatterns> instruction_patterns_from_json(std::string_view text) {
  return from_document<InstructionPatterns>(text, kPatternsSchema, [](const json& document) {
    InstructionPatterns all;
    const Result<scratchpad::Rules> rules = read_rules(document);
    if (!rules) throw Bad{rules.error().message};
    all.rules = *rules;
    each(document, "kernels", [&](const json& object) {
      PatternsOfKernel kernel{json_values::text(object, "name"),
                              json_values::text(object, "demangled"),
                              json_values::text(object, "module"),
                              {}};
      each(object, "parts", [&](const json& part) { kernel.parts.push_back(read_part(part, all.rules)); });
      refuse_overlaps(kernel, all.rules);
      for (const PatternsOfKernel& other : all.kernels) {
        if (other.name == kernel.name && other.module == kernel.module) throw Bad{"\"name\": the kernel occurs twice"};
      }
      all.kernels.push_back(std::move(kernel));
    });
    if (all.kernels.empty()) throw Bad{"\"kernels\" is empty: there is nothing to work on"};
    return all;
  });
}

}  // namespace bankshot::report
