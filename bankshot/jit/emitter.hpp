// One stretch as a function of LLVM.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <string>

#include "bankshot/jit/lane_library.hpp"
#include "bankshot/jit/stretch.hpp"
#include "bankshot/jit/values.hpp"
#include "bankshot/simt/state/native_compiler.hpp"

namespace bankshot::jit {

/// Classes of registers by number, then of special rows.
using State = std::vector<int32_t>;

class Emitter {
 public:
  /// @param vector_bytes  of the host's registers: 32 or 64
  Emitter(const simt::NativeRequest& request, const simt::NativeRuntime& runtime, LaneLibrary& lanes,
          const std::vector<RegisterSet>& live, llvm::Module& module, unsigned vector_bytes);

  /// @return the function, or null with a reason
  llvm::Function* emit(const std::string& name, std::string& why);
  /// Instructions of the stretch that the function does not execute itself.
  const std::vector<simt::NotNative>& not_native() const { return not_native_; }
  /// First instructions of its blocks.
  std::vector<uint32_t> blocks() const;
  /// Instructions at which it may begin as well: by index, and the number that NativeCode gets for it.
  const std::vector<std::pair<uint32_t, uint32_t>>& ways_in() const { return ways_in_; }

 private:
  /// An operand of an instruction.
  struct Operand {
    enum class Kind : uint8_t { none, constant, reg, special } kind = Kind::none;
    uint32_t index = 0;  ///< register number; special: number in specials_
    uint64_t value = 0;  ///< constant: of one lane, of a predicate all lanes
    unsigned bytes = 0;  ///< of a lane; 0: a predicate
    bool negated = false;
  };
  struct Special {
    uint32_t op = 0;
    unsigned bytes = 4;
  };

  /// A place where the function goes on, and the number that NativeCode gets for it.
  struct Way {
    llvm::BasicBlock* to = nullptr;
    uint32_t number = 0;
  };

  // What to do: plan.cpp
  void choose_kinds();
  Kind kind_of(uint32_t i);
  Kind as(Kind kind, uint32_t i, const char* why);
  bool exchanges_at_once(uint32_t i) const;
  bool choose_mode();
  bool wants_mode(uint32_t i) const;
  Operand operand(uint32_t op) const;
  bool is_destination(uint32_t i, unsigned k) const;
  std::vector<Operand> sources(uint32_t i) const;
  Operand register_operand(uint32_t r) const;
  int32_t class_of(const Operand& operand, const State& state) const;
  void transfer(uint32_t i, State& state);
  struct Parameter {
    uint64_t offset = 0;
    unsigned bytes = 0;
    uint64_t value = 0;
  };
  std::optional<Parameter> parameter_in(const Operand& operand, const State& state) const;
  int32_t linear_class(uint32_t i, const State& state);
  bool loads_uniform(uint32_t i, const State& state) const;
  void solve();
  State entry_state();
  std::set<uint32_t> relevant() const;
  std::set<uint32_t> written_by(const Sides& sides) const;

  // Code: emitter.cpp, emit_lanes.cpp, emit_control.cpp
  void emit_entry();
  void emit_begin(uint32_t b);
  void emit_ways_in();
  Way add_way(const char* name);
  const Way& behind(uint32_t b);
  void take(llvm::Value* from, unsigned bytes, int32_t kind, uint32_t index, llvm::Value** different);
  void take_predicate(uint32_t r, llvm::Value** different);
  void take_values(const State& state, const RegisterSet& registers, llvm::Value** different);
  void emit_block(uint32_t b);
  void emit_edge(uint32_t to, const State& state);
  llvm::BasicBlock* edge(uint32_t to, const State& state);
  void emit_instruction(uint32_t i, State& state);
  void emit_lanes(uint32_t i, State& state, llvm::Value* mask = nullptr);
  void emit_sides(uint32_t i, const Block& block, State state, llvm::Value* taken, llvm::Value* active);
  void call_lanes(uint32_t i, const std::string& prefix, std::vector<llvm::Value*> arguments);
  void emit_uniform(uint32_t i, const State& state);
  void emit_wide_check(uint32_t i, const State& state);
  void emit_handler_call(uint32_t i, State& state, bool exchange);
  void emit_branch(uint32_t i, const Block& block, const State& state);
  void emit_end(uint32_t i);
  void emit_join(uint32_t i, const State& state);
  void emit_barrier(uint32_t i, const Block& block, const State& state);
  bool ends_at_barrier(const Block& block) const {
    return block.end != block.begin && kind_[block.end - 1 - function_.begin] == Kind::barrier;
  }
  void leave(uint32_t at, const State& state);
  void flush(const RegisterSet& registers, const State& state);
  void flush(uint32_t r, const State& state);
  llvm::Value* run_handler(const simt::Instr& instr);
  void flush_operands(uint32_t i, const State& state);
  void reload(uint32_t r);
  void add_to(size_t offset, llvm::Value* amount);
  void count(uint32_t until);
  void ensure_mode();

