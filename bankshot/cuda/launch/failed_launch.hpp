// Failed launches: told on standard error and noted in the report, so that nobody takes an incomplete report for
// complete.
#pragma once

#include <string_view>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/session/session.hpp"

namespace bankshot::cuda {

/// Whether a failure must still be reported on standard error. The report has it in any case.
enum class Telling : bool { told_already, tell };

/// Notes a failed launch. Each kernel and reason is reported once, and only the first few reasons of a kernel.
/// @param kernel  mangled, empty if unknown @param reason  only the first line is used
/// @return `status`
Status launch_failed(Session& session, std::string_view kernel, Status status, std::string_view reason,
                     Telling telling = Telling::tell);

/// Notes a call of an unsupported function as a failed launch if it would have launched a kernel. Takes the session's
/// lock.
void not_there(const char* function);

/// "kernel scale(float*, int)" or "a kernel that is not known"
std::string name_in_messages(std::string_view kernel);

}  // namespace bankshot::cuda
