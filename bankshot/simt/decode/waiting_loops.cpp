#include "bankshot/simt/decode/waiting_loops.hpp"

#include <map>
#include <optional>
#include <string_view>

#include "bankshot/simt/control/control.hpp"

namespace bankshot::simt {
namespace {

constexpr unsigned kMostSteps = 32;

std::string_view text_of(const LoadedProgram& program, uint64_t at) { return program.texts[program.info[at].text]; }

bool is_test(const LoadedProgram& program, uint64_t at) {
  if ((program.code[at].flags & InstrFlag::kPolls) == 0) return false;  // a join before a test has the same text
  const std::string_view text = text_of(program, at);
  return text.starts_with("mbarrier.try_wait") || text.starts_with("mbarrier.test_wait");
}

/// Executes what comes after a test for lanes that all failed it. A branch can be followed if its guard results from
/// the predicate of the test and from constants alone.
class Walk {
 public:
  Walk(const LoadedProgram& program, uint64_t test) : program_(program), test_(test), at_(test + 1) {
    if (const uint32_t predicate = program.code[test].op[1]; predicate != OperandRef::kNone) set(predicate, 0);
  }

  /// Whether it ends at the test again.
  bool returns() {
    for (unsigned step = 0; step < kMostSteps && at_ < program_.code.size(); ++step) {
      if (at_ == test_) return true;
      if (!go()) return false;
    }
    return false;
  }

 private:
  /// @return false if it is not known to be harmless
  bool go() {
    const Instr& i = program_.code[at_];
    if (i.body == nullptr) return false;
    if (jumps(i)) return branch(i);
    // At a join before the test nobody waits for these lanes: they have passed it already.
    const bool passed = i.body == &run_reconverge && at_ < test_;
    if (!passed && (i.guard != OperandRef::kNone || (i.flags & InstrFlag::kPolls) != 0 || !computes(i))) return false;
    ++at_;
    return true;
  }

  bool branch(const Instr& i) {
    std::optional<uint64_t> taken = 1;
    if (i.guard != OperandRef::kNone) taken = value(i.guard);
    if (!taken) return false;
    at_ = (*taken != 0) != ((i.flags & InstrFlag::kGuardNegated) != 0) ? i.imm : at_ + 1;
    return true;
  }

  /// An instruction without effects but on registers, none of which the test reads.
  bool computes(const Instr& i) {
    const InstrInfo& info = program_.info[at_];
    if (info.unit >= Unit::sfu || i.body == &run_reconverge) return false;
    const std::optional<uint64_t> result = result_of(i);
    const Instr& test = program_.code[test_];
    const std::vector<FunctionInfo::Register>& registers = program_.functions[info.function].all_registers;
    for (uint32_t k = 0; k < info.writes; ++k) {
      const uint32_t place = registers[program_.register_uses[info.uses + info.reads + k]].offset;
      if (place == test.op[0] || place == test.op[2]) return false;
      known_.erase(place);
    }
    if (result) set(i.op[0], *result);
    return true;
  }

  /// Of what compilers make of `while (!test())` from the predicate of the test.
  std::optional<uint64_t> result_of(const Instr& i) const {
    const std::string_view text = text_of(program_, at_);
    if (!text.ends_with("b32") && !text.ends_with("u32") && !text.ends_with("s32")) return {};
    if (text.starts_with("selp.")) {
      const std::optional<uint64_t> chosen = value(i.op[3]);
      return chosen ? value(*chosen != 0 ? i.op[1] : i.op[2]) : std::nullopt;
    }
    const bool equal = text.starts_with("setp.eq.");
    if ((!equal && !text.starts_with("setp.ne.")) || i.op[4] != OperandRef::kNone) return {};
    const std::optional<uint64_t> a = value(i.op[2]), b = value(i.op[3]);
    if (!a || !b) return {};
    return (*a == *b) == equal ? 1 : 0;
  }

  void set(uint32_t op, uint64_t value) { known_[op & OperandRef::kOffset] = value; }

  /// Of a predicate, 0 or 1; of a register or a constant of 32 bits.
  std::optional<uint64_t> value(uint32_t op) const {
    const uint32_t offset = op & OperandRef::kOffset, base = op >> 30 << 30;
    if (base == OperandRef::kConstant) return *reinterpret_cast<const uint32_t*>(program_.constant_rows + offset);
    const auto found = known_.find(offset);
    if (base != OperandRef::kFrame || found == known_.end()) return {};
    return (op & OperandRef::kNegated) != 0 ? found->second ^ 1 : found->second;
  }

  const LoadedProgram& program_;
  const uint64_t test_;
  uint64_t at_;
  std::map<uint32_t, uint64_t> known_;  ///< by offset in the frame
};

}  // namespace

void mark_waiting_loops(LoadedProgram& program) {
  for (uint64_t at = 0; at < program.code.size(); ++at) {
    if (is_test(program, at) && Walk(program, at).returns()) program.code[at].flags |= InstrFlag::kOnlyWaits;
  }
}

}  // namespace bankshot::simt
