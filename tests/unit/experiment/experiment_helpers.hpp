// Experiments and the rows of their outcomes: what the tests of experiments share.
#pragma once

#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bankshot/experiment/experiment.hpp"

namespace bankshot::experiment {

inline std::vector<Value> list(std::initializer_list<double> numbers) { return {numbers.begin(), numbers.end()}; }

inline Benchmark named(const std::string& label, std::vector<std::string> arguments) {
  Benchmark b;
  b.label = label;
  b.arguments = std::move(arguments);
  return b;
}

inline const Row& row(const Outcome& outcome, const std::string& label) {
  for (const Row& one : outcome.rows) {
    if (one.label == label) return one;
  }
  throw std::out_of_range(label);
}
inline const Row& row(const Result<Outcome>& outcome, const std::string& label) {
  if (!outcome) throw std::runtime_error(outcome.error().message);
  return row(*outcome, label);
}

inline double measured(const Outcome& outcome, const std::string& label) {
  return std::get<double>(row(outcome, label).measured);
}
inline double measured(const Result<Outcome>& outcome, const std::string& label) {
  return std::get<double>(row(outcome, label).measured);
}

}  // namespace bankshot::experiment
