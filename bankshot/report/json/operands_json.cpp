#include "bankshot/report/json/operands_json.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json_values.hpp"

namespace bankshot::report {
namespace {

using json_values::Bad;
using json_values::list;
using json_values::member;
using json_values::number;
using json_values::text;
using nlohmann::json;
using nlohmann::ordered_json;
using simt::OperandReport;
using simt::SwizzleConflicts;

void add_swizzle(ordered_json& json, const simt::Swizzle& swizzle) {
  json["swizzle"] = swizzle.span;
  json["swizzle_unit"] = swizzle.unit;
}

simt::Swizzle read_swizzle(const json& object) {
  const simt::Swizzle swizzle{number<uint8_t>(object, "swizzle"), number<uint8_t>(object, "swizzle_unit")};
  if (std::ranges::find(SwizzleConflicts::kSpans, swizzle.span) == SwizzleConflicts::kSpans.end())
    throw Bad{"\"swizzle\" must be 0, 32, 64 or 128"};
  if (swizzle.unit != 16 && swizzle.unit != 32 && swizzle.unit != 64)
    throw Bad{"\"swizzle_unit\" must be 16, 32 or 64"};
  return swizzle;
}

ordered_json operand_json(const OperandReport& report, FrameTable& frames) {
  const simt::OperandLayout& layout = report.layout;
  ordered_json json = {{"operand", std::string(1, layout.operand)},
                       {"rows", layout.rows},
                       {"row_bytes", layout.depth},
                       {"major", layout.tile.mn_major ? "mn" : "k"}};
  add_swizzle(json, layout.tile.swizzle);
  json.update({{"leading_offset", layout.tile.leading},
               {"leading_is_absolute", layout.tile.absolute},
               {"stride_offset", layout.tile.stride},
               {"base_offset", layout.tile.base_offset},
               {"reads", report.reads}});
  json["written"] = ordered_json::array();
  for (const OperandReport::Part& part : report.written) {
    ordered_json one = frames.source(part.source);
    one.update({{"op", part.op}, {"tensor", part.is_tensor}});
    add_swizzle(one, part.swizzle);
    one.update({{"fits", !part.misfits(layout)}, {"bytes", part.bytes}});
    json["written"].push_back(std::move(one));
  }
  return json;
}

OperandReport read_operand(const json& object, const std::vector<ptx::SourceFrame>& frames) {
  OperandReport report;
  const std::string operand = text(object, "operand"), major = text(object, "major");
  if (operand.size() != 1 || operand[0] < 'A' || operand[0] > 'C') throw Bad{R"("operand" must be "A", "B" or "C")"};
  if (major != "k" && major != "mn") throw Bad{R"("major" must be "k" or "mn")"};
  report.layout = {operand[0],
                   number<uint16_t>(object, "rows"),
                   number<uint16_t>(object, "row_bytes"),
                   {major == "mn", read_swizzle(object), number<uint32_t>(object, "leading_offset"),
                    number<uint32_t>(object, "stride_offset"), number<uint8_t>(object, "base_offset"),
                    json_values::flag(object, "leading_is_absolute")}};
  report.reads = number<uint64_t>(object, "reads");
  for (const json& one : list(object, "written")) {
    report.written.push_back({text(one, "op"), read_source(one, frames), json_values::flag(one, "tensor"),
                              read_swizzle(one), number<uint64_t>(one, "bytes")});
  }
  return report;
}

ordered_json swizzle_json(const SwizzleConflicts& counts) {
  ordered_json json = ordered_json::object();
  add_swizzle(json, counts.now);
  json.update({{"accesses", counts.accesses}, {"conflicts", counts.conflicts}});
  json["conflicts_with"] = ordered_json::object();
  for (size_t k = 0; k < SwizzleConflicts::kSpans.size(); ++k) {
    if (counts.by_span[k]) json["conflicts_with"][std::to_string(SwizzleConflicts::kSpans[k])] = *counts.by_span[k];
  }
  return json;
}

SwizzleConflicts read_swizzle_conflicts(const json& object) {
  SwizzleConflicts counts;
  counts.now = read_swizzle(object);
  counts.accesses = number<uint64_t>(object, "accesses");
  counts.conflicts = number<uint64_t>(object, "conflicts");
  const json& with = member(object, "conflicts_with");
  for (size_t k = 0; k < SwizzleConflicts::kSpans.size(); ++k) {
    const std::string key = std::to_string(SwizzleConflicts::kSpans[k]);
    if (with.contains(key)) counts.by_span[k] = number<uint64_t>(with, key.c_str());
  }
  return counts;
}

}  // namespace

void add_operands(ordered_json& json, const Site& site, FrameTable& frames) {
  for (const OperandReport& report : site.operands) json["operands"].push_back(operand_json(report, frames));
  for (const SwizzleConflicts& counts : site.swizzles) json["swizzles"].push_back(swizzle_json(counts));
}

void read_operands(const json& object, const std::vector<ptx::SourceFrame>& frames, Site& site) {
  if (object.contains("operands")) {
    for (const json& one : list(object, "operands")) site.operands.push_back(read_operand(one, frames));
  }
  if (object.contains("swizzles")) {
    for (const json& one : list(object, "swizzles")) site.swizzles.push_back(read_swizzle_conflicts(one));
  }
}

}  // namespace bankshot::report
