#include "bankshot/experiment/replication_sweep.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bankshot/experiment/atomics_machine.hpp"

namespace bankshot::experiment {
namespace {

constexpr double kAsFast = 1.005;  // cycles closer than this are reported

std::vector<unsigned> optional_numbers(const Experiment& experiment, Parameters& parameters, const std::string& key,
                                       unsigned least, unsigned most, std::vector<unsigned> otherwise) {
  return experiment.parameters.contains(key) ? parameters.numbers(key, least, most) : std::move(otherwise);
}

}  // namespace

std::vector<SweepPoint> SweepCurve::of_size(unsigned size) const {
  std::vector<SweepPoint> all;
  std::copy_if(points.begin(), points.end(), std::back_inserter(all),
               [&](const SweepPoint& p) { return p.size == size; });
  return all;
}

const SweepPoint* SweepCurve::at(unsigned size, unsigned copies) const {
  const auto found = std::find_if(points.begin(), points.end(),
                                  [&](const SweepPoint& p) { return p.size == size && p.copies == copies; });
  return found == points.end() ? nullptr : &*found;
}

SweepPoint SweepCurve::best(unsigned size) const {
  const std::vector<SweepPoint> all = of_size(size);
  return *std::min_element(all.begin(), all.end(),
                           [](const SweepPoint& a, const SweepPoint& b) { return a.cycles < b.cycles; });
}

std::string SweepCurve::told(unsigned size) const {
  const SweepPoint least = best(size), first = of_size(size).front();
  std::string text = fmt::format("{} cycles", least.cycles);
  if (first.copies != least.copies) text += fmt::format("; with {}: {}", first.copies, first.cycles);
  std::string same;
  for (const SweepPoint& p : of_size(size)) {
    const bool near = static_cast<double>(p.cycles) < static_cast<double>(least.cycles) * kAsFast;
    if (p.copies != least.copies && near) same += (same.empty() ? "" : ", ") + std::to_string(p.copies);
  }
  return same.empty() ? text : text + "; within half a percent: " + same;
}

ReplicationSweep::ReplicationSweep(const Experiment& experiment, const Settings& settings, Parameters& parameters)
    : experiment_(experiment), settings_(settings) {
  sizes_ = parameters.numbers("sizes", 1, kWords);
  copies_ = parameters.numbers("copies", 1, kWords);
  if (settings.quick) {
    sizes_ = optional_numbers(experiment, parameters, "quick_sizes", 1, kWords, sizes_);
    copies_ = optional_numbers(experiment, parameters, "quick_copies", 1, kWords, copies_);
  }
  std::sort(copies_.begin(), copies_.end());
  spaces_ = optional_numbers(experiment, parameters, "spaces", 1, kWords, {});
  padding_ = optional_numbers(experiment, parameters, "padding", 0, kWords, {});
  for (const auto& [key, values] : {std::pair{"spaces", &spaces_}, std::pair{"padding", &padding_}}) {
    if (!values->empty() && !experiment.benchmarks.empty() && values->size() != experiment.benchmarks.size())
      parameters.fail(key, "must have a number for each benchmark");
  }
  if (experiment.parameters.contains("size_option")) size_option_ = parameters.text("size_option");
  copies_option_ = parameters.text("copies_option");
  size_name_ = parameters.text("size_name");
  for (const unsigned size : sizes_) {
    if (!copies_.empty() && size > kWords / copies_[0])
      parameters.fail("sizes", "must leave room for as few copies as parameters.copies has");
  }
}

unsigned ReplicationSweep::of_benchmark(const std::vector<unsigned>& values, const Benchmark& benchmark,
                                        unsigned otherwise) const {
  const auto index = static_cast<size_t>(&benchmark - experiment_.benchmarks.data());
  return index < values.size() ? values[index] : otherwise;
}

bool ReplicationSweep::fits(const Benchmark& benchmark, unsigned size, unsigned copies) const {
  const uint64_t padding = of_benchmark(padding_, benchmark, 0), spaces = of_benchmark(spaces_, benchmark, 1);
  return spaces * copies * (size + padding) - padding <= kWords;
}

Result<SweepCurve> ReplicationSweep::simulate(const Benchmark& benchmark, const Machine& machine) const {
  SweepCurve curve{&benchmark, machine, {}};
  for (const unsigned size : sizes_) {
    for (const unsigned copies : copies_) {
      if (!fits(benchmark, size, copies)) continue;
      if (settings_.progress)
        settings_.progress(
            fmt::format("{}, {} words, {} copies, {}", benchmark.label, size, copies, machine.bank_hash));
      std::vector<std::string> arguments =
          settings_.quick || benchmark.timed.empty() ? benchmark.arguments : benchmark.timed;
      if (!size_option_.empty()) arguments.push_back(size_option_ + std::to_string(size));
      arguments.push_back(copies_option_ + std::to_string(copies));
      const Result<Simulated> seen = settings_.simulate(benchmark, arguments, machine);
      if (!seen) return at(benchmark, seen.error().message);
      if (seen->cycles == 0) return at(benchmark, "no cycle was simulated");
      curve.points.push_back({size, copies, seen->cycles});
    }
    if (curve.of_size(size).empty())
      return at(benchmark, fmt::format("no number of copies of {} words fits 48 KB", size));
  }
  return curve;
}

report::PlotSeries cycles_by_copies(const SweepCurve& curve, unsigned size, const std::string& label) {
  report::PlotSeries series{label, {}};
  for (const SweepPoint& p : curve.of_size(size))
    series.points.push_back({static_cast<double>(p.copies), static_cast<double>(p.cycles)});
  return series;
}

}  // namespace bankshot::experiment
