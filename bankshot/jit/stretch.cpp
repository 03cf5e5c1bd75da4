#include "bankshot/jit/stretch.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace bankshot::jit {
namespace {

using simt::Instr;
using simt::LoadedProgram;
using simt::OperandRef;

bool is_conditional(const Instr& i) { return i.guard != OperandRef::kNone; }

/// Instructions that may follow within the function. Who returns or exits has none.
std::vector<uint32_t> successors(const LoadedProgram& program, const simt::FunctionInfo& function,
                                 const simt::NativeRuntime& runtime, uint32_t i) {
  const Instr& instr = program.code[i];
  std::vector<uint32_t> next;
  if (instr.body == runtime.branch) {
    next.push_back(target_of(program, i));
    if (!is_conditional(instr)) return next;
  } else if (instr.body == runtime.branch_indexed) {
    return program.lists[instr.imm];
  } else if (instr.body == runtime.exit || instr.body == runtime.leave_function || instr.body == runtime.trap) {
    return next;
  }
  if (i + 1 < function.end) next.push_back(i + 1);
  return next;
}

/// @param leads  instructions at which a block begins, minus function.begin
std::optional<Sides> sides_of(const LoadedProgram& program, const simt::FunctionInfo& function,
                              const std::vector<Kind>& kind, const std::vector<char>& leads, uint32_t branch) {
  constexpr uint32_t kMost = 48;  // instructions
  const Instr& instr = program.code[branch];
  const uint32_t join = instr.aux;
  if (!is_conditional(instr) || join <= branch || join - branch > 2 * kMost || instr.op[1] != 0) return std::nullopt;
  const uint32_t target = target_of(program, branch);
  if (target <= branch || target > join) return std::nullopt;  // a loop may have its head behind its end
  std::set<uint32_t> begins{branch + 1, target};
  Sides sides;
  sides.join = join;
  uint32_t size = 0;
  for (auto at = begins.begin(); at != begins.end() && *at != join; ++at) {
    const uint32_t begin = *at;
    if (begin <= branch || begin > join) return std::nullopt;
    uint32_t i = begin;
    for (;; ++i) {
      if (i == join || (i != begin && leads[i - function.begin] != 0)) {
        begins.insert(i);
        break;
      }
      const Kind k = kind[i - function.begin];
      if (++size > kMost || (k != Kind::lanes && k != Kind::nothing && k != Kind::join && k != Kind::branch))
        return std::nullopt;
      if (k != Kind::branch) continue;
      const uint32_t to = target_of(program, i);
      if (to <= i || to > join || (is_conditional(program.code[i]) && program.code[i].op[1] != 0)) return std::nullopt;
      begins.insert(to);
      ++i;
      if (is_conditional(program.code[i - 1])) begins.insert(i);
      break;
    }
    sides.parts.emplace_back(begin, i);
  }
  return sides;
}

}  // namespace

bool RegisterSet::add(const RegisterSet& other) {
  bool grew = false;
  for (size_t w = 0; w < words_.size(); ++w) {
    grew |= (other.words_[w] & ~words_[w]) != 0;
    words_[w] |= other.words_[w];
  }
  return grew;
}

std::vector<RegisterSet> live_before(const LoadedProgram& program, const simt::FunctionInfo& function,
                                     const simt::NativeRuntime& runtime) {
  const size_t count = function.end - function.begin;
  std::vector<RegisterSet> live(count, RegisterSet(function.register_count));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = count; k-- > 0;) {
      const auto i = static_cast<uint32_t>(function.begin + k);
      RegisterSet wanted(function.register_count);
      for (const uint32_t next : successors(program, function, runtime, i)) wanted.add(live[next - function.begin]);
      if (program.code[i].body != runtime.reconverge) {
        if (program.code[i].guard == OperandRef::kNone) {
          for (const uint32_t r : writes_of(program, i)) wanted.remove(r);
        }
        for (const uint32_t r : reads_of(program, i)) wanted.add(r);
      }
      changed |= live[k].add(wanted);
    }
  }
  return live;
}

uint32_t Stretch::block_at(uint32_t instruction) const {
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].begin == instruction) return static_cast<uint32_t>(b);
  }
  return ~0u;
}

Stretch stretch_from(const LoadedProgram& program, const simt::FunctionInfo& function, const std::vector<Kind>& kind,
                     uint32_t entry) {
  constexpr size_t kMost = 1000;  // instructions
  std::vector<char> leads(function.end - function.begin + 1, 0);
  leads[entry - function.begin] = 1;
  for (uint32_t i = function.begin; i < function.end; ++i) {
    const Kind k = kind[i - function.begin];
    if (k == Kind::join) leads[i - function.begin] = 1;
    if (k == Kind::join || k == Kind::barrier) leads[i + 1 - function.begin] = 1;
    if (kind[i - function.begin] != Kind::branch) continue;
    leads[target_of(program, i) - function.begin] = 1;
    leads[i + 1 - function.begin] = 1;
  }
  Stretch stretch;
  std::map<uint32_t, uint32_t> known;  // first instruction -> block
  std::vector<uint32_t> work;
  const auto block_from = [&](uint32_t begin) {
    const auto [at, added] = known.try_emplace(begin, static_cast<uint32_t>(stretch.blocks.size()));
    if (added) {
      stretch.blocks.emplace_back().begin = begin;
      work.push_back(at->second);
    }
    return at->second;
  };
  block_from(entry);
  size_t size = 0;
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    const uint32_t begin = stretch.blocks[b].begin;
    uint32_t i = begin;
    bool falls_through = false;
    std::vector<uint32_t> next;
    for (;; ++i) {
      if (i != begin && leads[i - function.begin] != 0) {
        falls_through = true;
        next.push_back(i);
        break;
      }
      const Kind k = kind[i - function.begin];
      if (k == Kind::leave || size >= kMost) break;
      if (k == Kind::end) {
        ++i;
        break;
      }
      ++size;
      if (k == Kind::barrier) {
        next.push_back(++i);
        break;
      }
      if (k != Kind::branch) continue;
      next.push_back(target_of(program, i));
      if (is_conditional(program.code[i])) next.push_back(i + 1);
      ++i;
      break;
    }
    for (uint32_t& target : next) target = block_from(target);
    std::optional<Sides> sides;
    uint32_t join_block = 0;
    if (next.size() == 2 && kind[i - 1 - function.begin] == Kind::branch)
      sides = sides_of(program, function, kind, leads, i - 1);
    if (sides) join_block = block_from(sides->join);
    Block& block = stretch.blocks[b];
    block.sides = std::move(sides);
    block.join_block = join_block;
    block.end = i;
    block.next = std::move(next);
    block.falls_through = falls_through;
  }
  return stretch;
}

}  // namespace bankshot::jit
