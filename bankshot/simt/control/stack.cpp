#include "bankshot/simt/control/stack.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/rows/lower.hpp"
#include "bankshot/simt/state/call_values.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {
namespace {

constexpr uint64_t kLeastAlignment = 8, kMostAlignment = uint64_t{1} << 23;  // ptxas takes no more

uint64_t get(const Warp& w, uint32_t row, uint32_t bytes, unsigned lane) {
  return bytes == 8 ? w.row<const uint64_t>(row)[lane] : w.row<const uint32_t>(row)[lane];
}

void put(const Warp& w, uint32_t row, uint32_t bytes, unsigned lane, uint64_t value) {
  if (bytes == 8) {
    w.row<uint64_t>(row)[lane] = value;
  } else {
    w.row<uint32_t>(row)[lane] = static_cast<uint32_t>(value);
  }
}

/// Where the frame of the function that runs ends.
uint64_t end_of_frame(const Warp& w) {
  const Path& path = w.paths[static_cast<size_t>(w.current)];
  return w.local_frame + w.worker->program->functions[path.function].local_bytes;
}

/// Local memory is interleaved word by word.
uint32_t& local_word(const Warp& w, uint64_t offset, unsigned lane) {
  return reinterpret_cast<uint32_t*>(w.local)[offset / 4 * w.worker->program->lanes + lane];
}

/// Uninitialised memory reads as zero.
void clear(const Warp& w, uint64_t begin, uint64_t end, unsigned lane) {
  for (uint64_t offset = begin; offset < end; offset += 4) local_word(w, offset, lane) = 0;
}

/// What there is to say of an alloca that finds no room. @param in_use  bytes, by frames and by alloca
std::string no_room(uint64_t bytes, uint64_t alignment, uint64_t size, uint64_t in_use) {
  return "alloca of " + std::to_string(bytes) + " bytes" +
         (alignment > kLeastAlignment ? " aligned to " + std::to_string(alignment) : "") +
         ": the stack of a thread has " + std::to_string(size) + " bytes, of which " + std::to_string(in_use) +
         " are in use";
}

}  // namespace

uint32_t stack_used(const Warp& w) {
  uint32_t most = 0;
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1)
    most = std::max(most, w.stack_used[static_cast<size_t>(std::countr_zero(rest))]);
  return most;
}

void keep_stack_used(const Warp& w, uint32_t end) {
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    local_word(w, end - kKeptStackBytes, lane) = w.stack_used[lane];
  }
}

void give_back_stack(Warp& w, uint32_t end) {
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    // A program that writes past its arrays may have changed the word.
    w.stack_used[lane] = std::min(w.stack_used[lane], local_word(w, end - kKeptStackBytes, lane));
  }
}

const Instr* run_alloca(Warp& w, const Instr* i) {
  const uint64_t size = w.worker->local_stack, frame = end_of_frame(w);
  return each_lane(w, i, [&](unsigned lane) {
    const uint64_t bytes = get(w, i->op[1], i->op[2], lane), top = size - w.stack_used[lane];
    if (bytes > top || ((top - bytes) & ~(i->imm - 1)) < frame) {
      fault(w, i, Fault::Kind::out_of_local, static_cast<int>(lane), bytes,
            no_room(bytes, i->imm, size, frame + w.stack_used[lane]));
      return false;
    }
    const uint64_t begin = (top - bytes) & ~(i->imm - 1);
    clear(w, begin & ~uint64_t{3}, top, lane);
    w.stack_used[lane] = static_cast<uint32_t>(size - begin);
    put(w, i->op[0], i->op[2], lane, begin);
    return true;
  });
}

const Instr* run_stack_save(Warp& w, const Instr* i) {
  return each_lane(w, i, [&](unsigned lane) {
    put(w, i->op[0], i->op[2], lane, w.worker->local_stack - w.stack_used[lane]);
    return true;
  });
}

const Instr* run_stack_restore(Warp& w, const Instr* i) {
  return each_lane(w, i, [&](unsigned lane) {
    const uint64_t top = get(w, i->op[1], i->op[2], lane), size = w.worker->local_stack;
    if (top > size || size - top > w.stack_used[lane]) {
      fault(w, i, Fault::Kind::out_of_local, static_cast<int>(lane), top,
            "stackrestore of a value that no stacksave of this thread returned");
      return false;
    }
    w.stack_used[lane] = static_cast<uint32_t>(size - top);
    return true;
  });
}

void lower_alloca(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 2, 3)) return;
  if (decoder.has_transactions()) {
    decoder.error(instruction.position,
                  "alloca in a module with transactions is not supported: an attempt that fails would not undo it",
                  "Use an array of a fixed size.");
    return;
  }
  int64_t alignment = static_cast<int64_t>(kLeastAlignment);
  if (instruction.operands.size() == 3 && !decoder.literal(instruction.operands[2], alignment)) return;
  if (alignment <= 0 || alignment > static_cast<int64_t>(kMostAlignment) ||
      !std::has_single_bit(static_cast<uint64_t>(alignment))) {
    decoder.error(instruction.operands[2].position, "an alignment is a power of two up to 2^23");
    return;
  }
  out.op[0] = decoder.destination(instruction.operands[0], m.type);
  out.op[1] = decoder.source(instruction.operands[1], m.type);
  out.op[2] = register_bytes(m.type);
  out.imm = std::max(kLeastAlignment, static_cast<uint64_t>(alignment));
}

void lower_stack_save(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 1)) return;
  out.op[0] = decoder.destination(instruction.operands[0], m.type);
  out.op[2] = register_bytes(m.type);
}

void lower_stack_restore(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!expect_operands(decoder, instruction, 1)) return;
  out.op[1] = decoder.source(instruction.operands[0], m.type);
  out.op[2] = register_bytes(m.type);
}

}  // namespace bankshot::simt
