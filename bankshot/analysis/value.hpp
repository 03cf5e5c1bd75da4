// What the analysis knows of one lane's register: a number, a number plus multiples of unknowns that are the same for
// the whole warp, or nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bankshot::analysis {

/// One lane of one register: `bits` plus what the form adds. Form 0 adds nothing: the value is known.
struct Value {
  uint64_t bits = 0;
  uint32_t form = 0;
  /// Which shared arrays an address was made from: bit k is array k, kMoreArrays any from kArrayBits on.
  uint32_t arrays = 0;

  static constexpr uint32_t kArrayBits = 30, kMoreArrays = 1u << 30;
  static constexpr uint32_t kGeneric = 1u << 31;  ///< a generic address of shared memory; `bits` count from its start
  bool operator==(const Value&) const = default;
};

/// Symbols are numbers that are unknown but equal in all lanes of a warp: a CTA index, a kernel parameter, how often a
/// loop has gone round. A form is a sum of multiples of symbols, true modulo 2^modulus; or nothing but a reason why the
/// value is unknown. Equal forms have equal numbers.
class Forms {
 public:
  static constexpr uint32_t kKnown = 0;

  struct Term {
    uint32_t symbol = 0;
    uint64_t factor = 0;
    auto operator<=>(const Term&) const = default;
  };
  struct Form {
    bool unknown = false;
    uint32_t reason = 0;      ///< of unknown values
    unsigned modulus = 64;    ///< the low bits of which the sum is true
    std::vector<Term> terms;  ///< by symbol
    auto operator<=>(const Form&) const = default;
  };

  Forms();

  /// @param name  shown to the reader; equal names are equal symbols
  uint32_t symbol(const std::string& name);
  /// A new symbol, whatever its name.
  uint32_t fresh_symbol(const std::string& name);
  /// The value of an operation on symbols: equal keys are equal symbols.
  uint32_t result_symbol(const std::string& key, const std::string& name);
  const std::string& name(uint32_t symbol) const { return symbols_[symbol]; }
  uint32_t symbols() const { return static_cast<uint32_t>(symbols_.size()); }

  Value of_symbol(uint32_t symbol, unsigned width);
  Value unknown(const std::string& reason, uint32_t arrays = 0);
  bool is_unknown(Value value) const { return forms_[value.form].unknown; }
  const std::string& reason(Value value) const { return reasons_[forms_[value.form].reason]; }
  const Form& form(Value value) const { return forms_[value.form]; }

  // Arithmetic modulo 2^width. Unknown values stay unknown, for the first one's reason.
  Value add(Value a, Value b, unsigned width);
  Value subtract(Value a, Value b, unsigned width) { return add(a, scale(b, ~uint64_t{0}, width), width); }
  Value scale(Value a, uint64_t factor, unsigned width);
  /// The low `from` bits of `a`, extended by zeros or sign to `to` bits.
  Value extend(Value a, unsigned from, bool is_signed, unsigned to);
  /// How many low bits of the value are known.
  unsigned low_known(Value value) const;
  /// a >> shift, zeros coming in; nothing if unknown bits would be shifted into known places.
  std::optional<Value> shift_right(Value a, unsigned shift, unsigned width);
  /// Whether a symbol from `first` on is in the value's form.
  bool mentions(Value value, uint32_t first) const;
  /// "32*ctaid.x + k": the part of the value that is not known; empty if all is.
  std::string text(Value value, uint64_t unit = 1) const;

 private:
  uint32_t intern(Form form);
  Value made(uint64_t bits, Form form, unsigned width, uint32_t arrays);

  std::vector<Form> forms_;
  std::map<Form, uint32_t> numbers_;
  std::vector<std::string> symbols_, reasons_;
  std::unordered_map<std::string, uint32_t> named_, results_, reason_numbers_;
  struct Latest {
    uint32_t a = 0, b = 0, form = 0;
    unsigned width = 0;
    uint64_t factor = 0;
  } sum_, product_;
};

constexpr uint64_t low_bits(unsigned count) { return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }
constexpr uint64_t extended(uint64_t bits, unsigned from, bool is_signed) {
  if (from >= 64) return bits;
  const uint64_t low = bits & low_bits(from);
  return is_signed && (low >> (from - 1) & 1) != 0 ? low | ~low_bits(from) : low;
}

}  // namespace bankshot::analysis
