#include "bankshot/rewrite/place_code.hpp"

#include <algorithm>
#include <bit>

namespace bankshot::rewrite {
namespace {

using ptx::Operand;

Operand reg(const std::string& name) {
  Operand operand;
  operand.kind = Operand::Kind::identifier;
  operand.name = name;
  return operand;
}

Operand number(int64_t value) {
  Operand operand;
  operand.kind = Operand::Kind::integer;
  operand.integer = value;
  return operand;
}

Operand start_plus(const std::string& variable, uint32_t offset) {
  Operand operand = reg(variable);
  if (offset == 0) return operand;
  operand.kind = Operand::Kind::sum;
  operand.integer = static_cast<int32_t>(offset);
  return operand;
}

/// Appends instructions and counts them.
class Writer {
 public:
  Writer(std::vector<ptx::Statement>& out, ArrayCode& array, FreshRegisters& fresh)
      : out_(out), array_(array), fresh_(fresh) {}

  void add(const std::string& mnemonic, std::vector<Operand> operands) {
    ptx::Instruction instruction;
    size_t begin = 0, dot = mnemonic.find('.');
    instruction.opcode = mnemonic.substr(0, dot);
    while (dot != std::string::npos) {
      begin = dot + 1;
      dot = mnemonic.find('.', begin);
      instruction.modifiers.push_back(mnemonic.substr(begin, dot == std::string::npos ? dot : dot - begin));
    }
    instruction.operands = std::move(operands);
    out_.emplace_back(std::move(instruction));
    ++array_.added;
  }

  /// A new register with the result.
  Operand add32(const std::string& mnemonic, std::vector<Operand> inputs) {
    const Operand target = reg(fresh_.next32());
    inputs.insert(inputs.begin(), target);
    add(mnemonic, std::move(inputs));
    return target;
  }

  Operand narrowed(const std::string& name, bool wide) { return wide ? add32("cvt.u32.u64", {reg(name)}) : reg(name); }

  Operand plus(const Operand& a, uint32_t d) {
    return d == 0 ? a : add32("add.s32", {a, number(static_cast<int32_t>(d))});
  }

  /// place(distance) + address - distance, into `target`; of a hash, where both have the same low bits, XOR.
  void place(const Operand& target, const Operand& distance, const Operand& address) {
    if (const uint32_t padding = array_.terms.padding; padding != 0) {
      const Operand row = add32("shr.s32", {distance, number(std::countr_zero(array_.terms.row_bytes))});
      return add("mad.lo.s32", {target, row, number(padding), address});
    }
    Operand moved = address;
    const auto& terms = array_.terms.terms;
    for (size_t i = 0; i < terms.size(); ++i) {
      const int shift = terms[i].shift;
      Operand bits = distance;
      if (shift > 0) bits = add32("shr.u32", {distance, number(shift)});
      if (shift < 0) bits = add32("shl.b32", {distance, number(-shift)});
      const Operand mask = array_.dynamic ? reg(array_.masks[i]) : number(terms[i].mask);
      const Operand next = i + 1 == terms.size() ? target : reg(fresh_.next32());
      constexpr int kAndThenXor = (0xf0 & 0xcc) ^ 0xaa;  // lop3 names the function of its inputs by its value on these
      if (array_.has_lop3) {
        add("lop3.b32", {next, bits, mask, moved, number(kAndThenXor)});
      } else {
        add("xor.b32", {next, moved, add32("and.b32", {bits, mask})});
      }
      moved = next;
    }
  }

