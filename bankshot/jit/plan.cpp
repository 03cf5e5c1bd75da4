// What becomes of each instruction, and how registers are kept.
#include <algorithm>
#include <cstring>

#include "bankshot/jit/emitter.hpp"
#include "bankshot/simt/access/l1_sites.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/paths.hpp"
#include "bankshot/simt/lower/lower_move.hpp"

namespace bankshot::jit {

using simt::Instr;
using simt::InstrFlag;
using simt::OperandRef;
using simt::Unit;

/// Whether nobody waits for others at this exchange between lanes, and it is one of all lanes.
bool Emitter::exchanges_at_once(uint32_t i) const {
  const std::string& text = program_.texts[program_.info[i].text];
  const Instr& instr = program_.code[i];
  if (!request_.whole || instr.run != instr.body) return false;
  if (text.starts_with("shfl") || text.starts_with("bar.warp")) return true;  // members matter to who waits only
  if (!text.starts_with("vote")) return false;
  if (instr.op[2] == OperandRef::kNone) return true;
  const Operand mask = operand(instr.op[2]);
  return mask.kind == Operand::Kind::constant && static_cast<uint32_t>(mask.value) == 0xffffffff;
}

/// A kind of instruction that native code does not execute itself.
Kind Emitter::as(Kind kind, uint32_t i, const char* why) {
  why_[i - function_.begin] = why;
  return kind;
}

Kind Emitter::kind_of(uint32_t i) {
  const Instr& instr = program_.code[i];
  const simt::InstrInfo& info = program_.info[i];
  if (instr.guard != OperandRef::kNone && instr.guard >> 31 != 0)
    return as(Kind::leave, i, "guarded by %is_explicit_cluster");
  if (instr.body == runtime_.branch) return Kind::branch;
  if (instr.body == runtime_.reconverge) return Kind::join;
  if (instr.body == runtime_.leave_function && function_.is_entry) return Kind::end;
  if (info.row == nullptr) return as(Kind::leave, i, "a pseudo instruction");
  const bool aligned = (instr.flags & InstrFlag::kAligned) != 0;
  if (info.unit == Unit::fence && (request_.whole || !aligned)) return Kind::nothing;
  if (instr.body == runtime_.barrier) {
    if (!request_.whole) return as(Kind::leave, i, "a barrier of some lanes");
    const bool plain = instr.run == instr.body && instr.small == simt::kBarrierSync &&
                       operand(instr.op[0]).kind == Operand::Kind::constant && instr.op[1] == OperandRef::kNone;
    return plain ? Kind::barrier : as(Kind::leave, i, "a barrier with a count, a number in a register or a result");
  }
  if (is_control(info.unit)) return as(Kind::leave, i, "control flow other than branches");
  const std::string& text = program_.texts[info.text];
  if (!request_.whole && aligned)
    return as(Kind::leave, i, "an instruction of a whole warp, which waits for the other lanes");
  if (text.starts_with("bar.warp") && exchanges_at_once(i)) return Kind::nothing;
  if (info.unit == Unit::warp && exchanges_at_once(i) && lanes_.find(*info.row, text) != nullptr) return Kind::across;
  // What ends the phase of an mbarrier lets others run.
  const bool tells_barrier = text.find("mbarrier") != std::string::npos;
  if (info.unit == Unit::warp || tells_barrier || (instr.flags & InstrFlag::kPolls) != 0)
    return as(Kind::exchange, i, "lanes or warps may wait for each other");
  if (info.unit == Unit::memory) {
    Access access;
    if (info.access.kind == ptx::Access::Kind::atomic || info.access.kind == ptx::Access::Kind::reduction) {
      const char* const why = why_no_atomic(i);
      return why == nullptr ? Kind::atomic : as(Kind::call, i, why);
    }
    if (const char* const why = describe(i, access)) return as(Kind::call, i, why);
    return info.access.kind == ptx::Access::Kind::load ? Kind::load : Kind::store;
  }
  if (text.starts_with("mov") && instr.small != simt::MoveKind::kRow && instr.small != simt::MoveKind::kPredicate)
    return instr.small == simt::MoveKind::kClock || instr.small == simt::MoveKind::kClockLook
               ? as(Kind::exchange, i, "a clock")
               : as(Kind::call, i, "an address in local memory, or parts of a register");
  if (text.starts_with("cvta") && instr.small == simt::MoveKind::kLocal)
    return as(Kind::call, i, "an address in local memory");
  if (lanes_.find(*info.row, text) == nullptr) return as(Kind::call, i, "not a function of the lane's own registers");
  if (instr.run != instr.body && instr.run != runtime_.guarded) return as(Kind::call, i, kWrapped);
  return Kind::lanes;
}

bool Emitter::wants_mode(uint32_t i) const {
  const std::vector<std::string> words = words_of(program_.texts[program_.info[i].text]);
  static constexpr std::array<std::string_view, 6> kBitwise = {"mov", "selp", "slct", "copysign", "ld", "st"};
  if (std::ranges::find(kBitwise, words.front()) != kBitwise.end()) return false;
  return std::any_of(words.begin() + 1, words.end(), [](const std::string& word) {
    return word.starts_with("f16") || word.starts_with("f32") || word.starts_with("f64") || word.starts_with("bf16") ||
           word.starts_with("tf32");
  });
}

/// The mode of most instructions of the function: the others are called. Rounding other than to nearest always is.
bool Emitter::choose_mode() {
  const auto computes = [&](uint32_t i) {
    const Kind kind = kind_[i - function_.begin];
    return kind == Kind::lanes || kind == Kind::atomic;
  };
  size_t plain = 0, flush = 0;
  for (uint32_t i = function_.begin; i < function_.end; ++i) {
    if (!computes(i) || !wants_mode(i)) continue;
    plain += program_.code[i].fp == simt::FpMode::kNearest;
    flush += program_.code[i].fp == simt::FpMode::kFlush;
  }
  mode_ = flush > plain ? simt::FpMode::kFlush : simt::FpMode::kNearest;
  for (uint32_t i = function_.begin; i < function_.end; ++i) {
    if (computes(i) && wants_mode(i) && program_.code[i].fp != mode_)
      kind_[i - function_.begin] = as(Kind::call, i, "another rounding or flushing than most have");
  }
  return plain + flush != 0;
}

void Emitter::choose_kinds() {
  why_.assign(function_.end - function_.begin, "");
  kind_.clear();
  for (uint32_t i = function_.begin; i < function_.end; ++i) kind_.push_back(kind_of(i));
  for (uint32_t i = function_.begin; i < function_.end; ++i) {
    for (const uint32_t r : writes_of(program_, i)) {
      const auto [at, first] = writer_.try_emplace(r, i);
      if (!first) at->second = ~0u;
    }
  }
}

bool Emitter::is_destination(uint32_t i, unsigned k) const {
  if (k == 0) return true;
  const std::string_view syntax = program_.info[i].row->syntax;
  if (k == 1) return syntax.find(" p|q,") != std::string_view::npos || syntax.starts_with("shfl");
  return k == 4 && syntax.starts_with("lop3");
}

Emitter::Operand Emitter::operand(uint32_t op) const {
  Operand out;
  if (op == OperandRef::kNone) return out;
  const uint32_t offset = op & OperandRef::kOffset;
  switch (op >> 30) {
    case 0: {
      out.kind = Operand::Kind::reg;
      const auto& all = function_.all_registers;
      const auto above = std::ranges::upper_bound(all, offset, {}, &simt::FunctionInfo::Register::offset);
      out.index = static_cast<uint32_t>(above - all.begin()) - 1;
      out.bytes = all[out.index].predicate ? 0 : all[out.index].bytes / kLanes;
      break;
    }
    case 1:
      out.kind = Operand::Kind::constant;
      std::memcpy(&out.value, program_.constant_rows + offset, 8);
      out.index = offset;
      break;
    default: {
      out.kind = Operand::Kind::special;
      const uint32_t plain = op & ~OperandRef::kNegated;
      const auto at = std::ranges::find(specials_, plain, &Special::op);
      out.index = static_cast<uint32_t>(at - specials_.begin());
      if (at == specials_.end()) return {};
      out.bytes = at->bytes;
    }
  }
  out.negated = (op & OperandRef::kNegated) != 0;
  return out;
}

Emitter::Operand Emitter::register_operand(uint32_t r) const {
  const simt::FunctionInfo::Register& reg = function_.all_registers[r];
  Operand out;
  out.kind = Operand::Kind::reg;
  out.index = r;
  out.bytes = reg.predicate ? 0 : reg.bytes / kLanes;
  return out;
}

std::vector<Emitter::Operand> Emitter::sources(uint32_t i) const {
  const Instr& instr = program_.code[i];
  const bool moves = program_.texts[program_.info[i].text].starts_with("mov");
  std::vector<Operand> all;
  for (unsigned k = 0; k < (moves ? 2u : 6u); ++k) {
    if (!is_destination(i, k) && instr.op[k] != OperandRef::kNone) all.push_back(operand(instr.op[k]));
  }
  return all;
}

int32_t Emitter::class_of(const Operand& operand, const State& state) const {
  switch (operand.kind) {
    case Operand::Kind::reg: return state[operand.index];
    case Operand::Kind::special: return state[function_.register_count + operand.index];
    default: return kUniform;
  }
}

/// The parameter that a register holds, if nothing but one load of it writes the register and all samples have the same
/// value.
std::optional<Emitter::Parameter> Emitter::parameter_in(const Operand& operand, const State& state) const {
  if (operand.kind != Operand::Kind::reg || class_of(operand, state) != kUniform) return std::nullopt;
  const uint32_t row = function_.all_registers[operand.index].offset;
  const auto is_read_unwritten = [&](const simt::FunctionInfo::Register& r) { return r.offset == row; };
  const auto writer = writer_.find(operand.index);
  Access access;
  if (writer == writer_.end() || writer->second == ~0u || kind_[writer->second - function_.begin] != Kind::load ||
      describe(writer->second, access) != nullptr || access.space != ptx::Space::param || access.elements != 1 ||
      access.bytes < 4 || access.bytes != operand.bytes || std::ranges::any_of(function_.unwritten, is_read_unwritten))
    return std::nullopt;
  Parameter parameter{access.offset, access.bytes};
  for (const simt::NativeSample& sample : request_.samples) {
    uint64_t value = 0;
    if (access.offset + access.bytes > sample.params.size()) return std::nullopt;
    std::memcpy(&value, sample.params.data() + access.offset, access.bytes);
    if (&sample != &request_.samples[0] && value != parameter.value) return std::nullopt;
    parameter.value = value;
  }
  if (request_.samples.empty() || (solved_ && !assumed_.contains(parameter.offset))) return std::nullopt;
  return parameter;
}

int32_t Emitter::linear_class(uint32_t i, const State& state) {
  const Instr& instr = program_.code[i];
  const Linear linear = linear_of(program_.texts[program_.info[i].text]);
  if (linear.how == Linear::How::none || instr.guard != OperandRef::kNone || (instr.flags & InstrFlag::kSaturate) != 0)
    return kVector;
  if (program_.texts[program_.info[i].text].starts_with("mov") && instr.op[2] != OperandRef::kNone) return kVector;
  Pattern in[3] = {};
  Operand operands[3];
  for (unsigned k = 0; k < 3 && instr.op[k + 1] != OperandRef::kNone; ++k) {
    operands[k] = operand(instr.op[k + 1]);
    const int32_t c = class_of(operands[k], state);
    if (c == kVector) return kVector;
    if (c >= 0) in[k] = patterns_[c];
  }
  if (const auto writes = writes_of(program_, i); writes.size() != 1 ||
                                                  function_.all_registers[writes[0]].bytes != linear.bytes * kLanes ||
                                                  function_.all_registers[writes[0]].predicate)
    return kVector;
  const bool widens = linear.how >= Linear::How::widen;
  for (unsigned k = 0; k < 2; ++k) {
    if (widens && operands[k].kind != Operand::Kind::none && operands[k].kind != Operand::Kind::constant &&
        operands[k].bytes != 4)
      return kVector;
  }
  std::optional<uint64_t> known[2];  // the same in all lanes, here and always
  for (unsigned k = 0; k < 2; ++k)
    known[k] = operands[k].kind == Operand::Kind::constant ? operands[k].value : std::optional<uint64_t>();
  const auto zero = [&](unsigned k) { return in[k] == Pattern{}; };
  const auto factor = [&](unsigned k) {
    if (widens && !linear.is_signed) return static_cast<int64_t>(static_cast<uint32_t>(*known[k]));
    return linear.bytes == 4 || widens ? int64_t{static_cast<int32_t>(*known[k])} : static_cast<int64_t>(*known[k]);
  };
  using How = Linear::How;
  const bool product = linear.how == How::product || linear.how == How::product_sum ||
                       linear.how == How::widen_product || linear.how == How::widen_product_sum;
  unsigned differs = 0;  // the factor that differs between lanes
  if (product && zero(0) && !zero(1) && !widens) differs = 1;
  std::optional<Parameter> parameter;
  if (product && !zero(differs) && !known[1 - differs]) {
    parameter = parameter_in(operands[1 - differs], state);
    if (parameter) known[1 - differs] = parameter->value;
  }
  if (product && zero(0) && !zero(1) && widens) return kVector;
  if (product && !zero(differs) && (!known[1 - differs] || !zero(1 - differs))) return kVector;
  constexpr int64_t kFarNarrow = int64_t{1} << 24;
  const auto is_far = [](int64_t x) { return x > kFarNarrow * 64 || x < -kFarNarrow * 64; };
  Pattern out{};
  for (unsigned l = 0; l < kLanes; ++l) {
    int64_t x = in[differs][l];
    if (linear.how >= How::widen && (x > kFarNarrow || x < -kFarNarrow)) return kVector;
    if (product) {
      if (!zero(differs)) {
        if (is_far(x) || is_far(factor(1 - differs))) return kVector;
        x *= factor(1 - differs);
      }
      if (linear.how == How::product_sum || linear.how == How::widen_product_sum) x += in[2][l];
    } else if (linear.how == How::sum) {
      x += in[1][l];
    } else if (linear.how == How::difference) {
      x -= in[1][l];
    } else if (linear.how == How::shift && !zero(0)) {
      if (!known[1] || (*known[1] & 0xffffffff) >= 8 * linear.bytes) return kVector;
      x = static_cast<int64_t>(static_cast<uint64_t>(x) << (*known[1] & 63));
    } else if (linear.how == How::shift) {
      if (!zero(1)) return kVector;
    }
    if (is_far(x)) return kVector;
    out[l] = wrapped(x, linear.bytes);
  }
  if (parameter) assumed_[parameter->offset] = *parameter;
  return patterns_.intern(out);
}

bool Emitter::loads_uniform(uint32_t i, const State& state) const {
  const Instr& instr = program_.code[i];
  if (instr.guard != OperandRef::kNone) return false;
  return instr.op[0] == OperandRef::kNone || class_of(operand(instr.op[0]), state) == kUniform;
}

void Emitter::transfer(uint32_t i, State& state) {
  const Instr& instr = program_.code[i];
  int32_t made = kVector;
  const Kind kind = kind_[i - function_.begin];
  if (kind == Kind::lanes) {
    bool uniform = true;
    for (const Operand& source : sources(i)) uniform &= class_of(source, state) == kUniform;
    if (instr.guard != OperandRef::kNone) {
      uniform &= class_of(operand(instr.guard), state) == kUniform;
      for (const uint32_t r : writes_of(program_, i)) uniform &= state[r] == kUniform;
    }
    made = uniform ? kUniform : linear_class(i, state);
  } else if (kind == Kind::across) {
    made = kVector;
  } else if (kind == Kind::load) {
    made = loads_uniform(i, state) ? kUniform : kVector;
  }
  for (const uint32_t r : writes_of(program_, i)) state[r] = made;
}

/// Registers on which addresses and branches depend by whole numbers: those for which it is worth while to look at the
/// entry whether lanes are alike.
std::set<uint32_t> Emitter::relevant() const {
  std::set<uint32_t> wanted;
  const auto want = [&](const Operand& operand) {
    return operand.kind == Operand::Kind::reg && wanted.insert(operand.index).second;
  };
  for (const Block& block : stretch_.blocks) {
    for (uint32_t i = block.begin; i < block.end; ++i) {
      const Kind kind = kind_[i - function_.begin];
      if (kind == Kind::load || kind == Kind::store) want(operand(program_.code[i].op[0]));
      if (kind == Kind::branch) want(operand(program_.code[i].guard));
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Block& block : stretch_.blocks) {
      for (uint32_t i = block.begin; i < block.end; ++i) {
        if (kind_[i - function_.begin] != Kind::lanes || wants_mode(i)) continue;
        bool leads = false;
        for (const uint32_t r : writes_of(program_, i)) leads |= wanted.contains(r);
        if (!leads) continue;
        for (const Operand& source : sources(i)) changed |= want(source);
      }
    }
  }
  return wanted;
}

namespace {

uint64_t lane_value(const std::byte* row, unsigned bytes, unsigned lane) {
  uint64_t value = 0;
  std::memcpy(&value, row + static_cast<size_t>(lane) * bytes, bytes);
  return value;
}

/// The distances of a row, if they are moderate; of lanes that were not active as if all were on a line.
std::optional<Pattern> pattern_of(const std::byte* row, unsigned bytes, uint64_t active) {
  constexpr int64_t kFar = 1 << 22;
  const auto first = static_cast<unsigned>(__builtin_ctzll(active));
  Pattern pattern{};
  const auto distance = [&](unsigned lane) {
    return wrapped(static_cast<int64_t>(lane_value(row, bytes, lane) - lane_value(row, bytes, first)), bytes);
  };
  const uint64_t others = active & (active - 1);
  int64_t step = 0;
  bool line = true;
  if (others != 0) {
    const auto second = static_cast<unsigned>(__builtin_ctzll(others));
    const int64_t d = distance(second), n = second - first;
    if (d > kFar || d < -kFar) return std::nullopt;
    line = d % n == 0;
    step = d / n;
  }
  for (unsigned l = 0; l < kLanes; ++l) {
    const bool on = (active >> l & 1) != 0;
    pattern[l] = on ? distance(l) : (static_cast<int64_t>(l) - first) * step;
    if (pattern[l] > kFar || pattern[l] < -kFar) return std::nullopt;
    if (on && pattern[l] != (static_cast<int64_t>(l) - first) * step) line = false;
  }
  if (active != 0xffffffff && !line) return std::nullopt;
  const int64_t start = pattern[0];
  for (int64_t& d : pattern) d -= start;  // from lane 0
  return pattern;
}

}  // namespace

State Emitter::entry_state() {
  State state(function_.register_count + specials_.size(), kUnknown);
  const std::set<uint32_t> wanted = relevant();
  const auto seen = [&](int32_t& c, const std::byte* row, unsigned bytes, uint64_t active) {
    const std::optional<Pattern> pattern = pattern_of(row, bytes, active);
    c = meet(c, pattern ? patterns_.intern(*pattern) : kVector);
  };
  live_[request_.entry - function_.begin].for_each([&](uint32_t r) {
    const simt::FunctionInfo::Register& reg = function_.all_registers[r];
    const unsigned bytes = reg.predicate ? 0 : reg.bytes / kLanes;
    if (!wanted.contains(r) || bytes < 4) {
      state[r] = kVector;
      return;
    }
    for (const simt::NativeSample& sample : request_.samples)
      seen(state[r], sample.frame.data() + reg.offset, bytes, sample.active);
    if (state[r] == kUnknown) state[r] = kVector;
  });
  std::vector<char> used(specials_.size(), 0);
  for (const Block& block : stretch_.blocks) {
    for (uint32_t i = block.begin; i < block.end; ++i) {
      for (const uint32_t op : program_.code[i].op) {
        const Kind kind = kind_[i - function_.begin];
        if ((kind != Kind::lanes && kind != Kind::across) || op == OperandRef::kNone || op >> 31 == 0) continue;
        if (const Operand o = operand(op); o.index < used.size()) used[o.index] = 1;
      }
    }
  }
  for (size_t s = 0; s < specials_.size(); ++s) {
    int32_t& c = state[function_.register_count + s];
    if (specials_[s].op >> 30 == OperandRef::kCtaSpecial >> 30) {
      c = kUniform;
      continue;
    }
    for (const simt::NativeSample& sample : request_.samples)
      seen(c, sample.specials.data() + (specials_[s].op & OperandRef::kOffset), specials_[s].bytes, sample.active);
    if (c == kUnknown || specials_[s].bytes < 4 || used[s] == 0) c = kVector;
  }
  return state;
}

std::set<uint32_t> Emitter::written_by(const Sides& sides) const {
  std::set<uint32_t> written;
  for (const auto& [begin, end] : sides.parts) {
    for (uint32_t i = begin; i < end; ++i) {
      for (const uint32_t r : writes_of(program_, i)) written.insert(r);
    }
  }
  return written;
}

void Emitter::solve() {
  const size_t blocks = stretch_.blocks.size();
  in_.assign(blocks, State(function_.register_count + specials_.size(), kUnknown));
  dirty_.assign(blocks, RegisterSet(function_.register_count));
  in_[0] = entry_state();
  std::vector<char> waits(blocks, 0), seen(blocks, 0);
  std::vector<uint32_t> work{0};
  waits[0] = seen[0] = 1;
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    waits[b] = 0;
    State state = in_[b];
    RegisterSet dirty = dirty_[b];
    for (uint32_t i = stretch_.blocks[b].begin; i < stretch_.blocks[b].end; ++i) {
      const Kind kind = kind_[i - function_.begin];
      if (kind == Kind::join || kind == Kind::branch) continue;
      transfer(i, state);
      for (const uint32_t r : writes_of(program_, i)) {
        if (kind == Kind::call || kind == Kind::exchange) {
          dirty.remove(r);
        } else {
          dirty.add(r);
        }
      }
    }
    if (ends_at_barrier(stretch_.blocks[b])) dirty = RegisterSet(function_.register_count);
    std::vector<uint32_t> ways = stretch_.blocks[b].next;
    if (stretch_.blocks[b].sides) ways.push_back(stretch_.blocks[b].join_block);
    for (size_t way = 0; way < ways.size(); ++way) {
      const uint32_t to = ways[way];
      if (way == stretch_.blocks[b].next.size()) {  // both sides, one after the other
        for (const uint32_t r : written_by(*stretch_.blocks[b].sides)) {
          state[r] = kVector;
          dirty.add(r);
        }
      }
      bool changed = dirty_[to].add(dirty);
      for (size_t k = 0; k < state.size(); ++k) {
        const int32_t met = meet(in_[to][k], state[k]);
        changed |= met != in_[to][k];
        in_[to][k] = met;
      }
      if ((changed || seen[to] == 0) && waits[to] == 0) {
        waits[to] = seen[to] = 1;
        work.push_back(to);
      }
    }
  }
  solved_ = true;
}

}  // namespace bankshot::jit
