#include "bankshot/browser/answer.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <optional>

#include <nlohmann/json.hpp>

#include "bankshot/browser/question.hpp"
#include "bankshot/library/certificate.hpp"
#include "bankshot/scratchpad/access/passes.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/scratchpad/patterns/padding.hpp"
#include "bankshot/search/search.hpp"
#include "bankshot/verify/check.hpp"

namespace bankshot::browser {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using scratchpad::BankHash;
using scratchpad::Pass;
using scratchpad::Rules;

using Answer = Result<ordered_json>;

// ---- access

/// Moves the lanes as rows that are longer would.
std::optional<Error> add_padding(const json& question, Access& access) {
  const auto padding = question.find("padding");
  if (padding == question.end() || padding->is_null()) return std::nullopt;
  if (!padding->is_object()) return Error{"padding must be an object with row_bytes and bytes"};
  const Result<uint64_t> row = number(*padding, "row_bytes", 128, 4, 1 << 20);
  if (!row) return row.error();
  const Result<uint64_t> bytes = number(*padding, "bytes", 0, 0, 4096);
  if (!bytes) return bytes.error();
  if (*row % 4 != 0 || *bytes % 4 != 0) return Error{"padding: row_bytes and bytes must be multiples of 4"};
  const scratchpad::Padding rows{static_cast<uint32_t>(*row / 4), static_cast<uint32_t>(*bytes / 4)};
  for (const unsigned lane : scratchpad::LaneMask(access.mask)) {
    uint32_t& offset = access.offsets[lane];
    const uint32_t word = offset / 4;
    if (uint64_t{word} + uint64_t{rows.words} * (word / rows.row) > UINT32_MAX / 4 - 16)
      return Error{"padding: lane " + std::to_string(lane) + " would be beyond 4 GB"};
    offset = 4 * rows.place(word) + offset % 4;
    if (offset % access.width != 0)
      return Error{"padding: with rows " + std::to_string(*bytes) + " bytes longer, lane " + std::to_string(lane) +
                   " would be at byte " + std::to_string(offset) + ", which is not a multiple of its " +
                   std::to_string(access.width) + " bytes"};
  }
  return std::nullopt;
}

ordered_json lane_list(scratchpad::LaneMask lanes) {
  ordered_json list = ordered_json::array();
  for (const unsigned lane : lanes) list.push_back(lane);
  return list;
}

ordered_json pass_json(const Pass& pass, const Rules& rules) {
  ordered_json banks = ordered_json::array();
  for (size_t slot = 0; slot < pass.lanes.size(); ++slot) {
    if (pass.lanes[slot].empty()) continue;
    banks.push_back({{"bank", slot % rules.banks}, {"word", pass.word[slot]}, {"lanes", lane_list(pass.lanes[slot])}});
  }
  return {{"phase", lane_list(pass.phase)}, {"banks", banks}};
}

/// By lane: its offset, and where and when it gets which words; null if it is off.
ordered_json lanes_json(const Access& access, const std::vector<Pass>& passes, const Rules& rules) {
  ordered_json lanes = ordered_json::array();
  for (unsigned lane = 0; lane < access.lanes; ++lane) {
    ordered_json words = ordered_json::array();
    for (size_t pass = 0; pass < passes.size(); ++pass) {
      for (size_t slot = 0; slot < passes[pass].lanes.size(); ++slot) {
        const uint32_t word = passes[pass].word[slot];
        const bool known =
            std::ranges::any_of(words, [&](const ordered_json& w) { return w["word"].get<uint32_t>() == word; });
        if (passes[pass].lanes[slot].has(lane) && !known)
          words.push_back({{"word", word}, {"bank", slot % rules.banks}, {"pass", pass}});
      }
    }
    const bool on = scratchpad::LaneMask(access.mask).has(lane);
    lanes.push_back(on ? ordered_json{{"offset", access.offsets[lane]}, {"words", words}} : ordered_json());
  }
  return lanes;
}

Answer access_answer(const json& question, const Rules& rules) {
  Result<Access> access = read_access(question);
  if (!access) return access.error();
  if (const auto error = add_padding(question, *access)) return *error;
  const uint32_t* const offsets = access->offsets.data();
  const scratchpad::Cost cost = scratchpad::cost(rules, access->kind, access->width, offsets, access->mask);
  const std::vector<Pass> passes = scratchpad::passes(rules, access->kind, access->width, offsets, access->mask);
  const scratchpad::Shape shape = scratchpad::classify(rules, access->width, offsets, access->mask);
  ordered_json list = ordered_json::array();
  for (const Pass& pass : passes) list.push_back(pass_json(pass, rules));
  return ordered_json{{"wavefronts", cost.wavefronts},
                      {"ideal", cost.ideal},
                      {"conflicts", cost.wavefronts - cost.ideal},
                      {"position", cost.position},
                      {"class", scratchpad::name(shape.pattern)},
                      {"stride_bytes", shape.stride_bytes},
                      {"banks", rules.banks},
                      {"bank_bytes", rules.bank_bytes},
                      {"lanes", lanes_json(*access, passes, rules)},
                      {"passes", list}};
}

// ---- hashes

/// @param element_bytes  of the elements that CuTe's Swizzle counts
ordered_json hash_json(const BankHash& hash, unsigned bank_bytes, unsigned element_bytes) {
  ordered_json object = {{"spec", scratchpad::spec(hash)},
                         {"class", scratchpad::class_name(hash)},
                         {"form", scratchpad::paper_form(hash)},
                         {"expression", scratchpad::bank_expression(hash)},
                         {"rows", ordered_json::array()},
                         {"in_place", scratchpad::is_in_place(hash)},
                         {"swizzle", nullptr},
                         {"cpp", scratchpad::cpp_source(hash)}};
  if (hash.linear()) {
    for (const uint32_t row : hash.rows()) object["rows"].push_back(scratchpad::row_text(row));
  }
  if (const auto swizzle = scratchpad::as_swizzle(hash); swizzle && swizzle->b != 0) {
    const unsigned bytes = element_bytes * 4 / bank_bytes;  // swizzle_form() takes words for 4 bytes
    if (const std::string form = scratchpad::swizzle_form(hash, bytes); !form.empty()) object["swizzle"] = form;
  }
  return object;
}

Result<unsigned> read_element(const json& question) {
  const Result<uint64_t> bytes = number(question, "element_bytes", 4, 1, 16);
  if (!bytes) return bytes.error();
  if (!std::has_single_bit(*bytes)) return Error{"element_bytes must be 1, 2, 4, 8 or 16"};
  return static_cast<unsigned>(*bytes);
}

BankHash own_hash(const Rules& rules) {
  const scratchpad::HashSize size{scratchpad::kMaxAddressBits, static_cast<unsigned>(std::countr_zero(rules.banks))};
  return rules.hash ? *rules.hash : scratchpad::modulo_hash(size);
}

Answer hash_answer(const json& question, const Rules& rules) {
  const Result<unsigned> element = read_element(question);
  if (!element) return element.error();
  return hash_json(own_hash(rules), rules.bank_bytes, *element);
}

Answer hash_classes_answer() {
  ordered_json list = ordered_json::array();
  for (const scratchpad::HashClass& c : scratchpad::hash_classes()) {
    const std::string parameters =
        c.parameters.empty() || c.examples.empty() ? "" : ":" + std::string(c.examples.front().parameters);
    ordered_json object = {{"word", c.word},
                           {"syntax", c.syntax()},
                           {"example", std::string(c.word) + parameters},
                           {"summary", c.summary},
                           {"search", nullptr}};
    if (c.searchable()) object["search"] = c.search_name();
    list.push_back(object);
  }
  return ordered_json{{"classes", list}};
}

// ---- search

/// What a person may rely on: the search's own word, and that of the checker, which shares nothing with it.
ordered_json check_json(const verify::Certificate& certificate) {
  const verify::Verdict verdict = verify::check(certificate);
  return {{"proved", verdict.proved}, {"text", verdict.text}, {"nodes", verdict.nodes}};
}

Result<search::SearchOptions> search_options(const json& question, const Rules& rules,
                                             const scratchpad::PatternSet& set) {
  search::SearchOptions options;
  const Result<bool> in_place = flag(question, "in_place", true);
  if (!in_place) return in_place.error();
  options.in_place = *in_place;
  const Result<uint64_t> limit = number(question, "time_limit_ms", 2000, 1, 60000);
  if (!limit) return limit.error();
  options.time_limit = std::chrono::milliseconds(*limit);
  options.proof = true;
  unsigned widest = 1;
  for (const scratchpad::Pattern& pattern : set.patterns) widest = std::max(widest, pattern.width);
  if (*in_place && widest > rules.bank_bytes)  // words of one lane stay side by side
    options.plain_low_bits = static_cast<unsigned>(std::countr_zero(widest / rules.bank_bytes));
  return options;
}

Result<search::Found> find(const std::string& name, const search::Problem& problem,
                           const search::SearchOptions& options) {
  if (name == "best") return search::best_of_all(problem, options);
  const scratchpad::HashClass* const c = scratchpad::find_searchable_class(name);
  if (c == nullptr)
    return Error{"class: no hash class is called '" + name + "'; there are best, " + scratchpad::searchable_classes()};
  return search::find(problem, name, search::methods_of(*c).front(), options);
}

Answer search_answer(const json& question, const Rules& rules) {
  const Result<scratchpad::PatternSet> set = read_patterns(question, rules);
  if (!set) return set.error();
  if (const auto error = search::cannot_search(rules, set->patterns)) return *error;
  const Result<std::string> name = text(question, "class", "best");
  if (!name) return name.error();
  const Result<unsigned> element = read_element(question);
  if (!element) return element.error();
  const Result<search::SearchOptions> options = search_options(question, rules, *set);
  if (!options) return options.error();
  const search::Problem problem = search::problem(rules, *set);
  Result<search::Found> found = find(*name, problem, *options);
  if (!found) return found.error();
  if (const auto form = scratchpad::in_place_form(found->hash); options->in_place && form && *name == "best")
    found->hash = *form;
  const bool best = found->status == search::Status::optimal || found->status == search::Status::exhaustive;
  ordered_json object = {{"hash", hash_json(found->hash, rules.bank_bytes, *element)},
                         {"conflicts_before", scratchpad::excess(rules, *set, own_hash(rules))},
                         {"conflicts", scratchpad::excess(rules, *set, found->hash)},
                         {"status", search::name(found->status)},
                         {"best", best},
                         {"lower_bound", best ? found->excess : found->lower_bound},
                         {"evaluated", found->evaluated},
                         {"check", nullptr},
                         {"certificate", nullptr}};
  if (found->proof) {
    const verify::Certificate certificate = library::certificate_of(problem, *options, *found);
    object["check"] = check_json(certificate);
    object["certificate"] = verify::to_json(certificate);
  }
  return object;
}

// ---- padding

Answer padding_answer(const json& question, const Rules& rules) {
  const Result<scratchpad::PatternSet> set = read_patterns(question, rules);
  if (!set) return set.error();
  const Result<uint64_t> bytes = number(question, "bytes", 0, 4, 1 << 20);
  if (!bytes) return bytes.error();
  const Result<uint64_t> row = number(question, "row_bytes", 0, 0, 1 << 20);
  if (!row) return row.error();
  if (!question.contains("bytes")) return Error{"padding needs bytes, the size of the array"};
  if (*bytes % 4 != 0 || *row % 4 != 0) return Error{"bytes and row_bytes must be multiples of 4"};
  const Result<unsigned> element = read_element(question);
  if (!element) return element.error();
  const unsigned words = std::max(1u, *element / 4);
  const uint64_t before = scratchpad::excess(rules, *set, scratchpad::modulo_hash(scratchpad::size_of(*set)));
  ordered_json object = {{"conflicts_before", before}, {"padding", nullptr}};
  if (const auto best = scratchpad::best_padding(rules, *set, *bytes / 4, words, *row / 4)) {
    object["padding"] = {{"row_bytes", 4 * best->row},
                         {"bytes", 4 * best->words},
                         {"conflicts", best->excess},
                         {"extra_bytes", best->extra_bytes}};
  }
  return object;
}

Answer answer_of(const json& question) {
  if (question.is_discarded()) return Error{"the question is not JSON"};
  if (!question.is_object()) return Error{"the question must be an object"};
  const Result<std::string> operation = text(question, "operation", "");
  if (!operation) return operation.error();
  if (*operation == "hash_classes") return hash_classes_answer();
  const Result<Rules> rules = read_rules(question);
  if (!rules) return rules.error();
  if (*operation == "access") return access_answer(question, *rules);
  if (*operation == "hash") return hash_answer(question, *rules);
  if (*operation == "search") return search_answer(question, *rules);
  if (*operation == "padding") return padding_answer(question, *rules);
  return Error{"operation must be \"access\", \"hash\", \"hash_classes\", \"search\" or \"padding\""};
}

}  // namespace

std::string answer(std::string_view question) {
  const Answer answer = answer_of(json::parse(question, nullptr, false));
  const ordered_json document = answer ? *answer : ordered_json{{"error", answer.error().message}};
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace bankshot::browser
