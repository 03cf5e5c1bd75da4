#include "bankshot/simt/lower/lower_matrix.hpp"

#include <algorithm>
#include <array>

#include "bankshot/simt/rows/lower.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// `[p]` of memory that fragments may lie in. @return false after an error
bool lower_matrix_address(Decoder& decoder, const Operand& operand, const Match& m, Instr& out) {
  out.flags |= InstrFlag::kMatrix;
  return lower_shared_address(decoder, operand, m.access.space, "matrices are loaded from and stored to", out);
}

bool is_sparse(const Match& m) { return m.has("sp") || m.has("sp::ordered_metadata"); }

/// A register, perhaps in braces.
uint32_t lone_register(Decoder& decoder, const Operand& operand, Type type) {
  const bool braces = operand.kind == Operand::Kind::vector && operand.elements.size() == 1;
  return register_source(decoder, braces ? operand.elements[0] : operand, type);
}

/// `data, {byte, thread}` of A, then of B. Registers that choose are looked at when the instruction runs.
/// @return false after an error
bool lower_scales(Decoder& decoder, const std::vector<Operand>& operands, size_t at, const MmaVariant& variant,
                  Instr& out) {
  std::vector<uint32_t> rows;
  const auto lower_choice = [&](const Operand& operand, const ScaleChoice& choice) {
    int64_t value = 0;
    const bool number = operand.kind == Operand::Kind::integer;
    if (number && !decoder.literal(operand, value)) return false;
    rows.push_back(decoder.source(operand, Type::b16));
    return !number || choice.allows(static_cast<uint64_t>(value)) ||
           decoder.error(operand.position,
                         choice.what() + " is " + choice.values() + " in this form, found " + std::to_string(value));
  };
  for (const bool of_a : {true, false}) {
    const Operand &data = operands[at++], &chosen = operands[at++];
    rows.push_back(lone_register(decoder, data, Type::b32));
    if (chosen.kind != Operand::Kind::vector || chosen.elements.size() != 2)
      return decoder.error(chosen.position, "expected the byte and the thread of scale factors: {byte, thread}");
    if (!lower_choice(chosen.elements[0], variant.byte(of_a)) ||
        !lower_choice(chosen.elements[1], variant.thread(of_a))) {
      return false;
    }
  }
  out.op[5] = keep_rows(decoder, std::move(rows));
  return true;
}

MmaVariant variant_of(const Match& m) {
  MmaVariant variant;
  if (!m.has("block_scale")) return variant;
  variant.scale = m.has("ue4m3") ? ScaleFormat::ue4m3 : ScaleFormat::ue8m0;
  variant.scales = m.has("kind::mxf8f6f4") ? 1 : m.has("scale_vec::4X") ? 4 : 2;
  return variant;
}

/// What mma.sp and .block_scale have behind the matrices. @param a  of the elements that are kept
void lower_variant(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, const Fragment& a,
                   Instr& out) {
  MmaVariant variant = variant_of(m);
  size_t at = 4;
  if (is_sparse(m)) {
    out.op[4] = lone_register(decoder, instruction.operands[at], Type::b32);
    const SparseSelection selection{bits(a.element), a.shape.k};
    if (!lower_selector(decoder, instruction.operands[at + 1], selection, variant.selector)) return;
    at += 2;
  }
  if (variant.scale != ScaleFormat::none && !lower_scales(decoder, instruction.operands, at, variant, out)) return;
  out.imm = variant.packed();
}

/// What mma and wmma.mma have in common. @param d, a, b, c  the matrices @return false after an error
bool lower_product(Decoder& decoder, const ptx::Instruction& instruction, const Fragment& d, const Fragment& a,
                   const Fragment& b, const Fragment& c, const std::array<unsigned, 4>& counts, Instr& out) {
  std::vector<uint32_t> rows;
  const Fragment* const matrices[] = {&d, &a, &b, &c};
  for (unsigned k = 0; k < 4; ++k) {
    if (!lower_registers(decoder, instruction.operands[k], counts[k], matrices[k]->register_bytes(), k == 0, rows))
      return false;
    out.op[3] = (k == 0 ? 0 : out.op[3]) | counts[k] << (8 * k);
  }
  out.op[0] = keep_rows(decoder, std::move(rows));
  out.op[1] = b.shape.packed();
  out.op[2] = static_cast<uint32_t>(a.element) | static_cast<uint32_t>(b.element) << 8 |
              static_cast<uint32_t>(c.element) << 16 | static_cast<uint32_t>(d.element) << 24;
  return true;
}

