// The forms of the instruction table as the generator sees them: how each can be spelled, and which were reached.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bankshot/ptx/module.hpp"
#include "bankshot/simt/rows/row.hpp"

namespace bankshot::differential {

/// One way to write an instruction on registers that engine and reference both know.
struct Spelling {
  std::string name;  ///< "add.sat.s32"
  std::string opcode;
  std::vector<ptx::Type> targets;  ///< `d|p` is two
  std::vector<ptx::Type> sources;  ///< none: a literal
};

class Forms {
 public:
  Forms();
  /// The spellings of each form on registers; not carries, which come in chains.
  const std::vector<std::vector<Spelling>>& spellings() const { return spellings_; }
  /// Notes which rows the instructions of a module are.
  void note(const ptx::Module& module);
  /// Takes over what another has noted.
  void add(const Forms& other) { reached_.insert(other.reached_.begin(), other.reached_.end()); }
  size_t reached() const { return reached_.size(); }
  size_t rows() const { return forms_.size(); }
  /// One line a row: reached ones, or the others.
  std::string list(bool those_reached) const;

 private:
  void note(const ptx::Block& block);
  std::vector<simt::Form> forms_;
  std::vector<std::vector<Spelling>> spellings_;
  std::map<std::string, std::vector<size_t>> rows_of_;  ///< by opcode
  std::map<std::string, size_t> known_;                 ///< by name and number of operands
  std::set<size_t> reached_;
};

}  // namespace bankshot::differential
