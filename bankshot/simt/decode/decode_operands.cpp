// Operands of instructions: registers, immediates, special registers, symbols, addresses.
#include <cstring>

#include "bankshot/simt/decode/decoder.hpp"
#include "bankshot/simt/rows/lower.hpp"
#include "bankshot/simt/state/reserved_shared.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

std::string describe(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::identifier: return "'" + operand.name + "'";
    case Operand::Kind::integer: return "the number " + std::to_string(operand.integer);
    case Operand::Kind::f32:
    case Operand::Kind::f64: return "a floating-point number";
    case Operand::Kind::address: return "an address";
    case Operand::Kind::vector: return "a vector";
    case Operand::Kind::list: return "a list";
    case Operand::Kind::pair: return "a pair a|b";
    case Operand::Kind::sum: return "'" + operand.name + "' with an offset";
    case Operand::Kind::sink: return "'_'";
    case Operand::Kind::string: return "a string";
    case Operand::Kind::field: return "a field";
  }
  return "something else";
}

double as_double(const Operand& operand) {
  if (operand.kind == Operand::Kind::f64) {
    double value;
    std::memcpy(&value, &operand.integer, 8);
    return value;
  }
  if (operand.kind == Operand::Kind::f32) {
    float value;
    std::memcpy(&value, &operand.integer, 4);
    return value;
  }
  return static_cast<double>(operand.integer);
}

/// The bits of an immediate as an element of `type`.
uint64_t immediate_bits(const Operand& operand, Type type) {
  if (operand.kind == Operand::Kind::integer && !is_float(type)) return static_cast<uint64_t>(operand.integer);
  if (type == Type::f64 || (operand.kind == Operand::Kind::f64 && ptx::bits(type) == 64)) {
    const double value = as_double(operand);
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  if (type == Type::f32 || operand.kind == Operand::Kind::f64) {
    const float value = static_cast<float>(as_double(operand));
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return bits;
  }
  return static_cast<uint64_t>(operand.integer);  // 0f… in a .b32 operand, 16-bit patterns
}

uint64_t truncated(uint64_t bits, unsigned bytes) {
  return bytes >= 8 ? bits : bits & ((uint64_t{1} << (8 * bytes)) - 1);
}

/// %r.b1 where a whole register is needed. Reports it.
bool refuses_part(Decoder& decoder, const Operand& operand) {
  if (operand.kind != Operand::Kind::identifier || operand.mask == 0) return false;
  decoder.error(operand.position,
                "a part of '" + operand.name + "' can only be an operand of scalar video instructions",
                "use bfe or prmt to extract bytes or halves");
  return true;
}

}  // namespace

bool FunctionDecoder::error(Position position, std::string message, std::string remedy) {
  context_.diagnostics->push_back(
      {position, std::move(message) + " (in " + (function_.is_entry ? "kernel " : "function ") + function_.name + ")",
       std::move(remedy)});
  return false;
}

uint32_t FunctionDecoder::constant(uint64_t bits, unsigned bytes) {
  bits = truncated(bits, bytes);
  const auto [it, added] = context_.constants.try_emplace({bits, bytes}, 0);
  if (added) {
    std::vector<std::byte>& pool = context_.program->constants;
    it->second = OperandRef::kConstant | static_cast<uint32_t>(pool.size());
    // Rows start at multiples of 64 bytes so that a vector load never straddles two cache lines.
    const size_t row = (context_.program->lanes * bytes + 63) / 64 * 64;
    pool.resize(pool.size() + row);
    for (unsigned lane = 0; lane < context_.program->lanes; ++lane) {
      std::memcpy(pool.data() + pool.size() - row + lane * bytes, &bits, std::min(bytes, 8u));
    }
  }
  return it->second;
}

uint32_t FunctionDecoder::constant_predicate(bool value) {
  // A predicate is one mask, so any row of the pool with the right first word will do.
  return constant(value ? ~uint64_t{0} : 0, 8);
}

