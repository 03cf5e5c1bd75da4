// The functions of lanes as LLVM has them: read once, copied into the module of each stretch that calls them.
#pragma once

#include <llvm/ExecutionEngine/Orc/ThreadSafeModule.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <set>
#include <string>

namespace bankshot::jit {

class LaneModules {
 public:
  /// @param lanes  bitcode of the functions of rows of lanes, which begin with "lanes."
  explicit LaneModules(llvm::StringRef lanes);

  /// For modules of stretches; renewed now and then, as LLVM's contexts only grow.
  llvm::orc::ThreadSafeContext context();
  /// Names, without prefix, of the functions that there are for rows and for one lane.
  std::set<std::string> names() const;
  /// Defines the functions of lanes that the module declares, and what they use.
  /// @param module  in the last context()
  void copy_into(llvm::Module& module);

 private:
  void read();

  const llvm::StringRef lanes_;
  llvm::orc::ThreadSafeContext context_;
  std::unique_ptr<llvm::Module> rows_, one_;
  unsigned uses_ = 0;
};

}  // namespace bankshot::jit
