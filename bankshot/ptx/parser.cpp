// Module-level directives. Source: PTX ISA manual, §11.1 (module directives), §11.6 (linking directives).
#include "bankshot/ptx/parser.hpp"

#include <algorithm>
#include <array>

#include "bankshot/ptx/grammar.hpp"
#include "bankshot/ptx/old_target.hpp"

namespace bankshot::ptx {
namespace {

/// 9 is the newest today. Later versions add instructions, which are refused by name; far beyond is a typing error.
constexpr uint32_t kMostMajorVersion = 19;

/// .version 9.0, the word already taken
bool parse_version(Cursor& cursor, Module& out) {
  const Position position = cursor.position();
  const std::string_view text = cursor.at(TokenKind::number) ? cursor.text() : std::string_view();
  const size_t dot = text.find('.');
  const auto number = [](std::string_view digits, uint32_t& value) {
    const bool is_number = !digits.empty() && digits.size() < 5 &&
                           std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (is_number) value = static_cast<uint32_t>(std::stoul(std::string(digits)));
    return is_number;
  };
  uint32_t major = 0, minor = 0;
  const bool is_version =
      dot != std::string_view::npos && number(text.substr(0, dot), major) && number(text.substr(dot + 1), minor);
  if (!is_version || major == 0) {
    return cursor.fail("the version of PTX as major.minor", "write for example .version 8.0");
  }
  if (major > kMostMajorVersion)
    return cursor.fail_at(position, "there is no PTX " + std::string(text), "write for example .version 8.0");
  if (out.version_major != 0 && (out.version_major != major || out.version_minor != minor)) {
    return cursor.fail_at(position, "a second .version that differs from the first", "keep one of them");
  }
  out.version_major = major;
  out.version_minor = minor;
  cursor.take();
  return true;
}

/// sm_75, sm_90a, compute_100f, or one of the words that PTX ISA 9.0 has in "PTX Module Directives: .target".
bool is_target(std::string_view name) {
  for (const std::string_view word : {"debug", "texmode_unified", "texmode_independent", "map_f64_to_f32"}) {
    if (name == word) return true;
  }
  const size_t digits = name.starts_with("sm_") ? 3 : name.starts_with("compute_") ? 8 : name.size();
  const size_t end = std::min(name.find_first_not_of("0123456789", digits), name.size());
  const std::string_view variant = name.substr(end);
  return end - digits >= 2 && end - digits <= 3 && (variant.empty() || variant == "a" || variant == "f");
}

/// .target sm_75, debug; the word already taken
bool parse_target(Cursor& cursor, Module& out) {
  do {
    const Position position = cursor.position();
    std::string& name = out.targets.emplace_back();
    if (!cursor.expect_name(name, "a target like sm_75")) return false;
    if (!is_target(name)) return cursor.fail_at(position, "there is no target " + name, "write for example sm_75");
  } while (cursor.accept(','));
  return true;
}

bool parse_address_size(Cursor& cursor, Module& out) {
  const Position position = cursor.position();
  if (!parse_u32(cursor, out.address_size, "the size of an address in bits")) return false;
  if (out.address_size == 32 || out.address_size == 64) return true;
  return cursor.fail_at(position, "the size of an address is 32 or 64 bits, not " + std::to_string(out.address_size));
}

/// .alias a, b;
bool parse_alias(Cursor& cursor, Alias& out) {
  out.position = cursor.position();
  cursor.take();
  return cursor.expect_name(out.name, "the name of a function") &&
         cursor.expect(',', "between the names of an alias") &&
         cursor.expect_name(out.target, "the name of a function") && cursor.expect_end_of_statement("after an alias");
}

/// An item that may have linkage: a function or variables.
bool parse_definition(Cursor& cursor, Module& out) {
  const Position position = cursor.position();
  std::string linkage;
  if (!parse_linkage(cursor, linkage)) return false;
  if (cursor.at_dotted("entry") || cursor.at_dotted("func")) {
    Function function;
    function.position = position;
    function.linkage = std::move(linkage);
    if (!parse_function(cursor, function)) return false;
    out.items.emplace_back(std::move(function));
    return true;
  }
  std::vector<Variable> variables;
  if (!parse_variables(cursor, linkage, variables)) return false;
  for (Variable& variable : variables) out.items.emplace_back(std::move(variable));
  return true;
}

template <class T>
bool parse_as(Cursor& cursor, Module& out, bool (*rule)(Cursor&, T&)) {
  return rule(cursor, std::get<T>(out.items.emplace_back(T{})));
}

bool parse_item(Cursor& cursor, Module& out) {
  if (cursor.accept(';')) return true;
  if (cursor.at('@') && cursor.at('@', 1)) return parse_as<Section>(cursor, out, parse_dwarf_line);
  if (cursor.at('}')) {
    cursor.fail("a directive", "this } closes nothing; does the previous function have one } too many?");
    cursor.take();
    return true;
  }
  if (!cursor.at(TokenKind::dotted)) {
    return cursor.fail("a directive like .version, .visible or .entry", "instructions must be inside functions");
  }
  const std::string_view word = cursor.text().substr(1);
  if (word == "version") return cursor.take(), parse_version(cursor, out);
  if (word == "target") return cursor.take(), parse_target(cursor, out);
  if (word == "address_size") return cursor.take(), parse_address_size(cursor, out);
  if (word == "file") return parse_as<File>(cursor, out, parse_file);
  if (word == "section") return parse_as<Section>(cursor, out, parse_section);
  if (word == "pragma") return parse_as<Pragma>(cursor, out, parse_pragma);
  if (word == "loc") return parse_as<Location>(cursor, out, parse_location);
  if (word == "alias") return parse_as<Alias>(cursor, out, parse_alias);
  if (begins_item(word)) return parse_definition(cursor, out);
  return cursor.fail("a directive of a module",
                     "known ones are .version, .target, .entry, .func, .global, .const, .shared, …");
}

}  // namespace

bool begins_item(std::string_view word) {
  constexpr std::array<std::string_view, 8> kWords = {"version", "target", "address_size", "file",
                                                      "section", "alias",  "entry",        "func"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end() || is_linkage(word) || space_named(word);
}

Result<Module, Diagnostics> parse(std::string_view text) {
  if (text.size() > kLongestText) {
    return Diagnostics{{{}, "the text is longer than 4 GiB", "split it into modules"}};
  }
  Cursor cursor(text);
  Module module;
  while (!cursor.at_end()) {
    const size_t begin = cursor.index();
    if (!parse_item(cursor, module)) cursor.recover_in_module(begin);
  }
  if (!cursor.ok()) return cursor.take_diagnostics();
  spell_out_old_target(module);
  return module;
}

}  // namespace bankshot::ptx
