// Constant expressions. Source: PTX ISA manual, §4.5 (constants, constant expressions).
#include "bankshot/ptx/grammar.hpp"

namespace bankshot::ptx {
namespace {

using Kind = Operand::Kind;

void set_integer(Operand& out, uint64_t value, bool is_unsigned) {
  out.kind = Kind::integer;
  out.integer = static_cast<int64_t>(value);
  out.is_unsigned = is_unsigned;
}

uint64_t value_of(const Operand& constant) { return static_cast<uint64_t>(constant.integer); }

void negate(Operand& out) {
  constexpr uint64_t kLowest = uint64_t{1} << 63;
  if (out.kind == Kind::f64) {
    out.integer = static_cast<int64_t>(value_of(out) ^ kLowest);
  } else if (out.kind == Kind::f32) {
    out.integer ^= int64_t{1} << 31;
  } else {
    // -9223372036854775808: the literal needs the 64th bit, the value is a signed one.
    set_integer(out, 0 - value_of(out), out.is_unsigned && value_of(out) != kLowest);
  }
}

enum class Operation : uint8_t {
  multiply,
  divide,
  remainder,
  add,
  subtract,
  shift_left,
  shift_right,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  unequal,
  bit_and,
  bit_xor,
  bit_or,
  logical_and,
  logical_or,
  choose
};

struct OperatorRow {
  std::string_view text;
  Operation operation;
  int precedence;  ///< as in C; higher binds tighter
};

/// Two characters before one, so that the first that fits is the longest.
constexpr OperatorRow kOperators[] = {
    {"<<", Operation::shift_left, 8},    {">>", Operation::shift_right, 8}, {"<=", Operation::less_equal, 7},
    {">=", Operation::greater_equal, 7}, {"==", Operation::equal, 6},       {"!=", Operation::unequal, 6},
    {"&&", Operation::logical_and, 2},   {"||", Operation::logical_or, 1},  {"*", Operation::multiply, 10},
    {"/", Operation::divide, 10},        {"%", Operation::remainder, 10},   {"+", Operation::add, 9},
    {"-", Operation::subtract, 9},       {"<", Operation::less, 7},         {">", Operation::greater, 7},
    {"&", Operation::bit_and, 5},        {"^", Operation::bit_xor, 4},      {"|", Operation::bit_or, 3},
    {"?", Operation::choose, 0}};

const OperatorRow* operator_at(const Cursor& cursor) {
  if (!cursor.at(TokenKind::mark)) return nullptr;
  const Token& first = cursor.peek();
  const Token& second = cursor.peek(1);
  const bool touching = second.kind == TokenKind::mark && second.offset == first.offset + 1;
  for (const OperatorRow& row : kOperators) {
    if (first.mark == row.text[0] && (row.text.size() == 1 || (touching && second.mark == row.text[1]))) return &row;
  }
  return nullptr;
}

/// Both operands as the wider signedness says: unsigned if one of them is.
bool compare(Operation operation, uint64_t a, uint64_t b, bool is_unsigned) {
  if (!is_unsigned) {  // order-preserving map of signed onto unsigned
    a ^= uint64_t{1} << 63;
    b ^= uint64_t{1} << 63;
  }
  switch (operation) {
    case Operation::less: return a < b;
    case Operation::less_equal: return a <= b;
    case Operation::greater: return a > b;
    case Operation::greater_equal: return a >= b;
    case Operation::equal: return a == b;
    default: return a != b;
  }
}

uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool remainder) {
  if (is_unsigned) return remainder ? a % b : a / b;
  if (b == UINT64_MAX) return remainder ? 0 : 0 - a;  // lowest / -1 wraps
  const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  return static_cast<uint64_t>(remainder ? x % y : x / y);
}

uint64_t shift(Operation operation, uint64_t a, uint64_t count, bool is_unsigned) {
  const bool beyond = count > 63;
  if (operation == Operation::shift_left) return beyond ? 0 : a << count;
  if (is_unsigned) return beyond ? 0 : a >> count;
  return static_cast<uint64_t>(static_cast<int64_t>(a) >> (beyond ? 63 : count));
}

/// Requires b != 0 for divisions. `choose` is not for here.
void apply(Operation operation, Operand& left, const Operand& right) {
  const uint64_t a = value_of(left), b = value_of(right);
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  switch (operation) {
    case Operation::multiply: return set_integer(left, a * b, is_unsigned);
    case Operation::divide: return set_integer(left, divide(a, b, is_unsigned, false), is_unsigned);
    case Operation::remainder: return set_integer(left, divide(a, b, is_unsigned, true), is_unsigned);
    case Operation::add: return set_integer(left, a + b, is_unsigned);
    case Operation::subtract: return set_integer(left, a - b, is_unsigned);
    case Operation::shift_left:
    case Operation::shift_right: return set_integer(left, shift(operation, a, b, left.is_unsigned), left.is_unsigned);
    case Operation::bit_and: return set_integer(left, a & b, is_unsigned);
    case Operation::bit_xor: return set_integer(left, a ^ b, is_unsigned);
    case Operation::bit_or: return set_integer(left, a | b, is_unsigned);
    case Operation::logical_and: return set_integer(left, a != 0 && b != 0, false);
    case Operation::logical_or: return set_integer(left, a != 0 || b != 0, false);
    case Operation::choose: return;
    default: return set_integer(left, compare(operation, a, b, is_unsigned), false);
  }
}

/// One expression; counts its nesting, since parentheses and unary operators recurse.
class Expression {
 public:
  explicit Expression(Cursor& cursor) : cursor_(cursor), position_(cursor.position()) {}

