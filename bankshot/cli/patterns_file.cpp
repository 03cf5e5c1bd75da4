#include "bankshot/cli/patterns_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

#include "bankshot/cli/command.hpp"
#include "bankshot/cli/output.hpp"
#include "bankshot/cli/write_file.hpp"
#include "bankshot/report/patterns_json.hpp"

namespace bankshot::cli {

Result<scratchpad::PatternSet> read_patterns(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
  } else {
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    in.peek();  // a folder opens but cannot be read
    if (!in && !in.eof()) return Error{path + " cannot be read: " + std::strerror(errno != 0 ? errno : EISDIR)};
    if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  }
  Result<scratchpad::PatternSet> set = report::patterns_from_json(text.str());
  if (!set) return Error{(path == "-" ? "standard input" : path) + ": " + set.error().message};
  return set;
}

int deliver(const std::string& file, const std::string& json, const std::string& text) {
  if (!file.empty() && file != "-") {
    if (const auto error = write_file(file, json)) return refuse(error->message);
  }
  print(file == "-" ? json : text);
  flush_output();
  return kDone;
}

}  // namespace bankshot::cli
