// bankshot_differential: as many random kernels as asked for, engine against second interpreter. Ends with 1 on the
// first difference, having written the seed and a reduced kernel.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <regex>
#include <thread>
#include <vector>

#include "tests/differential/compare.hpp"
#include "tests/differential/writer.hpp"

namespace bankshot::differential {
namespace {

struct Options {
  uint64_t kernels = 1000, seed = 1, seconds = 1'000'000;
  unsigned threads = 1, most_failures = 1;
  bool show = false, list_forms = false;
  std::string without;
};

int run(const Options& options) {
  std::atomic<uint64_t> next{0}, failures{0};
  std::mutex printing;
  Totals totals;
  Forms reached = forms();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  const auto in_time = [&] { return std::chrono::steady_clock::now() < end; };
  const auto work = [&] {
    Comparison comparison;
    Forms mine = forms();
    comparison.note_forms_in(&mine);
    for (uint64_t k; in_time() && failures < options.most_failures && (k = next++) < options.kernels;) {
      Kernel kernel = random_kernel(options.seed + k);
      if (!options.without.empty()) kernel = without(kernel, std::regex(options.without));
      const Difference difference = comparison.compare(kernel);
      if (difference.kind != Difference::Kind::none) {
        ++failures;
        const bool undefined = difference.kind == Difference::Kind::undefined;
        const std::string report = undefined ? fmt::format("seed {} is undefined: {}\n", kernel.seed, difference.what)
                                             : report_of(kernel, difference, comparison);
        const std::scoped_lock lock(printing);
        fmt::print("{}\n", report);
        std::fflush(stdout);
      }
      if (isatty(STDERR_FILENO) != 0 && k % 100 == 0) fmt::print(stderr, "\r{} of {} kernels", k, options.kernels);
    }
    const std::scoped_lock lock(printing);
    totals.kernels += comparison.totals().kernels;
    totals.runs += comparison.totals().runs;
    totals.instructions += comparison.totals().instructions;
    reached.add(mine);
  };
  std::vector<std::thread> workers;
  for (unsigned k = 0; k < options.threads; ++k) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  if (isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r");
  if (options.list_forms)
    fmt::print("Forms that no kernel has:\n{}Forms that some kernel has:\n{}", reached.list(false), reached.list(true));
  fmt::print("{} kernels, {} runs of the engine, {} instructions of lanes, {} of {} forms of the table; {} differ\n",
             totals.kernels, totals.runs, totals.instructions, reached.reached(), reached.rows(), failures.load());
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bankshot::differential

int main(int argc, char** argv) {
  bankshot::differential::Options options;
  CLI::App app("Random kernels: the engine against a second, slower interpreter of PTX");
  app.add_option("--kernels", options.kernels, "how many")->capture_default_str();
  app.add_option("--seed", options.seed, "of the first; the others have those that follow")->capture_default_str();
  app.add_option("--threads", options.threads, "of the host")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_option("--failures", options.most_failures, "stop after so many")->capture_default_str();
  app.add_option("--seconds", options.seconds, "stop after so many");
  app.add_option("--without", options.without, "leave out instructions that match this expression");
  app.add_flag("--show", options.show, "print the kernel of --seed and stop");
  app.add_flag("--list-forms", options.list_forms, "print which forms of the instruction table the kernels have");
  CLI11_PARSE(app, argc, argv);
  if (options.show) {
    fmt::print("{}", bankshot::differential::random_kernel(options.seed).text());
    return 0;
  }
  return bankshot::differential::run(options);
}
