// What the experiments of the XOR-hash paper share: the hash functions that it compares, and small things around them.
#pragma once

#include <optional>
#include <span>

#include "bankshot/experiment/experiment.hpp"
#include "bankshot/scratchpad/hash/hash.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::experiment {

/// A way to choose a hash: a row of Table 6, a colour of Figures 8 and 9.
struct HashFunction {
  const char* key;                                                 ///< in experiment files
  const char* label;                                               ///< in rows
  std::optional<search::Found> (*choose)(const search::Problem&);  ///< nothing: the fixed XOR, which is not chosen
};

/// In the order of the paper's figures, the fixed one first.
std::span<const HashFunction> hash_functions();
constexpr size_t kBitvectorXor = 1;  ///< the configurable bit-vector XOR among them

/// Words of the first lanes of a warp: ty * ty_stride + tx * tx_stride, tx below width. Equation 4, linearised.
std::vector<uint32_t> block_words(unsigned ty_stride, unsigned tx_stride, unsigned width, unsigned lanes);
/// A load of 4 bytes a lane.
scratchpad::Pattern load_of(const std::vector<uint32_t>& words);

/// The patterns that a benchmark lists, or else those of its run.
Result<scratchpad::PatternSet> patterns_of(const Benchmark& benchmark, const std::vector<std::string>& arguments,
                                           const Settings& settings);

/// Conflicts of a run under a hash.
uint64_t excess(const scratchpad::PatternSet& set, const scratchpad::BankHash& hash);

/// The runs on which hashes are judged; none: the one on which they are searched.
std::vector<std::vector<std::string>> tests_of(const Benchmark& benchmark, bool quick);

/// Bars by benchmark, one a function. @param values  by benchmark, then by hash_functions()
report::PlotPanel bars_by_benchmark(const std::string& title, const std::string& y_title,
                                    const std::vector<std::string>& benchmarks,
                                    const std::vector<std::vector<double>>& values);

}  // namespace bankshot::experiment
