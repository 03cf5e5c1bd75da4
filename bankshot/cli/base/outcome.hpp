// The outcome of a run, as commands that run a program report it on standard error.
#pragma once

#include <string>
#include <vector>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/host/observe.hpp"

namespace bankshot::cli {

/// Says what is missing from the report of a run.
/// @return kBadInput if something was lost, so that there must be no verdict; kProgramFailed if a process did not
/// finish; kDone if nothing is missing
Status say_what_is_missing(const host::Observation& seen);

/// Reports how a program ended, unless it succeeded.
void say_how_it_ended(const host::Target& target, const host::Ending& ending);

/// What say_what_is_missing and say_how_it_ended say, for a report that is read later: a sentence each.
std::vector<std::string> incomplete(const host::Target& target, const host::Observation& seen);

/// Reports launches that failed, or that were interrupted in a program that went on. @return whether there were any
bool say_failed_launches(const report::RunReport& report);

}  // namespace bankshot::cli
