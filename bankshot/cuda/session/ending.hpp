// The end of the process.
#pragma once

namespace bankshot::cuda {

/// Writes the report whole, as the process ends in good order. Nothing if another thread is in a call: its launch does
/// not count, and the file says so.
void finish_report();

}  // namespace bankshot::cuda
