#include "bankshot/simt/lower/lower_texture.hpp"

#include "bankshot/simt/rows/lower.hpp"
#include "bankshot/simt/state/texture_op.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Type;
using texture::Shape;

void add(Decoder& decoder, TextureOp op, Instr& out) {
  out.small = static_cast<uint8_t>(ptx::Space::tex);
  out.aux = static_cast<uint32_t>(decoder.program().texture_ops.size());
  decoder.program().texture_ops.push_back(op);
}

/// .1d, .a2d …
bool geometry(const Match& m, TextureOp& op) {
  const std::string_view geom = m.which({"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"});
  op.layered = geom.starts_with('a');
  op.shape = geom.ends_with("1d")   ? Shape::line
             : geom.ends_with("2d") ? Shape::plane
             : geom == "3d"         ? Shape::volume
                                    : Shape::cube;
  return !geom.empty();
}

unsigned axes(Shape shape) { return shape == Shape::line ? 1 : shape == Shape::plane ? 2 : 3; }

/// `[a, …]`: the handle, a 64-bit register or a .texref or .surfref variable.
bool handle(Decoder& decoder, const Operand& operand, bool surface, Instr& out) {
  if (operand.kind != Operand::Kind::address || operand.integer != 0) {
    return decoder.error(operand.position, "expected a texture or surface in brackets");
  }
  const Symbol* const symbol = decoder.find(operand.name);
  Operand name = operand;
  name.kind = Operand::Kind::identifier;
  name.elements.clear();
  if (symbol != nullptr && symbol->kind != Symbol::Kind::reg) {
    const std::string wanted = surface ? "surfref" : "texref";
    const bool is_variable = symbol->kind == Symbol::Kind::variable && symbol->variable != nullptr;
    if (!is_variable || symbol->variable->opaque != wanted) {
      return decoder.error(operand.position, "'" + operand.name + "' is no ." + wanted);
    }
    out.op[0] = decoder.constant(symbol->address, 8);
    return true;
  }
  out.op[0] = decoder.source(name, Type::b64);
  return true;
}

/// The elements of a vector, or the operand itself where one is enough.
std::vector<const Operand*> elements_of(const Operand& operand) {
  std::vector<const Operand*> all;
  if (operand.kind != Operand::Kind::vector) return {&operand};
  for (const Operand& element : operand.elements) all.push_back(&element);
  return all;
}

/// `{layer, x, y, z}` without what the geometry lacks; vectors have 1, 2 or 4 elements, of which the last may mean
/// nothing.
bool coordinates(Decoder& decoder, const Operand& operand, Type type, TextureOp& op) {
  if (operand.elements.size() != 1) {
    return decoder.error(
        operand.position,
        operand.elements.empty() ? "expected coordinates behind the texture"
                                 : "samplers apart from textures (texmode_independent) are not supported",
        operand.elements.empty() ? "" : "Without .target texmode_independent the sampler belongs to the texture.");
  }
  const std::vector<const Operand*> parts = elements_of(operand.elements[0]);
  const unsigned first = op.layered ? 1 : 0, needed = first + axes(op.shape);
  if (parts.size() != needed && (parts.size() < needed || (parts.size() != 2 && parts.size() != 4))) {
    return decoder.error(operand.position,
                         "expected " + std::to_string(needed) + " coordinates, found " + std::to_string(parts.size()));
  }
  if (op.layered) op.layer = decoder.source(*parts[0], Type::u32);
  for (unsigned k = 0; k < axes(op.shape); ++k) op.at[k] = decoder.source(*parts[first + k], type);
  return true;
}

bool gradient(Decoder& decoder, const Operand& operand, Shape shape, std::array<uint32_t, 3>& out) {
  const std::vector<const Operand*> parts = elements_of(operand);
  if (parts.size() < axes(shape) || parts.size() > 4) {
    return decoder.error(operand.position, "expected " + std::to_string(axes(shape)) + " derivatives, found " +
                                               std::to_string(parts.size()));
  }
  for (unsigned k = 0; k < axes(shape); ++k) out[k] = decoder.source(*parts[k], Type::f32);
  return true;
}

/// @param writes  they are destinations
bool values(Decoder& decoder, const Operand& operand, Type type, unsigned count, bool writes, TextureOp& op) {
  const std::vector<const Operand*> parts = elements_of(operand);
  if (parts.size() != count) {
    return decoder.error(operand.position,
                         "expected " + std::to_string(count) + " values, found " + std::to_string(parts.size()));
  }
  op.values = static_cast<uint8_t>(count);
  for (unsigned k = 0; k < count; ++k) {
    Type own = type;
    op.value[k].row = writes ? destination_or_none(decoder, *parts[k], type, op.is_surface, &own)
                             : decoder.source(*parts[k], type, true, &own);
    op.value[k].bytes = static_cast<uint8_t>(register_bytes(own));
  }
  return true;
}

/// d or d|p
bool destinations(Decoder& decoder, const Operand& operand, Type type, unsigned count, TextureOp& op) {
  const bool pair = operand.kind == Operand::Kind::pair;
  if (pair) op.predicate = decoder.predicate_destination(operand.elements[1]);
  return values(decoder, pair ? operand.elements[0] : operand, type, count, true, op);
}