  // Values.
  llvm::Value* row(uint32_t r);       ///< where its lanes are in the vector frame
  llvm::Value* one(uint32_t index);   ///< where its number is in the frame of single values; specials behind registers
  llvm::Value* scratch(unsigned k);   ///< a row behind the frame
  llvm::Value* real_row(uint32_t r);  ///< in the warp's frame
  llvm::Value* at(llvm::Value* pointer, uint64_t bytes);
  llvm::Constant* distances(const Pattern& pattern, unsigned bytes, unsigned first, unsigned count);
  void spread(llvm::Value* to, unsigned bytes, llvm::Value* number, const Pattern& pattern);
  void materialise(const Operand& operand, int32_t kind, llvm::Value* to);
  llvm::Value* number(const Operand& operand, unsigned bytes);
  void store_parts(llvm::Value* to, unsigned bytes, llvm::Value* from, llvm::Value* mask);
  llvm::Value* mask_part(llvm::Value* mask, unsigned first, unsigned count);
  llvm::Value* predicate(const Operand& operand, const State& state);  ///< i32, a bit a lane
  llvm::Value* guard_mask(uint32_t i, const State& state);
  llvm::Value* first_lane();
  llvm::Value* field(llvm::Value* base, size_t offset, llvm::Type* type);
  llvm::CallInst* call(const void* function, llvm::Type* result, std::vector<llvm::Value*> arguments);
  llvm::Value* constant_pointer(const void* p);
  llvm::Type* integer(unsigned bytes) { return build_.getIntNTy(8 * bytes); }

  // Memory: emit_memory.cpp
  /// A load or store of a lane's own words whose place is computed here.
  struct Access {
    bool store = false, is_signed = false, wide = false;
    ptx::Space space = ptx::Space::global;
    bool parameter = false;  ///< of the kernel
    int32_t l1_site = -1;    ///< where it is counted; -1: it is not
    unsigned bytes = 4, elements = 1, register_bytes = 4;
    std::vector<uint32_t> values;  ///< operands
    uint64_t offset = 0;
    Operand base;
  };
  /// @return null, or why the handler does it
  const char* describe(uint32_t i, Access& access) const;
  void emit_access(uint32_t i, State& state);
  void emit_slow_access(uint32_t i, const State& before, const State& after, bool rare);
  /// Accesses of a block that one check is enough for: they go through the same register, and are as wide.
  struct Together {
    ptx::Space space = ptx::Space::global;
    Operand base;
    unsigned bytes = 4;
    bool store = false;
    int64_t least = 0, most = 0;  ///< offsets
    llvm::Value* low = nullptr;   ///< of the least offset and lane: the address, in shared memory the byte
    llvm::Value* fine = nullptr;  ///< whether all lanes may be accessed at all offsets
    bool has(const Access& access) const;
  };
  Together together_with(uint32_t i, const Access& access) const;
  void check_together(uint32_t i, const Access& access, const Pattern& pattern, Together& all);
  void forget_together(uint32_t i);
  llvm::Value* emit_place(uint32_t i, const Access& access, const Pattern& pattern, llvm::Value*& fine);
  bool counts_here(bool guarded) const;
  llvm::Value* emit_count_check(uint32_t i, const Access& access, const Pattern& pattern, llvm::Value* low);
  void emit_count();
  void emit_record(uint32_t i, unsigned bytes, llvm::Value* mask);
  llvm::Value* emit_l1_check(const Access& access, llvm::Value* first, const std::vector<llvm::Value*>& distances);
  llvm::Value* hit_of(uint32_t i);
  std::vector<llvm::Value*> value_rows(const Access& access, const State& state);
  llvm::Value* any_lane(const std::vector<llvm::Value*>& conditions, llvm::Value* mask);
  void emit_l1_count();
  void emit_load(const Access& access, llvm::Value* place, const Pattern& offsets, bool uniform, llvm::Value* mask);
  void emit_store(const Access& access, llvm::Value* place, const Pattern& offsets, const State& state,
                  llvm::Value* active);
  /// @return null, or why the handler does it
  const char* why_no_atomic(uint32_t i);
  unsigned bytes_of_type(uint32_t i) const;
  std::pair<llvm::BasicBlock*, llvm::BasicBlock*> begin_fast(llvm::Value* fine);
  void emit_atomic(uint32_t i, const State& state);
  void emit_update(uint32_t i, llvm::Value* lane, bool varies);
  llvm::Value* load_lanes(llvm::Value* place, const Pattern& offsets, unsigned first, unsigned count, unsigned bytes);

