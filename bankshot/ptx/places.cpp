#include "bankshot/ptx/places.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "bankshot/support/demangle.hpp"

namespace bankshot::ptx {
namespace {

constexpr uint32_t kMostFiles = 100000;  // more than any real text has
constexpr size_t kMostFrames = 256;      // of a chain: functions that call themselves at compile time can be deep

/// The bytes of a section of `.b8` lists, and where its labels stand.
struct Bytes {
  std::string bytes;
  std::vector<std::pair<std::string, size_t>> labels;
};

/// `label: .b8 95,90,0` …; what is anything else is skipped.
Bytes bytes_of(std::string_view text) {
  Bytes out;
  const auto is_name = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           c == '.';
  };
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (end == at) {
      ++at;
    } else if (end < text.size() && text[end] == ':') {
      out.labels.emplace_back(word, out.bytes.size());
      at = end + 1;
    } else {
      unsigned value = 0;
      const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error == std::errc{} && last == word.data() + word.size()) out.bytes += static_cast<char>(value);
      at = end;
    }
  }
  return out;
}

std::map<std::string, std::string, std::less<>> debug_strings(const Module& module) {
  std::map<std::string, std::string, std::less<>> strings;
  for (const Item& item : module.items) {
    const auto* section = std::get_if<Section>(&item);
    if (section == nullptr || section->name != ".debug_str") continue;
    const Bytes read = bytes_of(section->text);
    strings.try_emplace(section->name, read.bytes);
    for (size_t k = 0; k < read.labels.size(); ++k) {
      const auto& [label, begin] = read.labels[k];
      const size_t end = k + 1 < read.labels.size() ? read.labels[k + 1].second : read.bytes.size();
      strings.try_emplace(label, read.bytes.substr(begin, end - begin));
    }
  }
  return strings;
}

/// The name that a label, or a place behind it, stands for; empty if there is none.
std::string name_at(const std::map<std::string, std::string, std::less<>>& strings, const Inlining& inlining) {
  const auto found = strings.find(inlining.function_label);
  if (found == strings.end()) return {};
  const auto offset = static_cast<uint64_t>(inlining.function_offset);
  if (offset >= found->second.size()) return {};
  return found->second.c_str() + offset;
}

template <class Change>
void change_locations(Block& block, const Change& change) {
  for (Statement& statement : block.statements) {
    if (auto* location = std::get_if<Location>(&statement)) {
      change(*location);
    } else if (auto* inner = std::get_if<std::unique_ptr<Block>>(&statement)) {
      change_locations(**inner, change);
    }
  }
}

}  // namespace

SourceMap::SourceMap(const Module& module, const std::vector<std::string>& roots) : module_(&module) {
  for (const Item& item : module.items) {
    const auto* file = std::get_if<File>(&item);
    if (file == nullptr || file->index > kMostFiles) continue;
    if (files_.size() <= file->index) files_.resize(file->index + 1);
    files_[file->index] = file->name;
  }
  for (const std::string& file : files_) is_library_.push_back(is_library_header(file, roots));
}

const std::string& SourceMap::file(uint32_t number) const {
  static const std::string none;
  return number < files_.size() ? files_[number] : none;
}

uint32_t SourceMap::chain(const std::vector<Frame>& frames) {
  if (frames.size() < 2) return 0;
  const auto [known, is_new] = numbers_.try_emplace(frames, static_cast<uint32_t>(chains_.size()));
  if (is_new) chains_.push_back(frames);
  return known->second;
}

std::vector<SourceFrame> SourceMap::frames(uint32_t chain) const {
  std::vector<SourceFrame> named;
  for (const Frame& frame : chains_[chain]) named.push_back({file(frame.file), frame.line, functions_[frame.function]});
  return named;
}

uint32_t SourceMap::function(const Inlining& inlining) {
  if (inlining.function_label.empty()) return 0;
  const auto [known, is_new] = labels_.try_emplace({inlining.function_label, inlining.function_offset}, 0);
  if (!is_new) return known->second;
  if (!has_strings_) strings_ = debug_strings(*module_);
  has_strings_ = true;
  std::string name = name_at(strings_, inlining);
  if (name.empty() && inlining.function_label.starts_with("_Z")) name = inlining.function_label;  // name_inlined
  if (name.empty()) return 0;
  known->second = static_cast<uint32_t>(functions_.size());
  functions_.push_back(demangle(name));
  return known->second;
}

