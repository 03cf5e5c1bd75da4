// Which processes of a program used the GPU, and what of theirs was lost: a file of fixed size in the folder of the
// reports. It is reserved before the program starts, so that on a full disk a process can still tell that it is full.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::cuda {

/// What a process hands in, each a file in the folder.
enum class Output { report, timeline, witness, module, launch };

/// A process, or in the last entry all processes that found the others taken.
struct LedgerEntry {
  int32_t pid = 0;        ///< of the last process that took it
  uint32_t begun = 0;     ///< processes that used the GPU
  uint32_t reported = 0;  ///< those of them whose report was written, maybe not for the last time
  /// By Output: errno of its last writing, 0 if that was good. In the last entry an error stays.
  std::array<int32_t, 5> lost{};

  int lost_to(Output output) const { return lost[static_cast<size_t>(output)]; }
};

/// Makes the file, with all of its blocks. The error is strerror's text.
std::optional<Error> make_ledger(const std::string& folder);

/// The entries in use. An error if the file is gone or is none.
Result<std::vector<LedgerEntry>> read_ledger(const std::string& folder);

/// Opens the ledger of a folder for this process, which takes a new entry with its first note. Nothing if the name is
/// empty. Session::describe() does so, that no process uses the GPU without a note of it.
std::optional<Error> open_ledger(const std::string& folder);

/// These write into the entry of this process; a process that has not opened the ledger of
/// process_request().report_folder does so.
void note_begun();
void note_handed_in(Output output);
/// @return false if there is no ledger
bool note_lost(Output output, int error);

}  // namespace bankshot::cuda
