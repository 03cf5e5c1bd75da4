// What one instruction does to the registers of a warp, and the accesses of shared memory it makes.
#include <algorithm>
#include <bit>

#include "bankshot/analysis/walker.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::analysis {
namespace {

bool is_on(uint64_t lanes, unsigned lane) { return (lanes >> lane & 1) != 0; }

/// The source line, or the line of the PTX text where the source is not known.
std::string line_of(const Step& step) {
  return step.line != 0 ? "line " + std::to_string(step.line) : "PTX line " + std::to_string(step.ptx_line);
}

}  // namespace

std::string Walker::place(const Step& step) const { return line_of(step); }

bool Walker::is_uniform(const Row& row, uint64_t lanes) const {
  if (lanes == 0) return true;
  const Value& first = row[static_cast<unsigned>(std::countr_zero(lanes))];
  if (forms_.is_unknown(first)) return false;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (is_on(lanes, lane) && row[lane] != first) return false;
  }
  return true;
}

Value Walker::special(const std::string& name, unsigned lane) {
  const uint64_t thread = uint64_t{warp_} * lanes_ + lane;
  const Extent& block = launch_.block;
  const auto axis = [&](uint64_t x, uint64_t y, uint64_t z) -> Value {
    const char last = name.back();
    return {last == 'x' ? x : last == 'y' ? y : last == 'z' ? z : 0, Forms::kKnown, 0};
  };
  if (name.starts_with("tid.")) return axis(thread % block.x, thread / block.x % block.y, thread / block.x / block.y);
  if (name.starts_with("ntid.")) return axis(block.x, block.y, block.z);
  if (name.starts_with("ctaid.") && cta_) return axis(cta_->x, cta_->y, cta_->z);
  if (name.starts_with("nctaid.") && launch_.grid) return axis(launch_.grid->x, launch_.grid->y, launch_.grid->z);
  if (name == "laneid") return {lane, Forms::kKnown, 0};
  if (name == "WARP_SZ") return {lanes_, Forms::kKnown, 0};
  if (name == "lanemask_eq") return {uint64_t{1} << lane, Forms::kKnown, 0};
  if (name == "lanemask_lt") return {low_bits(lane), Forms::kKnown, 0};
  if (name == "lanemask_le") return {low_bits(lane + 1), Forms::kKnown, 0};
  if (name == "lanemask_gt") return {low_bits(lanes_) & ~low_bits(lane + 1), Forms::kKnown, 0};
  if (name == "lanemask_ge") return {low_bits(lanes_) & ~low_bits(lane), Forms::kKnown, 0};
  if (name.starts_with("clock") || name.starts_with("globaltimer") || name.starts_with("pm")) {
    return forms_.unknown("depends on a clock (%" + name + ")");
  }
  return forms_.of_symbol(forms_.symbol(name), 64);
}

void Walker::read(const Source& source, unsigned width, uint64_t lanes, Row& out) {
  if (source.kind == Source::Kind::reg) {
    const Value* from = row(source.reg);
    const unsigned own = code_.register_bits[source.reg];
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      out[lane] = own <= width ? from[lane] : forms_.extend(from[lane], own, false, width);
      if (source.negated && out[lane].form == Forms::kKnown) out[lane].bits ^= 1;
      if (source.negated && out[lane].form != Forms::kKnown && is_on(lanes, lane)) {
        out[lane] = forms_.subtract({1, Forms::kKnown, 0}, out[lane], 1);
      }
    }
    return;
  }
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (source.kind == Source::Kind::constant) {
      out[lane] = {source.bits & low_bits(width), Forms::kKnown, source.arrays};
    } else if (source.kind == Source::Kind::special) {
      out[lane] = forms_.extend(special(source.name, lane), 64, false, width);
    } else {
      out[lane] = forms_.unknown(source.name);
    }
  }
}

/// Why a condition is not known.
std::string Walker::reason_of(const Row& condition, uint64_t lanes) const {
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (!is_on(lanes, lane) || condition[lane].form == Forms::kKnown) continue;
    return forms_.is_unknown(condition[lane]) ? forms_.reason(condition[lane])
                                              : "depends on " + forms_.text(condition[lane]) + ", which is unknown";
  }
  return "lets some lanes go";
}

/// Lanes whose guard holds. @param unsure  lanes of which it is not known
uint64_t Walker::guarded(const Step& step, uint64_t lanes, uint64_t& unsure) {
  unsure = 0;
  if (step.guard < 0) return lanes;
  const Value* guard = row(static_cast<uint32_t>(step.guard));
  uint64_t hold = 0;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (!is_on(lanes, lane)) continue;
    const uint64_t bit = uint64_t{1} << lane;
    if (guard[lane].form != Forms::kKnown)
      unsure |= bit;
    else if (((guard[lane].bits & 1) != 0) != step.guard_negated)
      hold |= bit;
  }
  return hold;
}

