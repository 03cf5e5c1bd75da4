// Small parts of SVG documents. Colours are those of a light page; a dark one's are in the document's style.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bankshot::report {

constexpr size_t kColours = 8;

/// Coordinates with one decimal: all that can be seen, and the same on every host.
std::string svg_number(double value);
/// XML markup characters are escaped.
std::string svg_escaped(std::string_view text);
/// @param more  attributes, or empty
std::string svg_text(double x, double y, std::string_view text, std::string_view more);
/// The beginning of a group in the colour of a style: currentColor within.
std::string svg_group(size_t style);
/// The marker of a style, at a place. Markers differ in shape, not only in colour. @param hollow  for published values
std::string svg_marker(size_t style, double x, double y, bool hollow);
/// The style element with the colours of a dark page.
std::string svg_themes();

}  // namespace bankshot::report