  /// @param lowest  operators that bind less are left alone
  bool parse(Operand& out, int lowest) {
    if (depth_ == kDeepestOperand) return too_deep();
    ++depth_;
    const bool parsed = unary(out) && binary(out, lowest);
    --depth_;
    return parsed;
  }

 private:
  bool too_deep() {
    return cursor_.give_up(cursor_.position(), "a constant expression is nested too deeply", "write its value instead");
  }

  bool only_integers(const Operand& a) {
    if (a.kind == Kind::integer) return true;
    return cursor_.fail_at(position_, "only - and + can be applied to a floating-point constant",
                           "write the value as one constant");
  }

  bool unary(Operand& out) {
    if (depth_ == kDeepestOperand) return too_deep();
    ++depth_;
    const bool parsed = unary_or_primary(out);
    --depth_;
    return parsed;
  }

  bool unary_or_primary(Operand& out) {
    if (cursor_.accept('+')) return unary(out);
    if (cursor_.accept('-')) {
      if (!unary(out)) return false;
      negate(out);
      return true;
    }
    if (cursor_.accept('~')) {
      if (!unary(out) || !only_integers(out)) return false;
      set_integer(out, ~value_of(out), out.is_unsigned);
      return true;
    }
    if (cursor_.accept('!')) {
      if (!unary(out) || !only_integers(out)) return false;
      set_integer(out, value_of(out) == 0, false);
      return true;
    }
    if (cursor_.accept('(')) return cast_or_parenthesis(out);
    return parse_literal(cursor_, out);
  }

  bool cast_or_parenthesis(Operand& out) {
    const bool to_unsigned = cursor_.at_dotted("u64");
    if (!to_unsigned && !cursor_.at_dotted("s64")) {
      return parse(out, 0) && cursor_.expect(')', "to end the parenthesis");
    }
    cursor_.take();
    if (!cursor_.expect(')', "after the type of a cast") || !unary(out) || !only_integers(out)) return false;
    out.is_unsigned = to_unsigned;
    return true;
  }

  bool binary(Operand& left, int lowest) {
    for (;;) {
      const OperatorRow* row = operator_at(cursor_);
      if (row == nullptr || row->precedence < lowest) return true;
      const Position position = cursor_.position();
      for (size_t i = 0; i < row->text.size(); ++i) cursor_.take();
      if (!only_integers(left)) return false;
      if (row->operation == Operation::choose) return choose(left);
      Operand right;
      if (!parse(right, row->precedence + 1) || !only_integers(right)) return false;
      const bool divides = row->operation == Operation::divide || row->operation == Operation::remainder;
      if (divides && right.integer == 0) return cursor_.fail_at(position, "division by zero in a constant expression");
      apply(row->operation, left, right);
    }
  }

  bool choose(Operand& condition) {
    Operand yes, no;
    if (!parse(yes, 0) || !cursor_.expect(':', "between the two values of ?") || !parse(no, 0)) return false;
    const Operand& chosen = condition.integer != 0 ? yes : no;
    condition.kind = chosen.kind;
    condition.integer = chosen.integer;
    condition.is_unsigned = chosen.is_unsigned;
    return true;
  }

  Cursor& cursor_;
  Position position_;
  unsigned depth_ = 0;
};

constexpr int kBindsAsTerm = 10;  ///< * / %, but not + and -

}  // namespace

bool parse_constant(Cursor& cursor, Operand& out) {
  // Nearly always a literal and nothing more.
  if (cursor.at(TokenKind::number)) {
    const Token& next = cursor.peek(1);
    if (next.kind == TokenKind::mark && (next.mark == ';' || next.mark == ',')) return parse_literal(cursor, out);
  }
  return Expression(cursor).parse(out, 0);
}

bool parse_offset(Cursor& cursor, int64_t& offset) {
  while (cursor.at('+') || cursor.at('-')) {
    const bool minus = cursor.take().mark == '-';
    const Position position = cursor.position();
    Operand term;
    if (!Expression(cursor).parse(term, kBindsAsTerm)) return false;
    if (term.kind != Kind::integer) return cursor.fail_at(position, "an offset is an integer");
    const uint64_t value = minus ? 0 - value_of(term) : value_of(term);
    offset = static_cast<int64_t>(static_cast<uint64_t>(offset) + value);
  }
  return true;
}

bool parse_unsigned(Cursor& cursor, uint64_t& out, std::string_view what) {
  const Position position = cursor.position();
  if (!cursor.at(TokenKind::number) && !cursor.at('(') && !cursor.at('-') && !cursor.at('+')) return cursor.fail(what);
  Operand constant;
  if (!parse_constant(cursor, constant)) return false;
  if (constant.kind != Kind::integer || (constant.integer < 0 && !constant.is_unsigned)) {
    return cursor.fail_at(position, "expected " + std::string(what) + ", an integer of 0 or more");
  }
  out = value_of(constant);
  return true;
}

bool parse_u32(Cursor& cursor, uint32_t& out, std::string_view what, uint32_t most) {
  const Position position = cursor.position();
  uint64_t value = 0;
  if (!parse_unsigned(cursor, value, what)) return false;
  if (value > most) {
    return cursor.fail_at(position,
                          std::string(what) + " is at most " + std::to_string(most) + ", not " + std::to_string(value));
  }
  out = static_cast<uint32_t>(value);
  return true;
}

}  // namespace bankshot::ptx
