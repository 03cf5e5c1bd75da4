#include "bankshot/cli/base/completion.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bankshot/cli/base/command.hpp"

namespace bankshot::cli {
namespace {

using Words = std::vector<std::string>;

/// What may follow an option, or stand for itself.
struct Value {
  enum class Kind { none, any, words, gpus, files } kind = Kind::any;
  Words words;
};

struct Flag {
  Words names;  ///< "--gpu", "-h"
  std::string help;
  Value value;
};

/// A command, or a part of one: "atomics advise".
struct Context {
  std::string name, help;
  std::vector<Flag> flags;
  Words parts;
  Value positional;
  bool takes_program = false;
};

/// What the definition of an option says of its value.
Value defined_value(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {Value::Kind::none, {}};
  const std::string type = option.get_type_name();
  const size_t open = type.find('{'), close = type.find('}');
  if (open != std::string::npos && close != std::string::npos) {
    Value value{Value::Kind::words, {}};
    for (size_t at = open + 1; at < close;) {
      const size_t end = std::min(type.find(',', at), close);
      value.words.push_back(type.substr(at, end - at));
      at = end + 1;
    }
    return value;
  }
  const auto& names = option.get_lnames();
  if (std::ranges::count(names, "gpu") != 0 || option.get_name() == "gpu") return {Value::Kind::gpus, {}};
  const bool files = type.find("FILE") != std::string::npos || type.find("DIR") != std::string::npos;
  return {files ? Value::Kind::files : Value::Kind::any, {}};
}

void add_contexts(const CLI::App& command, const std::string& before, std::vector<Context>& all) {
  Context context;
  context.name = before + command.get_name();
  context.help = command.get_description();
  context.positional.kind = Value::Kind::files;
  const auto entry =
      std::ranges::find_if(commands(), [&](const CommandEntry& one) { return one.name == context.name; });
  const std::unique_ptr<Command> command_itself = entry != commands().end() ? entry->make() : nullptr;
  const auto value_of = [&](const CLI::Option& option) {
    if (command_itself) {
      Words words = command_itself->values_of(option.get_name());
      if (!words.empty()) return Value{Value::Kind::words, std::move(words)};
    }
    return defined_value(option);
  };
  for (const CLI::Option* option : command.get_options()) {
    if (!option->nonpositional()) {
      if (option->get_type_name() == kCommandName) {
        context.positional.kind = Value::Kind::words;
        for (const CommandEntry& one : commands()) context.positional.words.push_back(one.name);
      }
      if (const Value value = value_of(*option); value.kind != Value::Kind::any) context.positional = value;
      continue;
    }
    Flag flag{{}, option->get_description(), value_of(*option)};
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    context.flags.push_back(std::move(flag));
  }
  if (command_itself) context.takes_program = command_itself->takes_target();
  for (const CLI::App* part : shown_parts(command)) context.parts.push_back(part->get_name());
  const std::string name = context.name + " ";
  all.push_back(std::move(context));
  for (const CLI::App* part : shown_parts(command)) add_contexts(*part, name, all);
}

std::vector<Context> contexts_of(const CLI::App& app) {
  std::vector<Context> all;
  for (const CLI::App* command : app.get_subcommands({})) add_contexts(*command, "", all);
  return all;
}

Words commands_of(const CLI::App& app) {
  Words names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

Words flags_of(const Context& context) {
  Words names;
  for (const Flag& flag : context.flags) names.insert(names.end(), flag.names.begin(), flag.names.end());
  return names;
}

std::string quoted(std::string text, const std::string& special) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (special.find(text[at]) != std::string::npos) text.insert(at++, "\\");
  }
  return text;
}

constexpr const char* kGpus = "bankshot gpus 2>/dev/null | awk 'NR > 1 {print $1}'";

std::string bash(const CLI::App& app) {
  const auto reply = [](const std::string& words) {
    return fmt::format("mapfile -t COMPREPLY < <(compgen -W \"{}\" -- \"$word\")", words);
  };
  const auto values = [&](const Value& value) {
    if (value.kind == Value::Kind::words) return reply(fmt::format("{}", fmt::join(value.words, " ")));
    if (value.kind == Value::Kind::gpus) return reply(fmt::format("$({})", kGpus));
    return std::string(":");  // files, which bash completes where there is no reply
  };
  std::string parts, flags, options, positionals;
  for (const Context& context : contexts_of(app)) {
    if (!context.parts.empty()) {
      parts += fmt::format(
          "    {})\n      if [ \"$COMP_CWORD\" -gt 2 ]; then command+=\" ${{COMP_WORDS[2]}}\"; fi ;;\n", context.name);
    }
    for (const Flag& flag : context.flags) {
      if (flag.value.kind == Value::Kind::none) continue;
      Words patterns;
      for (const std::string& name : flag.names) patterns.push_back(fmt::format("\"{} {}\"", context.name, name));
      flags += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, " | "), values(flag.value));
    }
    options += fmt::format("        \"{}\") {} ;;\n", context.name,
                           reply(fmt::format("{}", fmt::join(flags_of(context), " "))));
    if (!context.parts.empty()) {
      positionals +=
          fmt::format("    \"{}\") {} ;;\n", context.name, reply(fmt::format("{}", fmt::join(context.parts, " "))));
    } else if (context.positional.kind != Value::Kind::files) {
      positionals += fmt::format("    \"{}\") {} ;;\n", context.name, values(context.positional));
    }
  }
  return fmt::format(
      R"bash(# bash completion of bankshot; made by: bankshot completion bash
_bankshot() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} k
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    {}
    return
  fi
  for ((k = 2; k < COMP_CWORD; ++k)); do
    [ "${{COMP_WORDS[k]}}" != -- ] || return  # what follows is of the program
  done
  case $command in
{}  esac
  case "$command $before" in
{}  esac
  case $word in
    -*)
      case $command in
{}      esac
      return ;;
  esac
  case $command in
{}  esac
}}
complete -o default -F _bankshot bankshot
)bash",
      reply(fmt::format("{} --help --version", fmt::join(commands_of(app), " "))), parts, flags, options, positionals);
}

