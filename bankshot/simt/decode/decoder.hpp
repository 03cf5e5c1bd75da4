// The decoder proper: one object a function, on top of what the module knows.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "bankshot/ptx/flow.hpp"
#include "bankshot/ptx/places.hpp"
#include "bankshot/ptx/shared_layout.hpp"
#include "bankshot/simt/checks/checks.hpp"
#include "bankshot/simt/decode/liveness.hpp"
#include "bankshot/simt/rows/lowering.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// What all functions of a module share while it is decoded.
struct ModuleContext {
  const ptx::Module* module = nullptr;
  const ptx::SharedLayout* layout = nullptr;
  LoadedProgram* program = nullptr;
  Diagnostics* diagnostics = nullptr;
  const std::unordered_map<std::string, std::vector<const Form*>>* forms = nullptr;
  std::unordered_map<std::string, Symbol> symbols;              ///< module scope
  std::map<std::pair<uint64_t, unsigned>, uint32_t> constants;  ///< (bits, bytes) -> row
  std::map<std::string, uint32_t> specials;                     ///< name -> row
  std::unordered_map<std::string, uint16_t> texts;
  Windows windows;
  bool has_clusters = false;  ///< launches may have them
  uint64_t parameters = 0;    ///< generic address of the kernel parameters
  /// Static and dynamic shared memory of a function.
  struct Shared {
    ptx::SharedLayout::Kernel layout;
    uint32_t dynamic_base = 0;
  };
  std::vector<Shared> shared;  ///< by function
  unsigned warp_size = 32;
  bool has_transactions = false;              ///< a body has a pragma of ours
  std::vector<CheckedOp>* checked = nullptr;  ///< beside the code, if it is to be checked
  bool counts_global = false;                 ///< accesses of global memory are counted
};

class FunctionDecoder final : public Decoder {
 public:
  FunctionDecoder(ModuleContext& context, const ptx::Function& function, uint32_t index);

  /// Appends the function's code to the program and fills its FunctionInfo.
  void decode();

  bool error(Position position, std::string message, std::string remedy = {}) override;
  uint32_t destination(const ptx::Operand& operand, ptx::Type type, bool wider_ok, ptx::Type* actual) override;
  uint32_t source(const ptx::Operand& operand, ptx::Type type, bool wider_ok, ptx::Type* actual) override;
  uint32_t predicate_source(const ptx::Operand& operand) override;
  uint32_t predicate_destination(const ptx::Operand& operand) override;
  uint32_t unread_row(ptx::Type type) override { return allocate_register(type, 1); }
  uint32_t constant(uint64_t bits, unsigned bytes) override;
  uint32_t constant_predicate(bool value) override;
  bool address(const ptx::Operand& operand, ptx::Space space, Address& out) override;
  bool literal(const ptx::Operand& operand, int64_t& out) override;
  const Symbol* find(std::string_view name) const override;
  bool named_again(const ptx::Operand& operand) const override;
  bool jumps_to(const ptx::Operand& label) override;
  bool jumps_by_table(const ptx::Operand& table) override;
  void jumps_to_end() override;
  void never_falls_through() override;
  bool calls(const ptx::Instruction& instruction, Instr& out) override;
  void cta_communication(const ptx::Instruction& instruction, std::string_view why) override;
  void cta_reduction(const ptx::Instruction& instruction, const std::string& operation) override;
  LoadedProgram& program() override { return *context_.program; }
  uint32_t new_site(unsigned width) override;
  uint32_t special(const ptx::Operand& operand, unsigned& bytes) override;
  uint64_t window(ptx::Space space) const override;
  uint32_t function() const override { return index_; }
  bool has_transactions() const override { return context_.has_transactions; }

