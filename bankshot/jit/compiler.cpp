// Native code by LLVM: a module for each stretch, with the functions of lanes that it needs.
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <csetjmp>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "bankshot/jit/emitter.hpp"
#include "bankshot/jit/lane_modules.hpp"

// Bitcode that lanes/lane_code.cpp made, within the library: code.cpp.
extern "C" const char bankshot_lanes_512[], bankshot_lanes_512_end[], bankshot_lanes_256[], bankshot_lanes_256_end[];

namespace bankshot::jit {
namespace {

using Bitcode = llvm::StringRef;

/// What code is made for.
struct InstructionSet {
  unsigned vector_bytes;
  Bitcode lanes;
  const char* cpu;                 ///< LLVM's name of what the code may need; null: all that the host has
  std::vector<const char*> needs;  ///< features of the host
};

/// @param isa  as EngineOptions::isa, not empty
std::optional<InstructionSet> instruction_set(std::string_view isa) {
  if (isa == "avx512")
    return InstructionSet{64,
                          {bankshot_lanes_512, static_cast<size_t>(bankshot_lanes_512_end - bankshot_lanes_512)},
                          nullptr,
                          {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}};
  if (isa == "avx2")
    return InstructionSet{32,
                          {bankshot_lanes_256, static_cast<size_t>(bankshot_lanes_256_end - bankshot_lanes_256)},
                          "x86-64-v3",
                          {"avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe"}};
  return std::nullopt;
}

/// The value that a NaN of its own is made the canonical one of, if that is what this is: z of select(z is NaN, NaN,
/// z).
llvm::Value* before_canonical(llvm::Value* value) {
  using namespace llvm::PatternMatch;
  llvm::Value *is = nullptr, *z = nullptr;
  llvm::Constant* nan = nullptr;
  llvm::FCmpInst::Predicate how;
  if (!match(value, m_Select(m_FCmp(how, m_Value(is), m_AnyZeroFP()), m_Constant(nan), m_Value(z)))) return nullptr;
  return how == llvm::FCmpInst::FCMP_UNO && is == z && match(nan, m_NaN()) ? z : nullptr;
}

/// Whether a NaN of this result is made canonical before anybody sees its bits.
bool is_made_canonical(const llvm::Instruction& result) {
  using namespace llvm::PatternMatch;
  return llvm::all_of(result.users(), [&](const llvm::User* user) {
    if (const auto* const compares = llvm::dyn_cast<llvm::FCmpInst>(user))
      return compares->getPredicate() == llvm::CmpInst::FCMP_UNO;
    return before_canonical(const_cast<llvm::User*>(user)) == &result;
  });
}

/// A NaN is made canonical by every operation on f32; of several in a row only the last has to, as all make a NaN of a
/// NaN.
void skip_canonical(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      if (!instruction.getType()->getScalarType()->isFloatTy()) continue;
      const auto* const call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      const bool fused = call != nullptr && (call->getIntrinsicID() == llvm::Intrinsic::fma ||
                                             call->getIntrinsicID() == llvm::Intrinsic::sqrt);
      switch (instruction.getOpcode()) {
        case llvm::Instruction::FAdd:
        case llvm::Instruction::FSub:
        case llvm::Instruction::FMul:
        case llvm::Instruction::FDiv: break;
        default:
          if (!fused) continue;
      }
      if (!is_made_canonical(instruction)) continue;
      for (llvm::Use& operand : instruction.operands()) {
        if (!operand->getType()->getScalarType()->isFloatTy()) continue;
        if (llvm::Value* const raw = before_canonical(operand)) operand.set(raw);
      }
    }
  }
}

struct SkipCanonicalPass : llvm::PassInfoMixin<SkipCanonicalPass> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    skip_canonical(function);
    return llvm::PreservedAnalyses::none();
  }
};

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  llvm::FunctionPassManager function;
  function.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  function.addPass(llvm::EarlyCSEPass());
  function.addPass(llvm::SimplifyCFGPass());
  function.addPass(llvm::InstCombinePass());
  function.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  function.addPass(llvm::EarlyCSEPass(true));
  llvm::LoopPassManager loop;
  loop.addPass(llvm::LICMPass(llvm::LICMOptions()));
  function.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loop), /*UseMemorySSA=*/true));
  function.addPass(llvm::InstCombinePass());
  function.addPass(SkipCanonicalPass());
  function.addPass(llvm::SimplifyCFGPass());
  function.addPass(llvm::ADCEPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::AlwaysInlinerPass(false));
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(function)));
  all.run(module, modules);
}

