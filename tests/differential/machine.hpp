// A second interpreter of PTX, made to be obvious: one lane after the other, each to its next barrier or instruction of
// the whole warp, where the lanes exchange what they brought. It works on the parsed module and knows nothing of
// bankshot/simt. Right for programs without data races only; what it does not know, and any mistake of a program, is an
// error of the outcome.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bankshot/ptx/module.hpp"
#include "tests/differential/meaning.hpp"

namespace bankshot::differential {

struct Shape {
  uint32_t ctas = 1, block_x = 32, block_y = 1;
  unsigned warp_size = 32;
  uint32_t threads() const { return block_x * block_y; }
};

struct Outcome {
  std::string error;                          ///< empty: the kernel ended
  std::vector<std::vector<uint8_t>> buffers;  ///< as the kernel left them
  uint64_t instructions = 0;                  ///< executed by all lanes, those whose guard did not hold as well
};

/// Runs the kernel, whose parameters are pointers to the buffers.
Outcome interpret(const ptx::Module& module, const std::string& kernel, const Shape& shape,
                  std::vector<std::vector<uint8_t>> buffers);

// ------------------------------------------------------------------ what a module is prepared into

/// Generic addresses: the space is in the highest bits, the rest is the address within it.
constexpr uint64_t kSharedWindow = uint64_t{1} << 60, kLocalWindow = uint64_t{2} << 60, kWindows = uint64_t{15} << 60;
constexpr uint64_t kGlobalBase = uint64_t{1} << 40, kFunctionBase = 0xf0000000;

struct Source {
  enum class Kind : uint8_t { reg, value, frame, special, address } kind = Kind::value;
  uint32_t index = 0;    ///< reg
  uint64_t value = 0;    ///< value; frame: offset of a variable in the frame; address: offset from the register `index`
  bool negated = false;  ///< predicate
  std::string name;      ///< special
};

enum class What : uint8_t {
  meaning,
  pack,
  unpack,
  load,
  store,
  atomic,
  copy,
  to_generic,
  of_generic,
  is_in_space,
  branch,
  branch_by_table,
  call,
  give_back,
  leave,
  barrier,
  collective,
  nothing
};

struct Copied {
  uint32_t offset = 0, bytes = 0;  ///< in the frame
};

struct Step {
  What what = What::nothing;
  const ptx::Instruction* text = nullptr;
  int guard = -1;
  bool guard_negated = false;
  Meaning meaning;
  std::vector<Source> sources;
  std::vector<int> targets;  ///< registers written; -1: none
  Source address;            ///< of memory
  Source from;               ///< cp.async: of global memory
  ptx::Space space = ptx::Space::generic;
  Type type = Type::none;
  std::string op;                ///< of atomics, barriers and collectives
  std::vector<uint32_t> places;  ///< steps to go to
  int function = -1;             ///< called; -1: by the register sources[0]
  std::vector<Copied> arguments, results;
  bool has(const std::string& modifier) const;
};

struct Function {
  std::string name;
  std::vector<Step> steps;
  std::vector<unsigned> bits;  ///< of each register; 1 for predicates
  std::vector<Copied> parameters, returns;
  uint32_t frame_bytes = 0;
};

struct Prepared {
  std::vector<Function> functions;
  std::map<std::string, int> function_of;
  std::map<std::string, uint64_t> shared, global;  ///< addresses of variables in their space
  uint32_t shared_bytes = 0;
  std::vector<uint8_t> memory;  ///< global memory from kGlobalBase on: module variables
};

/// @param error  receives what the reference does not know
Prepared prepare(const ptx::Module& module, std::string& error);

// ------------------------------------------------------------------ what runs

struct Frame {
  const Function* function = nullptr;
  uint32_t next = 0;  ///< step
  uint32_t base = 0;  ///< of the frame in the lane's stack
  std::vector<uint64_t> registers;
};

struct Lane {
  enum class State : uint8_t { runs, waits_for_warp, waits_at_barrier, ended } state = State::runs;
  uint32_t thread = 0;  ///< in the CTA
  std::vector<Frame> frames;
  std::vector<uint8_t> stack;
  bool carry = false;
  std::vector<uint64_t> brought;  ///< sources of what it waits at
  Frame& frame() { return frames.back(); }
  const Step& at() const { return frames.back().function->steps[frames.back().next]; }
};

struct Cta {
  const Prepared& program;
  const Shape& shape;
  uint32_t index;
  std::vector<uint8_t>& global;
  std::vector<uint8_t> shared;
  std::vector<Lane> lanes;
  std::map<uint64_t, uint32_t> arrived;  ///< by barrier: threads that arrived and did not wait
  uint64_t instructions = 0;
  std::string error;

  /// Runs all lanes to their end, or until `error`.
  void run();

  // The parts of it.
  void advance(Lane& lane);  ///< to where it waits or ends
  void execute(Lane& lane, const Step& step);
  void call(Lane& lane, const Step& step);
  void give_back(Lane& lane);
  bool meet();  ///< releases lanes that wait for what has come. @return whether there were any
  bool meet_in_warp(uint32_t first_lane);
  bool meet_at_barriers();

  uint64_t read(Lane& lane, const Source& source) const;
  void write(Lane& lane, const Step& step, size_t target, uint64_t value) const;
  bool guarded(const Lane& lane, const Step& step) const;
  uint64_t special(const Lane& lane, const std::string& name) const;
  /// Where the bytes of an address are; null and an error if they are not memory.
  uint8_t* bytes_at(Lane& lane, ptx::Space space, uint64_t address, unsigned bytes);
  void load(Lane& lane, const Step& step);
  void store(Lane& lane, const Step& step);
  void atomic(Lane& lane, const Step& step);
  void copy(Lane& lane, const Step& step);
  void fail(const Step& step, const std::string& why);
};

/// Gives every lane of `group` the result of the collective instruction at which they wait.
void exchange(Cta& cta, const Step& step, const std::vector<uint32_t>& group, uint32_t first_lane);
/// The same for ldmatrix, stmatrix and movmatrix, of the 32 lanes from the first one on.
void exchange_matrix(Cta& cta, const Step& step, uint32_t first_lane);

}  // namespace bankshot::differential
