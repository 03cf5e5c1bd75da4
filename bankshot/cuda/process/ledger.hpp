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
enum class Paper { report, timeline, witness, module };

/// A process. When all entries are taken the last one is shared by the processes that follow.
struct LedgerEntry {
  int32_t pid = 0;
  uint32_t begun = 0;             ///< 1 from its first launch on
  uint32_t reported = 0;          ///< 1 once its report was written, maybe not for the last time
  std::array<int32_t, 4> lost{};  ///< by Paper: errno of its last writing, 0 if that was good

  int lost_to(Paper paper) const { return lost[static_cast<size_t>(paper)]; }
};

/// Makes the file, with all of its blocks. The error is strerror's text.
std::optional<Error> make_ledger(const std::string& folder);

/// The entries in use. An error if the file is gone or is none.
Result<std::vector<LedgerEntry>> read_ledger(const std::string& folder);

/// These write into the entry of this process, in the ledger of process_request().report_folder.
/// @return false if there is none
bool note_begun();
bool note_handed_in(Paper paper);
bool note_lost(Paper paper, int error);

}  // namespace bankshot::cuda