  const simt::NativeRequest& request_;
  const simt::NativeRuntime& runtime_;
  LaneLibrary& lanes_;
  const std::vector<RegisterSet>& live_;
  llvm::Module& module_;
  llvm::IRBuilder<> build_;
  const unsigned vector_bytes_;

  const simt::LoadedProgram& program_;
  const simt::FunctionInfo& function_;
  std::vector<Special> specials_;
  std::vector<Kind> kind_;
  std::vector<const char*> why_;  ///< beside kind_: why the instruction is a call, an exchange or left
  std::vector<simt::NotNative> not_native_;
  Stretch stretch_;
  Patterns patterns_;
  std::vector<State> in_;           ///< by block
  std::vector<RegisterSet> dirty_;  ///< by block: registers that may differ from their rows at its start
  RegisterSet dirty_now_;
  std::map<uint32_t, uint32_t> writer_;    ///< by register: the only instruction that writes it, or ~0u
  std::map<uint64_t, Parameter> assumed_;  ///< by offset: values that are constants to the code
  bool solved_ = false;                    ///< no others are
  uint8_t mode_ = 0;
  bool needs_mode_ = false;

  llvm::Function* code_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  std::vector<llvm::BasicBlock*> block_;
  llvm::SwitchInst* way_in_ = nullptr;
  std::vector<std::pair<uint32_t, uint32_t>> ways_in_;
  std::map<uint32_t, Way> behind_;  ///< by the block behind a barrier
  llvm::Value *warp_ = nullptr, *worker_ = nullptr, *cta_ = nullptr, *base_ = nullptr, *special_base_ = nullptr,
              *cta_special_base_ = nullptr;
  llvm::Value* first_ = nullptr;  ///< number of the first active lane
  llvm::Value *shared_ = nullptr, *shared_bytes_ = nullptr, *own_window_ = nullptr;
  llvm::Value *frame_ = nullptr, *ones_ = nullptr, *active_slot_ = nullptr;
  llvm::Value *lane_places_ = nullptr, *lane_values_ = nullptr;  ///< rows of which lanes are taken one by one
  llvm::Value *sites_ = nullptr, *site_ = nullptr;        ///< counters of shared memory; of the access being emitted
  llvm::Value *l1_sites_ = nullptr, *l1_seen_ = nullptr;  ///< the same of global memory; the access it saw last
  scratchpad::Cost cost_;
  scratchpad::Shape shape_;
  static constexpr const char *kWrapped = "it is checked or counted",
                              *kNotAligned = "addresses no multiple of the width apart",
                              *kOwnHash = "a hash of its own";
  std::vector<Together> together_;  ///< those of the block that hold
  uint32_t block_end_ = 0;          ///< of the block being emitted
  bool in_sides_ = false;
  uint32_t counted_ = 0;  ///< instructions of the block before this one are counted
};

}  // namespace bankshot::jit