uint32_t FunctionDecoder::destination(const Operand& operand, Type type, bool wider_ok, Type* actual) {
  if (operand.kind == Operand::Kind::sink) {
    error(operand.position, "this instruction needs a register to write, not '_'");
    return OperandRef::kNone;
  }
  if (refuses_part(*this, operand)) return OperandRef::kNone;
  const Symbol* symbol = operand.kind == Operand::Kind::identifier ? find(operand.name) : nullptr;
  if (symbol == nullptr || symbol->kind != Symbol::Kind::reg || symbol->type == Type::pred || symbol->vector != 1) {
    error(operand.position, "expected a register to write, found " + describe(operand));
    return OperandRef::kNone;
  }
  const unsigned have = register_bytes(symbol->type), want = register_bytes(type);
  if (have != want && !(wider_ok && have > want)) {
    error(operand.position, "register '" + operand.name + "' has " + std::to_string(8 * have) +
                                " bits, but the instruction writes " + std::to_string(ptx::bits(type)));
  }
  if (actual != nullptr) *actual = symbol->type;
  item_->writes.push_back(register_number(symbol->op));
  return symbol->op;
}

uint32_t FunctionDecoder::source(const Operand& operand, Type type, bool wider_ok, Type* actual) {
  if (actual != nullptr) *actual = type;
  const unsigned want = register_bytes(type);
  if (refuses_part(*this, operand)) return OperandRef::kNone;
  switch (operand.kind) {
    case Operand::Kind::integer:
    case Operand::Kind::f32:
    case Operand::Kind::f64: return constant(immediate_bits(operand, type), want);
    case Operand::Kind::sum:
    case Operand::Kind::identifier: break;
    default:
      error(operand.position, "expected a register or a number, found " + describe(operand));
      return OperandRef::kNone;
  }
  if (const Symbol* symbol = find(operand.name)) {
    switch (symbol->kind) {
      case Symbol::Kind::reg: {
        const unsigned have = register_bytes(symbol->type);
        if (symbol->type == Type::pred || symbol->vector != 1 || (have != want && !(wider_ok && have > want))) {
          error(operand.position, "operand '" + operand.name + "' is a ." + std::string(name(symbol->type)) +
                                      " register, but " + std::to_string(ptx::bits(type)) + " bits are needed");
        }
        if (actual != nullptr) *actual = symbol->type;
        item_->reads.push_back(register_number(symbol->op));
        return symbol->op;
      }
      case Symbol::Kind::variable:
        if (symbol->space == Space::local) break;
        if (symbol->dynamic) return shared_row(kOwnDynamicShared, static_cast<uint64_t>(operand.integer), want);
        if (symbol->space == Space::shared && context_.has_clusters)
          return shared_row(kOwnShared, symbol->address + static_cast<uint64_t>(operand.integer), want);
        return constant(symbol->address + static_cast<uint64_t>(operand.integer), want);
      case Symbol::Kind::param:
        if (symbol->entry_param) return constant(symbol->address + static_cast<uint64_t>(operand.integer), want);
        break;
      case Symbol::Kind::function: return constant(symbol->index + 1, want);
      case Symbol::Kind::label: break;
    }
    error(operand.position, "'" + operand.name + "' cannot be an operand of this instruction");
    return OperandRef::kNone;
  }
  if (operand.kind == Operand::Kind::identifier && operand.name.starts_with('%')) {
    unsigned have = want;
    const uint32_t op = special(operand, have);
    if (is_clock_register(operand.name)) {
      error(operand.position, "'" + operand.name + "' can only be read by mov");
    } else if (have != want && !(wider_ok && have > want)) {
      error(operand.position, "operand '" + operand.name + "' has " + std::to_string(8 * have) + " bits, but " +
                                  std::to_string(8 * want) + " are needed");
    }
    if (actual != nullptr) *actual = have == 8 ? Type::u64 : Type::u32;
    return op;
  }
  if (operand.name == "WARP_SZ") return constant(context_.warp_size, want);
  error(operand.position, "'" + operand.name + "' is not declared");
  return OperandRef::kNone;
}

