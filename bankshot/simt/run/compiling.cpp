#include "bankshot/simt/run/compiling.hpp"

#include <dlfcn.h>
#include <xmmintrin.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/control/native.hpp"
#include "bankshot/simt/rows/isa_names.hpp"
#include "bankshot/simt/run/engine.hpp"
#include "bankshot/simt/state/native_compiler.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/support/installation.hpp"

namespace bankshot::simt {
namespace {

/// The compiler, from its library. @param isa  that of its code @return null if there is a problem
NativeCompiler* load_compiler(const NativeRuntime& runtime, std::string_view isa, NativeProblem& problem) {
#ifdef BANKSHOT_COMPILER
  const std::string path = library_folder() + "/libbankshot_jit.so";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto make =
      reinterpret_cast<MakeNativeCompiler>(library == nullptr ? nullptr : dlsym(library, "bankshot_native_compiler"));
  if (make == nullptr) {
    problem = {dlerror(), true};
    return nullptr;
  }
  return make(runtime, isa, problem);
#else
  static_cast<void>(runtime), static_cast<void>(isa);
  problem = {"this build has no compiler of kernels, which needs clang 19 and LLVM 19", false};
  return nullptr;
#endif
}

void set_mode(Warp& w, uint32_t mode) {
  w.worker->fp = static_cast<uint8_t>(mode);
  _mm_setcsr(FpMode::kMxcsr[mode]);
}

const Instr* run_in_mode(Warp& w, const Instr* i, uint32_t mode) {
  const Instr* const next = i->run(w, i);
  if (w.worker->fp != mode) set_mode(w, mode);
  return next;
}

void count(Warp& w, const Instr* i, uint32_t bytes, const uint32_t* offsets, uint32_t mask) {
  count_shared(w, i->aux, kind_at(w, i->aux), bytes, offsets, mask);
}

const NativeRuntime kRuntime = {.branch = &run_branch,
                                .branch_indexed = &run_branch_indexed,
                                .reconverge = &run_reconverge,
                                .exit = &run_exit,
                                .leave_function = &run_return,
                                .trap = &run_trap,
                                .guarded = &run_guarded,
                                .barrier = &run_barrier,
                                .diverge = &native_diverge,
                                .join = &native_join,
                                .yield = &native_yield,
                                .arrive = &native_barrier,
                                .end = &exit_lanes,
                                .set_mode = &set_mode,
                                .run = &run_in_mode,
                                .count = &count};

/// Hashes a number.
uint64_t scattered(uint64_t x) {
  x = (x ^ x >> 32) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 29) * 0x9e3779b97f4a7c15;
  return x ^ x >> 32;
}

}  // namespace

NativeProblem compiler_problem() {
  static const NativeProblem problem = [] {
    NativeProblem found;
    delete load_compiler(kRuntime, host_isa(), found);
    return found;
  }();
  return problem;
}

class Compiling::Maker : public NativeMaker {
 public:
  explicit Maker(const EngineOptions& options)
      : when_(options.compile),
        tier_seed_(options.tier_seed),
        counting_(options.count_conflicts),
        tracing_(options.trace_accesses != 0),
        isa_(options.isa.empty() ? host_isa() : options.isa),
        rules_(options.machine.scratchpad),
        l1_(options.l1) {}
  ~Maker() override {
    stop();
    if (problem_.why.empty()) delete compiler_;  // a broken one may hold locks
  }

  NativeProgram* of(const LoadedProgram& program) {
    const std::scoped_lock lock(busy_);
    std::unique_ptr<NativeProgram>& native = programs_[program.serial];
    if (native == nullptr) {
      native = std::make_unique<NativeProgram>();
      native->entries = std::make_unique<NativeEntry[]>(program.code.size());
      native->code = program.code.data();
      native->all_lanes = 0xffffffff;
      native->patience = when_ == Compile::at_once ? 1 : kPatience;
      native->maker = this;
    }
    return native.get();
  }

  /// The program is about to go: what is being made for it is finished first.
  void forget(uint64_t serial) {
    std::unique_lock lock(busy_);
    std::erase_if(queue_, [&](const Job& job) { return job.program->serial == serial; });
    changed_.wait(lock, [&] { return at_work_on_ != serial; });
    programs_.erase(serial);
    std::erase_if(known_, [&](const auto& entry) { return entry.first.program == serial; });
    std::erase_if(functions_, [&](const auto& entry) { return entry.first.first == serial; });
    if (!thread_.joinable()) return;
    forgotten_.push_back(serial);
    changed_.notify_all();
  }

