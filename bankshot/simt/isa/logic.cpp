// Logic and shifts. Source: PTX ISA, "Logic and Shift Instructions", and the counting ones of "Integer Arithmetic
// Instructions": popc, clz, brev.
#include "bankshot/simt/isa/lanes/parts.hpp"
#include "bankshot/simt/isa/lanes/scalar.hpp"
#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

constexpr auto bit_and = [](auto a, auto b) { return a & b; };
constexpr auto bit_or = [](auto a, auto b) { return a | b; };
constexpr auto bit_xor = [](auto a, auto b) { return a ^ b; };

/// p = f(a, b) on predicates: all lanes at once.
template <class F>
BANKSHOT_LANES_ONLY const Instr* on_predicates(Warp& w, const Instr* i) {
  write_predicate(w, i->op[0], F{}(w.predicate_value(i->op[1]), w.predicate_value(i->op[2])));
  return i + 1;
}
BANKSHOT_LANES_ONLY const Instr* not_predicate(Warp& w, const Instr* i) {
  write_predicate(w, i->op[0], ~w.predicate_value(i->op[1]));
  return i + 1;
}

template <class F>
[[gnu::cold]] void logic_pair(Rows& rows, std::string_view words, std::string_view predicates, F,
                              std::vector<Example> word_examples, std::vector<Example> predicate_examples) {
  rows.push_back(
      {words, "type = b16 b32 b64", Unit::alu, same_type<2, u16, u32, u64>(F{}), nullptr, std::move(word_examples)});
  rows.push_back({predicates, "", Unit::alu, always(&on_predicates<F>), nullptr, std::move(predicate_examples)});
}

/// Any function of three bits. The table `lut` (Instr::small) holds its value for a=0xF0, b=0xCC, c=0xAA: bit 4a+2b+c.
BANKSHOT_LANES_ONLY const Instr* lop3(Warp& w, const Instr* i) {
  const u32* const a = w.row<const u32>(i->op[1]);
  const u32* const b = w.row<const u32>(i->op[2]);
  const u32* const c = w.row<const u32>(i->op[3]);
  const auto entry = [lut = u32{i->small}](int k) { return 0u - (lut >> k & 1); };
  // With a and b given the function of c is one of 0, c, ~c, 1: (c & f) ^ g.
  const u32 g0 = entry(0), f0 = g0 ^ entry(1), g1 = entry(2), f1 = g1 ^ entry(3);
  const u32 g2 = entry(4), f2 = g2 ^ entry(5), g3 = entry(6), f3 = g3 ^ entry(7);
  u32 t[kLanes];
  BANKSHOT_LANE_LOOP
  for (int l = 0; l < kLanes; ++l) {
    const u32 x0 = (c[l] & f0) ^ g0, x1 = (c[l] & f1) ^ g1, x2 = (c[l] & f2) ^ g2, x3 = (c[l] & f3) ^ g3;
    const u32 y0 = (b[l] & (x0 ^ x1)) ^ x0, y1 = (b[l] & (x2 ^ x3)) ^ x2;
    t[l] = (a[l] & (y0 ^ y1)) ^ y0;
  }
  if (i->op[4] != OperandRef::kNone) {  // .BoolOp: p = (d != 0) op q
    const u64 nonzero = mask_of(t), q = w.predicate_value(i->op[5]);
    write_predicate(w, i->op[4], i->flags & InstrFlag::kOr ? nonzero | q : nonzero & q);
  }
  if (i->op[0] != OperandRef::kNone) blend(w.row<u32>(i->op[0]), t, w.active);
  return i + 1;
}

/// Operands d, a, b, c in op[0…3] and the table in Instr::small; of d|p, … q: p in op[4], q in op[5], and
/// InstrFlag::kOr for .or.
void lower_lop3(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const std::vector<ptx::Operand>& operands = instruction.operands;
  const bool combines = m.has("and") || m.has("or");
  if (!expect_operands(decoder, instruction, combines ? 6 : 5)) return;
  const Destinations d = destination_and_predicate(decoder, operands[0], ptx::Type::b32);
  out.op[0] = d.row;
  for (int k = 1; k <= 3; ++k) out.op[k] = decoder.source(operands[k], ptx::Type::b32);
  int64_t lut = 0;
  if (!decoder.literal(operands[4], lut)) return;
  if (lut < 0 || lut > 255) {
    decoder.error(operands[4].position, "expected a table of 8 bits, 0 to 255");
    return;
  }
  out.small = static_cast<u8>(lut);
  if (combines) {
    out.op[4] = d.predicate;
    out.op[5] = decoder.predicate_source(operands[5]);
    if (m.has("or")) out.flags |= InstrFlag::kOr;
  }
}

constexpr auto reversed = [](auto x) {
  using T = decltype(x);
  x = static_cast<T>((x >> 1 & static_cast<T>(0x5555555555555555u)) | (x & static_cast<T>(0x5555555555555555u)) << 1);
  x = static_cast<T>((x >> 2 & static_cast<T>(0x3333333333333333u)) | (x & static_cast<T>(0x3333333333333333u)) << 2);
  x = static_cast<T>((x >> 4 & static_cast<T>(0x0f0f0f0f0f0f0f0fu)) | (x & static_cast<T>(0x0f0f0f0f0f0f0f0fu)) << 4);
  x = static_cast<T>((x >> 8 & static_cast<T>(0x00ff00ff00ff00ffu)) | (x & static_cast<T>(0x00ff00ff00ff00ffu)) << 8);
  if constexpr (sizeof(T) == 4) return x >> 16 | x << 16;
  if constexpr (sizeof(T) == 8) {
    x = (x >> 16 & 0x0000ffff0000ffffu) | (x & 0x0000ffff0000ffffu) << 16;
    return x >> 32 | x << 32;
  }
};

}  // namespace

