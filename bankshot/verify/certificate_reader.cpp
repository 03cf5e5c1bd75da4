#include "bankshot/verify/certificate.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/support/json_error.hpp"

namespace bankshot::verify {
namespace {

using nlohmann::json;

/// Thrown while a document is read, caught in from_json().
struct Bad {
  std::string message;
};

const json& member(const json& object, const std::string& place, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw Bad{place + name + " is missing"};
  return *found;
}

int64_t whole(const json& value, const std::string& place, int64_t least, int64_t most) {
  const bool small = value.is_number_integer() && !(value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX);
  if (!small || value.get<int64_t>() < least || value.get<int64_t>() > most) {
    throw Bad{fmt::format("{} must be a whole number from {} to {}", place, least, most)};
  }
  return value.get<int64_t>();
}

const json& list(const json& value, const std::string& place) {
  if (!value.is_array()) throw Bad{place + " must be a list"};
  return value;
}

template <class T>
std::vector<T> numbers(const json& value, const std::string& place, int64_t least, int64_t most) {
  std::vector<T> result;
  for (const json& number : list(value, place)) {
    result.push_back(static_cast<T>(whole(number, fmt::format("{}[{}]", place, result.size()), least, most)));
  }
  return result;
}

constexpr int64_t kMostWeight = int64_t{1} << 40, kMostWords = 1024;

Certificate read(const json& document) {
  if (!document.is_object()) throw Bad{"the document must be an object"};
  const json& schema = member(document, "", "schema");
  if (!schema.is_string() || schema.get<std::string>() != kSchema)
    throw Bad{fmt::format("schema must be \"{}\"", kSchema)};
  const auto number = [&](const char* name, int64_t least, int64_t most) {
    return whole(member(document, "", name), name, least, most);
  };
  Certificate c;
  c.address_bits = static_cast<unsigned>(number("address_bits", 1, 16));
  c.bank_bits = static_cast<unsigned>(number("bank_bits", 1, std::min<int64_t>(kMostBankBits, c.address_bits)));
  const json& in_place = member(document, "", "in_place");
  if (!in_place.is_boolean()) throw Bad{"in_place must be true or false"};
  c.in_place = in_place.get<bool>();
  c.plain_low_bits = static_cast<unsigned>(number("plain_low_bits", 0, c.bank_bits));
  c.unavoidable = static_cast<uint64_t>(number("unavoidable", 0, int64_t{1} << 60));
  const int64_t last = (int64_t{1} << c.address_bits) - 1;
  int64_t weights = 0, words = 1;
  for (const json& group : list(member(document, "", "groups"), "groups")) {
    const std::string place = fmt::format("groups[{}]", c.groups.size());
    if (!group.is_object()) throw Bad{place + " must be an object"};
    Group& own = c.groups.emplace_back();
    own.weight = static_cast<uint64_t>(whole(member(group, place + ".", "weight"), place + ".weight", 0, kMostWeight));
    own.words = numbers<uint32_t>(member(group, place + ".", "words"), place + ".words", 0, last);
    if (own.words.empty() || own.words.size() > kMostWords)
      throw Bad{fmt::format("{}.words must be 1 to {} words", place, kMostWords)};
    if (!std::is_sorted(own.words.begin(), own.words.end())) throw Bad{place + ".words must ascend"};
    weights += static_cast<int64_t>(own.weight);
    words = std::max(words, static_cast<int64_t>(own.words.size()));
    if (weights > kMostWeight) throw Bad{fmt::format("the weights of groups add up to more than {}", kMostWeight)};
  }
  c.hash = numbers<uint32_t>(member(document, "", "hash"), "hash", 0, last);
  if (c.hash.size() != c.bank_bits) throw Bad{fmt::format("hash must be {} rows", c.bank_bits)};
  c.excess = static_cast<uint64_t>(number("excess", 0, int64_t{1} << 61));
  // No sum over a row space, nor what it is compared with, may overflow.
  const int64_t room = (int64_t{1} << 61) >> c.bank_bits;
  c.scale = number("scale", 1, std::max<int64_t>(1, room / std::max<int64_t>(1, weights) / words));
  c.tree = numbers<int32_t>(member(document, "", "tree"), "tree", -1, last);
  return c;
}

}  // namespace

Result<Certificate> from_json(std::string_view text) {
  try {
    return read(json::parse(text));
  } catch (const Bad& bad) {
    return Error{bad.message};
  } catch (const json::exception& exception) {
    return Error{json_error(exception.what())};
  }
}

}  // namespace bankshot::verify
