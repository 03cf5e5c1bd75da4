#include "bankshot/report/text/left_open_text.hpp"

#include "bankshot/report/text/site_text.hpp"

namespace bankshot::report {

std::string left_open_text(const simt::LeftOpenPlace& place) {
  return place_text(place.source) + (place.what == simt::LeftOpen::unnamed_lane
                                         ? ": lanes vote, match or reduce whose membermask does not name them"
                                         : ": lanes shuffle from lanes that are off");
}

}  // namespace bankshot::report
