// Names of C++ functions.
#pragma once

#include <string>
#include <string_view>

namespace bankshot {

/// "scale(float*, int)" of "_Z5scalePfi"; the name itself if it is not a C++ name.
std::string demangle(std::string_view name);

}  // namespace bankshot