void SourceMap::finish() {
  module_ = nullptr;
  numbers_.clear();
  labels_.clear();
  strings_.clear();
}

void name_inlined(Module& module) {
  const auto strings = debug_strings(module);
  const auto change = [&](Location& location) {
    if (!location.inlined) return;
    if (std::string name = name_at(strings, *location.inlined); !name.empty()) {
      location.inlined->function_label = std::move(name);
      location.inlined->function_offset = 0;
    }
  };
  for (Item& item : module.items) {
    auto* function = std::get_if<Function>(&item);
    if (function != nullptr && function->body != nullptr) change_locations(*function->body, change);
  }
}

void Places::start(const Block& body) {
  *this = Places(*map_);
  find_first(body);
}

void Places::find_first(const Block& block) {
  for (const Statement& statement : block.statements) {
    if (line != 0) return;
    if (const auto* location = std::get_if<Location>(&statement)) {
      set(*location);
    } else if (const auto* inner = std::get_if<std::unique_ptr<Block>>(&statement)) {
      find_first(**inner);
    }
  }
}

bool Places::is_within(int inner, int outer) const {
  while (inner > outer) inner = seen_[static_cast<size_t>(inner)].caller;  // callers are seen before
  return inner == outer;
}

int Places::find(const Location& location, const std::vector<int>& known) const {
  const auto is_known = [&](int at) { return std::ranges::find(known, at) != known.end(); };
  for (int at = current_; at >= 0; at = seen_[static_cast<size_t>(at)].caller) {
    if (is_known(at)) return at;
  }
  const auto inner = std::find_if(known.rbegin(), known.rend(), [&](int at) { return is_within(at, current_); });
  return inner == known.rend() ? -1 : *inner;
}

int Places::caller_of(const Inlining& call) const {
  const auto place = std::tie(call.file, call.line, call.column);
  for (int at = current_; at >= 0; at = seen_[static_cast<size_t>(at)].caller) {
    const Location& here = *seen_[static_cast<size_t>(at)].location;
    if (place == std::tie(here.file, here.line, here.column)) return at;
  }
  return -1;
}

int Places::find_or_add(const Location& location) {
  std::vector<int>& known = numbers_[&location];
  int at = find(location, known);
  if (at < 0) {
    int caller = location.inlined ? caller_of(*location.inlined) : -1;
    const auto same =
        std::ranges::find_if(known, [&](int k) { return seen_[static_cast<size_t>(k)].caller == caller; });
    if (same != known.end()) {
      at = *same;
    } else if (caller < 0 && !known.empty()) {
      at = known.back();
    } else {
      if (caller < 0 && location.inlined) {
        const Inlining& call = *location.inlined;
        const auto outer = latest_.find({call.file, call.line, call.column});
        if (outer != latest_.end()) caller = outer->second;
      }
      at = static_cast<int>(seen_.size());
      seen_.push_back({&location, caller});
    }
  }
  std::erase(known, at);
  known.push_back(at);
  latest_[{location.file, location.line, location.column}] = at;
  return current_ = at;
}

bool Places::Before::operator()(const Location* a, const Location* b) const {
  const auto place = [](const Location& l) { return std::tie(l.file, l.line, l.column); };
  const auto call = [](const Inlining& i) {
    return std::tie(i.file, i.line, i.column, i.function_label, i.function_offset);
  };
  if (place(*a) != place(*b)) return place(*a) < place(*b);
  if (!a->inlined || !b->inlined) return !a->inlined && b->inlined;
  return call(*a->inlined) < call(*b->inlined);
}

void Places::set(const Location& location) {
  const int here = find_or_add(location);
  if (location.line == 0) return;
  std::vector<Frame> frames{{location.file, location.line}};
  for (int at = here; at >= 0 && frames.size() < kMostFrames; at = seen_[static_cast<size_t>(at)].caller) {
    const std::optional<Inlining>& call = seen_[static_cast<size_t>(at)].location->inlined;
    if (!call) break;
    frames.back().function = map_->function(*call);
    frames.push_back({call->file, call->line});
  }
  const auto own = std::ranges::find_if_not(frames, [&](const Frame& frame) { return map_->is_library(frame.file); });
  const Frame& told = own == frames.end() || own->line == 0 ? frames.front() : *own;
  file = told.file;
  line = told.line;
  chain = map_->chain(frames);
}

}  // namespace bankshot::ptx
