#include "bankshot/ptx/printer.hpp"

#include "bankshot/ptx/print_parts.hpp"

namespace bankshot::ptx {
namespace {

class Printer {
 public:
  std::string module(const Module& module) {
    if (module.version_major != 0) {
      out_ += ".version " + std::to_string(module.version_major) + '.' + std::to_string(module.version_minor) + '\n';
    }
    if (!module.targets.empty()) {
      out_ += ".target ";
      names(module.targets);
      out_ += '\n';
    }
    out_ += ".address_size " + std::to_string(module.address_size) + "\n\n";
    for (const Item& item : module.items) {
      std::visit([this](const auto& x) { print(x); }, item);
    }
    return std::move(out_);
  }

 private:
  void indent() { out_.append(depth_, '\t'); }

  void linkage(const std::string& name) {
    if (!name.empty()) out_ += '.' + name + ' ';
  }

  void names(const std::vector<std::string>& list) {
    append_list(out_, list, [this](const std::string& name) { out_ += name; });
  }

  void parameters(const std::vector<Variable>& list) {
    out_ += '(';
    append_list(out_, list, [this](const Variable& variable) { append(out_, variable); });
    out_ += ')';
  }

  /// Names of kernel parameters are long.
  void parameters_on_lines(const std::vector<Variable>& list) {
    if (list.size() < 2) return parameters(list);
    for (size_t i = 0; i < list.size(); ++i) {
      out_ += i == 0 ? "(\n\t" : ",\n\t";
      append(out_, list[i]);
    }
    out_ += "\n)";
  }

  void properties(const std::vector<Performance>& list, bool noreturn) {
    for (const Performance& directive : list) {
      out_ += " ." + directive.name;
      if (!directive.values.empty()) out_ += ' ';
      append_list(out_, directive.values, [this](uint64_t value) { append_unsigned(out_, value); });
    }
    if (noreturn) out_ += " .noreturn";
  }

  void print(const Variable& variable) {
    indent();
    linkage(variable.linkage);
    append(out_, variable);
    out_ += ";\n";
  }

  void print(const Instruction& instruction) {
    indent();
    append(out_, instruction);
    out_ += '\n';
  }

  void print(const Label& label) {
    out_ += label.name;
    out_ += ":\n";
  }

  void print(const Location& location) {
    indent();
    append(out_, location);
    out_ += '\n';
  }

  void print(const Pragma& pragma) {
    indent();
    out_ += ".pragma ";
    append_list(out_, pragma.texts, [this](const std::string& text) { out_ += '"' + text + '"'; });
    out_ += ";\n";
  }

  void print(const Targets& targets) {
    out_ += targets.label + (targets.calls ? ": .calltargets " : ": .branchtargets ");
    names(targets.names);
    out_ += ";\n";
  }

  void print(const CallPrototype& prototype) {
    out_ += prototype.label + ": .callprototype ";
    parameters(prototype.returns);
    out_ += " _ ";
    parameters(prototype.parameters);
    properties(prototype.performance, prototype.noreturn);
    out_ += ";\n";
  }

  void print(const Section& section) {
    if (section.name == "@@DWARF") {
      out_ += "@@DWARF " + section.text + '\n';
    } else {
      out_ += ".section " + section.name + " {" + section.text + "}\n";
    }
  }

  void print(const File& file) {
    out_ += ".file " + std::to_string(file.index) + " \"";
    for (const char c : file.name) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80) {
        out_ += c;
      } else {
        out_ += '\\';
        for (const int shift : {6, 3, 0}) out_ += static_cast<char>('0' + (byte >> shift & 7));
      }
    }
    out_ += '"';
    for (uint64_t value : file.extra) out_ += ", " + std::to_string(value);
    out_ += '\n';
  }

  void print(const Alias& alias) { out_ += ".alias " + alias.name + ", " + alias.target + ";\n"; }

  void print(const std::unique_ptr<Block>& block) {
    indent();
    body(*block);
  }

  void body(const Block& block) {
    out_ += "{\n";
    ++depth_;
    for (const Statement& statement : block.statements) {
      std::visit([this](const auto& x) { print(x); }, statement);
    }
    --depth_;
    indent();
    out_ += "}\n";
  }

  void print(const Function& function) {
    linkage(function.linkage);
    out_ += function.is_entry ? ".entry " : ".func ";
    if (!function.attributes.empty()) {
      out_ += ".attribute(";
      append_list(out_, function.attributes, [this](const std::string& attribute) { out_ += '.' + attribute; });
      out_ += ") ";
    }
    if (!function.returns.empty()) {
      parameters(function.returns);
      out_ += ' ';
    }
    out_ += function.name;
    parameters_on_lines(function.parameters);
    properties(function.performance, function.noreturn);
    out_ += '\n';
    for (const Pragma& pragma : function.pragmas) print(pragma);
    if (!function.body) {
      out_ += ";\n\n";
      return;
    }
    body(*function.body);
    out_ += '\n';
  }

  std::string out_;
  size_t depth_ = 0;
};

}  // namespace

std::string print(const Module& module) { return Printer().module(module); }

std::string print(const Instruction& instruction) {
  std::string out;
  append(out, instruction);
  return out;
}

}  // namespace bankshot::ptx
