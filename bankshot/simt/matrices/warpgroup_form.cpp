#include "bankshot/simt/matrices/warpgroup_form.hpp"

namespace bankshot::simt {

uint64_t WarpgroupForm::packed() const {
  const uint64_t flags = (negate_a ? 1 : 0) | (negate_b ? 2 : 0) | (mn_major_a ? 4 : 0) | (mn_major_b ? 8 : 0) |
                         (saturate ? 16 : 0) | (sparse ? 32 : 0) | uint64_t{selector} << 6;
  return n | uint64_t{k} << 16 | static_cast<uint64_t>(d) << 32 | static_cast<uint64_t>(a) << 40 |
         static_cast<uint64_t>(b) << 48 | flags << 56;
}

WarpgroupForm WarpgroupForm::unpacked(uint64_t bits) {
  const auto element = [&](unsigned at) { return static_cast<Element>(bits >> at & 0xff); };
  const auto flag = [&](unsigned k) { return (bits >> (56 + k) & 1) != 0; };
  WarpgroupForm f;
  f.n = static_cast<unsigned>(bits & 0xffff);
  f.k = static_cast<unsigned>(bits >> 16 & 0xffff);
  f.d = element(32);
  f.a = element(40);
  f.b = element(48);
  f.negate_a = flag(0);
  f.negate_b = flag(1);
  f.mn_major_a = flag(2);
  f.mn_major_b = flag(3);
  f.saturate = flag(4);
  f.sparse = flag(5);
  f.selector = static_cast<unsigned>(bits >> 62);
  return f;
}

Fragment WarpgroupForm::fragment(Fragment::Role role) const {
  const Element element = role == Fragment::Role::a ? a : role == Fragment::Role::b ? b : d;
  return {role, element, {kRows, n, role == Fragment::Role::a ? kept() : k}};
}

MatrixDescriptor MatrixDescriptor::unpacked(uint64_t bits) {
  const auto units = [&](unsigned at) { return static_cast<uint32_t>(bits >> at & 0x3fff) << 4; };
  static constexpr unsigned kAtoms[] = {16, 128, 64, 32};
  return {units(0), units(16), units(32), static_cast<unsigned>(bits >> 49 & 7), kAtoms[bits >> 62]};
}

std::string MatrixDescriptor::read(uint64_t bits, MatrixDescriptor& out) {
  const uint64_t layout = bits >> 61, version = bits >> 46 & 7;
  if (layout == 3 || layout == 5 || layout == 7) {
    return "it asks for layout " + std::to_string(layout) +
           " (bits 61 to 63), which does not exist: there are 0 (no swizzle), 1 (128 bytes in units of 32), 2 (128 "
           "bytes), 4 (64 bytes) and 6 (32 bytes)";
  }
  if (version != 1)
    return "bits 46 to 48 must be 1, but are " + std::to_string(version) + ": a descriptor of wgmma does not fit";
  out = unpacked(bits);
  out.absolute = (bits >> 52 & 1) != 0;
  if (out.absolute && (layout != 2 || out.base_offset != 0))
    return "bit 52, an absolute leading offset, needs layout 2 (the swizzle of 128 bytes) and a base offset of 0";
  if (layout == 1) {
    out.atom = 128;
    out.unit = 32;
  }
  return {};
}

OperandCore MatrixDescriptor::core(bool mn_major, unsigned g, unsigned j) const {
  OperandCore rows;
  const unsigned wide = atom / 16;  // units of 16 bytes
  const auto of_pattern = static_cast<uint32_t>(rows.size()) * 16 / unit;
  uint32_t first = start;
  if (!mn_major) {
    const uint32_t in_row = start % atom + j * 16;
    if (absolute && in_row >= atom) first = leading + in_row - atom - j * 16;
    first += g * stride + j * (wide == 1 ? leading : 16);
  } else if (wide == 1) {
    first += j * stride + g * leading;
  } else {
    first += j % wide * 16 + j / wide * leading + g * unit / 16 * stride;
  }
  for (uint32_t r = 0; r < rows.size(); ++r) {
    const uint32_t at = first + r % of_pattern * atom + r / of_pattern * stride;
    rows[r] = at ^ (((at >> 7) - base_offset) & (atom / unit - 1)) * unit;
  }
  return rows;
}

}  // namespace bankshot::simt