  Compiled news(const LoadedProgram& program, uint32_t function) {
    const std::scoped_lock lock(busy_);
    Function all;
    for (auto& [key, one] : functions_) {
      if (key.first != program.serial || (key.second != function && program.functions[key.second].is_entry)) continue;
      all.news.add(one.news);
      all.wanted += one.wanted;
      all.compiled += one.compiled;
      all.refused += one.refused;
      one.news = {};
    }
    all.news.why_not = why_not(all);
    return std::move(all.news);
  }

  std::string fault() {
    const std::scoped_lock lock(busy_);
    return problem_.is_fault ? problem_.why : "";
  }

  size_t stretches() {
    const std::scoped_lock lock(busy_);
    return stretches_;
  }

  NativeCode wanted(const Warp& w, const Instr* i, bool refused) override {
    const LoadedProgram& program = *w.worker->program;
    const auto index = static_cast<uint32_t>(i - program.code.data());
    const bool whole = w.active == w.worker->native->all_lanes;
    if (tier_seed_ != 0 && !chooses_native(w, index)) return nullptr;
    std::unique_lock lock(busy_);
    if (!problem_.why.empty()) return nullptr;
    Known& known = known_[{program.serial, index, whole}];
    if (known.code != nullptr && !refused) return known.code;
    if (known.waits || known.refused || known.tries == kMostTries) return nullptr;
    if (known.deferred != 0) {
      --known.deferred;
      return nullptr;
    }
    NativeSample sample;
    sample.active = w.active;
    const FunctionInfo& function = program.functions[program.info[index].function];
    sample.frame.assign(w.base[0], w.base[0] + function.register_bytes);
    sample.specials.assign(w.base[2], w.base[2] + program.special_bytes);
    const std::span<const std::byte> params = w.worker->launch->config->params;
    sample.params.assign(params.begin(), params.end());
    known.samples.push_back(std::move(sample));
    known.waits = true;
    ++known.tries;
    ++functions_[{program.serial, program.info[index].function}].wanted;
    queue_.push_back({&program, index, whole, w.worker->native});
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    changed_.notify_all();
    if (when_ != Compile::at_once) return nullptr;
    changed_.wait(lock, [&] { return !problem_.why.empty() || !known.waits; });
    return problem_.why.empty() && !known.refused ? known.code : nullptr;
  }

 private:
  static constexpr unsigned kMostTries = 8;
  static constexpr uint32_t kPatience = 512;
  static constexpr unsigned kDeferred = 16;
  struct Known {
    bool waits = false, refused = false;  ///< refused by the compiler
    unsigned tries = 0;
    unsigned deferred = 0;      ///< requests to ignore: another stretch contains this instruction
    NativeCode code = nullptr;  ///< the latest
    std::vector<NativeSample> samples;
  };
  struct Key {
    uint64_t program;
    uint32_t index;
    bool whole;
    auto operator<=>(const Key&) const = default;
  };
  /// Requests for the instructions of a function.
  struct Function {
    Compiled news;  ///< since they were asked for
    unsigned wanted = 0, compiled = 0, refused = 0;
  };
  struct Job {
    const LoadedProgram* program;
    uint32_t index;
    bool whole;
    NativeProgram* native;
  };

  /// By EngineOptions::tier_seed, in each program otherwise. Some warps are always interpreted and some never; others
  /// change at any place.
  bool chooses_native(const Warp& w, uint32_t index) const {
    const uint64_t program = scattered(tier_seed_ ^ w.worker->program->code.size() << 32);
    const uint64_t warp = scattered(scattered(program ^ w.cta->linear) ^ w.index);
    if (warp % 4 < 2) return warp % 4 == 1;
    const uint64_t visits = w.worker->native->entries[index].visits.load(std::memory_order_relaxed);
    return scattered(scattered(warp ^ index) ^ visits) % 2 == 1;
  }

