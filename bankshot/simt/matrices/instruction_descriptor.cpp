// What the instruction descriptor of tcgen05.mma says. Source: PTX ISA 9.0, section 9.7.16, "Instruction descriptor"
// and the tables of shapes.
#include <string_view>

#include "bankshot/simt/matrices/container.hpp"
#include "bankshot/simt/matrices/tensor_product.hpp"

namespace bankshot::simt {
namespace {

using Kind = TensorProductForm::Kind;

bool is_packed(Kind kind) { return kind == Kind::mxf4 || kind == Kind::mxf4nvf4; }

/// The type of A or B; Element::none if there is none.
Element factor_of(Kind kind, unsigned code) {
  using enum Element;
  switch (kind) {
    case Kind::f16: return code == 0 ? f16 : code == 1 ? bf16 : none;
    case Kind::tf32: return code == 2 ? tf32 : none;
    case Kind::i8: return code == 0 ? u8 : code == 1 ? s8 : none;
    case Kind::f8f6f4:
    case Kind::mxf8f6f4: {
      static constexpr Element kTypes[] = {e4m3, e5m2, none, e2m3, e3m2, padded_e2m1, none, none};
      return kTypes[code];
    }
    case Kind::mxf4:
    case Kind::mxf4nvf4: return code == 1 ? e2m1 : none;
  }
  return none;
}

/// Why numbers of rows and columns are not those of the kind; empty if they are.
std::string wrong_shape(const TensorProduct& p, const TensorProductForm& form) {
  const auto refuse = [&](const char* what, unsigned found, const char* allowed) {
    return std::string(what) + " is " + std::to_string(found) + ", but .kind::" + std::string(form.name()) +
           (p.sparse ? ".sp" : "") +
           (p.stationary ? " with .ws"
            : p.pair     ? " with .cta_group::2"
                         : "") +
           " takes " + allowed;
  };
  if (p.stationary) {
    if (p.m != 32 && p.m != 64 && p.m != 128) return refuse("M", p.m, "32, 64 and 128");
    if (p.n == 64 || p.n == 128 || (p.n == 256 && !p.sparse)) return {};
    return refuse("N", p.n, p.sparse ? "64 and 128" : "64, 128 and 256");
  }
  const unsigned most = p.pair ? 256 : 128;
  // Products with scale factors use all 128 lanes.
  const unsigned least = p.scales == 0 || (p.pair && !p.sparse) ? most / 2 : most;
  if (p.m != least && p.m != most)
    return refuse("M", p.m, least == most ? (p.pair ? "256" : "128") : p.pair ? "128 and 256" : "64 and 128");
  const bool integers = form.kind == Kind::i8;
  const unsigned step = p.pair ? (integers ? 32 : 16) : integers && p.n > 32 ? 16 : 8;
  if (p.n >= step && p.n <= 256 && p.n % step == 0) return {};
  return refuse("N", p.n,
                p.pair      ? (integers ? "multiples of 32 up to 256" : "multiples of 16 up to 256")
                : !integers ? "multiples of 8 up to 256"
                            : "8, 16, 24, 32, and multiples of 16 up to 256");
}

struct Fields {
  uint32_t descriptor;
  unsigned operator()(unsigned first, unsigned count) const { return descriptor >> first & ((1u << count) - 1); }
};

/// The fields of products with scale factors. @return what is wrong with them
std::string read_scales(Fields field, const TensorProductForm& form, TensorProduct& out) {
  const bool packed = is_packed(form.kind);
  if (field(0, 2) != 0 || field(3, 1) != 0 || field(6, 1) != 0 || field(24, 3) != 0 || (packed && field(12, 1) != 0))
    return std::string("bits 0, 1, 3, 6, ") + (packed ? "12, " : "") + "and 24 to 26 must be 0";
  const bool deep = field(31, 1) != 0;
  if (deep && (!packed || out.sparse)) return "bit 31, K of 96, is for .kind::mxf4 and .kind::mxf4nvf4 without .sp";
  out.depth = deep ? 48 : 32;
  out.scales = deep ? form.scales * 3 / 2 : form.scales;
  out.scale = field(23, 1) != 0 ? ScaleFormat::ue8m0 : ScaleFormat::ue4m3;
  const bool four = form.scales == 4;
  if (out.scale == ScaleFormat::ue4m3 && !(form.kind == Kind::mxf4nvf4 && four))
    return "scale factors of .kind::" + std::string(form.name()) +
           (form.kind == Kind::mxf4nvf4 ? ", two of a row," : "") + " are ue8m0: bit 23 must be 1";
  out.first_scale_b = field(4, 2);
  out.first_scale_a = field(29, 2);
  for (const bool of_a : {true, false}) {
    const ScaleChoice choice{of_a, true, 4, deep ? form.scales / 2 : form.scales};
    const unsigned found = of_a ? out.first_scale_a : out.first_scale_b;
    if (choice.allows(found)) continue;
    return choice.what() + (of_a ? " (bits 29 and 30)" : " (bits 4 and 5)") + " is " + std::to_string(found) +
           ", but with " + std::to_string(out.scales) + " of them it must be " + choice.values();
  }
  return {};
}

/// The fields of the others. @return what is wrong with them
std::string read_sums(Fields field, const TensorProductForm& form, TensorProduct& out) {
  if (field(6, 1) != 0 || field(23, 1) != 0 || field(29, 1) != 0) return "bits 6, 23 and 29 must be 0";
  static constexpr unsigned kShifts[] = {0, 8, 16, 32};
  if (form.stationary) out.most_shift = kShifts[field(30, 2)];
  out.saturate = field(3, 1) != 0;
  const bool integers = form.kind == Kind::i8;
  if (out.saturate && !integers) return "bit 3, saturation, is for .kind::i8 only";
  if (out.sparse) {
    out.selector = field(0, 2);
    if (out.selector != 0 && bits(out.a) == 8)
      return "bits 0 and 1, which metadata are used, must be 0 with elements of 8 bits";
  }
  const unsigned d = field(4, 2);
  out.d = d == 0 ? Element::f16 : d == 1 ? Element::f32 : Element::s32;
  const bool halves = form.kind == Kind::f8f6f4 || (out.a == Element::f16 && out.b == Element::f16);
  if (d == 3 || (out.d == Element::s32) != integers || (out.d == Element::f16 && !halves))
    return "D cannot have type code " + std::to_string(d) + " with these A and B: " +
           (integers ? "it must be s32 (2)"
            : halves ? "it must be f16 (0) or f32 (1)"
                     : "it must be f32 (1)");
  if (integers && (out.negate_a || out.negate_b)) return "bits 13 and 14, negation, are not for .kind::i8";
  return {};
}

}  // namespace

std::string TensorProduct::read(uint32_t descriptor, const TensorProductForm& form, TensorProduct& out) {
  const Fields field{descriptor};
  const bool packed = is_packed(form.kind);
  const std::string kind = ".kind::" + std::string(form.name());
  out = {};
  out.pair = form.pair;
  out.stationary = form.stationary;
  out.sparse = form.sparse;
  if ((field(2, 1) != 0) != form.sparse)
    return form.sparse ? "bit 2 must be 1 for an instruction with .sp"
                       : "bit 2 says that A is sparse, but the instruction is not .sp";
  const unsigned codes[] = {field(7, 3), field(10, packed ? 2 : 3)};
  out.a = factor_of(form.kind, codes[0]);
  out.b = factor_of(form.kind, codes[1]);
  for (unsigned k = 0; k < 2; ++k) {
    if ((k == 0 ? out.a : out.b) == Element::none)
      return "type code " + std::to_string(codes[k]) + " of " + (k == 0 ? "A" : "B") + " does not exist for " + kind;
  }
  out.negate_a = field(13, 1) != 0;
  out.negate_b = field(14, 1) != 0;
  out.mn_major_a = field(15, 1) != 0;
  out.mn_major_b = field(16, 1) != 0;
  out.n = field(17, 6) * 8;
  out.m = (form.scales == 0 ? field(24, 5) : field(27, 2) << 3) * 16;
  if (std::string why = form.scales == 0 ? read_sums(field, form, out) : read_scales(field, form, out); !why.empty())
    return why;
  if (std::string why = wrong_shape(out, form); !why.empty()) return why;
  if (form.a_in_tensor_memory && out.mn_major_a) return "A is in tensor memory, where it cannot be MN-major";
  if (form.next_rows && out.rows() != TensorMemory::kLanes)
    return ".ashift needs M of 128, or 256 with .cta_group::2, but M is " + std::to_string(out.m);
  for (const bool of_a : {true, false}) {
    const Element element = of_a ? out.a : out.b;
    if ((of_a ? out.mn_major_a : out.mn_major_b) && stored_bits(element) < 8)
      return std::string(of_a ? "A" : "B") + " has elements of " + std::to_string(stored_bits(element)) +
             " bits, which cannot be MN-major";
  }
  const unsigned of_unit = form.pair ? 32 : 16;
  if (out.mn_major_b && bits(out.b) == 8 && out.n % of_unit != 0)
    return "B has elements of 8 bits and is MN-major: N must be a multiple of " + std::to_string(of_unit);
  return {};
}

}  // namespace bankshot::simt
