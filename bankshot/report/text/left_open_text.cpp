#include "bankshot/report/text/left_open_text.hpp"

#include "bankshot/report/text/site_text.hpp"

namespace bankshot::report {

std::string left_open_text(const simt::LeftOpenPlace& place) {
  return place_text(place.source) + (place.what == simt::LeftOpen::unnamed_lane
                                         ? ": lanes vote, match or reduce although the membermask does not name them"
                                         : ": lanes shuffle from inactive lanes");
}

}  // namespace bankshot::report
