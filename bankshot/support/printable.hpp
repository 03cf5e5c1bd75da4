// Text that others have chosen, as a terminal can be given it.
#pragma once

#include <string>
#include <string_view>

namespace bankshot {

/// Replaces control characters (also U+0080 to U+009F in UTF-8) by '?', tabs by blanks. @param lines  newlines stay
std::string printable(std::string_view text, bool lines = false);

}  // namespace bankshot
