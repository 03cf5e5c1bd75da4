#include "bankshot/simt/rows/row.hpp"

#include <algorithm>

namespace bankshot::simt {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    begin = end + 1;
  }
  return parts;
}

/// The choices of a named set; a name that is no set stands for itself.
std::vector<std::string> choices_of(std::string_view name, std::string_view sets) {
  for (const std::string& set : split(sets, ';')) {
    const size_t equals = set.find('=');
    if (equals == std::string::npos) continue;
    std::vector<std::string> key = split(std::string_view(set).substr(0, equals), ' ');
    if (!key.empty() && key[0] == name) return split(std::string_view(set).substr(equals + 1), ' ');
  }
  if (name == "rnd") return {"rn", "rz", "rm", "rp"};
  return {std::string(name)};
}

/// What is optional together stands or falls together: `{.xorsign.abs}` is one modifier with one choice.
void add_modifiers(std::string_view text, bool optional, std::string_view sets, Form& form) {
  if (!text.empty() && text.front() == '.') text.remove_prefix(1);
  if (optional && text.find('.') != std::string_view::npos) {
    form.modifiers.push_back({optional, std::string(text), {std::string(text)}});
    return;
  }
  for (const std::string& name : split(text, '.')) {
    form.modifiers.push_back({optional, name, choices_of(name, sets)});
  }
}

/// How many of the modifiers written from `next` on the choice is; 0 if it is not there.
size_t written(const std::string& choice, const std::vector<std::string>& modifiers, size_t next) {
  if (choice.find('.') == std::string::npos) return next < modifiers.size() && modifiers[next] == choice ? 1 : 0;
  size_t count = 0;
  for (const std::string& name : split(choice, '.')) {
    if (next + count >= modifiers.size() || modifiers[next + count] != name) return 0;
    ++count;
  }
  return count;
}

}  // namespace

bool Match::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string_view Match::which(std::initializer_list<std::string_view> choices) const {
  for (std::string_view choice : choices) {
    if (has(choice)) return choice;
  }
  return {};
}

Form parse_form(const Row& row) {
  Form form;
  form.row = &row;
  const std::string_view syntax = row.syntax;
  const size_t space = std::min(syntax.find(' '), syntax.size());
  std::string_view head = syntax.substr(0, space);
  const size_t opcode_end = std::min(head.find_first_of(".{"), head.size());
  form.opcode = head.substr(0, opcode_end);
  head.remove_prefix(opcode_end);
  while (!head.empty()) {
    const bool optional = head.front() == '{';
    const size_t end = optional ? head.find('}') : std::min(head.find('{'), head.size());
    add_modifiers(head.substr(optional ? 1 : 0, end - (optional ? 1 : 0)), optional, row.sets, form);
    head.remove_prefix(std::min(optional ? end + 1 : end, head.size()));
  }
  if (space < syntax.size()) {
    for (const std::string& slot : split(syntax.substr(space + 1), ',')) {
      const size_t colon = slot.find(':');
      Form::Slot out{slot.substr(0, colon), colon == std::string::npos ? "" : slot.substr(colon + 1)};
      if (out.type.empty() && (out.name == "p" || out.name == "q")) out.type = "pred";
      form.slots.push_back(std::move(out));
    }
  }
  return form;
}

bool match(const Form& form, const std::vector<std::string>& modifiers, Match& out) {
  out = {};
  size_t next = 0;
  for (const Form::Modifier& modifier : form.modifiers) {
    size_t count = 0;
    for (auto choice = modifier.choices.begin(); choice != modifier.choices.end() && count == 0; ++choice) {
      count = written(*choice, modifiers, next);
    }
    if (count == 0 && !modifier.optional) return false;
    for (; count > 0; --count) {
      if (ptx::Type type = ptx::type_named(modifiers[next]); type != ptx::Type::none) {
        (out.type == ptx::Type::none ? out.type : out.type2) = type;
      }
      out.modifiers.push_back(modifiers[next++]);
    }
  }
  if (next != modifiers.size()) return false;
  out.access = ptx::access_of(form.opcode, modifiers);
  return true;
}

}  // namespace bankshot::simt
