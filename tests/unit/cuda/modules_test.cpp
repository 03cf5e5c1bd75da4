#include <gtest/gtest.h>

#include "bankshot/cuda/modules/modules.hpp"

namespace bankshot::cuda {
namespace {

class CudaModules : public ::testing::Test {
 protected:
  ModuleTable table;
  char stub = 0, other_stub = 0, variable = 0;

  Module& with_kernel(const void* host, std::string name) {
    Module& module = table.add(std::make_unique<Module>());
    table.register_function(module, host, std::move(name));
    return module;
  }
};

TEST_F(CudaModules, a_kernel_is_found_by_its_stub_and_by_its_handle) {
  with_kernel(&stub, "k");
  Function* function = table.function(&stub);
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->name, "k");
  EXPECT_EQ(table.function(function), function);
  EXPECT_EQ(table.function(function), function) << "the second time, from the cache";
  EXPECT_EQ(table.function(&other_stub), nullptr);
  EXPECT_EQ(table.function(nullptr), nullptr);
}

TEST_F(CudaModules, two_stubs_of_one_name_share_a_function) {
  Module& module = with_kernel(&stub, "k");
  table.register_function(module, &other_stub, "k");
  EXPECT_EQ(table.function(&stub), table.function(&other_stub));
}

TEST_F(CudaModules, the_same_name_in_two_modules_is_two_functions) {
  with_kernel(&stub, "k");
  with_kernel(&other_stub, "k");
  EXPECT_NE(table.function(&stub), table.function(&other_stub));
}

TEST_F(CudaModules, what_a_removed_module_had_is_not_found) {
  Module& module = with_kernel(&stub, "k");
  auto owned = std::make_unique<Variable>();
  owned->name = "v";
  table.register_variable(module, &variable, std::move(owned));
  const Function* handle = table.function(&stub);
  ASSERT_NE(table.function(handle), nullptr);
  ASSERT_NE(table.variable(&variable), nullptr);
  table.remove(&module);
  EXPECT_FALSE(table.contains(&module));
  EXPECT_EQ(table.function(&stub), nullptr);
  EXPECT_EQ(table.function(handle), nullptr);
  EXPECT_EQ(table.variable(&variable), nullptr);
}

TEST_F(CudaModules, unloading_keeps_handles_and_forgets_what_the_engine_made) {
  Module& module = with_kernel(&stub, "k");
  const simt::KernelInfo info;
  Function* function = table.function(&stub);
  function->info = &info;
  function->dynamic_shared_limit = 7;
  module.state = Module::State::loaded;
  table.unload_all();
  EXPECT_EQ(table.function(&stub), function);
  EXPECT_EQ(function->info, nullptr);
  EXPECT_EQ(function->dynamic_shared_limit, 0u);
  EXPECT_EQ(module.state, Module::State::unloaded);
}

}  // namespace
}  // namespace bankshot::cuda
