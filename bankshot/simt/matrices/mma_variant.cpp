#include "bankshot/simt/matrices/mma_variant.hpp"

namespace bankshot::simt {

std::string some_numbers(unsigned end, unsigned step) {
  const unsigned last = (end - 1) / step * step;
  if (last == 0) return "0";
  return (last == step ? "0 or " : "0 to ") + std::to_string(last);
}

std::string ScaleChoice::what() const {
  return std::string("the ") + (is_byte ? "byte" : "thread") + " of the scale factors of " + (of_a ? "A" : "B");
}

}  // namespace bankshot::simt
