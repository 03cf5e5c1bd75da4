// Launches that fail: told on standard error and noted in the report, so that nobody takes what is left for all.
#pragma once

#include <string_view>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/session/session.hpp"

namespace bankshot::cuda {

/// Whether a failure still has to be told on standard error; the report has it in any case.
enum class Telling : bool { told_already, tell };

/// Notes a launch that failed. It is told once for each kernel and reason, and a kernel's first few reasons only.
/// @param kernel  mangled, empty if it is not known @param reason  its first line is taken
/// @return status, for the caller to return
Status launch_failed(Session& session, std::string_view kernel, Status status, std::string_view reason,
                     Telling telling = Telling::tell);

/// Takes the session's lock. A function that is not there: if it would have launched something, that failed.
void not_there(const char* function);

/// "kernel scale(float*, int)" or "a kernel that is not known"
std::string name_in_messages(std::string_view kernel);

}  // namespace bankshot::cuda
