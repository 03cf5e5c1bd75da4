#include "bankshot/experiment/parameters.hpp"

#include <charconv>

namespace bankshot::experiment {

unsigned Parameters::number(const std::string& key, unsigned least, unsigned most) {
  const std::vector<unsigned> all = numbers(key, least, most);
  if (all.size() != 1) fail(key, "must be one number");
  return all.empty() ? least : all[0];
}

std::vector<unsigned> Parameters::numbers(const std::string& key, unsigned least, unsigned most) {
  const std::vector<Value>* values = find(key);
  std::vector<unsigned> all;
  if (values == nullptr || values->empty()) fail(key, "is missing");
  for (size_t k = 0; values != nullptr && k < values->size(); ++k) {
    const double* number = std::get_if<double>(&(*values)[k]);
    if (number == nullptr || !(*number >= least && *number <= most) || *number != static_cast<unsigned>(*number)) {
      fail(key, "must be whole numbers from " + std::to_string(least) + " to " + std::to_string(most));
      break;
    }
    all.push_back(static_cast<unsigned>(*number));
  }
  return all;
}

std::string Parameters::text(const std::string& key) {
  const std::vector<std::string> all = texts(key);
  if (all.size() != 1) fail(key, "must be one string");
  return all.empty() ? "" : all[0];
}

std::vector<std::string> Parameters::texts(const std::string& key) {
  const std::vector<Value>* values = find(key);
  std::vector<std::string> all;
  for (size_t k = 0; values != nullptr && k < values->size(); ++k) {
    const std::string* text = std::get_if<std::string>(&(*values)[k]);
    if (text == nullptr) {
      fail(key, "must be strings in quotes");
      break;
    }
    all.push_back(*text);
  }
  return all;
}

std::vector<std::vector<unsigned>> Parameters::tuples(const std::string& key, unsigned most) {
  std::vector<std::vector<unsigned>> all;
  for (const std::string& text : texts(key)) {
    std::vector<unsigned>& numbers = all.emplace_back();
    const char* at = text.data();
    const char* const end = at + text.size();
    for (bool good = true; good && at != end;) {
      const auto [stop, code] = std::from_chars(at, end, numbers.emplace_back());
      good = code == std::errc{} && numbers.back() <= most && (stop == end || *stop == ' ');
      if (!good)
        fail(key, "'" + text + "' is not whole numbers up to " + std::to_string(most) + " with a blank between them");
      at = stop == end ? end : stop + 1;
    }
    if (numbers.empty()) fail(key, "has an empty string");
  }
  return all;
}

void Parameters::fail(const std::string& key, const std::string& why) {
  if (!error_) error_ = Error{experiment_.name + ".toml: parameters." + key + " " + why};
}

const std::vector<Value>* Parameters::find(const std::string& key) const {
  const auto found = experiment_.parameters.find(key);
  return found == experiment_.parameters.end() ? nullptr : &found->second;
}

}  // namespace bankshot::experiment
