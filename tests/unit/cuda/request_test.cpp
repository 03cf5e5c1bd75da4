// What bankshot asks of the process of a program: nothing is lost on the way, and nothing wrong is taken.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "bankshot/cuda/process/request.hpp"

namespace bankshot::cuda {
namespace {

using Variables = std::map<std::string, std::string>;

Result<Request> read(const Variables& variables) {
  return from_environment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string refused_variable(const std::string& name, const std::string& value) {
  const auto request = read({{name, value}});
  return request ? "" : request.error().message;
}

Variables written(const Request& request) {
  Variables all;
  for (const auto& [name, value] : to_environment(request)) {
    if (value) all[name] = *value;
  }
  return all;
}

TEST(CudaRequest, machine_code_tells_registers_unless_something_else_is_asked_for) {
  EXPECT_EQ(read({})->machine_code, UseOfMachineCode::registers);
  EXPECT_FALSE(written(Request()).contains("BANKSHOT_MACHINE_CODE"));
  EXPECT_EQ(read({{"BANKSHOT_MACHINE_CODE", "nothing"}})->machine_code, UseOfMachineCode::nothing);
  EXPECT_EQ(refused_variable("BANKSHOT_MACHINE_CODE", "all"),
            "BANKSHOT_MACHINE_CODE is \"all\" and not one of nothing, registers, accesses");
}

TEST(CudaRequest, is_read_as_it_was_written) {
  Request request;
  request.gpu = "t4";
  request.threads = 3;
  request.bank_hash = "xor";
  request.instruction_hashes = "/hashes.json";
  request.modules = true;
  request.patch_folder = "/";
  request.isa = "avx2";
  request.compile = simt::Compile::at_once;
  request.time_launches = true;
  request.report_folder = "/reports with a space";
  request.trace_accesses = 4096;
  request.checks = {.memory = true, .race = false, .sync = true};
  request.simulate = SimulateRequest{};
  request.simulate->scheduler = "gto";
  request.simulate->set = {"l1.bytes=0"};
  request.record = {"_Z1kPfi", "l"};
  request.witness = true;
  request.l1 = true;
  request.progress = true;
  request.quicker = "--sample (simulates a part)";
  request.sample_ctas = 64;
  request.tell_compiled = true;
  request.machine_code = UseOfMachineCode::accesses;
  const auto got = read(written(request));
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->gpu, request.gpu);
  EXPECT_EQ(got->threads, request.threads);
  EXPECT_EQ(got->bank_hash, request.bank_hash);
  EXPECT_EQ(got->instruction_hashes, request.instruction_hashes);
  EXPECT_TRUE(got->modules);
  EXPECT_EQ(got->patch_folder, request.patch_folder);
  EXPECT_EQ(got->isa, request.isa);
  EXPECT_EQ(got->compile, request.compile);
  EXPECT_TRUE(got->time_launches);
  EXPECT_EQ(got->report_folder, request.report_folder);
  EXPECT_EQ(got->trace_accesses, request.trace_accesses);
  EXPECT_EQ(simt::names_of(got->checks, ","), "memory,sync");
  EXPECT_EQ(got->machine_code, UseOfMachineCode::accesses);
  ASSERT_TRUE(got->simulate);
  EXPECT_EQ(*got->simulate, *request.simulate);
  EXPECT_EQ(got->record, request.record);
  EXPECT_TRUE(got->witness);
  EXPECT_TRUE(got->l1);
  EXPECT_TRUE(got->progress);
  EXPECT_EQ(got->quicker, request.quicker);
  EXPECT_EQ(got->sample_ctas, 64u);
  EXPECT_TRUE(got->tell_compiled);
}

TEST(CudaRequest, an_empty_one_asks_for_nothing) {
  EXPECT_TRUE(written({}).empty());
  const auto got = read({});
  ASSERT_TRUE(got);
  EXPECT_TRUE(written(*got).empty());
  EXPECT_FALSE(got->checks.any());
  EXPECT_FALSE(got->simulate);
}

TEST(CudaRequest, simulation_as_the_files_say_is_asked_for_by_an_empty_text) {
  const auto got = read({{"BANKSHOT_SIMULATE", ""}});
  ASSERT_TRUE(got && got->simulate);
  EXPECT_EQ(*got->simulate, SimulateRequest{});
}

TEST(CudaRequest, removes_what_an_outer_run_asked_for_and_leaves_what_the_user_set) {
  const EnvironmentChanges changes = to_environment({});
  for (const char* name : {"BANKSHOT_REPORT_DIR", "BANKSHOT_CHECK", "BANKSHOT_SIMULATE", "BANKSHOT_TRACE",
                           "BANKSHOT_WITNESS", "BANKSHOT_BANK_HASH"}) {
    ASSERT_TRUE(changes.contains(name)) << name;
    EXPECT_FALSE(changes.at(name)) << name;
  }
  for (const char* name : {"BANKSHOT_PATCH_DIR", "BANKSHOT_ISA", "BANKSHOT_TIMING"})
    EXPECT_FALSE(changes.contains(name)) << name;
}

TEST(CudaRequest, rejects_values_that_are_none) {
  EXPECT_EQ(refused_variable("BANKSHOT_THREADS", "many"), "BANKSHOT_THREADS is \"many\" and not a number up to 4096");
  EXPECT_EQ(refused_variable("BANKSHOT_THREADS", "4097"), "BANKSHOT_THREADS is \"4097\" and not a number up to 4096");
  EXPECT_EQ(refused_variable("BANKSHOT_SAMPLE_CTAS", "few"),
            "BANKSHOT_SAMPLE_CTAS is \"few\" and not a number up to 1048576");
  EXPECT_EQ(refused_variable("BANKSHOT_TRACE", "-1"), "BANKSHOT_TRACE is \"-1\" and not a number up to 1048576");
  EXPECT_EQ(refused_variable("BANKSHOT_CHECK", "memory,frob"),
            "BANKSHOT_CHECK names \"frob\", which is no check: there are memory, race and sync");
  EXPECT_EQ(refused_variable("BANKSHOT_SIMULATE", "max_cycles=0"),
            "BANKSHOT_SIMULATE: max_cycles is \"0\" and not a number of cycles");
  EXPECT_EQ(refused_variable("BANKSHOT_PATCH_DIR", "/dev/null"),
            "BANKSHOT_PATCH_DIR is \"/dev/null\" and not a folder");
  EXPECT_EQ(refused_variable("BANKSHOT_ISA", "wide"), "BANKSHOT_ISA is \"wide\" and not one of portable, avx2, avx512");
  EXPECT_EQ(refused_variable("BANKSHOT_TELL_COMPILED", "2"), "BANKSHOT_TELL_COMPILED is \"2\" and not 1");
  EXPECT_EQ(refused_variable("BANKSHOT_WITNESS", "yes"), "BANKSHOT_WITNESS is \"yes\" and not 1");
  EXPECT_EQ(refused_variable("BANKSHOT_WITNESS", "1"), "BANKSHOT_WITNESS needs BANKSHOT_REPORT_DIR");
  EXPECT_EQ(refused_variable("BANKSHOT_RECORD", "k"), "BANKSHOT_RECORD needs BANKSHOT_REPORT_DIR");
}

}  // namespace
}  // namespace bankshot::cuda
