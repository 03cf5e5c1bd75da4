// What shells complete, made from the definitions of the commands.
#pragma once

#include <string>

#include <CLI/App.hpp>

namespace bankshot::cli {

/// A script that a shell reads. @param app  the program with all its commands @param shell  bash, zsh or fish
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace bankshot::cli
