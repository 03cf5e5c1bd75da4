// A report as one HTML file: the page of web/report, with everything that it shows in one JSON document inside it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/source_lines.hpp"

namespace bankshot::page {

/// What a page is made of. All text in it may come from a program that nobody trusts.
struct Contents {
  std::string command;                                 ///< "explain"
  std::vector<std::string> arguments = {};             ///< the command line, "bankshot" first
  std::string version = {};                            ///< of Bankshot
  std::string date = {};                               ///< of the report, in UTC
  report::SourcePolicy sources = {};                   ///< which files may be quoted
  std::vector<std::string> notes = {};                 ///< what is missing and how the program ended, a sentence each
  std::string json = {};                               ///< the report, in the command's own form
  std::vector<const report::RunReport*> reports = {};  ///< the same as data; several in a comparison
  std::map<std::string, std::string> ptx = {};         ///< of its modules, by digest
};

/// The document in the page, schema bankshot/page/1: docs/json.md. Reads the sources that the report names, through
/// report::SourceLines. No "<" is in it, so no text can end the element that it is in.
std::string document(const Contents& contents);

/// The whole file. It loads nothing and runs no script but its own.
std::string to_html(const Contents& contents);

}  // namespace bankshot::page