std::string way_name(const std::string& stretch, uint32_t number) { return stretch + "." + std::to_string(number); }

/// A function that enters a stretch at one of its other places.
void add_way_in(llvm::Module& module, const std::string& stretch, uint32_t number) {
  llvm::Function* const to = module.getFunction(stretch);
  auto* const way =
      llvm::Function::Create(to->getFunctionType(), llvm::Function::ExternalLinkage, way_name(stretch, number), module);
  way->copyAttributesFrom(to);
  llvm::IRBuilder<> build(llvm::BasicBlock::Create(module.getContext(), "", way));
  llvm::CallInst* const call = build.CreateCall(to, {way->getArg(0), build.getInt32(number)});
  call->setTailCallKind(llvm::CallInst::TCK_MustTail);
  build.CreateRet(call);
}

/// An option of LLVM's code generator that only its command line has.
void set_option(llvm::StringRef name) {
  const auto& all = llvm::cl::getRegisteredOptions();
  if (const auto option = all.find(name); option != all.end()) option->second->addOccurrence(0, name, "true");
}

/// Where to go on when LLVM gives up, which else ends the process.
thread_local std::jmp_buf* gives_up = nullptr;
thread_local std::string why_it_gave_up;

void give_up(void*, const char* reason, bool) {
  if (gives_up == nullptr) return;
  why_it_gave_up = reason;
  std::longjmp(*gives_up, 1);
}

/// Settings of LLVM for the whole process.
void set_up() {
  // Machine sinking moves arithmetic below the checks of later accesses and spills its inputs.
  set_option("disable-machine-sink");
  set_option("disable-post-ra");  // a tenth of the code generator's time, and no faster code
  llvm::install_fatal_error_handler(&give_up);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();  // call_keeping_registers() is a line of it
}

class Compiler : public simt::NativeCompiler {
 public:
  Compiler(const simt::NativeRuntime& runtime, InstructionSet set, std::unique_ptr<llvm::orc::LLJIT> jit,
           std::unique_ptr<llvm::TargetMachine> machine)
      : runtime_(runtime),
        set_(std::move(set)),
        jit_(std::move(jit)),
        machine_(std::move(machine)),
        modules_(set_.lanes),
        lanes_([names = modules_.names()](const std::string& name) { return names.contains(name); }) {}

  simt::NativeResult compile(const simt::NativeRequest& request) override {
    std::jmp_buf here;
    if (!broken_ && setjmp(here) == 0) {
      gives_up = &here;
      simt::NativeResult result;
      result.code = compile_stretch(request, result);
      gives_up = nullptr;
      return result;
    }
    // What was being made is lost, and its locks may be held.
    broken_ = true;
    gives_up = nullptr;
    return {.why = "LLVM gave up: " + why_it_gave_up, .broken = true};
  }

  void forget(uint64_t program) override {
    const auto known = programs_.find(program);
    if (known == programs_.end() || broken_) return;
    if (known->second.code) llvm::cantFail(known->second.code->remove());
    programs_.erase(known);
  }

  size_t stretches() const override {
    size_t all = 0;
    for (const auto& [serial, program] : programs_) all += program.stretches;
    return all;
  }

 private:
  struct Program {
    llvm::orc::ResourceTrackerSP code;
    size_t stretches = 0;
    std::map<uint32_t, std::vector<RegisterSet>> live;  ///< of functions, by their first instruction
  };