TextureQuery query_of(const Match& m) {
  static constexpr std::string_view kNames[] = {"width",         "height",
                                                "depth",         "channel_data_type",
                                                "channel_order", "normalized_coords",
                                                "array_size",    "num_mipmap_levels",
                                                "num_samples",   "filter_mode",
                                                "addr_mode_0",   "addr_mode_1",
                                                "addr_mode_2",   "memory_layout"};
  for (size_t k = 0; k < std::size(kNames); ++k) {
    if (m.has(kNames[k])) return static_cast<TextureQuery>(k);
  }
  return TextureQuery::width;
}

void reduction(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, TextureOp& op) {
  const std::string operation(m.which({"add", "min", "max", "and", "or"}));
  op.reduction = operation == "add"   ? SurfaceReduction::add
                 : operation == "min" ? SurfaceReduction::min
                 : operation == "max" ? SurfaceReduction::max
                 : operation == "and" ? SurfaceReduction::bit_and
                                      : SurfaceReduction::bit_or;
  op.is_signed = m.type == Type::s32 || m.type == Type::s64;
  const bool sign = operation == "min" || operation == "max";
  if (sign && op.formatted) {
    decoder.cta_communication(instruction, "the surface's format says what is least");
    return;
  }
  decoder.cta_reduction(
      instruction, operation + (sign ? "." + std::string(name(m.type)) : ".b" + std::to_string(ptx::bits(m.type))));
}

}  // namespace

void lower_texture(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  TextureOp op;
  const bool gathers = instruction.opcode == "tld4";
  op.kind = gathers ? TextureOp::Kind::gather : TextureOp::Kind::fetch;
  op.lod_mode = m.has("level")  ? TextureOp::Lod::level
                : m.has("grad") ? TextureOp::Lod::gradient
                                : TextureOp::Lod::base;
  op.component = m.has("g") ? 1 : m.has("b") ? 2 : m.has("a") ? 3 : 0;
  op.by_number = m.type2 == Type::s32;
  op.packed = m.type == Type::f16x2;
  op.element_bytes = m.type == Type::f16 ? 2 : 4;
  const size_t extra = op.lod_mode == TextureOp::Lod::gradient ? 2 : op.lod_mode == TextureOp::Lod::level ? 1 : 0;
  if (instruction.operands.size() > 2 + extra) {
    decoder.error(instruction.position, "offsets and depth comparisons of texture fetches are not supported");
    return;
  }
  if (!expect_operands(decoder, instruction, 2 + extra) || !geometry(m, op)) return;
  const std::vector<Operand>& operands = instruction.operands;
  if (!handle(decoder, operands[1], false, out) || !coordinates(decoder, operands[1], m.type2, op)) return;
  if (op.lod_mode == TextureOp::Lod::level) op.lod = decoder.source(operands[2], m.type2);
  if (op.lod_mode == TextureOp::Lod::gradient) {
    if (!gradient(decoder, operands[2], op.shape, op.dx) || !gradient(decoder, operands[3], op.shape, op.dy)) return;
  }
  if (!destinations(decoder, operands[0], m.type, op.packed ? 2 : 4, op)) return;
  add(decoder, op, out);
}

void lower_surface(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  TextureOp op;
  const bool loads = instruction.opcode == "suld";
  op.kind = loads                          ? TextureOp::Kind::load
            : instruction.opcode == "sust" ? TextureOp::Kind::store
                                           : TextureOp::Kind::reduce;
  op.is_surface = op.by_number = true;
  op.formatted = m.has("p");
  op.outside = m.has("clamp")  ? texture::Outside::clamp
               : m.has("zero") ? texture::Outside::zero
                               : texture::Outside::trap;
  op.element_bytes = static_cast<uint8_t>(ptx::bits(m.type) / 8);
  if (!expect_operands(decoder, instruction, 2) || !geometry(m, op)) return;
  if (!loads && decoder.has_transactions()) {
    decoder.error(instruction.position, "a module with transactions cannot write surfaces",
                  "Use global memory, which transactions can undo.");
    return;
  }
  const Operand& address = instruction.operands[loads ? 1 : 0];
  const Operand& value = instruction.operands[loads ? 0 : 1];
  if (!handle(decoder, address, true, out) || !coordinates(decoder, address, Type::s32, op)) return;
  if (!values(decoder, value, m.type, m.access.elements, loads, op)) return;
  if (op.kind == TextureOp::Kind::reduce) reduction(decoder, instruction, m, op);
  add(decoder, op, out);
}

void lower_texture_query(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  TextureOp op;
  op.is_surface = instruction.opcode == "suq" || m.has("surfref");
  if (!expect_operands(decoder, instruction, m.has("level") ? 3 : 2)) return;
  const std::vector<Operand>& operands = instruction.operands;
  if (instruction.opcode == "istypep") {
    op.kind = TextureOp::Kind::type_query;
    op.predicate = decoder.predicate_destination(operands[0]);
    out.op[0] = decoder.source(operands[1], Type::b64);
  } else {
    op.kind = TextureOp::Kind::query;
    op.query = query_of(m);
    if (!handle(decoder, operands[1], op.is_surface, out)) return;
    if (m.has("level")) op.lod = decoder.source(operands[2], Type::b32);
    if (!values(decoder, operands[0], Type::b32, 1, true, op)) return;
  }
  add(decoder, op, out);
}

}  // namespace bankshot::simt
