#include "bankshot/ptx/special_registers.hpp"

#include <algorithm>
#include <array>

namespace bankshot::ptx {
namespace {

/// Vectors of four: the whole and its components are names.
constexpr std::array<std::string_view, 8> kVectors = {"%tid",       "%ntid",       "%ctaid",         "%nctaid",
                                                      "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};

constexpr std::array<std::string_view, 29> kScalars = {"%laneid",
                                                       "%warpid",
                                                       "%nwarpid",
                                                       "%smid",
                                                       "%nsmid",
                                                       "%gridid",
                                                       "%lanemask_eq",
                                                       "%lanemask_le",
                                                       "%lanemask_lt",
                                                       "%lanemask_ge",
                                                       "%lanemask_gt",
                                                       "%clock",
                                                       "%clock_hi",
                                                       "%clock64",
                                                       "%globaltimer",
                                                       "%globaltimer_lo",
                                                       "%globaltimer_hi",
                                                       "%is_explicit_cluster",
                                                       "%cluster_ctarank",
                                                       "%cluster_nctarank",
                                                       "%reserved_smem_offset_begin",
                                                       "%reserved_smem_offset_end",
                                                       "%reserved_smem_offset_cap",
                                                       "%reserved_smem_offset_0",
                                                       "%reserved_smem_offset_1",
                                                       "%total_smem_size",
                                                       "%aggr_smem_size",
                                                       "%dynamic_smem_size",
                                                       "%current_graph_exec"};

/// prefix, number 0 … count - 1, suffix
struct Family {
  std::string_view prefix;
  unsigned count;
  std::string_view suffix;
};
constexpr std::array kFamilies = {Family{"%envreg", 32, ""}, Family{"%pm", 8, ""}, Family{"%pm", 8, "_64"}};

bool contains(const auto& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool in_family(const Family& family, std::string_view name) {
  if (!name.starts_with(family.prefix) || !name.ends_with(family.suffix)) return false;
  if (name.size() < family.prefix.size() + family.suffix.size()) return false;
  const std::string_view digits =
      name.substr(family.prefix.size(), name.size() - family.prefix.size() - family.suffix.size());
  if (digits.empty() || digits.size() > 2 || (digits.size() == 2 && digits[0] == '0')) return false;
  unsigned number = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number < family.count;
}

}  // namespace

bool is_special_register(std::string_view name) {
  if (name.empty() || name[0] != '%') return false;
  if (const size_t dot = name.find('.'); dot != std::string_view::npos) {
    const std::string_view component = name.substr(dot + 1);
    return component.size() == 1 && std::string_view("xyzw").find(component[0]) != std::string_view::npos &&
           contains(kVectors, name.substr(0, dot));
  }
  return contains(kVectors, name) || contains(kScalars, name) ||
         std::any_of(kFamilies.begin(), kFamilies.end(),
                     [name](const Family& family) { return in_family(family, name); });
}

bool is_predefined_constant(std::string_view name) { return name == "WARP_SZ"; }

}  // namespace bankshot::ptx
