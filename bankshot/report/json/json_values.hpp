// Reading members of JSON objects, for readers of reports.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bankshot/simt/run/engine.hpp"

namespace bankshot::report::json_values {

using nlohmann::json;

/// What is wrong. Never leaves from_json, whose Error it becomes.
struct Bad {
  std::string message;
};

inline const json& member(const json& object, const char* key) {
  if (!object.is_object()) throw Bad{std::string("an object with \"") + key + "\" was expected"};
  const auto found = object.find(key);
  if (found == object.end()) throw Bad{std::string("\"") + key + "\" is missing"};
  return *found;
}

template <class T>
T number(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_number_unsigned() || value.get<uint64_t>() > std::numeric_limits<T>::max()) {
    throw Bad{std::string("\"") + key + "\" must be a whole number"};
  }
  return value.get<T>();
}
inline std::string text(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_string()) throw Bad{std::string("\"") + key + "\" must be a string"};
  return value.get<std::string>();
}
inline bool flag(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_boolean()) throw Bad{std::string("\"") + key + "\" must be true or false"};
  return value.get<bool>();
}
inline const json& list(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_array()) throw Bad{std::string("\"") + key + "\" must be a list"};
  return value;
}

inline std::vector<std::string> texts(const json& object, const char* key) {
  std::vector<std::string> all;
  for (const json& one : list(object, key)) {
    if (!one.is_string()) throw Bad{std::string("\"") + key + "\" must hold texts"};
    all.push_back(one.get<std::string>());
  }
  return all;
}

inline simt::Dim3 extent(const json& object, const char* key) {
  const json& values = list(object, key);
  if (values.size() != 3) throw Bad{std::string("\"") + key + "\" must have three numbers"};
  simt::Dim3 size;
  uint32_t* const axes[] = {&size.x, &size.y, &size.z};
  for (size_t i = 0; i < 3; ++i) {
    if (!values[i].is_number_unsigned() || values[i].get<uint64_t>() > UINT32_MAX) {
      throw Bad{std::string("\"") + key + "\" must have three whole numbers"};
    }
    *axes[i] = values[i].get<uint32_t>();
  }
  return size;
}

}  // namespace bankshot::report::json_values
