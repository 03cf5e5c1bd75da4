// What a component's parameter is declared to be is what GPU files, --set, help texts, reports and docs make of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "bankshot/gpu/keys.hpp"
#include "bankshot/report/run/kernel_timing.hpp"
#include "tests/contract/machine.hpp"
#include "tests/paths.hpp"

namespace bankshot::timing {
namespace {

std::vector<const Parameter*> all_parameters() {
  std::set<const Parameter*> all;
  for (const ComponentKind& kind : component_kinds()) {
    for (const Component& component : kind.all()) all.insert(component.parameters.begin(), component.parameters.end());
  }
  return {all.begin(), all.end()};
}

gpu::Gpu gtx480() {
  Result<gpu::Gpu> gpu = gpu::load_gpu(paths::source() + "/gpus/gtx480.toml");
  EXPECT_TRUE(gpu) << gpu.error().message;
  return gpu ? *gpu : gpu::Gpu{};
}

/// What --set says to a value, empty if it takes it.
std::string refusal(const Parameter& parameter, const std::string& value) {
  gpu::Gpu gpu = gtx480();
  std::vector<std::string> changes;
  if (parameter.at_most != nullptr)
    changes.push_back(parameter.at_most->key() + "=" + std::to_string(parameter.at_most->most));
  changes.push_back(parameter.key() + "=" + value);
  const auto error = gpu::change(gpu, changes);
  return error ? error->message : "";
}

class ParameterContract : public ::testing::TestWithParam<const Parameter*> {
 protected:
  const Parameter& parameter = *GetParam();
};

TEST_P(ParameterContract, has_a_key_a_unit_a_range_and_a_line_of_documentation) {
  EXPECT_FALSE(parameter.section.empty());
  EXPECT_FALSE(parameter.name.empty());
  EXPECT_FALSE(parameter.unit.empty());
  EXPECT_LE(parameter.least, parameter.most);
  if (parameter.is_flag()) {
    EXPECT_EQ(std::pair(parameter.least, parameter.most), std::pair(0u, 1u));
  }
  EXPECT_FALSE(parameter.meaning.empty());
  EXPECT_EQ(parameter.meaning.find('\n'), std::string_view::npos);
}

TEST_P(ParameterContract, is_the_only_one_of_its_key) {
  for (const Parameter* other : all_parameters()) {
    if (other != &parameter) {
      EXPECT_NE(other->key(), parameter.key());
    }
  }
  EXPECT_EQ(std::ranges::count_if(
                gpu::timing_keys(),
                [&](const gpu::Key& key) { return key.section == parameter.section && key.name == parameter.name; }),
            1);
}

TEST_P(ParameterContract, takes_every_value_of_its_range_and_no_other) {
  const auto text = [&](unsigned value) {
    return !parameter.is_flag() ? std::to_string(value) : value != 0 ? std::string("true") : std::string("false");
  };
  for (const unsigned value : {parameter.least, parameter.most}) {
    EXPECT_EQ(refusal(parameter, text(value)), "");
  }
  const std::string above = refusal(parameter, std::to_string(parameter.most + 1));
  EXPECT_NE(above.find(" is impossible: " + std::string(parameter.meaning)), std::string::npos) << above;
  if (parameter.least > 0) {
    const std::string below = refusal(parameter, std::to_string(parameter.least - 1));
    EXPECT_NE(below.find(" is impossible: " + std::string(parameter.meaning)), std::string::npos) << below;
  }
}

TEST_P(ParameterContract, is_told_by_gpus_help_and_explained_in_the_docs) {
  EXPECT_NE(gpu::component_keys().find(parameter.key()), std::string::npos);
  std::ostringstream page;
  page << std::ifstream(paths::source() + "/docs/simulate.md").rdbuf();
  EXPECT_NE(page.str().find("`" + parameter.key() + "`"), std::string::npos) << parameter.key();
}

TEST_P(ParameterContract, is_in_the_report_of_a_machine_whose_component_reads_it) {
  for (const ComponentKind& kind : component_kinds()) {
    const auto keys = gpu::timing_keys();
    const auto chooser = std::ranges::find_if(
        keys, [&](const gpu::Key& key) { return key.section == kind.section && key.name == kind.key; });
    ASSERT_NE(chooser, keys.end());
    for (const Component& component : kind.all()) {
      if (std::ranges::count(component.parameters, &parameter) == 0) continue;
      gpu::Gpu gpu;
      gpu.timing = contract_machine();
      gpu.timing->parameters.set(parameter, parameter.most);
      ASSERT_EQ(std::get<gpu::Text>(chooser->value).set(gpu, component.name), "");
      const auto told = report::machine_of(*gpu.timing, {}).parameters;
      ASSERT_TRUE(told.contains(parameter.key())) << component.name;
      EXPECT_EQ(told.at(parameter.key()), parameter.most);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(declared, ParameterContract, ::testing::ValuesIn(all_parameters()), [](const auto& info) {
  std::string name = info.param->key();
  std::ranges::replace(name, '.', '_');
  return name;
});

// A GPU file may be without a component's own section, and then without the component.
TEST(ComponentLacks, are_told_by_the_key_that_chooses_the_component) {
  gpu::Gpu gpu = gtx480();
  EXPECT_EQ(gpu::change(gpu, std::vector<std::string>{"issue.pipeline=elastic"})->message.substr(0, 16),
            "issue.pipeline: ");
  for (const ComponentKind& kind : component_kinds()) {
    for (const Component& component : kind.all()) {
      if (component.lacks != nullptr) {
        EXPECT_EQ(component.lacks(contract_machine()), "") << component.name;
      }
    }
  }
}

}  // namespace
}  // namespace bankshot::timing
