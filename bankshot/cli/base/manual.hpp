// Manual pages, made from the definitions of the commands.
#pragma once

#include <string>

#include <CLI/App.hpp>

namespace bankshot::cli {

/// bankshot(1), in the man macros of troff. @param app  the program with all its commands
std::string manual_page(const CLI::App& app);
/// The page of a command, bankshot-COMMAND(1). @param usage  what follows "bankshot COMMAND", e.g. "[OPTIONS] [GPU]"
std::string manual_page(const CLI::App& command, const std::string& usage);

}  // namespace bankshot::cli