 private:
  std::vector<ptx::Statement>& out_;
  ArrayCode& array_;
  FreshRegisters& fresh_;
};

ptx::Variable declaration(const std::string& name, ptx::Type type, uint32_t count) {
  ptx::Variable variable;
  variable.type = type;
  variable.name = name;
  variable.range = count;
  return variable;
}

}  // namespace

std::vector<ptx::Variable> FreshRegisters::declarations() const {
  std::vector<ptx::Variable> all;
  if (narrow != 0) all.push_back(declaration(prefix, ptx::Type::b32, narrow));
  if (wide != 0) all.push_back(declaration(prefix + "_wide", ptx::Type::b64, wide));
  if (predicates != 0) all.push_back(declaration(prefix + "_whole", ptx::Type::pred, predicates));
  return all;
}

void append_places(std::vector<ptx::Statement>& out, ArrayCode& array, FreshRegisters& fresh,
                   const AddressSource& source, const std::map<uint32_t, std::string>& places) {
  Writer writer(out, array, fresh);
  using Kind = AddressSource::Kind;
  const bool folds = source.kind == Kind::constant && !array.dynamic;

  // The address and the distance from the array's start, once for all d.
  Operand address, distance;
  if (source.kind == Kind::constant) {
    address = reg(array.base);
  } else if (source.generic) {
    const Operand shared = reg(fresh.next64());
    writer.add("cvta.to.shared.u64", {shared, reg(source.address)});
    address = writer.narrowed(shared.name, true);
  } else {
    address = writer.narrowed(source.address, source.address_wide);
  }
  if (source.kind == Kind::sum) distance = writer.narrowed(source.distance, source.distance_wide);
  if (source.kind == Kind::pointer) distance = writer.add32("sub.s32", {address, reg(array.base)});

  const auto compute = [&](const Operand& target, uint32_t d) {
    if (folds) return writer.add("mov.u32", {target, start_plus(array.variable, array.terms.place(source.offset + d))});
    if (source.kind == Kind::constant) {
      const uint32_t offset = source.offset + d;
      const Operand from_start = writer.add32("mov.b32", {number(static_cast<int32_t>(offset))});
      return writer.place(target, from_start, writer.plus(address, offset));
    }
    const Operand moved = writer.plus(address, d);
    writer.place(target, writer.plus(distance, d), moved);
  };

  // Where the distance has zeros, distance + low is distance ^ low, and so are the places: one XOR for each further
  // one. Addresses have these zeros, too, but only below the row that the array is aligned to.
  const uint32_t low_mask =
      array.dynamic || folds ? 0 : ((uint32_t{1} << std::min(source.zeros, 31u)) - 1) & (array.terms.row_bytes - 1);
  std::map<uint32_t, std::vector<uint32_t>> families;
  for (const auto& [d, target] : places) families[d & ~low_mask].push_back(d);
  for (const auto& [high, members] : families) {
    std::map<uint32_t, Operand> found;
    const auto target_of = [&](uint32_t d) {
      const bool wanted = places.contains(d) && !source.generic;
      return wanted ? reg(places.at(d)) : reg(fresh.next32());
    };
    const uint32_t first = members.size() == 1 && high != 0 ? members[0] : high;  // there the XOR would come on top
    found.emplace(first, target_of(first));
    compute(found.at(first), first);
    for (const uint32_t d : members) {
      if (found.contains(d)) continue;
      found.emplace(d, target_of(d));
      writer.add("xor.b32", {found.at(d), found.at(high), number(array.terms.place(d - high))});
    }
    if (!source.generic) continue;
    for (const uint32_t d : members) {
      const Operand wide = reg(fresh.next64());
      writer.add("cvt.u64.u32", {wide, found.at(d)});
      writer.add("cvta.shared.u64", {reg(places.at(d)), wide});
    }
  }
}

void append_entry(std::vector<ptx::Statement>& out, ArrayCode& array, FreshRegisters& fresh) {
  Writer writer(out, array, fresh);
  writer.add("mov.u32", {reg(array.base), reg(array.variable)});
  if (!array.dynamic) return;
  // The last row of a launch with another size would be torn: words could leave what the launch has.
  const Operand size = writer.add32("mov.u32", {reg("%dynamic_smem_size")});
  const Operand rest = writer.add32("and.b32", {size, number(array.terms.row_bytes - 1)});
  const Operand whole = reg(fresh.next_predicate());
  writer.add("setp.eq.s32", {whole, rest, number(0)});
  for (size_t i = 0; i < array.terms.terms.size(); ++i) {
    writer.add("selp.b32", {reg(array.masks[i]), number(array.terms.terms[i].mask), number(0), whole});
  }
}

}  // namespace bankshot::rewrite
