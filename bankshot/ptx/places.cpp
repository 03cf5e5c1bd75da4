#include "bankshot/ptx/places.hpp"

namespace bankshot::ptx {

std::vector<std::string> files_of(const Module& module) {
  std::vector<std::string> files;
  constexpr uint32_t kMost = 100000;  // more files than any real text has
  for (const Item& item : module.items) {
    const auto* file = std::get_if<File>(&item);
    if (file == nullptr || file->index > kMost) continue;
    if (files.size() <= file->index) files.resize(file->index + 1);
    files[file->index] = file->name;
  }
  return files;
}

void Places::start(const Block& body, const std::vector<std::string>& files) {
  *this = {};
  find_first(body, files);
}

void Places::find_first(const Block& block, const std::vector<std::string>& files) {
  for (const Statement& statement : block.statements) {
    if (line != 0) return;
    if (const auto* location = std::get_if<Location>(&statement)) {
      set(*location, files);
    } else if (const auto* inner = std::get_if<std::unique_ptr<Block>>(&statement)) {
      find_first(**inner, files);
    }
  }
}

void Places::set(const Location& location, const std::vector<std::string>& files) {
  const auto is_headers = [&](uint32_t number) {
    if (number >= files.size()) return false;
    const std::string& file = files[number];
    const bool toolkits = file.find("/cuda") != std::string::npos && file.find("/include/") != std::string::npos;
    return toolkits || file.find("include/bankshot/") != std::string::npos;
  };
  seen_[{location.file, location.line, location.column}] = &location;
  uint32_t told_file = location.file, told_line = location.line;
  const Location* at = &location;
  constexpr int kDeepest = 64;  // a chain that goes round is no chain
  for (int depth = 0; depth < kDeepest && at->inlined && is_headers(told_file); ++depth) {
    const auto& call = *at->inlined;
    told_file = call.file;
    told_line = call.line;
    const auto outer = seen_.find({call.file, call.line, call.column});
    if (outer == seen_.end()) break;
    at = outer->second;
  }
  if (told_line == 0) return;
  file = told_file;
  line = told_line;
}

}  // namespace bankshot::ptx