uint8_t rounding_of(const Match& m) {
  return m.has("rz") ? FpMode::kZero : m.has("rm") ? FpMode::kDown : m.has("rp") ? FpMode::kUp : FpMode::kNearest;
}

void lower_fragment(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Fragment::Role role,
                    bool load, Instr& out) {
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, 2, 3)) return;
  const auto& operands = instruction.operands;
  Fragment f{role, elements_of(m).back(), shape_of(m), m.has("col")};
  if (!lower_matrix_address(decoder, operands[load ? 1 : 0], m, out)) return;
  std::vector<uint32_t> rows;
  if (!lower_registers(decoder, operands[load ? 0 : 1], f.wmma_registers(), f.register_bytes(), load, rows)) return;
  out.op[1] = keep_rows(decoder, std::move(rows));
  // Without a stride the matrix lies there without gaps.
  const unsigned leading = f.lines_in_memory() ? f.across() : f.lines();
  out.op[2] = operands.size() == 3 ? decoder.source(operands[2], Type::b32) : decoder.constant(leading, 4);
  out.op[3] = f.packed();
  const Fragment::Way way = f.way(static_cast<Space>(out.small) == Space::shared);
  out.op[4] = static_cast<uint32_t>(way);
  if (static_cast<Space>(out.small) != Space::global) out.aux = decoder.new_site(f.width(way));
}

/// Registers: a matrix of 16 × 16 bytes takes two.
unsigned matrices_of(const Match& m) { return (m.has("x4") ? 4 : m.has("x2") ? 2 : 1) * (m.has("m16n16") ? 2 : 1); }

void lower_matrices(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, bool load, Instr& out) {
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, 2)) return;
  const auto& operands = instruction.operands;
  if (!lower_matrix_address(decoder, operands[load ? 1 : 0], m, out)) return;
  if (static_cast<Space>(out.small) == Space::global) {
    decoder.error(operands[load ? 1 : 0].position, "'" + instruction.opcode + "' works on shared memory only");
    return;
  }
  std::vector<uint32_t> rows;
  if (!lower_registers(decoder, operands[load ? 0 : 1], matrices_of(m), 4, load, rows)) return;
  out.op[1] = keep_rows(decoder, std::move(rows));
  out.op[2] = m.has("trans") ? 1 : 0;
  out.aux = decoder.new_site(16);
}

}  // namespace

bool fits_the_warp(Decoder& decoder, const ptx::Instruction& instruction) {
  if (decoder.program().lanes == 32) return true;
  return decoder.error(instruction.position, "'" + instruction.opcode +
                                                 "' needs warps of 32 lanes, but those of this GPU have " +
                                                 std::to_string(decoder.program().lanes));
}

bool lower_registers(Decoder& decoder, const Operand& operand, unsigned count, unsigned bytes, bool writes,
                     std::vector<uint32_t>& rows) {
  const bool braces = operand.kind == Operand::Kind::vector;
  const size_t found = braces ? operand.elements.size() : 1;
  if (found != count || (!braces && count != 1)) {
    return decoder.error(operand.position, "expected " + std::to_string(count) +
                                               (count == 1 ? " register" : " registers in braces") +
                                               " for this matrix, found " + std::to_string(found));
  }
  for (unsigned k = 0; k < count; ++k) {
    const Operand& element = braces ? operand.elements[k] : operand;
    const Type type = type_of_bytes(bytes);
    if (writes && braces && element.kind == Operand::Kind::sink) {
      rows.push_back(decoder.unread_row(type));
    } else {
      rows.push_back(writes ? decoder.destination(element, type) : decoder.source(element, type));
    }
  }
  return true;
}

bool lower_selector(Decoder& decoder, const Operand& operand, const SparseSelection& of, unsigned& selector) {
  int64_t value = 0;
  if (!decoder.literal(operand, value)) return false;
  selector = static_cast<unsigned>(value);
  if (value >= 0 && value < of.selectors()) return true;
  return decoder.error(operand.position, "the sparsity selector of this form is " + some_numbers(of.selectors(), 1) +
                                             ", found " + std::to_string(value));
}

MatrixShape shape_of(const Match& m) {
  MatrixShape shape;
  for (std::string_view modifier : m.modifiers) {
    if (MatrixShape::named(modifier, shape)) return shape;
  }
  return {};
}