/// What the address of shared memory begins with in this launch, plus an offset. In a cluster each CTA has its own.
uint32_t FunctionDecoder::shared_row(std::string_view name, uint64_t offset, unsigned bytes) {
  const auto add = static_cast<uint32_t>(offset);
  const std::string key = std::string(name) + "+" + std::to_string(add) + "/" + std::to_string(bytes);
  const auto [it, added] = context_.specials.try_emplace(key, 0);
  if (added) {
    const bool per_cta = context_.has_clusters;
    LoadedProgram& program = *context_.program;
    uint32_t& end = per_cta ? program.cta_special_bytes : program.special_bytes;
    it->second = (per_cta ? OperandRef::kCtaSpecial : OperandRef::kSpecial) | end;
    end += program.lanes * bytes;
    program.specials.push_back({std::string(name), it->second, bytes, per_cta, add});
  }
  return it->second;
}

uint32_t FunctionDecoder::special(const Operand& operand, unsigned& bytes) {
  const std::string& name = operand.name;
  const Position position = operand.position;
  static constexpr std::string_view kKnown[] = {"%tid.x",
                                                "%tid.y",
                                                "%tid.z",
                                                "%tid.w",
                                                "%ntid.x",
                                                "%ntid.y",
                                                "%ntid.z",
                                                "%ntid.w",
                                                "%ctaid.x",
                                                "%ctaid.y",
                                                "%ctaid.z",
                                                "%ctaid.w",
                                                "%nctaid.x",
                                                "%nctaid.y",
                                                "%nctaid.z",
                                                "%nctaid.w",
                                                "%laneid",
                                                "%warpid",
                                                "%nwarpid",
                                                "%smid",
                                                "%nsmid",
                                                "%gridid",
                                                "%current_graph_exec",
                                                "%lanemask_eq",
                                                "%lanemask_le",
                                                "%lanemask_lt",
                                                "%lanemask_ge",
                                                "%lanemask_gt",
                                                "%clock",
                                                "%clock_hi",
                                                "%clock64",
                                                "%globaltimer",
                                                "%globaltimer_lo",
                                                "%globaltimer_hi",
                                                "%dynamic_smem_size",
                                                "%total_smem_size",
                                                "%aggr_smem_size",
                                                "%envreg1",
                                                "%envreg2",
                                                "%clusterid.x",
                                                "%clusterid.y",
                                                "%clusterid.z",
                                                "%nclusterid.x",
                                                "%nclusterid.y",
                                                "%nclusterid.z",
                                                "%cluster_ctaid.x",
                                                "%cluster_ctaid.y",
                                                "%cluster_ctaid.z",
                                                "%cluster_nctaid.x",
                                                "%cluster_nctaid.y",
                                                "%cluster_nctaid.z",
                                                "%cluster_ctarank",
                                                "%cluster_nctarank",
                                                "%is_explicit_cluster"};
  static constexpr std::string_view kVectors[] = {"%tid",       "%ntid",       "%ctaid",         "%nctaid",
                                                  "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};
  const bool plain = std::find(std::begin(kVectors), std::end(kVectors), name) != std::end(kVectors);
  bool known = plain || is_reserved_shared(name);
  for (std::string_view candidate : kKnown) known |= candidate == name;
  if (!known) {
    if (name.starts_with("%pm") || name.starts_with("%envreg") || name.starts_with("%reserved_smem")) {
      error(position, "special register '" + name + "' is not supported");
    } else {
      error(position, "register '" + name + "' is not declared");
    }
    return OperandRef::kNone;
  }
  const std::string key = plain ? name + ".x" : name;
  const auto [it, added] = context_.specials.try_emplace(key, 0);
  bytes = key == "%clock64" || key == "%globaltimer" || key == "%gridid" || key == "%current_graph_exec" ||
                  key == kIsExplicitCluster
              ? 8
              : 4;
  if (added) {
    LoadedProgram& program = *context_.program;
    const bool per_cta =
        key.starts_with("%ctaid") || key.starts_with("%clusterid") || key.starts_with("%cluster_cta") || key == "%smid";
    uint32_t& end = per_cta ? program.cta_special_bytes : program.special_bytes;
    it->second = (per_cta ? OperandRef::kCtaSpecial : OperandRef::kSpecial) | end;
    end += program.lanes * bytes;
    program.specials.push_back({key, it->second, bytes, per_cta, 0});
  }
  return it->second;
}

const Symbol* FunctionDecoder::find_predicate(const Operand& operand) const {
  const Symbol* symbol = operand.kind == Operand::Kind::identifier ? find(operand.name) : nullptr;
  const bool fits = symbol != nullptr && symbol->kind == Symbol::Kind::reg && symbol->type == Type::pred;
  return fits ? symbol : nullptr;
}

uint32_t FunctionDecoder::predicate_source(const Operand& operand) {
  if (operand.kind == Operand::Kind::identifier && operand.name == kIsExplicitCluster) {
    unsigned bytes = 0;
    return special(operand, bytes) | (operand.negated ? OperandRef::kNegated : 0);
  }
  if (operand.kind == Operand::Kind::integer) return constant_predicate((operand.integer != 0) != operand.negated);
  const Symbol* symbol = operand.mask == 0 ? find_predicate(operand) : nullptr;
  if (symbol == nullptr) {
    error(operand.position, "expected a predicate register, found " + describe(operand));
    return constant_predicate(false);
  }
  item_->reads.push_back(register_number(symbol->op));
  return symbol->op | (operand.negated ? OperandRef::kNegated : 0);
}

uint32_t FunctionDecoder::predicate_destination(const Operand& operand) {
  if (operand.kind == Operand::Kind::sink) return OperandRef::kNone;
  const Symbol* symbol = find_predicate(operand);
  if (symbol == nullptr || operand.negated || operand.mask != 0) {
    error(operand.position, "expected a predicate register to write, found " + describe(operand));
    return OperandRef::kNone;
  }
  item_->writes.push_back(register_number(symbol->op));
  return symbol->op;
}

bool FunctionDecoder::literal(const Operand& operand, int64_t& out) {
  if (operand.kind != Operand::Kind::integer) {
    return error(operand.position, "expected an integer constant, found " + describe(operand));
  }
  out = operand.integer;
  return true;
}

bool FunctionDecoder::address(const Operand& operand, Space space, Address& out) {
  out = {};
  if (operand.kind != Operand::Kind::address) {
    return error(operand.position, "expected an address in brackets, found " + describe(operand));
  }
  if (!operand.elements.empty()) {
    return error(operand.position, "addresses with more than one part are not supported here");
  }
  out.offset = operand.integer;
  if (operand.name.empty()) return true;
  const Symbol* symbol = find(operand.name);
  if (symbol == nullptr) {
    return error(operand.position, "'" + operand.name + "' is not declared");
  }
  if (symbol->kind == Symbol::Kind::reg) {
    const unsigned width = register_bytes(symbol->type);
    if (symbol->vector != 1 || symbol->type == Type::pred || (width != 4 && width != 8)) {
      return error(operand.position, "an address register must have 32 or 64 bits, but '" + operand.name + "' has not");
    }
    item_->reads.push_back(register_number(symbol->op));
    out.base = symbol->op;
    out.wide = width == 8;
    return true;
  }
  if (symbol->kind == Symbol::Kind::label || symbol->kind == Symbol::Kind::function) {
    return error(operand.position, "'" + operand.name + "' is not a variable");
  }
  const Space own = symbol->space;
  if (space != own && space != Space::generic) {
    return error(operand.position, "'" + operand.name + "' is in ." + std::string(name(own)) +
                                       ", but the instruction accesses ." + std::string(name(space)));
  }
  out.symbol = symbol;
  if (symbol->dynamic) {
    out.base = shared_row(kOwnDynamicShared, 0, 4);
    out.wide = false;
  }
  out.offset += static_cast<int64_t>(symbol->address);
  return true;
}

const Symbol* FunctionDecoder::find(std::string_view name) const {
  const std::string key(name);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto it = scope->symbols.find(key); it != scope->symbols.end()) return &it->second;
  }
  const auto it = context_.symbols.find(key);
  return it == context_.symbols.end() ? nullptr : &it->second;
}

uint64_t FunctionDecoder::window(Space space) const {
  switch (space) {
    case Space::shared: return context_.windows.shared;
    case Space::local: return context_.windows.local;
    case Space::param: return context_.parameters;
    default: return 0;
  }
}

}  // namespace bankshot::simt
