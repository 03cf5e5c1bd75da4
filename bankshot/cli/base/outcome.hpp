// How a run came out: what commands that run a program say of it on standard error.
#pragma once

#include "bankshot/cli/base/command.hpp"
#include "bankshot/host/observe.hpp"

namespace bankshot::cli {

/// Says what is missing from the report of a run.
/// @return kBadInput if something was lost, then there must be no verdict; kProgramFailed if a process did not
/// come to its end; kDone if nothing is missing
Status say_what_is_missing(const host::Observation& seen);

/// Says how a program ended that did not end well.
void say_how_it_ended(const host::Target& target, const host::Ending& ending);

/// Says that launches failed, if any did. @return whether so
bool say_failed_launches(const report::RunReport& report);

}  // namespace bankshot::cli
