#include "bankshot/simt/decode/unsupported.hpp"

#include <algorithm>

namespace bankshot::simt {
namespace {

constexpr std::string_view kNewer = "Build for sm_90 or older: only newer GPUs have it.";
constexpr std::string_view kDense = "Let the program choose dense products: mma.sync without .sp.";
constexpr std::string_view kDriver =
    "Make a descriptor for each type and layout with cuTensorMapEncodeTiled; address, sizes, strides and "
    "boxes may be replaced.";
constexpr std::string_view kBoxes = "Copy boxes (.tile), or rows one by one.";
constexpr std::string_view kStores = "Store zeros with st.shared.";

struct Known {
  std::string_view opcode, modifier;  ///< or what it begins with
  std::string_view what, remedy;
};
constexpr Known kKnown[] = {
    {"mma", "sp", "products of sparse matrices", kDense},
    {"mma", "kind::", "products of floats of 4 and 6 bits, or with scale factors", kNewer},
    {"mma", "block_scale", "products with scale factors", kNewer},
    {"ldmatrix", "m16n16", "matrices of elements of 8 bits and less", kNewer},
    {"ldmatrix", "m8n16", "matrices of elements of 8 bits and less", kNewer},
    {"stmatrix", "m16n8", "matrices of elements of 8 bits", kNewer},
    {"add", "rs", "stochastic rounding", kNewer},
    {"sub", "rs", "stochastic rounding", kNewer},
    {"fma", "rs", "stochastic rounding", kNewer},
    {"cp", "tile::gather4", "gathering of rows", kBoxes},
    {"cp", "tile::scatter4", "scattering of rows", kBoxes},
    {"cp", "cp_mask", "copies of selected bytes", kNewer},
    {"cp", "im2col::w", "columns of pixels along one dimension", "Use .im2col, or build for sm_90 or older."},
    {"tensormap", "elemtype", "this field of a descriptor", kDriver},
    {"tensormap", "interleave_layout", "this field of a descriptor", kDriver},
    {"tensormap", "swizzle_", "this field of a descriptor", kDriver},
    {"tensormap", "fill_mode", "this field of a descriptor", kDriver},
    {"st", "bulk", "filling of shared memory in bulk", kStores},
};

}  // namespace

std::string remedy_of_unknown(std::string_view opcode) {
  if (opcode == "wgmma")
    return "Build for sm_90 instead of sm_90a, or let the program choose mma.sync: warpgroup products run on sm_90a "
           "only.";
  if (opcode == "tcgen05")
    return "Build for sm_90 or older instead of sm_100a: only sm_100a and its relatives have tensor memory.";
  if (opcode == "clusterlaunchcontrol")
    return "Build for sm_90 or older, or let the program launch a CTA for each piece of work: only sm_100 and its "
           "relatives have it.";
  if (opcode == "multimem")
    return "Let the program use each GPU's memory separately: there is only one GPU, and there are no multicast "
           "objects.";
  return "docs/ptx.md lists the supported instructions.";
}

Refusal refuse_modifier(std::string_view opcode, std::string_view modifier, std::string_view first_form) {
  const std::string name = "'." + std::string(modifier) + "' of '" + std::string(opcode) + "'";
  const auto* const known = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) {
    return k.opcode == opcode && modifier.starts_with(k.modifier);
  });
  if (known == std::end(kKnown))
    return {"unknown modifier " + name,
            "docs/ptx.md lists the supported forms; the first is: " + std::string(first_form)};
  return {name + " is not supported: " + std::string(known->what), std::string(known->remedy)};
}

}  // namespace bankshot::simt
