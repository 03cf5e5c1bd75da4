#include "bankshot/compare/gate.hpp"

#include <algorithm>
#include <charconv>

#include "bankshot/report/text/kernel_title.hpp"
#include "bankshot/report/text/text.hpp"

namespace bankshot::compare {

Result<Gate> parse_gate(const std::string& text) {
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain), [](char c) { return c != ' '; });
  const Error error{"'" + text + "': must be 'conflicts>N' or 'wavefronts>N', with N a whole number"};
  const size_t sign = plain.find('>');
  if (sign == std::string::npos) return error;
  Gate gate;
  gate.text = text;
  const std::string counter = plain.substr(0, sign);
  if (counter == "wavefronts") {
    gate.counter = Gate::Counter::wavefronts;
  } else if (counter != "conflicts") {
    return error;
  }
  const char* begin = plain.data() + sign + 1;
  const char* end = plain.data() + plain.size();
  const auto parsed = std::from_chars(begin, end, gate.limit);
  if (begin == end || parsed.ec != std::errc{} || parsed.ptr != end) return error;
  return gate;
}

std::string how_exceeded(const Gate& gate, const report::Kernel& kernel, const report::RunReport& report) {
  const bool conflicts = gate.counter == Gate::Counter::conflicts;
  const report::SharedTotals judged = report.judged(kernel);
  const uint64_t value = conflicts ? judged.conflicts() : judged.wavefronts;
  if (value <= gate.limit) return {};
  return report::kernel_title(kernel, report) + " has " + report::grouped(value) +
         (conflicts ? " conflicts" : " wavefronts") + ", more than " + report::grouped(gate.limit);
}

}  // namespace bankshot::compare
