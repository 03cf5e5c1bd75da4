#include "bankshot/simt/matrices/tensor_product.hpp"

#include <string_view>

namespace bankshot::simt {
namespace {

using Kind = TensorProductForm::Kind;

std::string_view name_of(Kind kind) {
  static constexpr std::string_view kNames[] = {"f16", "tf32", "f8f6f4", "i8"};
  return kNames[static_cast<size_t>(kind)];
}

/// The type of A or B. Element::none: there is none, or Bankshot does not have it.
Element factor_of(Kind kind, unsigned code) {
  using enum Element;
  switch (kind) {
    case Kind::f16: return code == 0 ? f16 : code == 1 ? bf16 : none;
    case Kind::tf32: return code == 2 ? tf32 : none;
    case Kind::f8f6f4: return code == 0 ? e4m3 : code == 1 ? e5m2 : none;
    case Kind::i8: return code == 0 ? u8 : code == 1 ? s8 : none;
  }
  return none;
}

/// Why numbers of rows and columns are not those of the kind; empty if they are.
std::string wrong_shape(const TensorProduct& p, Kind kind) {
  const auto refuse = [&](const char* what, unsigned found, const char* allowed) {
    return std::string(what) + " is " + std::to_string(found) + ", but .kind::" + std::string(name_of(kind)) +
           (p.stationary ? " with .ws"
            : p.pair     ? " with .cta_group::2"
                         : "") +
           " takes " + allowed;
  };
  if (p.stationary) {
    if (p.m != 32 && p.m != 64 && p.m != 128) return refuse("M", p.m, "32, 64 and 128");
    return p.n == 64 || p.n == 128 || p.n == 256 ? "" : refuse("N", p.n, "64, 128 and 256");
  }
  const unsigned least = p.pair ? 128 : 64;
  if (p.m != least && p.m != 2 * least) return refuse("M", p.m, p.pair ? "128 and 256" : "64 and 128");
  const bool integers = kind == Kind::i8;
  const unsigned step = p.pair ? (integers ? 32 : 16) : integers && p.n > 32 ? 16 : 8;
  if (p.n >= step && p.n <= 256 && p.n % step == 0) return {};
  return refuse("N", p.n,
                p.pair      ? (integers ? "multiples of 32 up to 256" : "multiples of 16 up to 256")
                : !integers ? "multiples of 8 up to 256"
                            : "8, 16, 24, 32, and multiples of 16 up to 256");
}

}  // namespace

uint64_t TensorProductForm::packed() const {
  return static_cast<uint64_t>(kind) | (pair ? 1u << 8 : 0) | (stationary ? 1u << 9 : 0) |
         (a_in_tensor_memory ? 1u << 10 : 0) | uint64_t{shift} << 16;
}

TensorProductForm TensorProductForm::unpacked(uint64_t bits) {
  return {static_cast<Kind>(bits & 0xff), (bits >> 8 & 1) != 0, (bits >> 9 & 1) != 0, (bits >> 10 & 1) != 0,
          static_cast<unsigned>(bits >> 16 & 0xff)};
}

unsigned TensorProduct::parts() const {
  if (!pair && !stationary) return 1;
  return TensorMemory::kLanes / rows();
}

std::string TensorProduct::wrong_lane(unsigned lane) const {
  if (lane == 0 || (spread() && lane == 16)) return {};
  return "D must be at lane 0" + std::string(spread() ? " or 16" : "") + " of tensor memory for M " +
         std::to_string(m) + ", but is at lane " + std::to_string(lane);
}

std::string TensorProduct::read(uint32_t descriptor, const TensorProductForm& form, TensorProduct& out) {
  const auto field = [&](unsigned first, unsigned count) { return descriptor >> first & ((1u << count) - 1); };
  const auto type = [&](const char* what, unsigned code) {
    const bool some = form.kind == Kind::f8f6f4;
    return "type code " + std::to_string(code) + " of " + what +
           (some ? " is not supported for .kind::" : " does not exist for .kind::") + std::string(name_of(form.kind)) +
           (some ? ": supported are e4m3 (0) and e5m2 (1)" : "");
  };
  out = {};
  out.pair = form.pair;
  out.stationary = form.stationary;
  if (field(2, 1) != 0) return "bit 2 says that A is sparse, but the instruction is not .sp";
  if (field(6, 1) != 0 || field(23, 1) != 0 || field(29, 1) != 0) return "bits 6, 23 and 29 must be 0";
  out.saturate = field(3, 1) != 0;
  const bool integers = form.kind == Kind::i8;
  if (out.saturate && !integers) return "bit 3, saturation, is for .kind::i8 only";
  out.a = factor_of(form.kind, field(7, 3));
  out.b = factor_of(form.kind, field(10, 3));
  if (out.a == Element::none) return type("A", field(7, 3));
  if (out.b == Element::none) return type("B", field(10, 3));
  const unsigned d = field(4, 2);
  out.d = d == 0 ? Element::f16 : d == 1 ? Element::f32 : Element::s32;
  const bool halves = form.kind == Kind::f8f6f4 || (out.a == Element::f16 && out.b == Element::f16);
  if (d == 3 || (out.d == Element::s32) != integers || (out.d == Element::f16 && !halves))
    return "D cannot have type code " + std::to_string(d) + " with these A and B: " +
           (integers ? "it must be s32 (2)"
            : halves ? "it must be f16 (0) or f32 (1)"
                     : "it must be f32 (1)");
  out.negate_a = field(13, 1) != 0;
  out.negate_b = field(14, 1) != 0;
  if (integers && (out.negate_a || out.negate_b)) return "bits 13 and 14, negation, are not for .kind::i8";
  out.mn_major_a = field(15, 1) != 0;
  out.mn_major_b = field(16, 1) != 0;
  out.n = field(17, 6) * 8;
  out.m = field(24, 5) * 16;
  if (const std::string why = wrong_shape(out, form.kind); !why.empty()) return why;
  if (form.a_in_tensor_memory && out.mn_major_a) return "A is in tensor memory, where it cannot be MN-major";
  if (form.kind == Kind::tf32 && (out.mn_major_a || out.mn_major_b))
    return "tf32 operands that are MN-major need the 128-byte swizzle in units of 32 bytes, which is not supported";
  const unsigned of_unit = form.pair ? 32 : 16;
  if (out.mn_major_b && bits(out.b) == 8 && out.n % of_unit != 0)
    return "B has elements of 8 bits and is MN-major: N must be a multiple of " + std::to_string(of_unit);
  return {};
}

}  // namespace bankshot::simt
