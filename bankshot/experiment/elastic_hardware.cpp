// Tables 1 and 2 of Elastic Pipeline: what the elastic pipeline and its scheduler add to a core.
#include "bankshot/experiment/elastic_paper.hpp"
#include "bankshot/experiment/parameters.hpp"
#include "bankshot/experiment/rows.hpp"
#include "bankshot/timing/chip/overhead.hpp"
#include "bankshot/timing/pipelines/stage_config.hpp"

namespace bankshot::experiment {

Result<Outcome> pipeline_overhead(const Experiment& experiment, const Settings&) {
  Parameters parameters(experiment);
  timing::Config config;
  config.warp_size = parameters.number("warp_size", 2, 64);
  config.max_warps = parameters.number("warps", 1, 64);
  config.issue.simd_lanes = parameters.number("simd_width", 1, 64);
  config.parameters.set(timing::kMemoryStages, parameters.number("memory_stages", 1, 1000));
  if (parameters.error()) return *parameters.error();
  const std::optional<timing::Overhead> all = timing::overhead(config);
  if (!all) return Error{experiment.name + ".toml: [parameters] memory_stages must not be 0"};

  Outcome outcome;
  Rows rows(experiment, outcome);
  const auto add = [&](const std::string& label, unsigned count, const std::string& unit) {
    rows.add(label, static_cast<double>(count), unit);
  };
  add("equation 2: NONMEM queue, M", all->nonmem, "entries");
  add("equation 3: PREMEM queue, N", all->premem, "entries");
  add("Table 1: pipeline latches, M+N", all->nonmem + all->premem, "of all lanes");
  add("Table 1: pipeline latches, simd_width (M+N)", all->latches, "of one lane");
  add("Table 1: multiplexer before write-back, M+3", all->write_back_inputs, "inputs");
  add("Table 1: its logic complexity, M+2", all->write_back_inputs - 1, "");
  add("Table 1: multiplexer before MEM0, N+1", all->memory_inputs, "inputs");
  add("Table 1: its logic complexity, N", all->memory_inputs - 1, "");
  add("Table 2: AND or NAND gates, 2 a warp context", all->gates, "gates");
  for (const char* part : {"accumulator", "counter", "comparator"})
    add(std::string("Table 2: ") + part + ", log2(warp_size)", all->counter_bits, "bits");
  for (const bool published : {true, false}) {
    for (const timing::Overhead::Memory& memory : all->memories) {
      if ((memory.foresight == "last") != published) continue;
      rows.add(published ? "Table 2: bank conflict history cache" : "beyond the paper: issue.aware=" + memory.foresight,
               memory.bits / 8.0, "bytes");
    }
  }
  return outcome;
}

}  // namespace bankshot::experiment
