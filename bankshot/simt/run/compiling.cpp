#include "bankshot/simt/run/compiling.hpp"

#include <dlfcn.h>
#include <xmmintrin.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "bankshot/simt/control/native.hpp"
#include "bankshot/simt/rows/row.hpp"
#include "bankshot/simt/run/engine.hpp"
#include "bankshot/simt/state/native_compiler.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {
namespace {

/// The folder of what this is part of.
std::string own_folder() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return ".";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

void set_mode(Warp& w, uint32_t mode) {
  constexpr unsigned kMaskAll = 0x1f80, kFlushBits = 0x8040;  // exceptions masked; FTZ and DAZ
  w.worker->fp = static_cast<uint8_t>(mode);
  _mm_setcsr(kMaskAll | (mode & 3) << 13 | ((mode & FpMode::kFlush) != 0 ? kFlushBits : 0));
}

const Instr* run_in_mode(Warp& w, const Instr* i, uint32_t mode) {
  const Instr* const next = i->run(w, i);
  if (w.worker->fp != mode) set_mode(w, mode);
  return next;
}

}  // namespace

class Compiling::Maker : public NativeMaker {
 public:
  explicit Maker(const EngineOptions& options)
      : when_(options.compile),
        counting_(options.count_conflicts),
        tracing_(options.trace_accesses != 0),
        isa_(options.isa.empty() ? best_isa() : options.isa),
        rules_(options.machine.scratchpad),
        l1_(options.l1) {}
  ~Maker() override { stop(); }

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
  }

  bool wanted(const Warp& w, const Instr* i) override {
    const LoadedProgram& program = *w.worker->program;
    const auto index = static_cast<uint32_t>(i - program.code.data());
    const bool whole = w.active == w.worker->native->all_lanes;
    std::unique_lock lock(busy_);
    if (broken_) return false;
    Known& known = known_[{program.serial, index, whole}];
    if (known.waits || known.tries > kMostTries) return false;
    NativeSample sample;
    sample.active = w.active;
    const FunctionInfo& function = program.functions[program.info[index].function];
    sample.frame.assign(w.base[0], w.base[0] + function.register_bytes);
    sample.specials.assign(w.base[2], w.base[2] + program.special_bytes);
    known.samples.push_back(std::move(sample));
    known.waits = true;
    ++known.tries;
    queue_.push_back({&program, index, whole, w.worker->native});
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    changed_.notify_all();
    if (when_ != Compile::at_once) return false;
    changed_.wait(lock, [&] { return broken_ || !known.waits; });
    return !broken_ && known.tries <= kMostTries;
  }

 private:
  static constexpr unsigned kMostTries = 8;
  static constexpr uint32_t kPatience = 512;
  struct Known {
    bool waits = false;
    unsigned tries = 0;
    std::vector<NativeSample> samples;
  };
  struct Key {
    uint64_t program;
    uint32_t index;
    bool whole;
    auto operator<=>(const Key&) const = default;
  };
  struct Job {
    const LoadedProgram* program;
    uint32_t index;
    bool whole;
    NativeProgram* native;
  };

  void stop() {
    {
      const std::scoped_lock lock(busy_);
      ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  bool start(std::string& why) {
    for (const std::string& folder : {own_folder(), own_folder() + "/../lib"}) {
      void* const library = dlopen((folder + "/libbankshot_jit.so").c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) {
        why = dlerror();
        continue;
      }
      const auto make = reinterpret_cast<MakeNativeCompiler>(dlsym(library, "bankshot_native_compiler"));
      if (make == nullptr) continue;
      compiler_ = make({.branch = &run_branch,
                        .branch_indexed = &run_branch_indexed,
                        .reconverge = &run_reconverge,
                        .exit = &run_exit,
                        .leave_function = &run_return,
                        .trap = &run_trap,
                        .guarded = &run_guarded,
                        .diverge = &native_diverge,
                        .join = &native_join,
                        .yield = &native_yield,
                        .end = &exit_lanes,
                        .set_mode = &set_mode,
                        .run = &run_in_mode},
                       isa_, why);
      return compiler_ != nullptr;
    }
    return false;
  }

  void work() {
    std::string why;
    if (!start(why)) {
      const std::scoped_lock lock(busy_);
      broken_ = true;
      changed_.notify_all();
      if (std::getenv("BANKSHOT_JIT_TELL") != nullptr) std::fprintf(stderr, "jit: %s\n", why.c_str());
      return;
    }
    std::unique_lock lock(busy_);
    for (;;) {
      changed_.wait(lock, [this] { return ends_ || !queue_.empty(); });
      if (ends_) return;
      const Job job = queue_.front();
      queue_.pop_front();
      Known& known = known_[{job.program->serial, job.index, job.whole}];
      at_work_on_ = job.program->serial;
      NativeRequest request{job.program,           job.index,    job.whole, counting_, &rules_, tracing_,
                            l1_ ? &*l1_ : nullptr, known.samples};
      lock.unlock();
      const NativeCode code = compiler_->compile(request, why);
      if (code == nullptr && std::getenv("BANKSHOT_JIT_TELL") != nullptr)
        std::fprintf(stderr, "jit: entry %u: %s\n", job.index, why.c_str());
      lock.lock();
      known.waits = false;
      if (code != nullptr) {
        ++job.native->stretches;
        NativeEntry& entry = job.native->entries[job.index];
        (job.whole ? entry.whole : entry.part).store(code, std::memory_order_release);
      } else {
        known.tries = kMostTries + 1;
      }
      at_work_on_ = 0;
      changed_.notify_all();
    }
  }

  const Compile when_;
  const bool counting_, tracing_;
  const std::string isa_;
  const scratchpad::Rules rules_;
  const std::optional<scratchpad::L1Rules> l1_;
  std::mutex busy_;
  std::condition_variable changed_;
  std::map<uint64_t, std::unique_ptr<NativeProgram>> programs_;
  std::map<Key, Known> known_;
  std::deque<Job> queue_;
  NativeCompiler* compiler_ = nullptr;
  bool ends_ = false, broken_ = false;
  uint64_t at_work_on_ = 0;  ///< serial of the program, 0: none
  std::thread thread_;
};

Compiling::Compiling(const EngineOptions& options)
    : maker_(options.compile == Compile::never ? nullptr : std::make_shared<Maker>(options)) {}
Compiling::~Compiling() = default;
NativeProgram* Compiling::of(LoadedProgram& program) {
  if (maker_ == nullptr || program.lanes != 32) return nullptr;
  if (!program.forget_native)
    program.forget_native = [maker = maker_, serial = program.serial] { maker->forget(serial); };
  return maker_->of(program);
}

}  // namespace bankshot::simt
