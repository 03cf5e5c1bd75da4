// Files that `bankshot COMMAND` waits for.
#pragma once

#include <string>

#include "bankshot/cuda/process/ledger.hpp"

namespace bankshot::cuda {

/// FOLDER/KIND-<pid>.json, in the folder of the reports. If a file of that name is there already, of a program that
/// this one took the place of (exec) perhaps, it is KIND-<pid>-2.json, and so on.
std::string free_path(const char* kind, const char* ending = ".json");

/// Writes a file into the folder of the reports, whole or not at all: beside its place and renamed. The ledger notes
/// the outcome; if there is none, a failure is reported once on standard error.
void hand_in(Output output, const std::string& path, const std::string& text);

}  // namespace bankshot::cuda
