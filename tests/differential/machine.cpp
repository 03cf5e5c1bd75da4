#include "tests/differential/machine.hpp"

#include <algorithm>
#include <cstring>

namespace bankshot::differential {
namespace {

constexpr size_t kStackBytes = 8192, kDeepest = 64;
constexpr uint64_t kMostInstructions = 20'000'000;

uint64_t load_bytes(const uint8_t* from, unsigned bytes) {
  uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

}  // namespace

Outcome interpret(const ptx::Module& module, const std::string& kernel, const Shape& shape,
                  std::vector<std::vector<uint8_t>> buffers) {
  Outcome outcome;
  const Prepared program = prepare(module, outcome.error);
  if (!outcome.error.empty()) return outcome;
  const auto found = program.function_of.find(kernel);
  if (found == program.function_of.end()) return outcome.error = "no such kernel", outcome;
  const Function& entry = program.functions[static_cast<size_t>(found->second)];

  std::vector<uint8_t> memory = program.memory;
  std::vector<uint64_t> addresses;
  for (const std::vector<uint8_t>& buffer : buffers) {
    memory.resize((memory.size() + 255) / 256 * 256);
    addresses.push_back(kGlobalBase + memory.size());
    memory.insert(memory.end(), buffer.begin(), buffer.end());
  }
  for (uint32_t k = 0; k < shape.ctas && outcome.error.empty(); ++k) {
    Cta cta{program, shape, k, memory, std::vector<uint8_t>(program.shared_bytes), {}, {}, 0, {}};
    for (uint32_t thread = 0; thread < shape.threads(); ++thread) {
      Lane lane;
      lane.thread = thread;
      lane.stack.resize(kStackBytes);
      lane.frames.push_back({&entry, 0, 0, std::vector<uint64_t>(entry.bits.size())});
      for (size_t p = 0; p < entry.parameters.size() && p < addresses.size(); ++p) {
        std::memcpy(&lane.stack[entry.parameters[p].offset], &addresses[p], 8);
      }
      cta.lanes.push_back(std::move(lane));
    }
    cta.run();
    outcome.error = cta.error;
    outcome.instructions += cta.instructions;
  }
  for (size_t k = 0; k < buffers.size(); ++k) {
    std::memcpy(buffers[k].data(), &memory[addresses[k] - kGlobalBase], buffers[k].size());
  }
  outcome.buffers = std::move(buffers);
  return outcome;
}

void Cta::run() {
  while (error.empty()) {
    bool all_ended = true;
    for (Lane& lane : lanes) {
      if (lane.state == Lane::State::runs) advance(lane);
      all_ended &= lane.state == Lane::State::ended;
      if (!error.empty()) return;
    }
    if (all_ended) return;
    if (!meet()) error = "deadlock";
  }
}

void Cta::advance(Lane& lane) {
  while (lane.state == Lane::State::runs && error.empty()) {
    const Step& step = lane.at();
    if (step.text != nullptr) ++instructions;  // not the end of the text
    if (instructions > kMostInstructions) return fail(step, "endless");
    if (!guarded(lane, step)) {
      ++lane.frame().next;
    } else {
      execute(lane, step);
    }
  }
}

void Cta::execute(Lane& lane, const Step& step) {
  const auto in = [&](size_t k) { return read(lane, step.sources[k]); };
  switch (step.what) {
    case What::meaning: {
      Values values;
      for (size_t k = 0; k < step.sources.size(); ++k) values.s[k] = in(k);
      values.carry = lane.carry;
      step.meaning(values);
      lane.carry = values.carry;
      write(lane, step, 0, values.d);
      if (step.targets.size() > 1) write(lane, step, 1, values.q);
      break;
    }
    case What::pack: {
      const unsigned width = ptx::bits(step.type) / static_cast<unsigned>(step.sources.size());
      uint64_t all = 0;
      for (size_t k = 0; k < step.sources.size(); ++k) all |= low(in(k), width) << width * k;
      write(lane, step, 0, all);
      break;
    }
    case What::unpack: {
      const unsigned width = ptx::bits(step.type) / static_cast<unsigned>(step.targets.size());
      const uint64_t all = in(0);
      for (size_t k = 0; k < step.targets.size(); ++k) write(lane, step, k, low(all >> width * k, width));
      break;
    }
    case What::load: load(lane, step); break;
    case What::store: store(lane, step); break;
    case What::atomic: atomic(lane, step); break;
    case What::copy: copy(lane, step); break;
    case What::to_generic: {
      const uint64_t window = step.space == ptx::Space::shared  ? kSharedWindow
                              : step.space == ptx::Space::local ? kLocalWindow
                                                                : 0;
      write(lane, step, 0, in(0) + window);
      break;
    }
    case What::of_generic: write(lane, step, 0, in(0) & ~kWindows); break;
    case What::is_in_space: {
      const uint64_t window = in(0) & kWindows;
      write(lane, step, 0,
            step.space == ptx::Space::shared  ? window == kSharedWindow
            : step.space == ptx::Space::local ? window == kLocalWindow
                                              : window == 0);
      break;
    }
    case What::branch: lane.frame().next = step.places[0]; return;
    case What::branch_by_table: {
      const uint64_t index = low(in(0), 32);
      if (index >= step.places.size()) return fail(step, "index beyond the table");
      lane.frame().next = step.places[index];
      return;
    }
    case What::call: return call(lane, step);
    case What::give_back: return give_back(lane);
    case What::leave: lane.state = Lane::State::ended; return;
    case What::barrier:
    case What::collective:
      lane.brought.clear();
      for (size_t k = 0; k < step.sources.size(); ++k) lane.brought.push_back(in(k));
      if (step.op == "arrive") {
        ++arrived[lane.brought[0]];
        break;
      }
      lane.state = step.what == What::barrier ? Lane::State::waits_at_barrier : Lane::State::waits_for_warp;
      return;
    case What::nothing: break;
  }
  ++lane.frame().next;
}

void Cta::call(Lane& lane, const Step& step) {
  uint64_t index = static_cast<uint64_t>(step.function);
  if (step.function < 0) index = read(lane, step.sources[0]) - kFunctionBase;
  if (index >= program.functions.size() || lane.frames.size() >= kDeepest)
    return fail(step, "no such function, or too deep");
  const Function& callee = program.functions[index];
  Frame& caller = lane.frame();
  Frame frame{&callee, 0, caller.base + caller.function->frame_bytes, std::vector<uint64_t>(callee.bits.size())};
  if (frame.base + callee.frame_bytes > lane.stack.size()) return fail(step, "the stack is full");
  for (size_t k = 0; k < step.arguments.size(); ++k) {
    std::memcpy(&lane.stack[frame.base + callee.parameters[k].offset],
                &lane.stack[caller.base + step.arguments[k].offset], step.arguments[k].bytes);
  }
  lane.frames.push_back(std::move(frame));
}

void Cta::give_back(Lane& lane) {
  const Frame done = lane.frame();
  lane.frames.pop_back();
  if (lane.frames.empty()) {
    lane.frames.push_back(done);
    lane.state = Lane::State::ended;
    return;
  }
  const Step& call = lane.at();
  for (size_t k = 0; k < call.results.size(); ++k) {
    std::memcpy(&lane.stack[lane.frame().base + call.results[k].offset],
                &lane.stack[done.base + done.function->returns[k].offset], call.results[k].bytes);
  }
  ++lane.frame().next;
}

uint64_t Cta::read(Lane& lane, const Source& source) const {
  Frame& frame = lane.frame();
  switch (source.kind) {
    case Source::Kind::reg: return frame.registers[source.index] ^ (source.negated ? 1 : 0);
    case Source::Kind::frame: return frame.base + source.value;
    case Source::Kind::special: return special(lane, source.name);
    case Source::Kind::address: return frame.registers[source.index] + source.value;
    case Source::Kind::value: break;
  }
  return source.value ^ (source.negated ? 1 : 0);
}

void Cta::write(Lane& lane, const Step& step, size_t target, uint64_t value) const {
  const int reg = step.targets[target];
  if (reg < 0) return;
  lane.frame().registers[static_cast<size_t>(reg)] = low(value, lane.frame().function->bits[static_cast<size_t>(reg)]);
}

bool Cta::guarded(const Lane& lane, const Step& step) const {
  return step.guard < 0 || (lane.frames.back().registers[static_cast<size_t>(step.guard)] != 0) != step.guard_negated;
}

uint64_t Cta::special(const Lane& lane, const std::string& name) const {
  const uint32_t in_warp = lane.thread % shape.warp_size;
  if (name == "%tid.x") return lane.thread % shape.block_x;
  if (name == "%tid.y") return lane.thread / shape.block_x;
  if (name == "%ntid.x") return shape.block_x;
  if (name == "%ntid.y") return shape.block_y;
  if (name == "%ctaid.x") return index;
  if (name == "%nctaid.x") return shape.ctas;
  if (name == "%laneid") return in_warp;
  if (name == "%warpid") return lane.thread / shape.warp_size;
  if (name == "%lanemask_eq") return uint64_t{1} << in_warp;
  if (name == "%lanemask_lt") return (uint64_t{1} << in_warp) - 1;
  if (name == "%lanemask_le") return low((uint64_t{2} << in_warp) - 1, 32);
  if (name == "%lanemask_gt") return low(~((uint64_t{2} << in_warp) - 1), 32);
  if (name == "%lanemask_ge") return low(~((uint64_t{1} << in_warp) - 1), 32);
  if (name == "%ntid.z" || name == "%nctaid.y" || name == "%nctaid.z") return 1;
  return 0;  // %tid.z, %ctaid.y, %ctaid.z
}

uint8_t* Cta::bytes_at(Lane& lane, ptx::Space space, uint64_t address, unsigned bytes) {
  std::vector<uint8_t>* memory = &global;
  if (space == ptx::Space::generic) {
    const uint64_t window = address & kWindows;
    space = window == kSharedWindow  ? ptx::Space::shared
            : window == kLocalWindow ? ptx::Space::local
                                     : ptx::Space::global;
    address &= ~kWindows;
  }
  if (space == ptx::Space::shared) {
    memory = &shared;
  } else if (space == ptx::Space::local || space == ptx::Space::param) {
    memory = &lane.stack;
  } else {
    address -= kGlobalBase;
  }
  if (address % bytes != 0 || address >= memory->size() || memory->size() - address < bytes) {
    fail(lane.at(), "no such address");
    return nullptr;
  }
  return memory->data() + address;
}

void Cta::load(Lane& lane, const Step& step) {
  const unsigned bytes = ptx::bits(step.type) / 8, count = static_cast<unsigned>(step.targets.size());
  const uint8_t* const from = bytes_at(lane, step.space, read(lane, step.address), bytes * count);
  if (from == nullptr) return;
  for (unsigned k = 0; k < count; ++k) {
    const uint64_t value = load_bytes(from + k * bytes, bytes);
    write(lane, step, k, is_signed(step.type) ? wrapped(static_cast<Wide>(value), step.type) : value);
  }
}

void Cta::store(Lane& lane, const Step& step) {
  const unsigned bytes = ptx::bits(step.type) / 8, count = static_cast<unsigned>(step.sources.size());
  uint8_t* const to = bytes_at(lane, step.space, read(lane, step.address), bytes * count);
  if (to == nullptr) return;
  for (unsigned k = 0; k < count; ++k) {
    const uint64_t value = read(lane, step.sources[k]);
    std::memcpy(to + k * bytes, &value, bytes);
  }
}

void Cta::copy(Lane& lane, const Step& step) {
  const auto bytes = static_cast<unsigned>(read(lane, step.sources[0]));
  const unsigned some = step.sources.size() > 1 ? static_cast<unsigned>(read(lane, step.sources[1])) : bytes;
  uint8_t* const to = bytes_at(lane, ptx::Space::shared, read(lane, step.address), bytes);
  const uint8_t* const from = bytes_at(lane, ptx::Space::global, read(lane, step.from), bytes);
  if (to == nullptr || from == nullptr) return;
  for (unsigned k = 0; k < bytes; ++k) to[k] = k < some ? from[k] : 0;
}

void Cta::fail(const Step& step, const std::string& why) {
  if (!error.empty()) return;
  error = why;
  if (step.text == nullptr) return;
  error += " at line " + std::to_string(step.text->position.line) + ": " + step.text->opcode;
  for (const std::string& modifier : step.text->modifiers) error += "." + modifier;
}

}  // namespace bankshot::differential
