#include "bankshot/jit/lane_library.hpp"

namespace bankshot::simt::jit {
void lane_rows(Rows& rows);  // lanes/lanes.cpp
}

extern "C" const void* const bankshot_lane_handlers[];  // made by lanes/lane_code.cpp

namespace bankshot::jit {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('.', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

LaneLibrary::LaneLibrary(const std::function<bool(const std::string&)>& has) {
  simt::jit::lane_rows(rows_);
  for (size_t k = 0; k < rows_.size(); ++k) {
    forms_.push_back(simt::parse_form(rows_[k]));
    by_syntax_[{rows_[k].syntax, rows_[k].sets}] = k;
  }
  for (const void* const* entry = bankshot_lane_handlers; *entry != nullptr; entry += 2) {
    const std::string name = static_cast<const char*>(entry[1]);
    if (has(name)) names_[reinterpret_cast<simt::Handler>(const_cast<void*>(entry[0]))] = name;
  }
}

const std::string* LaneLibrary::find(const simt::Row& row, const std::string& text) {
  const auto [at, added] = found_.try_emplace({&row, text}, nullptr);
  if (added) at->second = look_up(row, text);
  return at->second;
}

const std::string* LaneLibrary::look_up(const simt::Row& row, std::string_view text) const {
  const auto at = by_syntax_.find({row.syntax, row.sets});
  if (at == by_syntax_.end()) return nullptr;
  std::vector<std::string> words = words_of(text);
  words.erase(words.begin());
  simt::Match match;
  if (!simt::match(forms_[at->second], words, match)) return nullptr;
  const simt::Handler handler = rows_[at->second].select(match);
  const auto name = names_.find(handler);
  return name == names_.end() ? nullptr : &name->second;
}

}  // namespace bankshot::jit
