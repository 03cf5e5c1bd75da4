// Messages of the libraries to the user of the program they run in: one line each on standard error.
#pragma once

#include <string_view>

namespace bankshot::cuda {

/// "bankshot: text" and a newline, in one write so that lines of several threads do not mix.
void say(std::string_view text);

/// The same, but once a process for each `key`.
void say_once(std::string_view key, std::string_view text);

}  // namespace bankshot::cuda
