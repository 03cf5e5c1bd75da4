#include "bankshot/circuit/synthesis.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "bankshot/host/read_text.hpp"
#include "bankshot/host/shell.hpp"
#include "bankshot/host/write_file.hpp"
#include "bankshot/support/find_program.hpp"
#include "bankshot/support/temporary_folder.hpp"

namespace bankshot::circuit {
namespace {

constexpr std::string_view kLiberty = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";
constexpr std::string_view kDriver = "INVX4";  // drives each address bit
constexpr double kLoadPf = 4 * 0.00932;        // of a bank bit: four INVX1, whose input the library has as 9.32 fF
constexpr double kCycleNs = 1;                 // energies are of a cycle: any clock does

/// How abc maps the logic to cells, the slow and small first. None has a target: timing analysis decides which of them
/// meet a clock.
struct Recipe {
  std::string_view name, script;
};
constexpr Recipe kRecipes[] = {
    {"area", "strash;ifraig;scorr;dc2;dc2;dch;map,-a;topo"},
    {"sized", "strash;ifraig;scorr;dc2;dc2;dch;amap;topo;buffer,-c,-N,16;upsize;dnsize"},
    {"flow", "strash;ifraig;scorr;dc2;&get,-n;&dch,-f;&nf;&put;topo;buffer,-c,-N,8;upsize;dnsize"},
    {"fast", "strash;ifraig;scorr;dc2;dch,-f;map,-B,0.9;topo;buffer,-c,-N,8;upsize;dnsize"},
};

/// A folder of files for the tools, and running them in it.
class Workbench {
 public:
  static Result<Workbench> make(const Tools& tools) {
    Result<TemporaryFolder> folder = TemporaryFolder::make();
    if (!folder) return folder.error();
    return Workbench(tools, std::move(*folder));
  }

  std::optional<Error> write(const std::string& name, const std::string& text) const {
    return host::write_file(folder_.path() + "/" + name, text);
  }

  Result<std::string> yosys(const std::string& script) const { return run("yosys", tools_.yosys + " -q -s", script); }
  Result<std::string> sta(const std::string& script) const {
    return run("sta", tools_.sta + " -exit", "read_liberty " + tools_.liberty + "\n" + script);
  }
  Result<std::string> read(const std::string& name) const { return host::read_text(folder_.path() + "/" + name); }
  const std::string& liberty() const { return tools_.liberty; }

 private:
  Workbench(Tools tools, TemporaryFolder folder) : tools_(std::move(tools)), folder_(std::move(folder)) {}

  /// What the program says of a script.
  Result<std::string> run(const std::string& name, const std::string& command, const std::string& script) const {
    if (const auto error = write(name + ".script", script)) return *error;
    const Result<host::ShellCommand> done =
        host::run_in_shell(fmt::format("cd {} && {} {}.script", host::shell_word(folder_.path()), command, name));
    if (!done) return done.error();
    if (done->interrupted()) return Error{std::string(kInterrupted)};
    // sta ends with status 0 whatever it meets.
    if (done->ending.shell_status() != 0 || done->output.find("Error:") != std::string::npos)
      return Error{done->failure(name)};
    return done->output;
  }

