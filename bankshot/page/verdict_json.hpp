// The verdict of a run as a part of the page's document.
#pragma once

#include <nlohmann/json.hpp>

#include "bankshot/formats/verdict.hpp"

namespace bankshot::page {

/// Member `verdict` of bankshot/page/1: each limit as kept or exceeded, and every gap. With gaps, a limit that is not
/// exceeded has no verdict. The errors of a check are a limit of the whole program.
nlohmann::ordered_json verdict_json(const formats::Run& run);

}  // namespace bankshot::page
