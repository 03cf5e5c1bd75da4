// Logic, shifts, fields of bits and bytes, one bit after the other. Source: PTX ISA 9.0, sections 9.7.1, 9.7.8
// and 9.7.9.
#include <algorithm>

#include "tests/differential/meaning.hpp"

namespace bankshot::differential {
namespace {

bool bit(uint64_t value, unsigned k) { return k < 64 && (value >> k & 1) != 0; }

Meaning logic(Name& name) {
  const std::string op = name.opcode;
  const Type type = name.take_type();
  if (op == "not") return [=](Values& v) { v.d = low(~v.s[0], ptx::bits(type)); };
  if (op == "cnot") return [=](Values& v) { v.d = low(v.s[0], ptx::bits(type)) == 0 ? 1 : 0; };
  return [=](Values& v) { v.d = op == "and" ? v.s[0] & v.s[1] : op == "or" ? v.s[0] | v.s[1] : v.s[0] ^ v.s[1]; };
}

/// Bit (a << 2 | b << 1 | c) of the table, for each place.
uint64_t looked_up(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
  uint64_t d = 0;
  for (unsigned k = 0; k < 32; ++k) {
    const unsigned index = static_cast<unsigned>(bit(a, k) << 2 | bit(b, k) << 1 | bit(c, k));
    d |= static_cast<uint64_t>(bit(table, index)) << k;
  }
  return d;
}

Meaning lop3(Name& name) {
  const std::string with = name.take_one({"and", "or"});
  name.take_type();
  if (with.empty() != (name.sources == 4)) return nullptr;
  return [=](Values& v) {
    v.d = looked_up(v.s[0], v.s[1], v.s[2], v.s[3]);
    const bool any = v.d != 0, other = v.s[4] != 0;
    v.q = with == "and" ? any && other : any || other;
  };
}

Meaning shift(Name& name) {
  const bool left = name.opcode == "shl";
  const Type type = name.take_type();
  const unsigned bits = ptx::bits(type);
  return [=](Values& v) {
    const uint64_t n = low(v.s[1], 32);
    uint64_t d = 0;
    for (unsigned k = 0; k < bits; ++k) {
      const uint64_t from = left ? k - n : k + n;
      const bool sign = is_signed(type) && bit(v.s[0], bits - 1);
      const bool one = left          ? n <= k && bit(v.s[0], static_cast<unsigned>(from))
                       : from < bits ? bit(v.s[0], static_cast<unsigned>(from))
                                     : sign;
      d |= static_cast<uint64_t>(one) << k;
    }
    v.d = wrapped(static_cast<Wide>(d), type);
  };
}

/// The place of the highest bit that differs from the sign; -1 if there is none.
int highest(uint64_t value, Type type) {
  const unsigned bits = ptx::bits(type);
  if (is_signed(type) && bit(value, bits - 1)) value = ~value;
  for (int k = static_cast<int>(bits) - 1; k >= 0; --k) {
    if (bit(value, static_cast<unsigned>(k))) return k;
  }
  return -1;
}

Meaning counts(Name& name) {
  const std::string op = name.opcode;
  const bool amount = name.take("shiftamt");
  const Type type = name.take_type();
  const unsigned bits = ptx::bits(type);
  if (op == "bfind") {
    return [=](Values& v) {
      const int place = highest(v.s[0], type);
      v.d = low(static_cast<uint64_t>(amount && place >= 0 ? static_cast<int>(bits) - 1 - place : place), 32);
    };
  }
  if (amount) return nullptr;
  if (op == "clz")
    return [=](Values& v) { v.d = static_cast<uint64_t>(static_cast<int>(bits) - 1 - highest(v.s[0], type)); };
  if (op == "brev") {
    return [=](Values& v) {
      v.d = 0;
      for (unsigned k = 0; k < bits; ++k) v.d |= static_cast<uint64_t>(bit(v.s[0], k)) << (bits - 1 - k);
    };
  }
  return [=](Values& v) {
    v.d = 0;
    for (unsigned k = 0; k < bits; ++k) v.d += bit(v.s[0], k) ? 1 : 0;
  };
}

Meaning funnel(Name& name) {
  const bool left = name.take_one({"l", "r"}) == "l", clamps = name.take_one({"clamp", "wrap"}) == "clamp";
  name.take_type();
  return [=](Values& v) {
    const uint64_t c = low(v.s[2], 32), n = clamps ? std::min<uint64_t>(c, 32) : c % 32;
    const uint64_t both = low(v.s[1], 32) << 32 | low(v.s[0], 32);
    v.d = low(left ? both >> (32 - n) : both >> n, 32);
  };
}

Meaning permute(Name& name) {
  const std::string mode = name.take_one({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  name.take_type();
  return [=](Values& v) {
    const uint64_t both = low(v.s[1], 32) << 32 | low(v.s[0], 32);
    const unsigned s = static_cast<unsigned>(v.s[2] & 3);
    v.d = 0;
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned nibble = static_cast<unsigned>(v.s[2] >> 4 * k & 15);
      const unsigned from = mode.empty()    ? nibble & 7
                            : mode == "f4e" ? s + k
                            : mode == "b4e" ? (s + 8 - k) & 7
                            : mode == "rc8" ? s
                            : mode == "ecl" ? std::max(s, k)
                            : mode == "ecr" ? std::min(s, k)
                                            : (s & 1) * 2 + (k & 1);
      const uint64_t byte = both >> 8 * from & 0xff;
      const bool replicates = mode.empty() && (nibble & 8) != 0;
      v.d |= (replicates ? (byte >> 7) * 0xff : byte) << 8 * k;
    }
  };
}

/// A place or length of bfe and bfi: the manual takes it modulo 256, GPUs do that for 32 bits only.
uint64_t field_number(uint64_t value, unsigned bits) { return low(value, bits == 64 ? 32 : 8); }

Meaning extract(Name& name) {
  const Type type = name.take_type();
  const unsigned bits = ptx::bits(type);
  return [=](Values& v) {
    const uint64_t pos = field_number(v.s[1], bits), len = field_number(v.s[2], bits);
    const bool sign =
        is_signed(type) && len != 0 && bit(v.s[0], static_cast<unsigned>(std::min<uint64_t>(pos + len - 1, bits - 1)));
    uint64_t d = 0;
    for (unsigned k = 0; k < bits; ++k) {
      const bool one = k < len && pos + k < bits ? bit(v.s[0], static_cast<unsigned>(pos + k)) : sign;
      d |= static_cast<uint64_t>(one) << k;
    }
    v.d = wrapped(static_cast<Wide>(d), type);
  };
}

Meaning insert(Name& name) {
  const unsigned bits = ptx::bits(name.take_type());
  return [=](Values& v) {
    const uint64_t pos = field_number(v.s[2], bits), len = field_number(v.s[3], bits);
    v.d = v.s[1];
    for (unsigned k = 0; k < len && pos + k < bits; ++k) {
      v.d = (v.d & ~(uint64_t{1} << (pos + k))) | static_cast<uint64_t>(bit(v.s[0], k)) << (pos + k);
    }
  };
}

/// b ones from place a on; wrap looks at five bits of each.
Meaning mask(Name& name) {
  const bool clamps = name.take_one({"clamp", "wrap"}) == "clamp";
  name.take_type();
  return [=](Values& v) {
    const uint64_t a = low(v.s[0], 32), b = low(v.s[1], 32);
    const uint64_t first = clamps ? a : a % 32, count = clamps ? b : b % 32;
    v.d = 0;
    for (uint64_t k = 0; k < 32; ++k) v.d |= static_cast<uint64_t>(k >= first && k - first < count) << k;
  };
}

/// The low b bits, extended by the highest of them if the type is signed.
Meaning extend(Name& name) {
  const bool clamps = name.take_one({"clamp", "wrap"}) == "clamp";
  const Type type = name.take_type();
  return [=](Values& v) {
    const uint64_t b = low(v.s[1], 32);
    v.d = v.s[0];
    if (clamps && b >= 32) return;
    const unsigned n = b % 32;
    const bool sign = n != 0 && is_signed(type) && bit(v.s[0], n - 1);
    for (unsigned k = n; k < 32; ++k) v.d = (v.d & ~(uint64_t{1} << k)) | static_cast<uint64_t>(sign) << k;
  };
}

/// The place of the |c|-th one of a, from place b upwards or downwards. b is below 32. 0 if c has no magnitude.
Meaning find_nth(Name& name) {
  name.take_type();
  return [](Values& v) {
    const auto n = static_cast<int64_t>(number(v.s[2], Type::s32));
    int64_t left = n < 0 ? -n : n;
    v.d = n == -(int64_t{1} << 31) ? 0 : 0xffffffff;
    if (v.d == 0) return;
    if (n == 0) {
      if (bit(v.s[0], static_cast<unsigned>(v.s[1]))) v.d = v.s[1];
      return;
    }
    for (int64_t at = static_cast<int64_t>(v.s[1]); at >= 0 && at < 32; at += n < 0 ? -1 : 1) {
      if (bit(v.s[0], static_cast<unsigned>(at)) && --left == 0) {
        v.d = static_cast<uint64_t>(at);
        return;
      }
    }
  };
}

}  // namespace

Meaning bit_meaning(Name& name) {
  const std::string& op = name.opcode;
  if (op == "and" || op == "or" || op == "xor" || op == "not" || op == "cnot") return logic(name);
  if (op == "lop3") return lop3(name);
  if (op == "shl" || op == "shr") return shift(name);
  if (op == "popc" || op == "clz" || op == "brev" || op == "bfind") return counts(name);
  if (op == "mov" && name.sources == 1) {
    const Type type = name.take_type();
    return [=](Values& v) { v.d = low(v.s[0], type == Type::pred ? 1 : ptx::bits(type)); };
  }
  return nullptr;
}

Meaning field_meaning(Name& name) {
  const std::string& op = name.opcode;
  if (op == "shf") return funnel(name);
  if (op == "prmt") return permute(name);
  if (op == "bfe") return extract(name);
  if (op == "bfi") return insert(name);
  if (op == "bmsk") return mask(name);
  if (op == "szext") return extend(name);
  if (op == "fns") return find_nth(name);
  return nullptr;
}

}  // namespace bankshot::differential
