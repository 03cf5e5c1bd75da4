// The order in which modifiers are written. The manual has one; ptxas takes any, and programs make use of that
// ("ld.global.acquire.gpu", "add.f32.rn").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bankshot/simt/rows/row.hpp"

namespace bankshot::simt {

/// The modifiers in the order of the form, as `match` wants them. The words that are part of the instruction's name
/// ("mul.lo", "cp.async.bulk") have to stand in front, and types, state spaces and layouts of matrices in the order of
/// the form, as they would say something else in another: so it is with ptxas 13.0.
/// @return nothing if they are not those of the form
std::optional<std::vector<std::string>> in_order_of(const Form& form, const std::vector<std::string>& written);

/// `match`, whatever the order. @return false if they do not fit
bool match_in_any_order(const Form& form, const std::vector<std::string>& written, Match& out);

/// Whether a modifier may stand in the form at all.
bool has_modifier(const Form& form, const std::string& modifier);

}  // namespace bankshot::simt
