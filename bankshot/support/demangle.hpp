// Names of functions as in the source.
#pragma once

#include <string>
#include <string_view>

namespace bankshot {

/// "scale(float*, int)" of "_Z5scalePfi"; the name in Python of a function that Numba compiled; the name itself if it
/// is neither.
std::string demangle(std::string_view name);

}  // namespace bankshot
