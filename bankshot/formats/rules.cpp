#include "bankshot/formats/rules.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace bankshot::formats {
namespace {

constexpr std::string_view kBanks =
    "https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#shared-memory-and-memory-banks";
constexpr std::string_view kCoalescing =
    "https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#coalesced-access-to-global-memory";
constexpr std::string_view kChecks = "https://docs.nvidia.com/compute-sanitizer/ComputeSanitizer/index.html";
constexpr std::string_view kBarriers =
    "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#synchronization-functions";

constexpr std::array kRules{
    Rule{"bank-conflict", "BankConflict", "Lanes of a warp access different words of one bank of shared memory.",
         "A bank of shared memory delivers one word at a time. If lanes of a warp access different words of one bank, "
         "the access takes a further pass over the banks, a wavefront, for each word. The level is warning if the "
         "line causes at least 10 % of the wavefronts of its kernel, else note.",
         "Pad the rows of the array or swizzle its index. `bankshot fix` proposes a change and proves it.", kBanks,
         Level::warning},
    Rule{"position-conflict", "PositionConflict", "Atomics of a warp change the same word of shared memory.",
         "Lanes whose atomics change one word are served one after the other. Neither padding nor a bank hash helps. "
         "The level is warning if the line causes at least 10 % of the wavefronts of its kernel, else note.",
         "Give the lanes copies of the data and add these up later; `bankshot atomics advise` says how many.", kBanks,
         Level::warning},
    Rule{"uncoalesced-global", "UncoalescedGlobalAccess",
         "An access to global memory takes the first-level cache more cycles than its bytes need.",
         "The cache looks up a few lines in a cycle and reads its data from banks. Lanes whose addresses are scattered "
         "over many lines take further cycles, even if all lines are in the cache. The level is warning if the line "
         "loses at least 10 % of the cycles of its kernel's global accesses, else note.",
         "Let neighbouring lanes access neighbouring addresses, for example by a transposition in shared memory.",
         kCoalescing, Level::warning},
    Rule{"gate-exceeded", "GateExceeded", "A kernel exceeds a limit of the gate.",
         "The command was called with a limit, and a kernel has more than that.",
         "Remove the conflicts of the lines that are reported for the kernel, or raise the limit.", kBanks,
         Level::error},
    Rule{"baseline-differs", "BaselineDiffers", "A kernel or line is worse than in the baseline.",
         "The run was compared with a baseline, and a kernel or line has more than that. With --ratchet, an "
         "improvement that is not recorded fails as well.",
         "Undo the change that made it worse, or accept it with `--update-baseline`.", kBanks, Level::error},
    Rule{"unused-suppression", "UnusedSuppression", "A suppression of bankshot.toml matches nothing.",
         "The run could have shown what the suppression is about, and did not.", "Remove the suppression.", kBanks,
         Level::error},
    // In the order of simt::Finding::Kind.
    Rule{"invalid-access", "InvalidAccess", "An access outside of all allocations, or misaligned.",
         "The access is out of bounds, to freed memory or misaligned. It ends the launch, as on a GPU.",
         "Check the index and the size of the allocation.", kChecks, Level::error},
    Rule{"uninitialised-shared-read", "UninitialisedSharedRead", "A read of uninitialised shared memory.",
         "The bytes were not written since the block started, so their values are those of an earlier block.",
         "Write the array before it is read, with a barrier in between.", kChecks, Level::warning},
    Rule{"uninitialised-global-read", "UninitialisedGlobalRead", "A read of uninitialised global memory.",
         "The bytes were not written since their allocation.", "Fill the memory before it is read.", kChecks,
         Level::error},
    Rule{"wrong-swizzle", "WrongSwizzle", "An operand is read with another swizzle than it was written with.",
         "The matrix descriptor of a product and the tensor map of the copy that wrote the operand name different "
         "swizzles, so the product gets other elements.",
         "Give the descriptor the swizzle of the tensor map.", kChecks, Level::error},
    Rule{"leak", "Leak", "Memory that is not freed.", "The allocation exists when the program ends.",
         "Free it with the function that belongs to its allocation.", kChecks, Level::warning},
    Rule{"unfreed-columns", "UnfreedColumns", "Tensor memory that is not freed.",
         "Columns of tensor memory are still allocated when the block ends, so that later blocks may wait for them for "
         "ever.",
         "Free them with tcgen05.dealloc before the kernel ends.", kChecks, Level::error},
    Rule{"read-after-write", "ReadAfterWriteRace", "A race in shared memory: a read after a write.",
         "No barrier orders a read and an earlier write of the same bytes, so the read may get the old or the new "
         "value.",
         "Put a barrier between both accesses.", kChecks, Level::error},
    Rule{"write-after-read", "WriteAfterReadRace", "A race in shared memory: a write after a read.",
         "No barrier orders a write and an earlier read of the same bytes, so the read may get the old or the new "
         "value.",
         "Put a barrier between both accesses.", kChecks, Level::error},
    Rule{"write-after-write", "WriteAfterWriteRace", "A race in shared memory: two writes.",
         "No barrier orders two writes of the same bytes, so either value may remain.",
         "Let one thread write, or put a barrier between both accesses.", kChecks, Level::error},
    Rule{"divergent-barrier", "DivergentBarrier", "A barrier in divergent code.",
         "Not all threads that must execute the barrier together do so.",
         "Move the barrier out of the branch or the loop.", kBarriers, Level::error},
    Rule{"barrier-count", "BarrierCount", "A barrier for part of a warp.",
         "The number of threads of a barrier must be a multiple of the warp size.",
         "Round the number up, or use another form of synchronisation.", kBarriers, Level::error},
    Rule{"missing-member", "MissingMember", "A thread executes with a membermask that does not name it.",
         "The result of the instruction is undefined for this thread.", "Name all executing threads in the mask.",
         kBarriers, Level::error},
    Rule{"absent-member", "AbsentMember", "A membermask names a thread that never arrives.",
         "The instruction waits for a thread that is elsewhere; some hardware continues, other hardware may not.",
         "Compute the mask from the threads that take the branch, before it.", kBarriers, Level::warning},
    Rule{"missing-wait", "MissingWait", "An asynchronous instruction that is not waited for.",
         "Registers or tensor memory are used while an asynchronous instruction may still read or write them.",
         "Put wgmma.wait_group, tcgen05.wait::ld or tcgen05.wait::st between the two.", kBarriers, Level::error},
    Rule{"invalid-barrier", "InvalidBarrier", "An invalid use of a barrier.",
         "The threads wait for each other for ever, or a barrier is misused. It ends the launch.",
         "Let all threads of the block reach the same barriers.", kBarriers, Level::error},
};

}  // namespace

std::string_view name(Level level) {
  return level == Level::error ? "error" : level == Level::warning ? "warning" : "note";
}

std::span<const Rule> rules() { return kRules; }

const Rule& rule(std::string_view id) {
  const auto found = std::ranges::find(kRules, id, &Rule::id);
  assert(found != kRules.end() && "only ids of the table are asked for");
  return *found;
}

const Rule& rule(simt::Finding::Kind kind) { return rule(simt::name_of(kind)); }

}  // namespace bankshot::formats
