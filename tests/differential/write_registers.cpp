// Statements on registers.
#include "tests/differential/writer.hpp"

namespace bankshot::differential {
namespace {

/// The pool whose registers hold a type.
char pool_of(Type type) {
  switch (type) {
    case Type::pred: return 'p';
    case Type::f32: return 'f';
    case Type::f64: return 'd';
    default: break;
  }
  const unsigned bits = ptx::bits(type);
  return bits <= 16 ? 'h' : bits == 32 ? 'r' : 'q';
}

bool is_number(Type type) { return type == Type::f32 || type == Type::f64; }

}  // namespace

const Forms& forms() {
  static const Forms all;
  return all;
}

unsigned Writer::pool_size(char pool) const {
  switch (pool) {
    case 'h': return kHalves;
    case 'r': return kWords;
    case 'q': return kWides;
    case 'f': return kFloats;
    case 'd': return kDoubles;
    default: return kPredicates;
  }
}

std::string Writer::reg(char pool) { return fmt::format("%{}{}", pool, below(pool_size(pool))); }

std::string Writer::guard() {
  if (!one_in(7)) return "";
  return (one_in(2) ? "@!" : "@") + reg('p') + " ";
}

/// Untyped registers of the same size do as well; of cvt also wider ones, if the type is an integer.
std::string Writer::target(Type type, bool may_be_wider) {
  const char pool = pool_of(type);
  if (pool == 'f' && one_in(10)) return reg('r');
  if (pool == 'd' && one_in(10)) return reg('q');
  if (may_be_wider && !ptx::is_float(type) && one_in(4)) return reg(pool == 'h' && one_in(2) ? 'r' : 'q');
  return reg(pool);
}

std::string Writer::source(Type type, bool may_be_wider) {
  if (type == Type::none) return std::to_string(below(256));
  if (type != Type::pred && ptx::bits(type) > 8 && !may_be_wider && one_in(6)) return immediate(type);
  return target(type, may_be_wider);
}

std::string Writer::immediate(Type type) {
  const unsigned bits = ptx::bits(type);
  if (type == Type::f32) {
    return pick<const char*>(
        {"0f3F800000", "0fBF000000", "0f7F800000", "0f00000001", "0f4B800001", "0fC0490FDB", "0f80000000"});
  }
  if (type == Type::f64) {
    return pick<const char*>({"0d3FF0000000000000", "0dBFE0000000000000", "0d7FF0000000000000", "0d0000000000000001",
                              "0d4340000000000001", "0d400921FB54442D18"});
  }
  if (ptx::is_float(type) || is_packed(type)) return target(type);  // there are none
  if (bits == 16) return std::to_string(below(32768));
  if (one_in(2)) return std::to_string(below(70));
  if (one_in(2)) return fmt::format("-{}", 1 + below(40));
  return fmt::format("{:#x}", low(random_(), bits) >> below(bits));
}

void Writer::plain() {
  const auto& all = forms().spellings();
  const std::vector<Spelling>& form = all[below(all.size())];
  const Spelling& spelling = form[below(form.size())];
  // Packed numbers and tf32 take registers of their own size only.
  const bool scalar = spelling.name.find("x2") == std::string::npos && spelling.name.find("tf32") == std::string::npos;
  const bool converts = spelling.opcode == "cvt" && spelling.sources.size() == 1 && scalar;
  const bool only_registers = (spelling.opcode[0] == 'v' || !scalar) && spelling.opcode != "setp";
  std::string text = guard() + spelling.name + " ", before;
  if (spelling.targets.size() == 2 && spelling.targets[0] == Type::pred) {  // two different ones
    const uint64_t first = below(kPredicates);
    text += fmt::format("%p{}|%p{}", first, (first + 1 + below(kPredicates - 1)) % kPredicates);
  } else {
    text += target(spelling.targets[0], converts);
    if (spelling.targets.size() == 2) text += "|" + reg('p');
  }
  for (size_t k = 0; k < spelling.sources.size(); ++k) {
    const Type type = spelling.sources[k];
    std::string operand = only_registers ? target(type) : source(type, converts);
    const bool divisor = k == 1 && (spelling.opcode == "div" || spelling.opcode == "rem") && !is_number(type);
    if (divisor) {
      const char* const scratch = ptx::bits(type) == 16 ? "%s0" : ptx::bits(type) == 32 ? "%t0" : "%a0";
      before = fmt::format("or.b{} {}, {}, 1;\n", ptx::bits(type), scratch, target(type));
      operand = scratch;
    }
    if (spelling.opcode == "fns" && k == 1) operand = std::to_string(below(32));
    if ((spelling.opcode == "setp" || spelling.opcode == "set") && type == Type::pred && one_in(2))
      operand = "!" + operand;
    text += ", " + operand;
  }
  line("{}{};", before, text);
}

/// Sums, differences or products of several words, the carry from one instruction to the next.
void Writer::carry_chain() {
  const char pool = one_in(2) ? 'r' : 'q';
  const std::string type = fmt::format("{}{}", one_in(2) ? 'u' : 's', pool == 'r' ? 32 : 64);
  const std::string operation = pick<const char*>({"add", "sub", "mad"});
  const uint64_t length = 2 + below(3);
  const std::string guarded = guard();
  std::string text;
  for (uint64_t k = 0; k < length; ++k) {
    const bool first = k == 0, last = k + 1 == length;
    const std::string part = operation == "mad" ? (one_in(2) ? ".lo" : ".hi") : "";
    text += guarded + operation + (first ? "" : "c") + part + (last && !first && one_in(2) ? "" : ".cc") + "." + type +
            " " + reg(pool);
    for (int n = 0; n < (operation == "mad" ? 3 : 2); ++n)
      text += ", " + (one_in(5) ? std::to_string(below(9)) : reg(pool));
    text += last ? ";" : ";\n";
  }
  line("{}", text);
}

void Writer::pack_or_unpack() {
  const std::string g = guard();
  const auto two = [&](char pool) {
    const uint64_t first = below(pool_size(pool) - 1);
    return fmt::format("{{%{}{}, %{}{}}}", pool, first, pool, first + 1);
  };
  switch (below(6)) {
    case 0: return line("{}mov.b32 {}, {};", g, reg('r'), two('h'));
    case 1: return line("{}mov.b32 {}, {};", g, two('h'), reg('r'));
    case 2: return line("{}mov.b64 {}, {};", g, reg('q'), two('r'));
    case 3: return line("{}mov.b64 {}, {};", g, two('r'), reg('q'));
    case 4: return line("{}mov.b64 {}, {{%h0, %h1, %h2, %h3}};", g, reg('q'));
    default: return line("{}mov.b64 {{%h2, %h3, %h4, %h5}}, {};", g, reg('q'));
  }
}

void Writer::special_register(const Where&) {
  const char* name = pick<const char*>(
      {"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y", "%nctaid.x"});
  if (!kernel_.any_warp_size && one_in(2)) {
    name = pick<const char*>(
        {"%laneid", "%warpid", "%lanemask_eq", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge"});
  }
  line("{}mov.u32 {}, {};", guard(), reg('r'), name);
}

}  // namespace bankshot::differential
