// What a program relied on though PTX leaves it open.
#pragma once

#include <string>

#include "bankshot/simt/state/left_open.hpp"

namespace bankshot::report {

/// "vote.cu:9: lanes vote, match or reduce whose membermask does not name them"
std::string left_open_text(const simt::LeftOpenPlace& place);

}  // namespace bankshot::report
