// The picture of the worst access of a site as data: which lane each bank serves in each pass.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bankshot/report/run/run_report.hpp"

namespace bankshot::page {

/// {"says": "bank 31 must deliver 32 different words; …", "phases": [{"lanes": "0-31", "passes": ["0..1", …]}]}
/// A pass is a character for each bank (and port): the letter of a lane as in report::lane_letter, "*" for several
/// lanes on one word, "." for an idle bank. Null if no access was counted.
nlohmann::ordered_json access_passes(const report::Site& site, const scratchpad::Rules& rules);

}  // namespace bankshot::page
