#include "bankshot/measure/latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>

#include "bankshot/measure/buffer.hpp"

namespace bankshot::measure {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// The words that patterns take, or why they cannot be had.
Result<uint32_t> words_of(const Device& device, std::span<const Pattern> patterns) {
  uint32_t words = 0;
  for (const Pattern& pattern : patterns) {
    for (const uint32_t word : pattern) {
      if (word != kOff) words = std::max(words, word + 1);
    }
  }
  const uint32_t usable = usable_words(device);
  if (words <= usable) return words;
  return Error{fmt::format("a pattern has word {}, but a block of {} has {} words to measure in", words - 1,
                           device.name, usable)};
}

/// Runs one kernel. @param results  64-bit numbers that it writes
Result<std::vector<uint64_t>> run(Runner& runner, const std::string& kernel, std::span<const Pattern> patterns,
                                  Arguments arguments, uint32_t threads, size_t results) {
  const Result<uint64_t> in = runner.allocate(patterns.size_bytes());
  if (!in) return in.error();
  const Buffer from(runner, *in);
  const Result<uint64_t> out = runner.allocate(results * sizeof(uint64_t));
  if (!out) return out.error();
  const Buffer to(runner, *out);
  std::vector<uint64_t> times(results, 0);
  if (auto error = runner.copy_in(from.address(), std::as_bytes(patterns))) return *error;
  if (auto error = runner.copy_in(to.address(), std::as_bytes(std::span(times))))
    return *error;  // of lanes that are off
  arguments.patterns = from.address();
  arguments.times = to.address();
  const Launch launch{kernel, {threads}, (arguments.words + 1) * 4, std::as_bytes(std::span(&arguments, 1))};
  if (auto error = runner.launch(launch)) return *error;
  if (auto error = runner.copy_out(std::as_writable_bytes(std::span(times)), to.address())) return *error;
  return times;
}

uint32_t value_of(Access access) { return access == Access::add_float ? std::bit_cast<uint32_t>(1.0f) : 1; }

}  // namespace

Pattern conflict_pattern(uint32_t stride, uint32_t conflicts) {
  Pattern pattern;
  for (uint32_t lane = 0; lane < kLanes; ++lane) pattern[lane] = lane < conflicts ? lane * stride : lane;
  return pattern;
}

double Samples::median() const { return of.empty() ? 0 : quantile(sorted(of), 0.5); }

double Samples::spread() const {
  if (of.empty()) return 0;
  const std::vector<double> all = sorted(of);
  return quantile(all, 0.75) - quantile(all, 0.25);
}

uint32_t usable_words(const Device& device) { return device.shared_bytes / 4 - 1; }

Result<std::vector<Samples>> latencies(Runner& runner, Access access, std::span<const Pattern> patterns,
                                       unsigned samples) {
  const Result<uint32_t> words = words_of(runner.device(), patterns);
  if (!words) return words.error();
  std::vector<Pattern> rounds;  // one pattern after the other, not one often: a GPU may change while it is measured
  for (unsigned k = 0; k <= samples; ++k) rounds.insert(rounds.end(), patterns.begin(), patterns.end());
  Arguments arguments;
  arguments.rounds = static_cast<uint32_t>(rounds.size());
  arguments.words = *words;
  arguments.value = value_of(access);
  const auto times = run(runner, fmt::format("latency_{}", info(access).kernel), rounds, arguments, kLanes,
                         rounds.size() * 2 * kLanes);
  if (!times) return times.error();
  std::vector<Samples> all(patterns.size());
  for (size_t round = patterns.size(); round < rounds.size(); ++round) {
    const auto begin = times->begin() + static_cast<std::ptrdiff_t>(round * 2 * kLanes);
    const uint64_t without = *std::max_element(begin, begin + kLanes);
    const uint64_t with = *std::max_element(begin + kLanes, begin + 2 * kLanes);
    all[round % patterns.size()].of.push_back(static_cast<double>(static_cast<int64_t>(with - without)));
  }
  return all;
}

Result<Samples> throughput(Runner& runner, Access access, std::span<const Pattern> warps, unsigned repeats,
                           unsigned samples) {
  assert(repeats % kUnrolled == 0 && repeats != 0 && "the loop makes kUnrolled accesses a turn");
  const Result<uint32_t> words = words_of(runner.device(), warps);
  if (!words) return words.error();
  Arguments arguments;
  arguments.rounds = samples + 1;
  arguments.words = *words;
  arguments.value = value_of(access);
  arguments.repeats = repeats / kUnrolled;
  const size_t threads = warps.size() * kLanes;
  const auto times = run(runner, fmt::format("throughput_{}", info(access).kernel), warps, arguments,
                         static_cast<uint32_t>(threads), arguments.rounds * threads * 2);
  if (!times) return times.error();
  Samples all;
  for (size_t round = 1; round <= samples; ++round) {
    uint64_t first = ~uint64_t{0}, last = 0;
    for (size_t thread = 0; thread < threads; ++thread) {
      const size_t at = (round * threads + thread) * 2;
      first = std::min(first, (*times)[at]);
      last = std::max(last, (*times)[at + 1]);
    }
    all.of.push_back(static_cast<double>(last - first) / (static_cast<double>(warps.size()) * repeats));
  }
  return all;
}

}  // namespace bankshot::measure
