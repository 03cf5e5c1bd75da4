// The parameters of an experiment, as its kind wants them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bankshot/experiment/experiment.hpp"

namespace bankshot::experiment {

/// Reads parameters one after the other. The first invalid one is the error, which the caller checks at the end. A
/// value read after an error has the right type, but no meaning.
class Parameters {
 public:
  explicit Parameters(const Experiment& experiment) : experiment_(experiment) {}

  /// A whole number from `least` to `most`.
  unsigned number(const std::string& key, unsigned least, unsigned most);
  /// … a list of them that is not empty.
  std::vector<unsigned> numbers(const std::string& key, unsigned least, unsigned most);
  /// A text.
  std::string text(const std::string& key);
  /// … a list of them; empty if it is not there.
  std::vector<std::string> texts(const std::string& key);
  /// A list of texts like "256 5", whole numbers with blanks between; empty if it is not there.
  std::vector<std::vector<unsigned>> tuples(const std::string& key, unsigned most);

  void fail(const std::string& key, const std::string& why);
  const std::optional<Error>& error() const { return error_; }

 private:
  const std::vector<Value>* find(const std::string& key) const;

  const Experiment& experiment_;
  std::optional<Error> error_;
};

}  // namespace bankshot::experiment
