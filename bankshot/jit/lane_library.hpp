// The functions of operands that instructions are, by their rows.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bankshot/simt/rows/row.hpp"

namespace bankshot::jit {

class LaneLibrary {
 public:
  /// @param has  whether there is a function of this name, without prefix
  explicit LaneLibrary(const std::function<bool(const std::string&)>& has);
  /// The name of the function, without its prefix, of an instruction of a row. @param text  opcode and modifiers, as
  /// LoadedProgram::texts
  /// @return null if the row does more than lane arithmetic
  const std::string* find(const simt::Row& row, const std::string& text);

 private:
  const std::string* look_up(const simt::Row& row, std::string_view text) const;

  simt::Rows rows_;
  std::vector<simt::Form> forms_;
  std::map<std::pair<std::string_view, std::string_view>, size_t> by_syntax_;  ///< syntax and sets
  std::unordered_map<simt::Handler, std::string> names_;
  std::map<std::pair<const simt::Row*, std::string>, const std::string*> found_;
};

/// The words of an instruction's text between its dots: opcode first.
std::vector<std::string> words_of(std::string_view text);

}  // namespace bankshot::jit