/// Where the guard is not known a register holds the old value or the new one.
void Walker::write(const Step& step, uint32_t reg, const Row& values, uint64_t lanes, uint64_t unsure) {
  Value* out = row(reg);
  if (unsure == 0) {
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      if (is_on(lanes, lane)) out[lane] = values[lane];
    }
    return;
  }
  Row guard;
  std::copy_n(row(static_cast<uint32_t>(step.guard)), lanes_, guard.begin());
  const bool uniform = is_uniform(guard, lanes | unsure);
  std::vector<std::pair<uint64_t, Snapshot>> states(2);
  states[0] = {lanes | unsure, take({reg})};
  states[1] = states[0];
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (is_on(lanes | unsure, lane)) states[1].second[lane] = values[lane];
    if (is_on(lanes, lane)) states[0].second[lane] = values[lane];
  }
  meet({reg}, states, uniform, "depends on the guard of " + ptx::mnemonic(*step.instruction) + " at " + place(step));
}

/// What is not known of these values: "32*ctaid.x and param_2".
std::string Walker::unknown_parts(const Value* values, size_t count) const {
  std::vector<std::string> parts;
  for (size_t k = 0; k < count; ++k) {
    const std::string text = values[k].form == Forms::kKnown ? "" : forms_.text(values[k]);
    if (!text.empty() && std::find(parts.begin(), parts.end(), text) == parts.end()) parts.push_back(text);
  }
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : " and ") + part;
  return all.empty() ? "the place of shared memory" : all;
}

void Walker::compute(const Step& step, uint64_t all) {
  uint64_t unsure = 0;
  const uint64_t sure = guarded(step, all, unsure), lanes = sure | unsure;
  if (lanes == 0 || step.destinations.empty()) return;
  constexpr size_t kMostSources = 5;
  static_assert(scratchpad::kMaxLanes <= 64);
  std::array<Row, kMostSources> in;
  const size_t count = std::min(step.sources.size(), kMostSources);
  for (size_t k = 0; k < count; ++k) read(step.sources[k], 64, lanes, in[k]);
  bool uniform = true;
  for (size_t k = 0; k < count && uniform; ++k) uniform = is_uniform(in[k], lanes);
  uniform &= step.operation != nullptr;  // what is not integer arithmetic may be anything, even a shuffle

  const unsigned width = code_.register_bits[step.destinations[0]];
  Row out;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (!is_on(lanes, lane)) continue;
    Value values[kMostSources];
    for (size_t k = 0; k < count; ++k) values[k] = in[k][lane];
    std::optional<Value> result;
    if (step.operation != nullptr) {
      result = step.operation->run(forms_, step.shape, values);
    }
    if (result) {
      out[lane] = forms_.extend(*result, step.shape.result, step.shape.result_signed, width);
      continue;
    }
    uint32_t arrays = 0;
    const Value* cause = nullptr;
    for (size_t k = 0; k < count; ++k) {
      arrays |= in[k][lane].arrays;
      if (cause == nullptr && forms_.is_unknown(in[k][lane])) cause = &in[k][lane];
    }
    if (step.operation == nullptr) arrays = 0;
    if (uniform) {
      std::string key = ptx::mnemonic(*step.instruction);
      for (size_t k = 0; k < count; ++k)
        key += '|' + std::to_string(in[k][lane].form) + ':' + std::to_string(in[k][lane].bits);
      const std::string parts = unknown_parts(values, count);
      constexpr size_t kLongest = 100;  // what is made of what is made of …
      const uint32_t symbol = forms_.result_symbol(
          key, "[" + step.instruction->opcode + " of " +
                   (parts.size() <= kLongest ? parts : "an unknown value, at " + place(step)) + "]");
      out[lane] = forms_.of_symbol(symbol, width);
      out[lane].arrays = arrays;
    } else if (cause != nullptr) {
      out[lane] = forms_.unknown(forms_.reason(*cause), arrays);
    } else if (step.operation == nullptr) {
      out[lane] =
          forms_.unknown("depends on the result of " + ptx::mnemonic(*step.instruction) + " at " + place(step), arrays);
    } else {
      out[lane] = forms_.unknown("depends on " + unknown_parts(values, count) + ", which is unknown (" +
                                     ptx::mnemonic(*step.instruction) + " at " + place(step) + ")",
                                 arrays);
    }
  }
  for (const uint32_t reg : step.destinations) write(step, reg, out, sure, unsure);
}

void Walker::load_parameter(const Step& step, uint64_t all) {
  uint64_t unsure = 0;
  const uint64_t sure = guarded(step, all, unsure);
  int64_t offset = step.offset;
  for (const uint32_t reg : step.destinations) {
    const unsigned width = code_.register_bits[reg], bits = step.shape.bits;
    Value value;
    if (const auto known = launch_.parameters.find({step.name, offset}); known != launch_.parameters.end()) {
      value.bits = known->second & low_bits(bits);
    } else {
      const size_t number = step.name.rfind("_param_");  // compilers put the kernel's name before it
      const std::string name = number == std::string::npos ? step.name : step.name.substr(number + 1);
      value = forms_.of_symbol(forms_.symbol(offset == 0 ? name : name + "+" + std::to_string(offset)), bits);
    }
    Row values;
    values.fill(forms_.extend(value, bits, step.shape.is_signed, width));
    write(step, reg, values, sure, unsure);
    offset += bits / 8;
  }
}