  void stop() {
    {
      const std::scoped_lock lock(busy_);
      ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  std::string why_not(const Function& function) const {
    if (function.compiled != 0) return "";
    if (!problem_.why.empty()) return problem_.why;
    if (function.wanted == 0)
      return "it was too short to be worth it: no instruction was reached " + std::to_string(kPatience) + " times";
    return function.refused == function.wanted ? "the compiler refused it" : "it ended before its code was ready";
  }

  void work() {
    NativeProblem problem;
    compiler_ = load_compiler(kRuntime, isa_, problem);
    std::unique_lock lock(busy_);
    problem_ = problem;
    changed_.notify_all();
    while (problem_.why.empty()) {
      changed_.wait(lock, [this] { return ends_ || !queue_.empty() || !forgotten_.empty(); });
      if (ends_) return;
      for (const uint64_t program : forgotten_) compiler_->forget(program);
      forgotten_.clear();
      if (!queue_.empty()) make(lock);
      stretches_ = compiler_->stretches();
    }
  }

  /// Code for the first of the queue.
  void make(std::unique_lock<std::mutex>& lock) {
    const Job job = queue_.front();
    queue_.pop_front();
    const LoadedProgram& program = *job.program;
    Known& known = known_[{program.serial, job.index, job.whole}];
    const NativeRequest request{
        &program,     job.index, job.whole, counting_, &rules_, tracing_ || program.has_tiles, l1_ ? &*l1_ : nullptr,
        known.samples};
    at_work_on_ = program.serial;
    lock.unlock();
    const auto begin = std::chrono::steady_clock::now();
    const NativeResult result = compiler_->compile(request);
    const auto taken = std::chrono::steady_clock::now() - begin;
    lock.lock();
    known.waits = false;
    Function& function = functions_[{program.serial, program.info[job.index].function}];
    if (result.code != nullptr) {
      ++function.compiled;
      publish(job, job.index, result.code);
      for (const auto& [index, code] : result.ways_in) {
        if (known_[{program.serial, index, job.whole}].tries == 0) publish(job, index, code);
      }
      if (when_ != Compile::at_once) defer(job, result.reached);
    } else {
      ++function.refused;
      known.refused = true;
    }
    function.news.add(news_of(job, result, taken));
    if (result.broken) problem_ = {result.why, true};
    at_work_on_ = 0;
    changed_.notify_all();
  }

  /// With a tier_seed every warp asks for code again.
  void publish(const Job& job, uint32_t index, NativeCode code) {
    known_[{job.program->serial, index, job.whole}].code = code;
    NativeEntry& entry = job.native->entries[index];
    if (tier_seed_ == 0) (job.whole ? entry.whole : entry.part).store(code, std::memory_order_release);
  }

  /// From now on most warps reach these instructions within the code of the job: compiling from there can wait.
  void defer(const Job& job, const std::vector<uint32_t>& reached) {
    for (const uint32_t index : reached) {
      Known& known = known_[{job.program->serial, index, job.whole}];
      if (known.tries > 1 || index == job.index) continue;
      known.deferred = kDeferred;
      if (!known.waits) continue;
      known.waits = false;
      --known.tries;
      std::erase_if(queue_, [&](const Job& other) {
        return other.program == job.program && other.index == index && other.whole == job.whole;
      });
    }
  }

  static Compiled news_of(const Job& job, const NativeResult& result, std::chrono::steady_clock::duration taken) {
    const LoadedProgram& program = *job.program;
    Compiled news;
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(taken).count();
    news.stretches.push_back(
        {program.source_of(&program.code[job.index]), job.whole, static_cast<uint64_t>(microseconds), result.why});
    for (const NotNative& one : result.not_native) {
      const Instr* const instr = &program.code[one.instruction];
      news.add({.not_compiled = {
                    {program.source_of(instr), program.texts[program.info_of(instr).text], one.by_handler, one.why}}});
    }
    return news;
  }

  const Compile when_;
  const uint64_t tier_seed_;
  const bool counting_, tracing_;
  const std::string isa_;
  const scratchpad::Rules rules_;
  const std::optional<scratchpad::L1Rules> l1_;
  std::mutex busy_;
  std::condition_variable changed_;
  std::map<uint64_t, std::unique_ptr<NativeProgram>> programs_;
  std::map<Key, Known> known_;
  std::map<std::pair<uint64_t, uint32_t>, Function> functions_;  ///< by program and number
  std::deque<Job> queue_;
  std::vector<uint64_t> forgotten_;  ///< programs whose code is still there
  NativeCompiler* compiler_ = nullptr;
  NativeProblem problem_;
  size_t stretches_ = 0;
  bool ends_ = false;
  uint64_t at_work_on_ = 0;  ///< serial of the program, 0: none
  std::thread thread_;
};

Compiling::Compiling(const EngineOptions& options)
    : maker_(options.compile == Compile::never ? nullptr : std::make_shared<Maker>(options)) {}
Compiling::~Compiling() = default;
NativeProgram* Compiling::of(LoadedProgram& program) {
  if (!program.forget_native)
    program.forget_native = [maker = maker_, serial = program.serial] { maker->forget(serial); };
  return maker_->of(program);
}
Compiled Compiling::news(const LoadedProgram& program, uint32_t function) { return maker_->news(program, function); }
std::string Compiling::fault() const { return maker_ == nullptr ? "" : maker_->fault(); }
size_t Compiling::stretches() const { return maker_ == nullptr ? 0 : maker_->stretches(); }

}  // namespace bankshot::simt
