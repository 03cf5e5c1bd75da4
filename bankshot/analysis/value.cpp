#include "bankshot/analysis/value.hpp"

#include <algorithm>
#include <bit>

namespace bankshot::analysis {

Forms::Forms() : forms_(1) { numbers_[forms_[0]] = kKnown; }

uint32_t Forms::fresh_symbol(const std::string& name) {
  symbols_.push_back(name);
  return symbols() - 1;
}

uint32_t Forms::symbol(const std::string& name) {
  const auto [at, added] = named_.try_emplace(name, symbols());
  return added ? fresh_symbol(name) : at->second;
}

uint32_t Forms::result_symbol(const std::string& key, const std::string& name) {
  const auto [at, added] = results_.try_emplace(key, symbols());
  return added ? fresh_symbol(name) : at->second;
}

uint32_t Forms::intern(Form form) {
  const auto [at, added] = numbers_.try_emplace(std::move(form), static_cast<uint32_t>(forms_.size()));
  if (added) forms_.push_back(at->first);
  return at->second;
}

/// The one way to write a value: no terms that vanish, no bits that are not known.
Value Forms::made(uint64_t bits, Form form, unsigned width, uint32_t arrays) {
  form.modulus = std::min(form.modulus, width);
  for (Term& term : form.terms) term.factor &= low_bits(form.modulus);
  std::erase_if(form.terms, [](const Term& term) { return term.factor == 0; });
  if (form.terms.empty() && form.modulus == width) return {bits & low_bits(width), kKnown, arrays};
  bits &= low_bits(form.modulus);
  return {bits, intern(std::move(form)), arrays};
}

Value Forms::of_symbol(uint32_t symbol, unsigned width) {
  Form form;
  form.terms = {{symbol, 1}};
  return made(0, std::move(form), width, 0);
}

Value Forms::unknown(const std::string& reason, uint32_t arrays) {
  const auto [at, added] = reason_numbers_.try_emplace(reason, static_cast<uint32_t>(reasons_.size()));
  if (added) reasons_.push_back(reason);
  Form form;
  form.unknown = true;
  form.reason = at->second;
  return {0, intern(std::move(form)), arrays};
}

Value Forms::add(Value a, Value b, unsigned width) {
  const uint32_t arrays = a.arrays | b.arrays;
  if (a.form == kKnown && b.form == kKnown) return {(a.bits + b.bits) & low_bits(width), kKnown, arrays};
  if (is_unknown(a)) return {0, a.form, arrays};
  if (is_unknown(b)) return {0, b.form, arrays};
  if (sum_.a == a.form && sum_.b == b.form && sum_.width == width) {  // the same for every lane, nearly always
    const unsigned modulus = sum_.form == kKnown ? width : forms_[sum_.form].modulus;
    return {(a.bits + b.bits) & low_bits(modulus), sum_.form, arrays};
  }
  Form sum;
  const Form &x = forms_[a.form], &y = forms_[b.form];
  sum.modulus = std::min(x.modulus, y.modulus);
  auto i = x.terms.begin();
  auto j = y.terms.begin();
  while (i != x.terms.end() || j != y.terms.end()) {
    if (j == y.terms.end() || (i != x.terms.end() && i->symbol < j->symbol)) {
      sum.terms.push_back(*i++);
    } else if (i == x.terms.end() || j->symbol < i->symbol) {
      sum.terms.push_back(*j++);
    } else {
      sum.terms.push_back({i->symbol, i->factor + j->factor});
      ++i, ++j;
    }
  }
  const Value result = made(a.bits + b.bits, std::move(sum), width, arrays);
  sum_ = {a.form, b.form, result.form, width, 0};
  return result;
}

Value Forms::scale(Value a, uint64_t factor, unsigned width) {
  if (a.form == kKnown || (factor & low_bits(width)) == 0) return {a.bits * factor & low_bits(width), kKnown, a.arrays};
  if (is_unknown(a)) return a;
  if (product_.a == a.form && product_.factor == factor && product_.width == width) {
    const unsigned modulus = product_.form == kKnown ? width : forms_[product_.form].modulus;
    return {a.bits * factor & low_bits(modulus), product_.form, a.arrays};
  }
  Form product = forms_[a.form];
  product.modulus += static_cast<unsigned>(std::countr_zero(factor));
  for (Term& term : product.terms) term.factor *= factor;
  const Value result = made(a.bits * factor, std::move(product), width, a.arrays);
  product_ = {a.form, 0, result.form, width, factor};
  return result;
}

Value Forms::extend(Value a, unsigned from, bool is_signed, unsigned to) {
  if (a.form == kKnown) return {extended(a.bits, from, is_signed) & low_bits(to), kKnown, a.arrays};
  if (is_unknown(a)) return a;
  if (form(a).modulus <= from && form(a).modulus <= to) return a;
  Form low = forms_[a.form];
  low.modulus = std::min(low.modulus, from);
  return made(a.bits, std::move(low), to, a.arrays);
}

unsigned Forms::low_known(Value value) const {
  const Form& form = forms_[value.form];
  if (form.unknown) return 0;
  unsigned known = form.modulus;
  for (const Term& term : form.terms) known = std::min(known, static_cast<unsigned>(std::countr_zero(term.factor)));
  return known;
}

std::optional<Value> Forms::shift_right(Value a, unsigned shift, unsigned width) {
  if (a.form == kKnown) return Value{shift >= width ? 0 : a.bits >> shift, kKnown, a.arrays};
  if (is_unknown(a) || low_known(a) < shift || shift >= form(a).modulus) return std::nullopt;
  Form high = forms_[a.form];
  high.modulus -= shift;
  for (Term& term : high.terms) term.factor >>= shift;
  return made(a.bits >> shift, std::move(high), width, a.arrays);
}

bool Forms::mentions(Value value, uint32_t first) const {
  const std::vector<Term>& terms = forms_[value.form].terms;
  return std::any_of(terms.begin(), terms.end(), [&](const Term& term) { return term.symbol >= first; });
}

std::string Forms::text(Value value, uint64_t unit) const {
  std::string text;
  const Form& form = forms_[value.form];
  for (const Term& term : form.terms) {
    const auto factor = form.modulus == 1 ? 1 : static_cast<int64_t>(extended(term.factor, form.modulus, true));
    const int64_t size = (factor < 0 ? -factor : factor) / static_cast<int64_t>(unit);
    text += text.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ";
    if (size != 1) text += std::to_string(size) + "*";
    text += symbols_[term.symbol];
  }
  return text;
}

}  // namespace bankshot::analysis
