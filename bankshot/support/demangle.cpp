#include "bankshot/support/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace bankshot {
namespace {

/// Removes what Numba adds to a name as ABI tags, of which the first is a number ("[abi:v1][abi:cw51c…]"), and writes
/// the name as Python does: "__main__.outer.<locals>.kernel(…)". Source: numba/cuda/itanium_mangler.py. Other names
/// stay.
std::string without_numba_tags(std::string name) {
  const size_t begin = name.find("[abi:v");
  size_t end = begin == name.npos ? begin : name.find_first_not_of("0123456789", begin + 6);
  if (end == name.npos || end == begin + 6 || name.compare(end, 2, "][") != 0) return name;
  while (name.compare(end, 6, "][abi:") == 0) end = name.find(']', end + 1);
  std::string text = name.substr(0, begin);
  const auto replace_all = [&](std::string_view from, std::string_view to) {
    for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  };
  replace_all("::", ".");
  replace_all("_3clocals_3e", "<locals>");
  replace_all("_3clambda_3e", "<lambda>");
  return text + name.substr(end + 1);
}

}  // namespace

std::string demangle(std::string_view name) {
  if (!name.starts_with("_Z")) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? without_numba_tags(text.get()) : std::string(name);
}

}  // namespace bankshot
