#include "bankshot/report/json/l1_json.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json_values.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using namespace json_values;

template <class Number>
void put(const scratchpad::L1Sums<Number>& sums, ordered_json& object) {
  for (const scratchpad::L1SumName<Number>& sum : scratchpad::kL1SumNames<Number>)
    object[std::string(sum.name)] = sums.*sum.value;
}

template <class Number>
scratchpad::L1Sums<Number> get(const json& object) {
  scratchpad::L1Sums<Number> sums;
  for (const scratchpad::L1SumName<Number>& sum : scratchpad::kL1SumNames<Number>)
    sums.*sum.value = number<Number>(object, std::string(sum.name).c_str());
  if (sums.ideal_cycles > sums.cycles) throw Bad{"\"ideal_cycles\" exceeds \"cycles\""};
  return sums;
}

scratchpad::PatternClass class_named(const std::string& wanted) {
  for (unsigned k = 0; k < scratchpad::kPatternClasses; ++k) {
    const auto pattern = static_cast<scratchpad::PatternClass>(k);
    if (wanted == scratchpad::name(pattern)) return pattern;
  }
  throw Bad{"\"class\" is not a class of patterns: " + wanted};
}

scratchpad::L1Totals::Worst read_worst(const json& object) {
  scratchpad::L1Totals::Worst worst;
  worst.cta = number<uint64_t>(object, "cta");
  worst.lanes = number<uint32_t>(object, "lanes");
  if (worst.lanes == 0) throw Bad{"\"lanes\" must be at least 1"};
  worst.shape.pattern = class_named(text(object, "class"));
  const json& stride = member(object, "stride_bytes");
  if (!stride.is_number_integer()) throw Bad{"\"stride_bytes\" must be a whole number"};
  worst.shape.stride_bytes = stride.get<int32_t>();
  worst.cost = get<uint32_t>(object);
  return worst;
}

}  // namespace

ordered_json l1_rules_json(const scratchpad::L1Rules& rules) {
  return {{"banks", rules.banks.banks},
          {"line_bytes", rules.line_bytes},
          {"sector_bytes", rules.sector_bytes},
          {"tags", rules.tags}};
}

ordered_json l1_site_json(const L1Site& site, FrameTable& frames) {
  const scratchpad::L1Totals& totals = site.totals;
  ordered_json object = frames.source(site.source);
  object.update({
      {"op", site.op},
      {"width", site.width},
      {"kind", scratchpad::name(site.kind)},
      {"reads", site.reads},
      {"accesses", totals.accesses},
      {"lanes", totals.lanes},
  });
  put(totals.sums, object);
  ordered_json worst = {{"cta", totals.worst.cta},
                        {"lanes", totals.worst.lanes},
                        {"class", scratchpad::name(totals.worst.shape.pattern)},
                        {"stride_bytes", totals.worst.shape.stride_bytes}};
  put(totals.worst.cost, worst);
  object["worst"] = std::move(worst);
  return object;
}

scratchpad::L1Rules read_l1_rules(const json& object, const scratchpad::Rules& shared) {
  scratchpad::L1Rules rules;
  const auto banks = number<unsigned>(object, "banks");
  rules.line_bytes = number<unsigned>(object, "line_bytes");
  rules.sector_bytes = number<unsigned>(object, "sector_bytes");
  rules.tags = number<unsigned>(object, "tags");
  const bool fine = std::has_single_bit(banks) && banks <= 64 && std::has_single_bit(rules.line_bytes) &&
                    std::has_single_bit(rules.sector_bytes) && rules.sector_bytes <= rules.line_bytes &&
                    rules.tags != 0;
  if (!fine) throw Bad{"\"l1\" does not describe a cache: banks and bytes must be powers of two, tags at least 1"};
  rules.banks = scratchpad::l1_bank_rules(shared, banks);
  return rules;
}

L1Site read_l1_site(const json& object, const std::vector<ptx::SourceFrame>& frames) {
  L1Site site;
  site.source = read_source(object, frames);
  site.op = text(object, "op");
  site.width = number<uint32_t>(object, "width");
  const auto kind = scratchpad::access_kind_named(text(object, "kind"));
  if (!kind) throw Bad{"\"kind\" must be \"load\", \"store\" or \"atomic\""};
  site.kind = *kind;
  site.reads = flag(object, "reads");
  site.totals.accesses = number<uint64_t>(object, "accesses");
  if (site.totals.accesses == 0) throw Bad{"\"accesses\" must be at least 1"};
  site.totals.lanes = number<uint64_t>(object, "lanes");
  site.totals.sums = get<uint64_t>(object);
  site.totals.worst = read_worst(member(object, "worst"));
  return site;
}

}  // namespace bankshot::report