  Tools tools_;
  TemporaryFolder folder_;
};

/// The number behind a word; nothing if there is none.
std::optional<double> number_behind(const std::string& text, std::string_view word) {
  const size_t at = text.find(word);
  if (at == std::string::npos) return std::nullopt;
  const char* const rest = text.c_str() + at + word.size();
  char* end = nullptr;
  const double value = std::strtod(rest, &end);
  return end == rest ? std::nullopt : std::optional(value);
}

/// The number in front of words; nothing if there is none.
std::optional<double> number_before(const std::string& text, std::string_view words) {
  const size_t at = text.find(words);
  if (at == std::string::npos) return std::nullopt;
  return number_behind(text.substr(text.rfind('\n', at) + 1), "");
}

Error not_understood(const std::string& what, const std::string& said) {
  return Error{fmt::format("the tools do not report {}:\n{}", what, said)};
}

/// What report_power says of a group of cells, each in watts.
struct Power {
  double internal = 0, switching = 0, leakage = 0;
  double energy() const { return (internal + switching) * kCycleNs * 1e-9; }
};
Result<Power> power_of(const std::string& said, std::string_view group) {
  const size_t at = said.find(group);
  Power power;
  if (at == std::string::npos || std::sscanf(said.c_str() + at + group.size(), "%lf %lf %lf", &power.internal,
                                             &power.switching, &power.leakage) != 3) {
    return not_understood("the power of " + std::string(group) + " cells", said);
  }
  return power;
}

/// A netlist of each recipe, NAME.v, and the areas of its modules, NAME.areas.
std::string synthesis_script(const Workbench& bench) {
  std::string script =
      fmt::format("read_verilog hash.v\nsynth -top {}\ndfflibmap -liberty {}\nopt_clean\ndesign -save mapped\n",
                  kModule, bench.liberty());
  for (const Recipe& recipe : kRecipes) {
    script += fmt::format(
        "design -load mapped\nabc -liberty {0} -constr constraints -script +{1}\nopt_clean -purge\n"
        "tee -q -o {2}.areas stat -liberty {0}\nwrite_verilog -noattr {2}.v\n",
        bench.liberty(), recipe.script, recipe.name);
  }
  return script;
}

Result<double> area_of(const Workbench& bench, std::string_view netlist, const std::string& module) {
  const Result<std::string> said = bench.read(fmt::format("{}.areas", netlist));
  if (!said) return said.error();
  if (const auto area = number_behind(*said, fmt::format("Chip area for module '\\{}':", module))) return *area;
  const size_t section = said->find(fmt::format("=== {} ===", module));
  if (section != std::string::npos && number_behind(said->substr(section), "Number of cells:") == 0.0)
    return 0.0;  // wires
  return not_understood("the area of " + module, *said);
}

std::string clock(const std::string& port) {
  return fmt::format("create_clock -name clk -period {}{}\n", kCycleNs, port);
}

Result<Logic> logic_of(const Workbench& bench, const Design& design, const Recipe& recipe,
                       const Activities& activities) {
  Logic logic;
  logic.recipe = recipe.name;
  const Result<double> area = area_of(bench, recipe.name, logic_module(design));
  if (!area) return area.error();
  logic.area_um2 = *area;

  std::string script = fmt::format(
      "read_verilog {}.v\nlink_design {}\n{}set_input_delay 0 -clock clk [get_ports address*]\n"
      "set_output_delay 0 -clock clk [get_ports bank*]\nset_driving_cell -lib_cell {} [get_ports address*]\n"
      "set_load {} [get_ports bank*]\n",
      recipe.name, logic_module(design), clock(""), kDriver, kLoadPf);
  for (const scratchpad::CircuitField& field : design.fields)  // they stand still, and may be anything
    script += fmt::format("set_power_activity -input_ports [get_ports {}*] -activity 0 -duty 0.5\n", field.name);
  const Result<std::string> timing =
      bench.sta(script + "report_checks -from [get_ports address*] -to [get_ports bank*] -digits 6\n");
  if (!timing) return timing.error();
  const std::optional<double> delay = number_before(*timing, "data arrival time");
  const bool constant = logic.area_um2 == 0 && timing->find("No paths found") != std::string::npos;
  if (!delay && !constant) return not_understood("a delay", *timing);
  logic.delay_ns = delay.value_or(0);

  for (const double activity : activities) {
    const Result<std::string> said =
        bench.sta(script + fmt::format("set_power_activity -input_ports [get_ports address*] -activity {} -duty 0.5\n"
                                       "report_power -digits 8\n",
                                       activity));
    if (!said) return said.error();
    const Result<Power> power = power_of(*said, "Combinational");
    if (!power) return power.error();
    logic.energy_j.push_back(power->energy());
    logic.leakage_w = power->leakage;
  }
  return logic;
}

Result<Register> register_of(const Workbench& bench, const Design& design) {
  Register setting;
  setting.bits = design.setting_bits();
  const Recipe& recipe = kRecipes[0];
  const Result<double> area = area_of(bench, recipe.name, std::string(kModule));
  if (!area) return area.error();
  setting.area_um2 = *area;
  const Result<std::string> said =
      bench.sta(fmt::format("read_verilog {}.v\nlink_design {}\n{}set_power_activity -global -activity 0 -duty 0.5\n"
                            "report_power -digits 8\n",
                            recipe.name, kModule, clock(" [get_ports clk]")));
  if (!said) return said.error();
  const Result<Power> power = power_of(*said, "Sequential");
  if (!power) return power.error();
  setting.energy_j = power->energy();
  setting.leakage_w = power->leakage;
  return setting;
}

/// Six inverters in a row, each with three more behind it.
std::string inverters() {
  std::string text = "module inverters (input wire n0, output wire n6);\n  wire n1, n2, n3, n4, n5;\n";
  for (int i = 0; i < 6; ++i) {
    text += fmt::format("  INVX1 i{0} (.A(n{0}), .Y(n{1}));\n", i, i + 1);
    for (int k = 0; k < 3; ++k) text += fmt::format("  INVX1 load{}_{} (.A(n{}), .Y());\n", i, k, i + 1);
  }
  return text + "endmodule\n";
}

/// When the signal of report_checks is at the output of an inverter.
std::optional<double> arrival(const std::string& said, int inverter) {
  const size_t at = said.find(fmt::format("i{}/Y (INVX1)", inverter));
  double delay = 0, time = 0;
  if (at == std::string::npos || std::sscanf(said.c_str() + said.rfind('\n', at), "%lf %lf", &delay, &time) != 2)
    return std::nullopt;
  return time;
}

}  // namespace

Result<Tools> find_tools() {
  Tools tools{find_in_path("yosys"), find_in_path("sta"), std::string(kLiberty)};
  std::string missing;
  const auto need = [&](bool there, const char* package) {
    if (!there) missing += (missing.empty() ? "" : " ") + std::string(package);
  };
  need(!tools.yosys.empty(), "yosys");
  need(!tools.sta.empty(), "opensta");
  need(std::filesystem::exists(tools.liberty), "qflow-tech-osu018");
  if (!missing.empty()) {
    return Error{
        fmt::format("--cost needs programs that are not installed; on Debian: "
                    "apt-get install --no-install-recommends {}",
                    missing)};
  }
  return tools;
}

Result<Units> measure_units(const Tools& tools) {
  const Result<Workbench> bench = Workbench::make(tools);
  if (!bench) return bench.error();
  if (const auto error = bench->write("inverters.v", inverters())) return *error;
  const Result<std::string> times =
      bench->sta("read_verilog inverters.v\nlink_design inverters\n" + clock("") +
                 "set_input_delay 0 -clock clk [get_ports n0]\nset_output_delay 0 -clock clk [get_ports n6]\n"
                 "report_checks -digits 6\n");
  if (!times) return times.error();
  const std::optional<double> before = arrival(*times, 2), after = arrival(*times, 4);  // two edges later
  if (!before || !after) return not_understood("the delay of an inverter", *times);

  constexpr std::string_view kNand =
      "module nand2 (input wire a, b, output wire y);\n  NAND2X1 g (.A(a), .B(b), .Y(y));\nendmodule\n";
  if (const auto error = bench->write("nand2.v", std::string(kNand))) return *error;
  const Result<std::string> done = bench->yosys(fmt::format(
      "read_liberty -lib {0}\nread_verilog nand2.v\ntee -q -o nand2.areas stat -liberty {0}\n", tools.liberty));
  if (!done) return done.error();
  const Result<double> area = area_of(*bench, "nand2", "nand2");
  if (!area) return area.error();
  return Units{*area, (*after - *before) / 2};
}

Result<Synthesis> synthesise(const Tools& tools, const Design& design, const Activities& activities) {
  const Result<Workbench> bench = Workbench::make(tools);
  if (!bench) return bench.error();
  if (const auto error = bench->write("hash.v", to_verilog(design))) return *error;
  // abc reads the load in femtofarads.
  if (const auto error = bench->write(
          "constraints", fmt::format("set_driving_cell {}\nset_load {} [all_outputs]\n", kDriver, kLoadPf * 1000)))
    return *error;
  if (const Result<std::string> done = bench->yosys(synthesis_script(*bench)); !done) return done.error();
  Synthesis synthesis;
  for (const Recipe& recipe : kRecipes) {
    Result<Logic> logic = logic_of(*bench, design, recipe, activities);
    if (!logic) return logic.error();
    synthesis.logic.push_back(std::move(*logic));
  }
  if (design.configurable()) {
    const Result<Register> setting = register_of(*bench, design);
    if (!setting) return setting.error();
    synthesis.setting = *setting;
  }
  return synthesis;
}

const Logic& smallest_within(const Synthesis& synthesis, double ns) {
  return *std::ranges::min_element(synthesis.logic, [&](const Logic& a, const Logic& b) {
    const bool a_meets = a.delay_ns <= ns, b_meets = b.delay_ns <= ns;
    if (a_meets != b_meets) return a_meets;
    return a_meets ? a.area_um2 < b.area_um2 : a.delay_ns < b.delay_ns;
  });
}

}  // namespace bankshot::circuit
