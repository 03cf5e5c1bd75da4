#include "bankshot/jit/lane_modules.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Transforms/Utils/Cloning.h>

// Bitcode that lanes/lane_code.cpp made, within the library: code.cpp.
extern "C" const char bankshot_lane_1[], bankshot_lane_1_end[];

namespace bankshot::jit {
namespace {

/// Copies what is wanted of other modules, and what that refers to.
class Copier : public llvm::ValueMaterializer {
 public:
  explicit Copier(llvm::Module& to) : to_(to) {}

  void copy(llvm::Function& from) {
    map_[&from] = to_.getFunction(from.getName());
    work_.push_back(&from);
    while (!work_.empty()) {
      llvm::Function& next = *work_.back();
      work_.pop_back();
      fill(next);
    }
  }

  llvm::Value* materialize(llvm::Value* value) override {
    if (auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
      auto* const own = new llvm::GlobalVariable(to_, variable->getValueType(), variable->isConstant(),
                                                 llvm::GlobalValue::PrivateLinkage, nullptr, variable->getName());
      own->copyAttributesFrom(variable);
      map_[variable] = own;
      if (variable->hasInitializer())
        own->setInitializer(llvm::MapValue(variable->getInitializer(), map_, llvm::RF_None, nullptr, this));
      return own;
    }
    auto* const function = llvm::dyn_cast<llvm::Function>(value);
    if (function == nullptr) return nullptr;
    if (llvm::Function* const known = to_.getFunction(function->getName())) return known;
    auto* const own = llvm::Function::Create(function->getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                                             function->getName(), to_);
    own->copyAttributesFrom(function);
    if (!function->isDeclaration() || function->isMaterializable()) work_.push_back(function);
    return own;
  }

 private:
  void fill(llvm::Function& from) {
    llvm::Function& to = *to_.getFunction(from.getName());
    if (!to.isDeclaration()) return;
    llvm::cantFail(from.materialize());
    for (auto own = to.arg_begin(); llvm::Argument & argument : from.args()) map_[&argument] = &*own++;
    llvm::SmallVector<llvm::ReturnInst*, 4> returns;
    llvm::CloneFunctionInto(&to, &from, map_, llvm::CloneFunctionChangeType::DifferentModule, returns, "", nullptr,
                            nullptr, this);
  }

  llvm::Module& to_;
  llvm::ValueToValueMapTy map_;
  std::vector<llvm::Function*> work_;
};

}  // namespace

LaneModules::LaneModules(llvm::StringRef lanes) : lanes_(lanes) { read(); }

void LaneModules::read() {
  rows_.reset();
  one_.reset();
  context_ = std::make_unique<llvm::LLVMContext>();
  const llvm::StringRef one(bankshot_lane_1, static_cast<size_t>(bankshot_lane_1_end - bankshot_lane_1));
  rows_ = llvm::cantFail(llvm::getLazyBitcodeModule({lanes_, "lanes"}, *context_.getContext()));
  one_ = llvm::cantFail(llvm::getLazyBitcodeModule({one, "lane"}, *context_.getContext()));
}

llvm::orc::ThreadSafeContext LaneModules::context() {
  constexpr unsigned kMostUses = 256;
  if (++uses_ % kMostUses == 0) read();
  return context_;
}

std::set<std::string> LaneModules::names() const {
  std::set<std::string> names;
  for (const llvm::Function& function : *rows_) {
    const llvm::StringRef name = function.getName().drop_front(sizeof "lanes." - 1);
    if (one_->getFunction(("lane." + name).str()) != nullptr) names.insert(name.str());
  }
  return names;
}

void LaneModules::copy_into(llvm::Module& module) {
  Copier copier(module);
  std::vector<llvm::Function*> wanted;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) continue;
    for (llvm::Module* const from : {rows_.get(), one_.get()}) {
      if (llvm::Function* const body = from->getFunction(function.getName()); body != nullptr && !body->isIntrinsic())
        wanted.push_back(body);
    }
  }
  for (llvm::Function* const function : wanted) copier.copy(*function);
}

}  // namespace bankshot::jit
