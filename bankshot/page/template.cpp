#include "bankshot/page/template.hpp"

#include <cassert>

// BANKSHOT_PAGE is the built page: web/report/CMakeLists.txt.
asm(".section .rodata\n"
    ".balign 16\n"
    ".local bankshot_page_begin\n"
    ".local bankshot_page_end\n"
    "bankshot_page_begin:\n"
    ".incbin \"" BANKSHOT_PAGE
    "\"\n"
    "bankshot_page_end:\n"
    ".previous\n");
extern "C" const char bankshot_page_begin[], bankshot_page_end[];

namespace bankshot::page {

std::string without_markup(std::string_view json) {
  std::string text;
  text.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string in_template(std::string_view document) {
  constexpr std::string_view kPlace = "@DOCUMENT@";
  const std::string_view page(bankshot_page_begin, static_cast<size_t>(bankshot_page_end - bankshot_page_begin));
  const size_t place = page.find(kPlace);
  assert(place != std::string_view::npos && "web/report/page.html has a place for the document");
  std::string text;
  text.reserve(page.size() + document.size());
  text += page.substr(0, place);
  text += document;
  text += page.substr(place + kPlace.size());
  return text;
}

}  // namespace bankshot::page
