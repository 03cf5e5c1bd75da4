// setp, set, selp, slct. Source: PTX ISA 9.0, sections 9.7.6 and 9.7.7.
#include "tests/differential/formats.hpp"
#include "tests/differential/meaning.hpp"

namespace bankshot::differential {
namespace {

const std::vector<std::string> kComparisons = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                               "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

double as_number(uint64_t bits, Type type, bool flush) {
  if (type == Type::f64) return f64_of(bits);
  const Format format = format_of(type);
  const uint64_t pattern = low(bits, ptx::bits(type));
  return decoded(flush ? flushed(pattern, format) : pattern, format);
}

/// Whether a compares with b so. @param type  of one number
bool holds(const std::string& comparison, uint64_t a, uint64_t b, Type type, bool flush) {
  if (ptx::is_float(type)) {
    const double x = as_number(a, type, flush), y = as_number(b, type, flush);
    return compared(comparison, x < y, x == y, x > y, x != x || y != y);
  }
  const Wide x = number(a, type), y = number(b, type);
  return compared(comparison, x < y, x == y, x > y, false);
}

bool combined(const std::string& with, bool result, bool c) {
  return with == "and" ? result && c : with == "or" ? result || c : with == "xor" ? result != c : result;
}

/// What set writes where the comparison holds: 1.0 of a float, ones of an integer.
uint64_t yes(Type type) {
  switch (type) {
    case Type::f32: return 0x3f800000;
    case Type::f16: return 0x3c00;
    case Type::bf16: return 0x3f80;
    default: return low(~uint64_t{0}, ptx::bits(type));
  }
}

Meaning comparison(Name& name) {
  const bool sets = name.opcode == "set", flush = name.take("ftz");
  const std::string how = name.take_one(kComparisons), with = name.take_one({"and", "or", "xor"});
  const Type d = sets ? name.take_type() : Type::pred, type = name.take_type(), element = element_of(type);
  if (how.empty() || with.empty() != (name.sources == 2) || type == Type::none) return nullptr;
  if (flush && (element == Type::f64 || !ptx::is_float(element))) return nullptr;
  const unsigned width = ptx::bits(element);
  return [=](Values& v) {
    const bool c = v.s[2] != 0, first = holds(how, v.s[0], v.s[1], element, flush);
    const bool second = is_packed(type) ? holds(how, v.s[0] >> width, v.s[1] >> width, element, flush) : !first;
    if (!sets) {
      v.d = combined(with, first, c);
      v.q = combined(with, second, c);
    } else if (!is_packed(type)) {
      v.d = combined(with, first, c) ? yes(d) : 0;
    } else {
      const uint64_t one = is_packed(d) ? yes(element_of(d)) : 0xffff;
      v.d = (combined(with, first, c) ? one : 0) | (combined(with, second, c) ? one : 0) << 16;
    }
  };
}

}  // namespace

Meaning compare_meaning(Name& name) {
  if (name.opcode == "setp" || name.opcode == "set") return comparison(name);
  if (name.opcode == "selp") {
    name.take_type();
    return [](Values& v) { v.d = v.s[2] != 0 ? v.s[0] : v.s[1]; };
  }
  if (name.opcode == "slct") {
    const bool flush = name.take("ftz");
    name.take_type();
    const Type type = name.take_type();
    return [=](Values& v) {
      // -0 is not below 0; NaN takes b.
      const bool first = type == Type::s32 ? number(v.s[2], type) >= 0 : as_number(v.s[2], type, flush) >= 0;
      v.d = first ? v.s[0] : v.s[1];
    };
  }
  return nullptr;
}

}  // namespace bankshot::differential
