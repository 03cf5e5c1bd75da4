#include "bankshot/ptx/access.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace bankshot::ptx {
namespace {

using Layout = Access::Layout;
using Modifiers = std::vector<std::string>;

bool has(const Modifiers& modifiers, std::string_view name) {
  return std::find(modifiers.begin(), modifiers.end(), name) != modifiers.end();
}

template <class T, size_t N>
T named(std::string_view name, const std::array<std::pair<std::string_view, T>, N>& all, T otherwise) {
  for (const auto& [text, value] : all) {
    if (text == name) return value;
  }
  return otherwise;
}

/// "shared" of "shared::cta"; generic if it is no space.
Space space_of_modifier(std::string_view modifier) {
  using Entry = std::pair<std::string_view, Space>;
  static constexpr auto kSpaces = std::to_array<Entry>({{"global", Space::global},
                                                        {"shared", Space::shared},
                                                        {"shared::cta", Space::shared},
                                                        {"shared::cluster", Space::shared},
                                                        {"local", Space::local},
                                                        {"const", Space::constant},
                                                        {"param", Space::param},
                                                        {"param::entry", Space::param},
                                                        {"param::func", Space::param}});
  return named(modifier, kSpaces, Space::generic);
}

/// cp and its relatives: copies, their groups, and their arrival at a barrier.
void copy_access(const Modifiers& modifiers, Access& access) {
  if (has(modifiers, "commit_group")) {
    access.kind = Access::Kind::commit;
  } else if (has(modifiers, "wait_group") || has(modifiers, "wait_all")) {
    access.kind = Access::Kind::wait;
    access.read_only_wait = has(modifiers, "read");
  } else if (has(modifiers, "arrive")) {
    access.kind = Access::Kind::mbarrier;
  } else if (has(modifiers, "prefetch")) {
    access.kind = Access::Kind::hint;
  } else {
    access.kind = Access::Kind::copy;
  }
  access.asynchronous = true;
  if (has(modifiers, "bulk")) access.layout = has(modifiers, "tensor") ? Layout::tensor : Layout::bulk;
  access.passes_l1 = has(modifiers, "cg");
}

Access::Kind kind_of(std::string_view opcode, const Modifiers& modifiers) {
  using enum Access::Kind;
  using Entry = std::pair<std::string_view, Access::Kind>;
  static constexpr auto kKinds = std::to_array<Entry>({{"ld", load},
                                                       {"ldu", load},
                                                       {"ldmatrix", load},
                                                       {"tex", load},
                                                       {"tld4", load},
                                                       {"suld", load},
                                                       {"st", store},
                                                       {"stmatrix", store},
                                                       {"sust", store},
                                                       {"atom", atomic},
                                                       {"red", reduction},
                                                       {"sured", reduction},
                                                       {"mbarrier", mbarrier},
                                                       {"fence", fence},
                                                       {"membar", fence},
                                                       {"prefetch", hint},
                                                       {"prefetchu", hint},
                                                       {"discard", hint},
                                                       {"applypriority", hint}});
  if (opcode == "multimem") return has(modifiers, "ld_reduce") ? load : has(modifiers, "st") ? store : reduction;
  if (opcode == "wmma") return has(modifiers, "load") ? load : has(modifiers, "store") ? store : none;
  return named(opcode, kKinds, none);
}

/// wgmma: reads of operands, and their groups.
void warpgroup_access(const Modifiers& modifiers, Access& access) {
  using enum Access::Kind;
  access.asynchronous = true;
  access.layout = Layout::operands;
  access.operation = Access::Operation::none;  // .and of single bits
  access.kind = has(modifiers, "mma_async")      ? load
                : has(modifiers, "commit_group") ? commit
                : has(modifiers, "wait_group")   ? wait
                                                 : fence;
  if (access.kind == load) access.space = Space::shared;
}

/// tcgen05: products and copies read operands; what is in tensor memory is no access.
void tensor_memory_access(const Modifiers& modifiers, Access& access) {
  using enum Access::Kind;
  access.asynchronous = true;
  access.layout = Layout::operands;
  access.kind = has(modifiers, "mma") || has(modifiers, "cp") ? load
                : has(modifiers, "alloc")                     ? store
                : has(modifiers, "commit")                    ? mbarrier
                                                              : none;
  if (access.kind == load) access.space = Space::shared;
  if (has(modifiers, "alloc")) access.layout = Layout::bulk;
}

Layout layout_of(std::string_view opcode) {
  if (opcode == "ldmatrix" || opcode == "stmatrix" || opcode == "wmma") return Layout::matrix;
  if (opcode == "tex" || opcode == "tld4" || opcode.starts_with("su")) return Layout::texture;
  return Layout::lanes;
}

/// Reads one modifier into the access.
void read(std::string_view modifier, Access& access) {
  using Order = Access::Order;
  using Scope = Access::Scope;
  static constexpr std::array<std::pair<std::string_view, Order>, 5> kOrders{{{"relaxed", Order::relaxed},
                                                                              {"acquire", Order::acquire},
                                                                              {"release", Order::release},
                                                                              {"acq_rel", Order::acq_rel},
                                                                              {"sc", Order::seq_cst}}};
  static constexpr std::array<std::pair<std::string_view, Scope>, 5> kScopes{
      {{"cta", Scope::cta}, {"cluster", Scope::cluster}, {"gpu", Scope::gpu}, {"gl", Scope::gpu}, {"sys", Scope::sys}}};
  access.order = named(modifier, kOrders, access.order);
  access.scope = named(modifier, kScopes, access.scope);
  if (const Space space = space_of_modifier(modifier); space != Space::generic) {
    (access.space == Space::generic ? access.space : access.from) = space;
    access.of_cluster |= modifier == "shared::cluster";
  }
  if (const Type type = type_named(modifier); type != Type::none && bits(type) >= 8) access.type = type;
  if (modifier.size() == 2 && modifier[0] == 'v' && (modifier[1] == '2' || modifier[1] == '4' || modifier[1] == '8')) {
    access.elements = static_cast<uint8_t>(modifier[1] - '0');
  }
  if (const Access::Operation operation = operation_named(modifier); operation != Access::Operation::none) {
    access.operation = operation;
  }
  access.is_volatile |= modifier == "volatile";
  access.is_mmio |= modifier == "mmio";
  access.refetches |= modifier == "cv";
  access.passes_l1 |= modifier == "cg";
  access.asynchronous |= modifier == "async";
  access.to_barrier |= modifier == "mbarrier::complete_tx::bytes";
}

}  // namespace