  /// @param result  all but its code is filled
  simt::NativeCode compile_stretch(const simt::NativeRequest& request, simt::NativeResult& result) {
    std::string& why = result.why;
    llvm::orc::ThreadSafeContext context = modules_.context();
    auto module = std::make_unique<llvm::Module>("stretch", *context.getContext());
    module->setDataLayout(machine_->createDataLayout());
    module->setTargetTriple(machine_->getTargetTriple().str());
    const simt::FunctionInfo& function = request.program->functions[request.program->info[request.entry].function];
    Program& program = programs_[request.program->serial];
    auto& live = program.live[function.begin];
    if (live.empty()) live = live_before(*request.program, function, runtime_);
    const std::string name = "stretch" + std::to_string(next_++);
    Emitter emitter(request, runtime_, lanes_, live, *module, set_.vector_bytes);
    if (emitter.emit(name, why) == nullptr) return nullptr;
    result.not_native = emitter.not_native();
    result.reached = emitter.blocks();
    modules_.copy_into(*module);
    const std::string vector_bits = std::to_string(8 * set_.vector_bytes);
    for (llvm::Function& f : *module) {
      if (f.isDeclaration()) continue;
      f.addFnAttr("target-cpu", machine_->getTargetCPU());
      f.addFnAttr("target-features", machine_->getTargetFeatureString());
      f.addFnAttr("prefer-vector-width", vector_bits);
      f.addFnAttr("min-legal-vector-width", vector_bits);
      f.addFnAttr("denormal-fp-math", "dynamic,dynamic");
      if (f.getName() == name) continue;
      f.setLinkage(llvm::GlobalValue::InternalLinkage);
      f.removeFnAttr(llvm::Attribute::NoInline);
      f.addFnAttr(llvm::Attribute::AlwaysInline);
    }
    std::string broken;
    llvm::raw_string_ostream out(broken);
    if (llvm::verifyModule(*module, &out)) {
      why = "broken: " + broken;
      return nullptr;
    }
    for (const auto& [instruction, number] : emitter.ways_in()) add_way_in(*module, name, number);
    optimise(*module, *machine_);
    if (!program.code) program.code = jit_->getMainJITDylib().createResourceTracker();
    if (llvm::Error error = jit_->addIRModule(program.code, llvm::orc::ThreadSafeModule(std::move(module), context))) {
      why = llvm::toString(std::move(error));
      return nullptr;
    }
    auto code = jit_->lookup(name);
    if (!code) {
      why = llvm::toString(code.takeError());
      return nullptr;
    }
    for (const auto& [instruction, number] : emitter.ways_in()) {
      if (auto way = jit_->lookup(way_name(name, number))) {
        result.ways_in.emplace_back(instruction, way->toPtr<simt::NativeCode>());
      } else {
        llvm::consumeError(way.takeError());  // warps have to begin elsewhere
      }
    }
    ++program.stretches;
    return code->toPtr<simt::NativeCode>();
  }

  const simt::NativeRuntime runtime_;
  const InstructionSet set_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  LaneModules modules_;
  LaneLibrary lanes_;
  std::map<uint64_t, Program> programs_;  ///< by serial
  uint64_t next_ = 0;
  bool broken_ = false;
};

}  // namespace
}  // namespace bankshot::jit

extern "C" [[gnu::visibility("default")]] bankshot::simt::NativeCompiler* bankshot_native_compiler(
    const bankshot::simt::NativeRuntime& runtime, std::string_view isa, bankshot::simt::NativeProblem& problem) {
  auto set = bankshot::jit::instruction_set(isa);
  if (!set) {
    problem = {"AVX2 is missing on this host or switched off", false};
    return nullptr;
  }
  for (const char* feature : set->needs) {
    if (llvm::sys::getHostCPUFeatures().lookup(feature)) continue;
    problem = {"the host has no " + std::string(feature), false};
    return nullptr;
  }
  static std::once_flag once;
  std::call_once(once, &bankshot::jit::set_up);
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host) {
    problem = {llvm::toString(host.takeError()), true};
    return nullptr;
  }
  if (set->cpu != nullptr) {  // nothing else, also on hosts that have more
    host->setCPU(set->cpu);
    host->getFeatures() = llvm::SubtargetFeatures();
  }
  host->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  host->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto machine = host->createTargetMachine();
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(*host).create();
  if (!machine || !jit) {
    problem = {llvm::toString(!machine ? machine.takeError() : jit.takeError()), true};
    return nullptr;
  }
  return new bankshot::jit::Compiler(runtime, std::move(*set), std::move(*jit), std::move(*machine));
}