std::string zsh(const CLI::App& app) {
  const auto action = [](const Value& value) -> std::string {
    switch (value.kind) {
      case Value::Kind::words: return fmt::format("({})", fmt::join(value.words, " "));
      case Value::Kind::gpus: return "_bankshot_gpus";
      case Value::Kind::files: return "_files";
      default: return " ";
    }
  };
  const auto text = [](const std::string& help) {
    std::string result;
    for (const char c : quoted(help, "[]:\\")) result += c == '\'' ? "'\\''" : std::string(1, c);
    return result;
  };
  std::string names, cases;
  for (const Context& context : contexts_of(app)) {
    const size_t blank = context.name.find(' ');
    if (blank == std::string::npos) names += fmt::format("    '{}:{}'\n", context.name, text(context.help));
    std::string arguments;
    for (const Flag& flag : context.flags) {
      for (const std::string& name : flag.names) {
        arguments += fmt::format(" \\\n        '*{}[{}]{}'", name, text(flag.help),
                                 flag.value.kind == Value::Kind::none ? "" : ":value:" + action(flag.value));
      }
    }
    if (!context.parts.empty()) {
      arguments += fmt::format(" \\\n        '1:part:({})' '*:file:_files'", fmt::join(context.parts, " "));
    } else {
      arguments += context.takes_program ? " \\\n        '*::program:_normal'"
                                         : fmt::format(" \\\n        '*:argument:{}'", action(context.positional));
    }
    cases += fmt::format("    '{}')\n      _arguments{} ;;\n", context.name, arguments);
  }
  return fmt::format(
      R"zsh(#compdef bankshot
# zsh completion of bankshot; made by: bankshot completion zsh
_bankshot_gpus() {{
  local -a names=(${{(f)"$({})"}})
  _describe GPU names
  _files
}}
_bankshot() {{
  local -a names=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  local command=$words[2]
  shift words
  (( --CURRENT ))
  if [[ $command == ({}) && CURRENT -gt 2 ]]; then
    command+=" $words[2]"
    shift words
    (( --CURRENT ))
  fi
  case $command in
{}  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _bankshot "$@"
else
  compdef _bankshot bankshot
fi
)zsh",
      kGpus, names,
      [&] {
        Words with_parts;
        for (const Context& context : contexts_of(app)) {
          if (!context.parts.empty()) with_parts.push_back(context.name);
        }
        return fmt::format("{}", fmt::join(with_parts, "|"));
      }(),
      cases);
}

std::string fish(const CLI::App& app) {
  const auto text = [](const std::string& help) { return "'" + quoted(help, "\\'") + "'"; };
  const auto values = [](const Value& value) -> std::string {
    switch (value.kind) {
      case Value::Kind::words: return fmt::format(" -x -a '{}'", fmt::join(value.words, " "));
      case Value::Kind::gpus: return " -r -a '(__bankshot_gpus)'";
      case Value::Kind::files: return " -r";
      case Value::Kind::any: return " -x";
      case Value::Kind::none: return "";
    }
    return "";
  };
  std::string script = fmt::format(
      "# fish completion of bankshot; made by: bankshot completion fish\n"
      "function __bankshot_gpus\n    {}\nend\n"
      "complete -c bankshot -n __fish_use_subcommand -l version -d 'version'\n",
      kGpus);
  for (const Context& context : contexts_of(app)) {
    const size_t blank = context.name.find(' ');
    const std::string first = context.name.substr(0, blank);
    std::string when = "__fish_seen_subcommand_from " + first;
    if (blank == std::string::npos) {
      script +=
          fmt::format("complete -c bankshot -f -n __fish_use_subcommand -a {} -d {}\n", first, text(context.help));
    } else {
      const std::string part = context.name.substr(blank + 1);
      script += fmt::format("complete -c bankshot -f -n '{}' -a {} -d {}\n", when, part, text(context.help));
      when += "; and __fish_seen_subcommand_from " + part;
    }
    for (const Flag& flag : context.flags) {
      script += fmt::format("complete -c bankshot -n '{}'", when);
      for (const std::string& name : flag.names)
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      script += values(flag.value) + " -d " + text(flag.help) + "\n";
    }
    if (context.positional.kind == Value::Kind::words || context.positional.kind == Value::Kind::gpus)
      script += fmt::format("complete -c bankshot -n '{}'{}\n", when, values(context.positional));
  }
  return script;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  return shell == "bash" ? bash(app) : shell == "zsh" ? zsh(app) : fish(app);
}

}  // namespace bankshot::cli
