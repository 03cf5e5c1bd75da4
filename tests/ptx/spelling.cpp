#include <algorithm>

#include "conformance.hpp"
#include "tests/unit/simt/rows_harness.hpp"

namespace bankshot::simt::conformance {
namespace {

ptx::Type slot_type(const Spelling& s, const std::string& written) {
  using T = ptx::Type;
  if (written.empty()) return s.type() == T::none ? T::b32 : s.type();
  if (written == "type2") return s.type(1);
  if (written != "wide") return ptx::type_named(written);
  switch (s.type()) {
    case T::u16: return T::u32;
    case T::s16: return T::s32;
    case T::u32: return T::u64;
    default: return T::s64;
  }
}

void add_slots(const Form& form, Spelling& s) {
  for (size_t k = 0; k < form.slots.size(); ++k) {
    const Form::Slot& slot = form.slots[k];
    std::vector<Slot>& to = k == 0 ? s.results : s.sources;
    if (slot.name.find('|') != std::string::npos) {
      to.push_back({slot.name == "p|q" ? ptx::Type::pred : slot_type(s, slot.type)});
      to.push_back({ptx::Type::pred});
    } else if (slot.type == "literal") {
      to.push_back({ptx::Type::none, true});
    } else {
      to.push_back({slot.name == "membermask" ? ptx::Type::b32 : slot_type(s, slot.type)});
    }
  }
}

}  // namespace

bool Spelling::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string_view Spelling::which(std::initializer_list<std::string_view> choices) const {
  for (std::string_view choice : choices) {
    if (has(choice)) return choice;
  }
  return {};
}

std::string Spelling::text() const {
  std::string all = opcode;
  for (const std::string& modifier : modifiers) all += "." + modifier;
  return all;
}

std::vector<Spelling> spellings_of(const Row& row) {
  const Form form = parse_form(row);
  std::vector<Spelling> out;
  for (std::vector<std::string>& modifiers : testing::spellings(form)) {
    Match m;
    if (row.select == nullptr || !match(form, modifiers, m) || row.select(m) == nullptr) continue;
    Spelling& s = out.emplace_back();
    s.row = &row;
    s.opcode = form.opcode;
    s.modifiers = std::move(modifiers);
    for (const std::string& modifier : s.modifiers) {
      if (const ptx::Type type = ptx::type_named(modifier); type != ptx::Type::none) s.types.push_back(type);
    }
    add_slots(form, s);
  }
  return out;
}

std::optional<Rule> rule_of(const Spelling& spelling) {
  for (auto* family : {integer_rule, video_rule, scalar_video_rule, bits_rule, compare_rule, float_rule, approx_rule,
                       small_float_rule, convert_rule}) {
    if (auto rule = family(spelling)) return rule;
  }
  return {};
}

Rule packed(Rule single, unsigned bits, unsigned count) {
  if (count == 1) return single;
  const auto part = [bits](Sources s, unsigned k) {
    std::vector<uint64_t> parts;
    for (uint64_t x : s) parts.push_back(low_bits(x >> k * bits, bits));
    return parts;
  };
  Rule out = single;
  out.results = [single, bits, count, part](Sources s) {
    uint64_t d = 0;
    for (unsigned k = 0; k < count; ++k) d |= low_bits(single.results(part(s, k))[0], bits) << k * bits;
    return one(d);
  };
  if (single.also) {
    out.also = [single, bits, count, part](Sources s, uint64_t got) {
      for (unsigned k = 0; k < count; ++k) {
        const std::vector<uint64_t> sources = part(s, k);
        const uint64_t d = low_bits(got >> k * bits, bits);
        if (d != low_bits(single.results(sources)[0], bits) && !single.also(sources, d)) return false;
      }
      return true;
    };
  }
  if (single.related) {
    out.related = [single, bits, count](uint64_t seed) {
      std::vector<uint64_t> all = single.related(seed);
      for (unsigned k = 1; k < count; ++k) {
        const std::vector<uint64_t> more = single.related(seed * 31 + k);
        for (size_t n = 0; n < all.size(); ++n) all[n] |= more[n] << k * bits;
      }
      return all;
    };
  }
  return out;
}

}  // namespace bankshot::simt::conformance