[[gnu::cold]] void logic_rows(Rows& rows) {
  constexpr std::string_view kWords = "type = b16 b32 b64", kLong = "type = b32 b64";
  logic_pair(rows, "and.type d, a, b", "and.pred p, a:pred, b:pred", bit_and, {{"b32", {"12", "10"}, "8"}},
             {{"pred", {"true", "true"}, "true"}, {"pred", {"true", "!true"}, "false"}});
  logic_pair(rows, "or.type d, a, b", "or.pred p, a:pred, b:pred", bit_or,
             {{"b64", {"0xf00000000", "3"}, "0xf00000003"}}, {{"pred", {"false", "true"}, "true"}});
  logic_pair(rows, "xor.type d, a, b", "xor.pred p, a:pred, b:pred", bit_xor, {{"b16", {"12", "10"}, "6"}},
             {{"pred", {"true", "true"}, "false"}});
  rows.push_back({"not.type d, a",
                  kWords,
                  Unit::alu,
                  same_type<1, u16, u32, u64>([](auto a) { return ~a; }),
                  nullptr,
                  {{"b32", {"0"}, "0xffffffff"}, {"b16", {"0xff"}, "0xff00"}}});
  rows.push_back({"not.pred p, a:pred", "", Unit::alu, always(&not_predicate), nullptr, {{"pred", {"true"}, "false"}}});
  rows.push_back({"cnot.type d, a",
                  kWords,
                  Unit::alu,
                  same_type<1, u16, u32, u64>([](auto a) { return a == 0; }),
                  nullptr,
                  {{"b32", {"0"}, "1"}, {"b64", {"0x100000000"}, "0"}}});
  rows.push_back({"lop3.b32 d, a, b, c, lut:literal",
                  "",
                  Unit::alu,
                  always(&lop3),
                  lower_lop3,
                  {{"b32", {"0xf0", "0xcc", "0xaa", "0x96"}, "0x96"},
                   {"b32", {"0x0000ff00", "0x00ff0000", "0x12345678", "0xfe"}, "0x12ffff78"},
                   {"b32", {"5", "6", "7", "0xff"}, "0xffffffff"}}});
  rows.push_back(
      {"lop3.bool.b32 d|p, a, b, c, lut:literal, q", "bool = and or", Unit::alu, always(&lop3), lower_lop3, {}});

  rows.push_back({"shl.type d, a, b:u32",
                  kWords,
                  Unit::alu,
                  for_types<u16, u32, u64>([](auto tag) -> Handler {
                    using T = typename decltype(tag)::type;
                    return lanes_of<T, T, u32>([](T a, u32 n) { return shift_left(a, n); });
                  }),
                  nullptr,
                  {{"b32", {"11", "2"}, "44"},
                   {"b32", {"1", "32"}, "0"},
                   {"b16", {"0xffff", "15"}, "0x8000"},
                   {"b64", {"1", "63"}, "0x8000000000000000"}}});
  rows.push_back({"shr.type d, a, b:u32",
                  "type = b16 b32 b64 u16 u32 u64 s16 s32 s64",
                  Unit::alu,
                  for_types<u16, u32, u64, s16, s32, s64>([](auto tag) -> Handler {
                    using T = typename decltype(tag)::type;
                    return lanes_of<T, T, u32>([](T a, u32 n) { return shift_right(a, n); });
                  }),
                  nullptr,
                  {{"u32", {"0x80000000", "31"}, "1"},
                   {"u32", {"1", "32"}, "0"},
                   {"s32", {"-8", "1"}, "-4"},
                   {"s32", {"-8", "4000000000"}, "-1"},
                   {"s16", {"-32768", "16"}, "-1"}}});

  rows.push_back({"popc.type d:u32, a",
                  kLong,
                  Unit::sfu,
                  for_types<u32, u64>([](auto tag) -> Handler {
                    using T = typename decltype(tag)::type;
                    return lanes_of<u32, T>([](T a) { return ones(a); });
                  }),
                  nullptr,
                  {{"b32", {"0xf00f"}, "8"}, {"b64", {"0xffffffffffffffff"}, "64"}}});
  rows.push_back({"clz.type d:u32, a",
                  kLong,
                  Unit::sfu,
                  for_types<u32, u64>([](auto tag) -> Handler {
                    using T = typename decltype(tag)::type;
                    return lanes_of<u32, T>([](T a) { return leading_zeros(a); });
                  }),
                  nullptr,
                  {{"b32", {"1"}, "31"}, {"b32", {"0"}, "32"}, {"b64", {"0"}, "64"}}});
  rows.push_back({"brev.type d, a",
                  kLong,
                  Unit::sfu,
                  same_type<1, u32, u64>(reversed),
                  nullptr,
                  {{"b32", {"0x00000013"}, "0xc8000000"}, {"b64", {"1"}, "0x8000000000000000"}}});
  logic_field_rows(rows);
}

}  // namespace bankshot::simt::BANKSHOT_ISA
