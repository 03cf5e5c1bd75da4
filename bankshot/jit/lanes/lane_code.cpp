// A step of the build: makes of lanes.cpp, compiled to bitcode, one function for each handler of lanes, named PREFIX
// and the handler's name, with the operands of bankshot_apply but the handler.
//   lane_code PREFIX IN.bc CODE.bc [TABLE.bc]
// CODE.bc has these functions, optimised, and nothing else. TABLE.bc is IN.bc with a table of the handlers and their
// names, for who looks up a handler in the rows and wants its function: bankshot_lane_handlers.
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "lane_code: %s\n", message.c_str());
  std::exit(1);
}

/// The functions with [[clang::annotate("lanes only")]].
std::vector<llvm::Function*> handlers_of(llvm::Module& module) {
  std::vector<llvm::Function*> handlers;
  const llvm::GlobalVariable* const list = module.getGlobalVariable("llvm.global.annotations");
  if (list == nullptr) fail("no annotations");
  for (const llvm::Use& entry : llvm::cast<llvm::ConstantArray>(list->getInitializer())->operands()) {
    auto* const fields = llvm::cast<llvm::ConstantStruct>(entry);
    auto* const text = llvm::cast<llvm::GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    if (llvm::cast<llvm::ConstantDataArray>(text->getInitializer())->getAsCString() != "lanes only") continue;
    auto* const function = llvm::dyn_cast<llvm::Function>(fields->getOperand(0)->stripPointerCasts());
    if (function != nullptr && !function->isDeclaration()) handlers.push_back(function);
  }
  return handlers;
}

/// Calls bankshot_apply with a handler that is known.
llvm::Function* apply_handler(llvm::Module& module, llvm::Function* apply, llvm::Function* handler,
                              const std::string& name) {
  const llvm::FunctionType* const whole = apply->getFunctionType();
  std::vector<llvm::Type*> parameters(whole->param_begin() + 1, whole->param_end());
  auto* const function = llvm::Function::Create(llvm::FunctionType::get(whole->getReturnType(), parameters, false),
                                                llvm::Function::ExternalLinkage, name, module);
  llvm::IRBuilder<> build(llvm::BasicBlock::Create(module.getContext(), "", function));
  std::vector<llvm::Value*> arguments{handler};
  for (llvm::Argument& argument : function->args()) arguments.push_back(&argument);
  build.CreateCall(apply, arguments)->addFnAttr(llvm::Attribute::AlwaysInline);
  build.CreateRetVoid();
  function->copyAttributesFrom(handler);
  function->setAttributes(
      llvm::AttributeList::get(module.getContext(), llvm::AttributeList::FunctionIndex,
                               llvm::AttrBuilder(module.getContext(), handler->getAttributes().getFnAttrs())));
  function->removeFnAttr(llvm::Attribute::NoInline);
  function->setDoesNotThrow();
  function->setVisibility(llvm::GlobalValue::DefaultVisibility);
  return function;
}

void optimise(llvm::Module& module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.InlinerThreshold = 1 << 20;  // a call would let the address of the rows escape
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(nullptr, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

/// Leaves out the functions that call others, and what nobody needs any more.
void drop_calls(llvm::Module& module, const std::vector<llvm::Function*>& made) {
  size_t dropped = 0;
  for (llvm::Function* function : made) {
    bool calls = false;
    for (const llvm::BasicBlock& block : *function) {
      for (const llvm::Instruction& instruction : block) {
        const auto* const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        calls |= call != nullptr && (call->getCalledFunction() == nullptr || !call->getCalledFunction()->isIntrinsic());
      }
    }
    if (!calls) continue;
    function->deleteBody();
    function->eraseFromParent();
    ++dropped;
  }
  std::printf("lane_code: %zu of %zu handlers\n", made.size() - dropped, made.size());
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  llvm::GlobalDCEPass().run(module, modules);
}

void write(const llvm::Module& module, const char* path) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error) fail(std::string(path) + ": " + error.message());
  llvm::WriteBitcodeToFile(module, out);
}

/// bankshot_lane_handlers: pairs of a handler and its name, ended by nulls.
void add_table(llvm::Module& module, const std::vector<llvm::Function*>& handlers,
               const std::vector<std::string>& names) {
  llvm::LLVMContext& context = module.getContext();
  auto* const pointer = llvm::PointerType::getUnqual(context);
  std::vector<llvm::Constant*> entries;
  for (size_t k = 0; k < handlers.size(); ++k) {
    auto* const text = llvm::ConstantDataArray::getString(context, names[k]);
    entries.push_back(handlers[k]);
    entries.push_back(new llvm::GlobalVariable(module, text->getType(), true, llvm::GlobalValue::PrivateLinkage, text));
  }
  entries.push_back(llvm::ConstantPointerNull::get(pointer));
  entries.push_back(llvm::ConstantPointerNull::get(pointer));
  auto* const type = llvm::ArrayType::get(pointer, entries.size());
  new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::ExternalLinkage,
                           llvm::ConstantArray::get(type, entries), "bankshot_lane_handlers");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4 && count != 5) fail("usage: lane_code PREFIX IN.bc CODE.bc [TABLE.bc]");
  const std::string prefix = arguments[1];
  llvm::LLVMContext context;
  auto buffer = llvm::MemoryBuffer::getFile(arguments[2]);
  if (!buffer) fail(std::string("cannot read ") + arguments[2]);
  auto parsed = llvm::parseBitcodeFile((*buffer)->getMemBufferRef(), context);
  if (!parsed) fail(llvm::toString(parsed.takeError()));
  llvm::Module& module = **parsed;

  const std::vector<llvm::Function*> handlers = handlers_of(module);
  std::vector<std::string> names;
  for (const llvm::Function* handler : handlers) names.push_back(handler->getName().str());
  if (count == 5) {
    const std::unique_ptr<llvm::Module> table = llvm::CloneModule(module);
    add_table(*table, handlers_of(*table), names);
    write(*table, arguments[4]);
  }

  llvm::Function* const apply = module.getFunction("bankshot_apply");
  if (apply == nullptr) fail("there is no bankshot_apply");
  std::vector<llvm::Function*> made;
  for (size_t k = 0; k < handlers.size(); ++k) {
    made.push_back(apply_handler(module, apply, handlers[k], prefix + names[k]));
  }
  if (llvm::GlobalVariable* const list = module.getGlobalVariable("llvm.global.annotations")) list->eraseFromParent();
  if (llvm::GlobalVariable* const used = module.getGlobalVariable("llvm.used")) used->eraseFromParent();
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && !function.getName().starts_with(prefix))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (!variable.isDeclaration() && !variable.getName().starts_with("llvm."))
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  if (llvm::GlobalVariable* const start = module.getGlobalVariable("llvm.global_ctors")) start->eraseFromParent();
  for (llvm::Function& function : module) function.removeFnAttr(llvm::Attribute::NoInline);
  optimise(module);
  drop_calls(module, made);
  for (llvm::Function& function : module) {  // those of the kernel that they become part of
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
    function.removeFnAttr("tune-cpu");
  }
  std::string broken;
  llvm::raw_string_ostream out(broken);
  if (llvm::verifyModule(module, &out)) fail(broken);
  write(module, arguments[3]);
  return 0;
}
