// Figures and tables of the papers, rebuilt beside the published values. One TOML file an experiment:
// experiments/*.toml.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bankshot/report/figure/plot.hpp"
#include "bankshot/report/run/instruction_patterns.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/scratchpad/transactions/tx_totals.hpp"
#include "bankshot/support/result.hpp"
#include "bankshot/timing/base/counters.hpp"

namespace bankshot::experiment {

/// A number, a text, or not known.
using Value = std::variant<std::monostate, double, std::string>;

/// A kernel of ours whose access patterns an experiment works on.
struct Benchmark {
  std::string label;                             ///< in the paper
  std::string program;                           ///< of kernels/
  std::string kernel;                            ///< contained in its name; empty: all
  std::vector<std::string> arguments;            ///< of the run on which hashes are searched
  std::vector<std::vector<std::string>> tests;   ///< of the runs on which they are judged; none: the same run
  std::vector<std::string> timed;                ///< of the run whose cycles are compared; none: the tests
  std::map<std::string, std::string> published;  ///< parameters of hashes by function
  /// Instead of a program: access patterns as analysis of the source has them, "WEIGHT TY TX WIDTH LANES": word = ty *
  /// TY + tx * TX, tx below WIDTH, of the first lanes of a warp.
  std::vector<std::string> patterns;
  std::vector<std::string> set;  ///< changes of the GPU's file for this benchmark alone
  bool aside = false;            ///< shown beside the others, and not in their means
};

struct Experiment {
  std::string name;                ///< of the file, without .toml
  std::vector<std::string> files;  ///< that were read
  std::string title, paper;
  std::string gpu;                                       ///< that it runs on; empty: the one that the user chose
  std::string kind;                                      ///< what is computed: one of the kinds in reproduce.cpp
  std::map<std::string, std::vector<Value>> parameters;  ///< of what its kind computes; one value is a list of one
  std::map<std::string, Value> published;                ///< by label of a row
  std::map<std::string, std::vector<std::pair<double, double>>>
      points;  ///< published x and y, by "panel, series" of a figure
  /// Series of `points` that are a law of the paper with the constants that are parameters here. To follow it is no
  /// agreement with what was measured.
  std::vector<std::string> laws;
  std::vector<Benchmark> benchmarks;    ///< those of the file it names, then its own
  std::vector<std::string> deviations;  ///< sentences: why a measured value is not the published one
};

struct Row {
  std::string label;
  Value published, measured;
  std::string unit;
  std::string note;  ///< what else there is to say of this row, or empty
};

struct Outcome {
  std::vector<Row> rows;
  std::vector<report::PlotPanel> panels;  ///< of a figure; none: a table, which is the rows
  std::vector<std::string> notes;         ///< sentences on the results
};

/// Reads a file. The error names file, line and key. @param name  without folder and .toml
Result<Experiment> load(const std::string& name);
/// Names of all files of experiments, ascending; those that only hold benchmarks have no kind and are not listed.
std::vector<std::string> names();

/// The folders in which files of experiments are looked for, for messages.
std::string searched();

/// The access patterns of one run of a benchmark.
using Tracer = std::function<Result<scratchpad::PatternSet>(const Benchmark& benchmark,
                                                            const std::vector<std::string>& arguments)>;

/// What of the simulated GPU an experiment says. Empty: what the GPU's file says.
struct Machine {
  std::string bank_hash = "none";       ///< as on the command line: "none", "xor", "bvxor:0,5,7"
  std::string atomics;                  ///< unit of atomics on shared memory: "lock", "loadlike"
  std::string lock_hash;                ///< of the unit "lock"
  std::vector<std::string> set;         ///< further changes of the GPU's file: "issue.pipeline=elastic"
  std::string instruction_hashes = {};  ///< in place of `bank_hash`: a document bankshot/instruction-hashes/1
  auto operator<=>(const Machine&) const = default;
};

/// What a benchmark's kernel did, all its launches.
struct Simulated : timing::Counters {
  scratchpad::TxTotals transactions;
};
/// … in a run on the simulated GPU. May be asked the same again.
using Simulator = std::function<Result<Simulated>(const Benchmark& benchmark, const std::vector<std::string>& arguments,
                                                  const Machine& machine)>;

/// … by the words that instructions have to themselves.
using InstructionTracer = std::function<Result<report::InstructionPatterns>(const Benchmark& benchmark,
                                                                            const std::vector<std::string>& arguments)>;
/// What a kernel takes in one form, all its launches.
struct KernelForm {
  uint64_t cycles = 0;  ///< simulated
  uint64_t warp_instructions = 0;
  uint64_t load_conflicts = 0, store_conflicts = 0;  ///< passes at the banks beyond the least; an atomic is both
};
/// A kernel as it is, and as `bankshot fix` rewrites it.
struct FixedKernel {
  KernelForm original;
  std::optional<KernelForm> hash, padding;  ///< none: no array is rewritten so
  std::string hashes, paddings;             ///< of which arrays: "tile bvxor:0,4,14"
  std::string left_alone;                   ///< arrays that have conflicts and no hash, with the reasons; or empty
};
/// … on a GPU of a name, with hashes of a class (`bankshot search --class`). May be asked the same again.
using Fixer = std::function<Result<FixedKernel>(const Benchmark& benchmark, const std::vector<std::string>& arguments,
                                                const std::string& gpu, const std::string& hash_class)>;

struct Settings {
  Tracer trace;
  Simulator simulate;
  InstructionTracer trace_by_instruction = {};
  Fixer fix = {};
  bool quick = false;                                     ///< fewer test runs, smaller problems
  unsigned threads = 0;                                   ///< of the host; 0: all cores
  std::function<void(const std::string& what)> progress;  ///< called before each benchmark; may be empty
};

/// An error that says which benchmark it is about.
Error at(const Benchmark& benchmark, const std::string& why);
/// The benchmark of a label, or null.
const Benchmark* find(const Experiment& experiment, const std::string& label);
/// The halves of "a / b"; of a text without " / " the second is empty.
std::pair<std::string, std::string> halves(const std::string& text);
/// What the experiment's file says was published under a label.
Value published(const Experiment& experiment, const std::string& label);

/// Rounds to `digits` decimals.
double rounded(double value, int digits);

/// The GPUs that it names: `gpu` and the parameter `gpus`.
std::vector<std::string> gpus_of(const Experiment& experiment);

/// Whether it depends on the programs that synthesise hardware (circuit::find_tools).
bool synthesises(const Experiment& experiment);

/// Computes the rows and panels; both contain the published values.
Result<Outcome> reproduce(const Experiment& experiment, const Settings& settings);

}  // namespace bankshot::experiment