void Walker::access(const Step& step, uint64_t all) {
  uint64_t unsure = 0;
  const uint64_t sure = guarded(step, all, unsure), lanes = sure | unsure;
  if (lanes == 0) return;
  Row address;
  read(step.sources[0], 64, lanes, address);
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    address[lane] = forms_.add(address[lane], {static_cast<uint64_t>(step.offset), Forms::kKnown, 0}, 64);
  }
  bool shared = step.space == ptx::Space::shared;
  if (step.space == ptx::Space::generic) {
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      if (!is_on(lanes, lane)) continue;
      shared |= (address[lane].arrays & Value::kGeneric) != 0 || forms_.is_unknown(address[lane]);
    }
  }
  if (shared) record(step, lanes, address, unsure != 0);
  if (step.destinations.empty()) return;

  // One address, one value: but not where other threads may write in between.
  const bool uniform = is_uniform(address, lanes) && !step.atomic && !step.is_volatile && step.unknown.empty();
  const std::string reason = (step.space == ptx::Space::param ? "depends on the result of a call, read at "
                              : step.atomic                   ? "depends on the result of an atomic at "
                                                              : "depends on data loaded at ") +
                             place(step) + " (" + ptx::mnemonic(*step.instruction) + ")";
  for (const uint32_t reg : step.destinations) {
    const unsigned width = code_.register_bits[reg];
    Row values;
    values.fill(uniform ? forms_.of_symbol(forms_.fresh_symbol("[data loaded at " + place(step) + "]"), width)
                        : forms_.unknown(reason));
    write(step, reg, values, sure, unsure);
  }
}

/// One access of shared memory, by the lanes that may take part.
void Walker::record(const Step& step, uint64_t lanes, const Row& address, bool unsure_guard) {
  Access access;
  access.mask = lanes;
  access.reason = step.unknown;
  const Value* first = nullptr;
  for (unsigned lane = 0; lane < lanes_ && access.reason.empty(); ++lane) {
    if (!is_on(lanes, lane)) continue;
    const Value& a = address[lane];
    access.arrays |= a.arrays & ~Value::kGeneric;
    constexpr unsigned kAddressBits = 18;  // shared memory has at most 256 KiB
    if (first == nullptr) first = &a;
    if (forms_.is_unknown(a)) {
      access.reason = forms_.reason(a);
    } else if (a.form != first->form) {
      access.reason =
          "the distance between lanes depends on " + forms_.text(forms_.subtract(a, *first, 64)) + ", which is unknown";
    } else if (forms_.form(a).modulus < kAddressBits) {
      access.reason = "only the low bits of the address are known";
    } else if (step.space == ptx::Space::generic && (a.arrays & Value::kGeneric) == 0) {
      access.reason = "a generic address that is not in shared memory for all lanes";
    }
    access.address[lane] = static_cast<uint32_t>(a.bits);
  }
  if (access.reason.empty()) {
    access.form = first->form;
  } else {
    access.address = {};
  }
  Context context = context_;
  context.assumptions.insert(context.assumptions.end(), lasting_.begin(), lasting_.end());
  if (unsure_guard) {
    Row guard;
    std::copy_n(row(static_cast<uint32_t>(step.guard)), lanes_, guard.begin());
    context.assumptions.push_back(number_of(walk_.assumption_numbers, walk_.assumptions,
                                            assumption(step, reason_of(guard, lanes), is_uniform(guard, lanes))));
  }
  if (step.in_transaction) {
    const Assumption once = {step.ptx_line, "all lanes are assumed to meet no conflict: it is in a transaction", false};
    context.assumptions.push_back(number_of(walk_.assumption_numbers, walk_.assumptions, once));
  }
  std::vector<uint32_t> iterations;
  Event event;
  event.step = static_cast<uint32_t>(&step - code_.steps.data());
  for (int32_t loop = code_.loop_of[event.step]; loop >= 0; loop = code_.loops[static_cast<size_t>(loop)].parent) {
    const auto index = static_cast<size_t>(loop);
    iterations.insert(iterations.begin(), states_[index] == LoopState::counted ? iterations_[index] : ~0u);
  }
  event.access = number_of(walk_.access_numbers, walk_.accesses, access);
  event.context = number_of(walk_.context_numbers, walk_.contexts, context);
  event.iterations = number_of(walk_.iteration_numbers, walk_.iterations, iterations);
  event.warp = warp_;
  event.cta = cta_number_;
  walk_.events.push_back(event);
}

}  // namespace bankshot::analysis