std::vector<Element> elements_of(const Match& m) {
  const bool padded = m.has("kind::f8f6f4") || m.has("kind::mxf8f6f4");
  std::vector<Element> all;
  for (std::string_view modifier : m.modifiers) {
    const Element element = element_named(modifier);
    if (element != Element::none) all.push_back(element == Element::e2m1 && padded ? Element::padded_e2m1 : element);
  }
  return all;
}

uint32_t product_work(const Match& m) {
  const MatrixShape shape = shape_of(m);
  const std::vector<Element> types = elements_of(m);  // d, a, b, c; or d, c where both others are f16
  const Element factor = types.size() == 2 ? Element::f16 : types[1];
  const unsigned depth = is_sparse(m) ? shape.k / 2 : shape.k;
  const uint32_t products = shape.m * shape.n * depth * (is_quad_pairs(shape, factor) ? 4 : 1);
  return std::max(1u, factor == Element::f64 ? 16 * products : products * bits(factor) / 16);
}

void lower_mma(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const size_t operands = 4 + (is_sparse(m) ? 2 : 0) + (m.has("block_scale") ? 4 : 0);
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, operands)) return;
  const MatrixShape shape = shape_of(m), kept{shape.m, shape.n, is_sparse(m) ? shape.k / 2 : shape.k};
  const std::vector<Element> types = elements_of(m);  // d, a, b, c
  using Role = Fragment::Role;
  const Fragment d{Role::c, types[0], shape}, a{Role::a, types[1], kept}, b{Role::b, types[2], shape},
      c{Role::c, types[3], shape};
  std::array<unsigned, 4> counts{d.registers(), a.registers(), b.registers(), c.registers()};
  if (is_quad_pairs(shape, types[1])) {
    // Four products at once, one for each pair of quads: a lane has 4 elements of A and of B, and 8 accumulators.
    counts = {types[0] == Element::f16 ? 4u : 8u, 2, 2, types[3] == Element::f16 ? 4u : 8u};
    const auto row_of = [&](size_t k) { return instruction.modifiers[3 + k] == "row"; };  // after .sync.aligned.m8n8k4
    out.small = static_cast<uint8_t>((row_of(0) ? 0 : MmaSmall::kAColumns) | (row_of(1) ? MmaSmall::kBRows : 0));
  }
  out.small |=
      static_cast<uint8_t>((m.has("satfinite") ? MmaSmall::kSaturate : 0) | (m.has("and") ? MmaSmall::kAnd : 0));
  out.fp = rounding_of(m);
  if (lower_product(decoder, instruction, d, a, b, c, counts, out)) lower_variant(decoder, instruction, m, a, out);
}

void lower_wmma_mma(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, 4)) return;
  const MatrixShape shape = shape_of(m);
  std::vector<Element> types = elements_of(m);  // d, c: both others are f16; or d, a, b, c
  if (types.size() == 2) types = {types[0], Element::f16, Element::f16, types[1]};
  using Role = Fragment::Role;
  const Fragment d{Role::c, types[0], shape}, a{Role::a, types[1], shape}, b{Role::b, types[2], shape},
      c{Role::c, types[3], shape};
  out.small =
      static_cast<uint8_t>((m.has("satfinite") ? MmaSmall::kSaturate : 0) | (m.has("and") ? MmaSmall::kAnd : 0));
  out.fp = rounding_of(m);
  lower_product(decoder, instruction, d, a, b, c,
                {d.registers(), a.wmma_registers(), b.wmma_registers(), c.registers()}, out);
}

void lower_wmma_load(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  const Fragment::Role role = m.has("a") ? Fragment::Role::a : m.has("b") ? Fragment::Role::b : Fragment::Role::c;
  lower_fragment(decoder, instruction, m, role, true, out);
}

void lower_wmma_store(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  lower_fragment(decoder, instruction, m, Fragment::Role::c, false, out);
}

void lower_ldmatrix(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  lower_matrices(decoder, instruction, m, true, out);
}

void lower_stmatrix(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  lower_matrices(decoder, instruction, m, false, out);
}

void lower_movmatrix(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  if (!fits_the_warp(decoder, instruction) || !expect_operands(decoder, instruction, 2)) return;
  out.op[0] = decoder.destination(instruction.operands[0], Type::b32);
  out.op[1] = decoder.source(instruction.operands[1], Type::b32);
}

}  // namespace bankshot::simt
