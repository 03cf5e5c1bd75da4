// Text that others have chosen, as a terminal can be given it.
#pragma once

#include <string>
#include <string_view>

namespace bankshot {

/// Control characters, those of Unicode as UTF-8 too, become '?', tabs blanks. @param lines  newlines stay
std::string printable(std::string_view text, bool lines = false);

}  // namespace bankshot
