// bankshot sweep: many programs on many machines, into a store.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/commands/sweep_answers.hpp"
#include "bankshot/cli/commands/sweep_run.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/support/installation.hpp"

namespace bankshot::cli {
namespace {

/// "4G" as bytes.
std::string to_bytes(std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit = text.substr(static_cast<size_t>(end - text.data()));
  const uint64_t factor = unit.empty()  ? 1
                          : unit == "K" ? 1ull << 10
                          : unit == "M" ? 1ull << 20
                          : unit == "G" ? 1ull << 30
                                        : 0;
  if (error != std::errc() || factor == 0 || number == 0 || number > UINT64_MAX / factor)
    return "'" + text + "' is not an amount of memory such as 512M or 16G";
  text = std::to_string(number * factor);
  return {};
}

class Sweep final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("PLAN", run_.plan, "the plan, a TOML file (docs/sweep.md)")->type_name("PLAN.toml");
    store_option(app);
    dry_ = app.add_flag("--dry-run", run_.dry, "check the plan, and print the number of points and the estimated time");
    app.add_option("--engine", run_.engine, "where points run: " + engine_list())
        ->check(CLI::IsMember(engine_names()))
        ->capture_default_str();
    app.add_option("--workers", run_.options.workers, "points that run at once; 0: as many as there are cores")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
    app.add_option("--memory", run_.options.memory,
                   "memory that all workers may use, for example 16G (default: 90 % of what is free)")
        ->transform(CLI::Validator(to_bytes, ""))
        ->type_name("BYTES");
    app.add_option("--timeout", run_.options.timeout, "a point that takes longer has failed; in seconds")
        ->check(CLI::Range(0.001, 1e9))
        ->type_name("SECONDS");
    slurm_options(app);
    app.add_flag("--retry-failed", run_.retry, "run points that failed before, too");
    CLI::Option* const optimise =
        app.add_option("--optimise", run_.optimise,
                       "find the machine with the least cycles, microseconds or conflicts by successive halving, "
                       "without running all points")
            ->check(CLI::IsMember({"cycles", "microseconds", "conflicts"}))
            ->type_name("MEASURE")
            ->excludes(dry_);
    app.add_option("--candidates", run_.halving.candidates, "machines that --optimise looks at, chosen at random")
        ->check(CLI::Range(2, 1'000'000))
        ->capture_default_str()
        ->needs(optimise);
    app.add_option("--seed", run_.halving.seed, "seed of --optimise")
        ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()))
        ->capture_default_str()
        ->needs(optimise);
    app.add_flag("--progress", run_.progress, "print progress every five seconds; a terminal always shows it");
    app.add_option("--json", run_.json, "write what was done as JSON; - is standard output")->type_name("FILE|-");
    define_answers(app);
    define_forget(app);
    worker_ = app.add_subcommand("worker", "")->group("");
    worker_->add_option("--tasks", tasks_file_);
    worker_->add_option("--results", results_file_)->needs(worker_->get_option("--tasks"));
    worker_->add_option("--workers", run_.options.workers);
    worker_->add_option("--memory", run_.options.memory);
    worker_->add_option("--timeout", run_.options.timeout);
    app.footer(app.get_footer() + "\nEngines:\n" + engine_table());
  }

  int run(const std::vector<std::string>&) override {
    run_.options.program = own_file();
    if (worker_->parsed()) return tasks_file_.empty() ? work() : work_in_files();
    if (run_.store.empty()) run_.store = sweep::default_store();
    if (run_.store.empty()) return refuse("where is the store? Give --store FILE, as there is no HOME");
    question_.store = run_.store;
    if (!run_.plan.empty() &&
        (status_->parsed() || results_->parsed() || plot_->parsed() || export_->parsed() || forget_->parsed()))
      return refuse("give either a PLAN to run or one of status, results, plot, export and forget");
    try {
      if (status_->parsed()) return sweep_status(question_);
      if (results_->parsed()) return sweep_results(question_);
      if (plot_->parsed()) return sweep_plot(question_);
      if (export_->parsed()) return sweep_export(question_);
      if (forget_->parsed()) return sweep_forget(question_);
      return run_plan();
    } catch (const sweep::StoreError& error) {
      const std::string what = error.what();
      if (what.find(run_.store) != std::string::npos) return refuse(what);
      return refuse(fmt::format("the store {} failed: {}; results that it has are kept", run_.store, what));
    }
  }

 private:
  int run_plan() {
    if (run_.plan.empty()) return refuse("which plan? For example: bankshot sweep plan.toml");
    std::error_code code;
    if (run_.plan.find_first_of("./") == std::string::npos && !std::filesystem::exists(run_.plan, code))
      return refuse(
          fmt::format("'{}' is neither a plan nor one of status, results, plot, export and forget", run_.plan));
    if (const auto error = cannot_deliver(run_.json, {{"the plan", run_.plan}, {"the store", run_.store}}))
      return refuse(error->message);
    if (const std::string option = given_of_slurm(); run_.engine != "slurm" && !option.empty())
      return refuse(option + " is for --engine slurm");
    run_.options.store = host::real_place(run_.store);
    return run_sweep(run_);
  }

  static std::vector<std::string> engine_names() {
    std::vector<std::string> names;
    for (const sweep::EngineEntry& one : sweep::engines()) names.push_back(one.name);
    std::ranges::sort(names);
    return names;
  }
  static std::string engine_list() { return fmt::format("{}", fmt::join(engine_names(), ", ")); }
  static std::string engine_table() {
    std::string text;
    for (const std::string& name : engine_names())
      text += fmt::format("  {:<8} {}\n", name,
                          std::ranges::find(sweep::engines(), name, &sweep::EngineEntry::name)->summary);
    return text;
  }

  void define_answers(CLI::App& app) {
    const auto part = [&](const char* name, const char* summary, bool needs_sweep, const char* examples) {
      CLI::App* const made = app.add_subcommand(name, summary);
      made->footer(std::string("Examples:\n") + examples);
      question_.define_sweep(*made, needs_sweep);
      if (std::string_view(name) != "plot") question_.define_json(*made);
      store_option(*made);
      return made;
    };
    status_ = part("status", "Show progress and failures", false,
                   "  bankshot sweep status\n  bankshot sweep status hashes\n");
    results_ =
        part("results", "Points, tables, the best by an axis, the Pareto front, which axes matter", true,
             "  bankshot sweep results hashes --by bank_hash,gpu --speedup-over bank_hash=none\n"
             "  bankshot sweep results hashes --best-by program\n  bankshot sweep results hashes --sensitivity\n");
    question_.html.define(*results_);
    question_.define_choice(*results_);
    results_->add_option("--by", question_.by, "a table of means: one axis, or two, separated by a comma")
        ->delimiter(',')
        ->type_name("AXIS[,AXIS]");
    results_->add_option("--best-by", question_.best_by, "the best point for each value of this axis")
        ->type_name("AXIS");
    results_->add_flag("--sensitivity", question_.sensitivity,
                       "how much of the variance each axis explains, alone and with others");
    results_->add_flag("--pareto", question_.pareto,
                       "the measure against the area of the bank hash in hardware; needs yosys");
    results_->add_option("--limit", question_.limit, "points that are listed")->capture_default_str();
    plot_ =
        part("plot", "Draw means as SVG", true,
             "  bankshot sweep plot hashes --x bank_hash --series gpu --speedup-over bank_hash=none -o hashes.svg\n");
    question_.define_choice(*plot_);
    plot_->add_option("--x", question_.x, "axis from left to right")->type_name("AXIS");
    plot_->add_option("--series", question_.series, "a line or a kind of bar for each value of this axis")
        ->type_name("AXIS");
    plot_->add_option("--panel", question_.panel, "a panel for each value of this axis")->type_name("AXIS");
    plot_->add_option("-o,--output", question_.output, "the figure")->type_name("FILE.svg");
    export_ = part("export", "Write all points, or what a query of SQL yields, as CSV or JSON", false,
                   "  bankshot sweep export hashes --csv hashes.csv\n"
                   "  bankshot sweep export --csv - --sql \'SELECT gpu, avg(cycles) FROM hashes GROUP BY gpu\'\n");
    export_->add_option("--csv", question_.csv, "write CSV; - is standard output")->type_name("FILE|-");
    export_->add_option("--sql", question_.sql, "a query; the tables are described in docs/sweep.md")
        ->type_name("SELECT");
  }

  void define_forget(CLI::App& app) {
    forget_ = app.add_subcommand("forget", "Remove a sweep from the store");
    forget_->footer("Examples:\n  bankshot sweep forget hashes\n  bankshot sweep forget hashes --results\n");
    question_.define_sweep(*forget_, true);
    store_option(*forget_);
    forget_->add_flag("--results", question_.results, "also remove the results that no other sweep has");
  }

  void store_option(CLI::App& app) {
    app.add_option("--store", run_.store,
                   "the store, a SQLite database with the results of all sweeps (default: $BANKSHOT_STORE, else "
                   "bankshot/store.sqlite in $XDG_DATA_HOME or ~/.local/share)")
        ->type_name("FILE");
  }

  void slurm_options(CLI::App& app) {
    const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
      CLI::Option* const option = app.add_option(name, value, help)->type_name(type)->group("With --engine slurm");
      of_slurm_.push_back(option);
      return option;
    };
    sweep::EngineOptions& options = run_.options;
    add("--partition", options.partition, "the partition that jobs go to", "NAME");
    add("--account", options.account, "who pays for them", "NAME");
    add("--time", options.time, "the most that a task may take, as sbatch has it: 30, 12:00:00", "TIME");
    add("--points-per-task", options.points_per_task, "points of a task (default: for about ten minutes)", "N")
        ->check(CLI::Range(1, 1'000'000));
    add("--tasks", options.tasks, "tasks that run at once, at most", "N")->check(CLI::Range(1, 1'000'000));
    add("--job-folder", options.folder, "a folder that all nodes see, for files (default: STORE.jobs)", "FOLDER");
  }
  std::string given_of_slurm() const {
    for (const CLI::Option* option : of_slurm_) {
      if (option->count() != 0) return option->get_name();
    }
    return {};
  }

  int work_in_files() {
    const Result<int> status = sweep::serve_file(tasks_file_, results_file_, run_.options);
    return status ? *status : refuse(status.error().message);
  }

  /// The other end of standard input is the sweep. Programs that run here must not read it.
  static int work() {
    int kind = 0;
    socklen_t size = sizeof kind;
    if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &kind, &size) != 0)
      return refuse("a worker is started by a sweep");
    const int socket = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (socket < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) return refuse("a worker is started by a sweep");
    return sweep::serve_tasks(socket);
  }

  SweepRun run_;
  SweepQuestion question_;
  CLI::Option* dry_ = nullptr;
  CLI::App *worker_ = nullptr, *status_ = nullptr, *results_ = nullptr, *plot_ = nullptr, *export_ = nullptr,
           *forget_ = nullptr;
  std::string tasks_file_, results_file_;  ///< of a worker
  std::vector<CLI::Option*> of_slurm_;
};

const RegisterCommand sweep_registered({"sweep", "Run programs on many simulated machines, and keep every result",
                                        "A plan names programs, and axes: GPUs, keys of their files, hashes, "
                                        "schedulers, arguments. Every point has a row\n"
                                        "in a store, and a point that is known is never computed again. Exit status: "
                                        "0; 1 if points failed; 2 if the plan\n"
                                        "or the store cannot be used; 130 after Ctrl-C: run it again to continue.\n\n"
                                        "Examples:\n"
                                        "  bankshot sweep --dry-run plan.toml\n"
                                        "  bankshot sweep plan.toml\n",
                                        [] { return std::make_unique<Sweep>(); }});

}  // namespace
}  // namespace bankshot::cli
