#include "rows_harness.hpp"

#include <xmmintrin.h>

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt::testing {
namespace {

using ptx::Operand;

/// Knows registers r0, r1 … and literals, and remembers as what they were used.
class TinyDecoder final : public Decoder {
 public:
  std::vector<Place> places = std::vector<Place>(Registers::kCount);
  bool failed = false;

  bool error(Position, std::string, std::string) override {
    failed = true;
    return false;
  }
  uint32_t destination(const Operand& operand, ptx::Type type, bool, ptx::Type* actual) override {
    return use(operand, type, actual, true);
  }
  uint32_t source(const Operand& operand, ptx::Type type, bool, ptx::Type* actual) override {
    return use(operand, type, actual, false);
  }
  uint32_t predicate_source(const Operand& operand) override {
    return use(operand, ptx::Type::pred, nullptr, false) | (operand.negated ? OperandRef::kNegated : 0);
  }
  uint32_t predicate_destination(const Operand& operand) override {
    return use(operand, ptx::Type::pred, nullptr, true);
  }
  bool literal(const Operand& operand, int64_t& out) override {
    if (operand.kind != Operand::Kind::integer) return error({}, "", "");
    out = operand.integer;
    return true;
  }

  // What instructions on registers do not ask for.
  uint32_t unread_row(ptx::Type) override { return none(); }
  uint32_t constant(uint64_t, unsigned) override { return none(); }
  uint32_t constant_predicate(bool) override { return none(); }
  bool address(const Operand&, ptx::Space, Address&) override { return error({}, "", ""); }
  bool named_again(const ptx::Operand&) const override { return true; }
  const Symbol* find(std::string_view) const override { return nullptr; }
  bool jumps_to(const Operand&) override { return error({}, "", ""); }
  bool jumps_by_table(const Operand&) override { return error({}, "", ""); }
  void jumps_to_end() override { failed = true; }
  void never_falls_through() override { failed = true; }
  bool calls(const ptx::Instruction&, Instr&) override { return error({}, "", ""); }
  void cta_communication(const ptx::Instruction&, std::string_view) override { failed = true; }
  void cta_reduction(const ptx::Instruction&, const std::string&) override { failed = true; }
  LoadedProgram& program() override {
    failed = true;
    throw std::runtime_error("a program is needed");
  }
  uint32_t new_site(unsigned) override { return none(); }
  uint32_t special(const Operand&, unsigned&) override { return none(); }
  uint64_t window(ptx::Space) const override { return 0; }
  uint32_t function() const override { return 0; }
  bool has_transactions() const override { return false; }

 private:
  uint32_t none() {
    failed = true;
    return OperandRef::kNone;
  }
  uint32_t use(const Operand& operand, ptx::Type type, ptx::Type* actual, bool writes) {
    const bool fits = type == ptx::Type::pred || (ptx::bits(type) >= 8 && ptx::bits(type) <= 64);
    if (operand.kind != Operand::Kind::identifier || !fits) return none();
    const unsigned reg = static_cast<unsigned>(operand.name[1] - '0');
    places[reg] = {reg, type == ptx::Type::pred ? 0 : ptx::bits(type) / 8, writes, false};
    if (actual != nullptr) *actual = type;
    return Registers::offset(reg);
  }
};

Operand register_operand(unsigned reg, bool negated) {
  Operand operand;
  operand.kind = Operand::Kind::identifier;
  operand.name = "r" + std::to_string(reg);
  operand.negated = negated;
  return operand;
}

}  // namespace

uint64_t Registers::get(unsigned r, unsigned width, unsigned lane) const {
  uint64_t value = 0;
  if (width == 0) {
    std::memcpy(&value, &bytes[offset(r)], 8);
    return value >> lane & 1;
  }
  std::memcpy(&value, &bytes[offset(r) + lane * width], width);
  return value;
}

void Registers::set(unsigned r, unsigned width, unsigned lane, uint64_t value) {
  if (width != 0) {
    std::memcpy(&bytes[offset(r) + lane * width], &value, width);
    return;
  }
  uint64_t mask;
  std::memcpy(&mask, &bytes[offset(r)], 8);
  mask = (mask & ~(uint64_t{1} << lane)) | (value & 1) << lane;
  std::memcpy(&bytes[offset(r)], &mask, 8);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<Prepared> prepare(const Row& row, const std::vector<std::string>& modifiers, const Spelling& spelling) {
  const Form form = parse_form(row);
  Match m;
  if (row.select == nullptr || !match(form, modifiers, m)) return {};
  const Handler handler = row.select(m);
  if (handler == nullptr) return {};
  ptx::Instruction instruction;
  instruction.opcode = form.opcode;
  instruction.modifiers = modifiers;
  unsigned reg = 0;
  std::vector<bool> literals;
  for (size_t k = 0; k < form.slots.size(); ++k) {
    const bool negated = k > 0 && k - 1 < spelling.negated.size() && spelling.negated[k - 1];
    if (form.slots[k].name.find('|') != std::string::npos) {
      Operand pair;
      pair.kind = Operand::Kind::pair;
      for (int n = 0; n < 2; ++n) pair.elements.push_back(register_operand(reg++, false));
      instruction.operands.push_back(pair);
      literals.insert(literals.end(), 2, false);
    } else if (form.slots[k].type == "literal") {
      Operand literal;
      literal.kind = Operand::Kind::integer;
      literal.integer = k - 1 < spelling.literals.size() ? spelling.literals[k - 1] : 0;
      instruction.operands.push_back(literal);
      literals.push_back(true);
      ++reg;
    } else {
      instruction.operands.push_back(register_operand(reg++, negated));
      literals.push_back(false);
    }
  }
  if (reg > Registers::kCount) return {};
  Prepared out;
  TinyDecoder decoder;
  try {
    if (row.lower != nullptr) {
      row.lower(decoder, instruction, m, out.instr);
    } else {
      lower_operands(decoder, instruction, form, m, out.instr);
    }
  } catch (const std::exception&) {
    return {};
  }
  if (decoder.failed) return {};
  out.instr.run = out.instr.run != nullptr ? out.instr.run : handler;
  out.places.assign(decoder.places.begin(), decoder.places.begin() + static_cast<std::ptrdiff_t>(reg));
  for (unsigned k = 0; k < reg; ++k) out.places[k].literal = literals[k];
  out.text = form.opcode;
  for (const std::string& modifier : modifiers) out.text += "." + modifier;
  return out;
}

std::optional<Prepared> prepare(const Rows& rows, std::string_view text, size_t slots) {
  const std::vector<std::string> parts = split(text, '.');
  const std::vector<std::string> modifiers(parts.begin() + 1, parts.end());
  for (const Row& row : rows) {
    const Form form = parse_form(row);
    if (form.opcode != parts[0] || (slots != 0 && form.slots.size() != slots)) continue;
    if (auto prepared = prepare(row, modifiers)) return prepared;
  }
  return {};
}

std::vector<std::vector<std::string>> spellings(const Form& form) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const Form::Modifier& modifier : form.modifiers) {
    std::vector<std::vector<std::string>> next;
    for (const std::vector<std::string>& head : all) {
      if (modifier.optional) next.push_back(head);
      for (const std::string& choice : modifier.choices) {
        next.push_back(head);
        for (std::string& name : split(choice, '.')) next.back().push_back(std::move(name));
      }
    }
    all = std::move(next);
  }
  return all;
}

void execute(const Prepared& prepared, Registers& registers, uint64_t active, uint64_t& carry) {
  static Memory memory(1 << 20);  // empty: isspacep asks it
  static const Launch launch;
  Worker worker;
  worker.memory = &memory;
  worker.launch = &launch;
  Cta cta;
  Warp warp;
  warp.worker = &worker;
  warp.cta = &cta;
  warp.base[0] = warp.base[1] = warp.base[2] = warp.base[3] = registers.bytes.data();
  warp.active = warp.alive = active;
  warp.carry = carry;
  constexpr unsigned kDefaultMode = 0x1f80;
  _mm_setcsr(kDefaultMode);
  // A block ends with an instruction that stops: handlers may look one ahead.
  alignas(64) Instr block[2] = {prepared.instr, {}};
  block[0].body = block[0].run;
  block[0].run(warp, &block[0]);
  _mm_setcsr(kDefaultMode);
  carry = warp.carry;
}

}  // namespace bankshot::simt::testing
