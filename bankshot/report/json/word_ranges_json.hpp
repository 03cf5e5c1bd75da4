// Words of shared memory in JSON: [[first, behind the last], …]. Included by its readers and writers only.
#pragma once

#include <string>

#include "bankshot/report/json/json_values.hpp"
#include "bankshot/scratchpad/patterns/region.hpp"
#include "bankshot/support/json_error.hpp"

namespace bankshot::report::json_values {

inline nlohmann::ordered_json word_ranges_json(const scratchpad::WordRanges& ranges) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const scratchpad::WordRange& range : ranges) list.push_back({range.begin, range.end});
  return list;
}

inline scratchpad::WordRanges word_ranges(const json& object, const char* key) {
  scratchpad::WordRanges ranges;
  const uint32_t last = 1u << scratchpad::kMaxAddressBits;
  for (const json& pair : list(object, key)) {
    const bool good = pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() &&
                      pair[1].is_number_unsigned() && pair[0].get<uint64_t>() < pair[1].get<uint64_t>() &&
                      pair[1].get<uint64_t>() <= last;
    if (!good)
      throw Bad{std::string("\"") + key + "\" must be pairs of words, ascending, up to " + std::to_string(last)};
    scratchpad::add(ranges, {pair[0].get<uint32_t>(), pair[1].get<uint32_t>()});
  }
  return ranges;
}

/// Reads each member of a list. A mistake names its place. @param read  of the member, by reference
template <class Read>
void each(const json& object, const char* key, Read&& read) {
  const json& members = list(object, key);
  for (size_t k = 0; k < members.size(); ++k) {
    try {
      read(members[k]);
    } catch (const Bad& bad) {
      const char* const between = bad.message.starts_with('"') ? ": " : ".";
      throw Bad{std::string(key) + "[" + std::to_string(k) + "]" + between + bad.message};
    }
  }
}

/// What `read` makes of a document of a schema.
template <class T, class Read>
Result<T> from_document(std::string_view text, const std::string& schema, Read&& read) {
  try {
    const json document = json::parse(text);
    const std::string found = json_values::text(document, "schema");
    if (found != schema) throw Bad{"\"schema\" is \"" + found + "\" and not \"" + schema + "\""};
    return read(document);
  } catch (const json::exception& error) {
    return Error{json_error(error.what())};
  } catch (const Bad& bad) {
    return Error{bad.message};
  }
}

}  // namespace bankshot::report::json_values
