#include "bankshot/cuda/modules/module_id.hpp"

#include "bankshot/report/run/module_digest.hpp"

namespace bankshot::cuda {
namespace {

/// The first file that the PTX names: with -lineinfo its source.
std::string first_file(std::string_view ptx) {
  size_t at = ptx.starts_with(".file") ? 0 : ptx.find("\n.file");
  if (at == ptx.npos) at = ptx.find("\n\t.file");
  if (at == ptx.npos) return {};
  const std::string_view line = ptx.substr(at + 1, ptx.find('\n', at + 1) - at - 1);
  const size_t begin = line.find('"'), end = line.rfind('"');
  return begin < end && end != line.npos ? std::string(line.substr(begin + 1, end - begin - 1)) : std::string();
}

std::vector<std::string> specialization(std::string_view ptx) {
  constexpr std::string_view kMark = "\n// Specialization: ";
  std::vector<std::string> parts;
  for (size_t at = ptx.find(kMark); at != ptx.npos; at = ptx.find(kMark, at + 1)) {
    const std::string_view rest = ptx.substr(at + kMark.size());
    parts.emplace_back(rest.substr(0, rest.find('\n')));
  }
  return parts;
}

}  // namespace

report::ModuleId id_of(std::string_view ptx) {
  return {report::module_digest(ptx), first_file(ptx), specialization(ptx)};
}

}  // namespace bankshot::cuda
