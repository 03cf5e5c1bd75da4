#include "bankshot/verify/certificate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bankshot::verify {

std::string to_json(const Certificate& c) {
  std::string text = fmt::format(
      "{{\"schema\": \"{}\", \"address_bits\": {}, \"bank_bits\": {}, \"in_place\": {}, \"plain_low_bits\": {},\n"
      " \"unavoidable\": {}, \"groups\": [",
      kSchema, c.address_bits, c.bank_bits, c.in_place, c.plain_low_bits, c.unavoidable);
  for (size_t k = 0; k < c.groups.size(); ++k) {
    text += fmt::format("{}\n  {{\"weight\": {}, \"words\": [{}]}}", k == 0 ? "" : ",", c.groups[k].weight,
                        fmt::join(c.groups[k].words, ","));
  }
  text += fmt::format("],\n \"hash\": [{}], \"excess\": {}, \"scale\": {},\n \"tree\": [", fmt::join(c.hash, ", "),
                      c.excess, c.scale);
  for (size_t k = 0; k < c.tree.size(); ++k) {
    if (k != 0) text += k % 32 == 0 ? ",\n  " : ",";
    text += fmt::format_int(c.tree[k]).c_str();
  }
  return text + "]}\n";
}

}  // namespace bankshot::verify
