#include "bankshot/ptx/same.hpp"

#include <algorithm>
#include <tuple>

namespace bankshot::ptx {
namespace {

// Declared first, since they need one another.
bool same(const Block& a, const Block& b);
bool same(const Function& a, const Function& b);
template <class... T>
bool same(const std::variant<T...>& a, const std::variant<T...>& b);

bool same(const Performance& a, const Performance& b) {
  return std::tie(a.name, a.values) == std::tie(b.name, b.values);
}
bool same(const Label& a, const Label& b) { return a.name == b.name; }
bool same(const Pragma& a, const Pragma& b) { return a.texts == b.texts; }
bool same(const Section& a, const Section& b) { return std::tie(a.name, a.text) == std::tie(b.name, b.text); }
bool same(const Alias& a, const Alias& b) { return std::tie(a.name, a.target) == std::tie(b.name, b.target); }

bool same(const File& a, const File& b) {
  return std::tie(a.index, a.name, a.extra) == std::tie(b.index, b.name, b.extra);
}

bool same(const Targets& a, const Targets& b) {
  return std::tie(a.label, a.calls, a.names) == std::tie(b.label, b.calls, b.names);
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}

bool same(const std::unique_ptr<Block>& a, const std::unique_ptr<Block>& b) { return a && b ? same(*a, *b) : !a && !b; }

bool same(const Location& a, const Location& b) {
  const auto place = [](const auto& x) { return std::tie(x.file, x.line, x.column); };
  if (place(a) != place(b) || a.inlined.has_value() != b.inlined.has_value()) return false;
  return !a.inlined ||
         (place(*a.inlined) == place(*b.inlined) && a.inlined->function_label == b.inlined->function_label &&
          a.inlined->function_offset == b.inlined->function_offset);
}

bool same(const CallPrototype& a, const CallPrototype& b) {
  return a.label == b.label && a.noreturn == b.noreturn && same(a.returns, b.returns) &&
         same(a.parameters, b.parameters) && same(a.performance, b.performance);
}

bool same(const Function& a, const Function& b) {
  const auto plain = [](const Function& f) {
    return std::tie(f.is_entry, f.linkage, f.name, f.attributes, f.noreturn);
  };
  return plain(a) == plain(b) && same(a.returns, b.returns) && same(a.parameters, b.parameters) &&
         same(a.performance, b.performance) && same(a.pragmas, b.pragmas) && same(a.body, b.body);
}

template <class... T>
bool same(const std::variant<T...>& a, const std::variant<T...>& b) {
  if (a.index() != b.index()) return false;
  return std::visit([&b](const auto& x) { return same(x, std::get<std::decay_t<decltype(x)>>(b)); }, a);
}

bool same(const Block& a, const Block& b) { return same(a.statements, b.statements); }

}  // namespace

bool same(const Operand& a, const Operand& b) {
  const auto plain = [](const Operand& o) {
    return std::tie(o.kind, o.negated, o.is_unsigned, o.generic, o.name, o.integer, o.mask);
  };
  return plain(a) == plain(b) && same(a.elements, b.elements);
}

bool same(const Instruction& a, const Instruction& b) {
  if (a.guard.has_value() != b.guard.has_value()) return false;
  if (a.guard && std::tie(a.guard->name, a.guard->negated) != std::tie(b.guard->name, b.guard->negated)) return false;
  return a.opcode == b.opcode && a.modifiers == b.modifiers && same(a.operands, b.operands);
}

bool same(const Variable& a, const Variable& b) {
  const auto plain = [](const Variable& v) {
    return std::tie(v.linkage, v.space, v.align, v.vector, v.type, v.opaque, v.name, v.range, v.dimensions,
                    v.has_initialiser, v.attributes, v.is_pointer, v.pointer_space, v.pointer_align);
  };
  return plain(a) == plain(b) && same(a.initialiser, b.initialiser);
}

bool same(const Module& a, const Module& b) {
  const auto plain = [](const Module& m) {
    return std::tie(m.version_major, m.version_minor, m.targets, m.address_size);
  };
  return plain(a) == plain(b) && same(a.items, b.items);
}

}  // namespace bankshot::ptx
