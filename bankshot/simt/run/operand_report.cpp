#include "bankshot/simt/run/operand_report.hpp"

#include <algorithm>
#include <tuple>

#include "bankshot/simt/tiles/merge_by.hpp"

namespace bankshot::simt {

void OperandReport::merge(const OperandReport& other) {
  reads += other.reads;
  const auto place = [](const Part& part) {
    return std::tie(part.source.ptx_line, part.op, part.is_tensor, part.swizzle);
  };
  for (const Part& part : other.written) {
    const auto before = [&](const Part& a, const Part& b) { return place(a) < place(b); };
    const auto at = std::lower_bound(written.begin(), written.end(), part, before);
    if (at != written.end() && place(*at) == place(part)) {
      at->bytes += part.bytes;
    } else {
      written.insert(at, part);
    }
  }
}

void merge(std::vector<OperandReport>& to, const std::vector<OperandReport>& from) {
  merge_by(&OperandReport::layout, to, from);
}

}  // namespace bankshot::simt
