// The name that a misspelt one most likely means.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bankshot {

/// Compares a misspelt name with each that there is. Holds views: the names must outlive it.
class NearestName {
 public:
  explicit NearestName(std::string_view misspelt);
  void compare(std::string_view candidate);
  /// With each identifier in a text: in the names of functions of C++, of which a user gives a part.
  void compare_words(std::string_view text);
  /// The nearest so far. A step adds, removes or replaces a character, or exchanges two neighbours; upper and lower
  /// case are equal. Of equally near names it is the first in the alphabet. Empty if none is within one step, or two of
  /// names with six characters or more. A name of one character is near to nothing.
  std::string_view found() const { return found_; }

 private:
  std::string misspelt_;  ///< in lower case
  size_t steps_;
  std::string_view found_;
};

/// "; did you mean 'h100'?", the end of a message; empty if no name is near.
std::string did_you_mean(const NearestName& nearest);
template <class Names>
std::string did_you_mean(std::string_view misspelt, const Names& names) {
  NearestName nearest(misspelt);
  for (const auto& name : names) nearest.compare(name);
  return did_you_mean(nearest);
}
/// The same of a part of one of the names.
template <class Names>
std::string did_you_mean_part(std::string_view misspelt, const Names& names) {
  NearestName nearest(misspelt);
  for (const auto& name : names) nearest.compare_words(name);
  return did_you_mean(nearest);
}

}  // namespace bankshot
