// The rows of an experiment, each with the value published under its label.
#pragma once

#include <string>
#include <utility>

#include "bankshot/experiment/experiment.hpp"

namespace bankshot::experiment {

class Rows {
 public:
  Rows(const Experiment& experiment, Outcome& outcome) : experiment_(experiment), outcome_(outcome) {}
  void add(const std::string& label, Value measured, const std::string& unit, const std::string& note = {}) {
    outcome_.rows.push_back({label, published(experiment_, label), std::move(measured), unit, note});
  }

 private:
  const Experiment& experiment_;
  Outcome& outcome_;
};

}  // namespace bankshot::experiment
