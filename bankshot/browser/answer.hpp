// Questions about accesses to shared memory, as a web page asks them.
#pragma once

#include <string>
#include <string_view>

namespace bankshot::browser {

/// @param question  an object whose `operation` is "access", "hash", "hash_classes", "search" or "padding"; the other
///                  members are described in web/scratchpad.js
/// @return          an object; of a question that cannot be answered one with `error`, a sentence. Any bytes are
/// allowed
std::string answer(std::string_view question);

}  // namespace bankshot::browser
