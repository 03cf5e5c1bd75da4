// What is wrong with a command line, for its user.
#pragma once

#include <string>

#include <CLI/App.hpp>
#include <CLI/Error.hpp>

namespace bankshot::cli {

/// CLI11's finding as a sentence: which argument, what it is, an example from the help, and how to get that.
/// @param app  the program, after it failed to parse
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace bankshot::cli