unsigned Access::bytes() const {
  if (layout != Layout::lanes || kind == Kind::copy) return 0;
  return ptx::bits(type) / 8 * elements;
}

bool adds_one(const Access& access, const Instruction& instruction) {
  using Operation = Access::Operation;
  if (!access.is_atomic() || access.layout != Access::Layout::lanes) return false;
  if (access.type != Type::u32 && access.type != Type::s32) return false;
  const size_t at = access.kind == Access::Kind::reduction ? 1 : 2;
  if (at >= instruction.operands.size() || instruction.operands[at].kind != Operand::Kind::integer) return false;
  const auto value = static_cast<uint32_t>(instruction.operands[at].integer);
  return (access.operation == Operation::add && value == 1) ||
         (access.operation == Operation::inc && value == ~uint32_t{0});
}

Access::Operation operation_named(std::string_view name) {
  using Operation = Access::Operation;
  using Entry = std::pair<std::string_view, Operation>;
  static constexpr auto kOperations = std::to_array<Entry>({{"add", Operation::add},
                                                            {"min", Operation::min},
                                                            {"max", Operation::max},
                                                            {"inc", Operation::inc},
                                                            {"dec", Operation::dec},
                                                            {"and", Operation::bit_and},
                                                            {"or", Operation::bit_or},
                                                            {"xor", Operation::bit_xor},
                                                            {"exch", Operation::exch},
                                                            {"cas", Operation::cas}});
  return named(name, kOperations, Operation::none);
}

Access access_of(std::string_view opcode, const std::vector<std::string>& modifiers) {
  Access access;
  for (const std::string& modifier : modifiers) read(modifier, access);
  access.kind = kind_of(opcode, modifiers);
  if (access.kind != Access::Kind::none) access.layout = layout_of(opcode);
  if (opcode == "cp") copy_access(modifiers, access);
  if (opcode == "wgmma") warpgroup_access(modifiers, access);
  if (opcode == "tcgen05") tensor_memory_access(modifiers, access);
  if (opcode == "multimem") access.space = Space::global;  // also where no space is written
  if (opcode == "st" && has(modifiers, "bulk")) {          // a copy of zeros
    access.kind = Access::Kind::copy;
    access.layout = Layout::bulk;
  }
  return access;
}

}  // namespace bankshot::ptx
