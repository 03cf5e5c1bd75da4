// What PTX has and the engine has not: what to say of it. docs/ptx.md, "Not yet", lists the same.
#pragma once

#include <string>
#include <string_view>

namespace bankshot::simt {

struct Refusal {
  std::string message, remedy;
};
/// Of a modifier that no form of the opcode has. @param first_form  one that runs
Refusal refuse_modifier(std::string_view opcode, std::string_view modifier, std::string_view first_form);

}  // namespace bankshot::simt