 private:
  /// An instruction before the labels are numbered.
  struct Item {
    Instr instr;
    InstrInfo info;
    FlowNode flow;               ///< targets are label numbers until place_labels()
    bool ends_function = false;  ///< jumps to the end
    bool join_behind = false;    ///< wants a join behind it (indirect call)
    int32_t site = -1;
    int32_t table = -1;                   ///< index of its list of branch targets
    int32_t call = -1;                    ///< index of what it calls
    const Row* row = nullptr;             ///< of the table; none of what the decoder adds
    CheckedOp checked;                    ///< what there is to check, if anything is
    std::vector<uint32_t> reads, writes;  ///< registers, as numbers of `registers_`
  };
  struct Scope {
    std::unordered_map<std::string, Symbol> symbols;
  };

  void declare_parameters();
  void declare_module_shared();
  void place_dynamic(Symbol& symbol);
  uint32_t shared_row(std::string_view name, uint64_t offset, unsigned bytes);
  void declare(const ptx::Variable& variable);
  void declare_register(const ptx::Variable& variable);
  void collect_names(const ptx::Block& block);
  const uint32_t* find_label(const std::string& name) const;
  void count_names(const ptx::Operand& operand);
  void decode_block(const ptx::Block& block);
  void decode_instruction(const ptx::Instruction& instruction);
  void decode_pragma(const ptx::Pragma& pragma);
  bool lower(const ptx::Instruction& instruction, Instr& out);
  Handler choose(const ptx::Instruction& instruction, Match& m, const Form*& form);
  /// Notes down what a timing model wants to know of an instruction that was lowered.
  void fill_info(const ptx::Instruction& instruction, const Match& m, const Row& row, const Instr& out);
  void branch_around(const ptx::Instruction& instruction);
  bool parameter_list(const ptx::Operand& list, bool results, std::vector<CopiedParam>& out);
  uint32_t allocate_register(ptx::Type type, unsigned vector);
  uint32_t register_number(uint32_t op) const;
  void follow_registers(const std::vector<FlowNode>& nodes);
  void count_global(Item& item);
  void note_uses(Item& item);
  void note_early_uses(const std::vector<FlowNode>& nodes, const std::vector<uint32_t>& place_of);
  void note_transactions(const std::vector<FlowNode>& nodes);
  const Symbol* find_predicate(const ptx::Operand& operand) const;
  Item new_item(Position position, const std::string& text);
  uint16_t text_index(const std::string& text);
  void place();

  ModuleContext& context_;
  const ptx::Function& function_;
  uint32_t index_;
  FunctionInfo info_;
  std::vector<Item> items_;
  Item* item_ = nullptr;  ///< the one being lowered
  std::deque<Scope> scopes_;
  /// Labels and branch tables of one block; seen inside it only, so that a text inlined twice keeps its own.
  struct BlockNames {
    std::unordered_map<std::string, uint32_t> labels;  ///< name -> number
    std::unordered_map<std::string, const ptx::Targets*> tables;
  };
  std::unordered_map<const ptx::Block*, BlockNames> block_names_;
  std::vector<const BlockNames*> open_blocks_;  ///< outermost first
  uint32_t label_count_ = 0;
  std::unordered_map<std::string, uint32_t> names_;  ///< how often each name is an operand
  std::vector<uint32_t> label_item_;                 ///< label number -> item it stands before
  ptx::Places places_;                               ///< of the instructions being decoded
  std::vector<FunctionInfo::Register> registers_;    ///< by offset
  uint32_t register_bytes_ = 0, local_bytes_ = 0;
};

/// Decodes a parsed module. @param parameters  generic address of the kernel parameters
/// @param checked  whether its instructions are run by Checks
/// @param counts_global  whether accesses of global memory are counted
/// @return false after errors; what was allocated for it belongs to `program`
bool decode(const ptx::Module& module, const Rows& rows, const Windows& windows, uint64_t parameters,
            unsigned warp_size, LoadedProgram& program, Diagnostics& diagnostics, bool checked = false,
            bool counts_global = false);

/// A special register that is a predicate.
inline constexpr std::string_view kIsExplicitCluster = "%is_explicit_cluster";

/// Fills ModuleContext::shared.
void lay_out_shared(ModuleContext& context, const std::vector<const ptx::Function*>& bodies);

/// Allocates and initialises module-scope variables.
void declare_globals(ModuleContext& context);

}  // namespace bankshot::simt
