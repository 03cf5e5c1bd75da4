#include "bankshot/regions/split.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "bankshot/ptx/access.hpp"
#include "bankshot/rewrite/arrays.hpp"

namespace bankshot::regions {
namespace {

using Kind = ptx::Access::Kind;
using ptx::Space;

constexpr uint32_t kAllWords = 1u << scratchpad::kMaxAddressBits;

bool may_be_shared(Space space) { return space == Space::shared || space == Space::generic; }

/// Instructions that read or write memory by an address.
bool has_addresses(const ptx::Access& access) {
  return (access.touches_memory() || access.kind == Kind::mbarrier) && access.layout != ptx::Access::Layout::texture;
}

/// The space of the k-th address of an instruction: copies have two, and perhaps a barrier.
Space space_of(const ptx::Access& access, size_t k) {
  if (access.kind != Kind::copy || k == 0) return access.space;
  return k == 1 ? access.from : Space::shared;
}

/// Why the instruction cannot have a hash; empty if it can.
std::string why_no_hash(const ptx::Instruction& instruction, const ptx::Access& access) {
  const bool of_lanes = access.layout == ptx::Access::Layout::lanes || access.layout == ptx::Access::Layout::matrix;
  if (of_lanes && !access.of_cluster && access.kind != Kind::mbarrier &&
      (!access.asynchronous || access.kind == Kind::copy))
    return {};
  return mnemonic(instruction) + " cannot have a hash";
}

/// A function that accesses memory which may be shared, or empty.
std::string function_on_shared(const ptx::Module& module) {
  for (const ptx::Item& item : module.items) {
    const auto* function = std::get_if<ptx::Function>(&item);
    if (function == nullptr || function->is_entry || !function->body) continue;
    const ptx::KernelCode code(module, *function);
    for (const ptx::Step& step : code.steps()) {
      const ptx::Access access = ptx::access_of(*step.instruction);
      const bool from_shared = access.kind == Kind::copy && may_be_shared(access.from);
      if (has_addresses(access) && (may_be_shared(access.space) || from_shared)) return function->name;
    }
  }
  return {};
}

/// Rows of banks that an instruction may access, a bit each.
using Rows = std::vector<bool>;

struct Footprint {
  Instruction instruction;
  Rows rows;
  std::set<std::string> arrays;
  std::string why_kept;
};

class Splitter {
 public:
  Splitter(const ptx::Module& module, const ptx::Function& kernel, const Layout& layout, uint32_t row,
           const analysis::Kernel* walked)
      : kernel_(module, kernel), layout_(layout), row_(row) {
    for (const ptx::Step& step : kernel_.code.steps()) {
      escaped_ |= kernel_.provenance.misuse(step).arrays;
      calls_ |= step.instruction->opcode == "call";
    }
    if (walked == nullptr) return;
    for (const analysis::Site& site : walked->sites) {
      const bool known = site.certainty == analysis::Certainty::exact || site.certainty == analysis::Certainty::each;
      walked_[site.ptx_line].push_back(known && !site.shifted && site.patterns_left_out == 0 ? &site : nullptr);
    }
  }

  bool calls() const { return calls_; }
  bool knows_all_arrays() const {
    for (size_t entity = 0; entity < kernel_.code.entities(); ++entity) {
      const bool shared = kernel_.code.variable(static_cast<int>(entity)).space == Space::shared;
      if (shared && kernel_.array_of[entity] < 0) return false;
    }
    return true;
  }

  std::vector<Part> parts() {
    for (const ptx::Step& step : kernel_.code.steps()) look_at(step);
    return joined();
  }

 private:
  void add_words(Rows& rows, uint32_t begin, uint32_t end) const {
    for (uint32_t row = begin / row_; row * row_ < std::min(end, kAllWords); ++row) rows[row] = true;
  }

  void add_array(Footprint& to, size_t k) const {
    const rewrite::Array& array = kernel_.arrays[k];
    to.arrays.insert(array.name);
    if (array.dynamic) return add_words(to.rows, layout_.dynamic / 4, kAllWords);
    const auto found = std::ranges::find(layout_.arrays, array.name, &std::pair<std::string, uint32_t>::first);
    if (found == layout_.arrays.end()) return add_words(to.rows, 0, kAllWords);
    add_words(to.rows, found->second / 4, static_cast<uint32_t>((found->second + array.bytes + 3) / 4));
  }

  /// What an address may be of. @param arrays  bits as in rewrite::Value
  void add_arrays(Footprint& to, uint64_t arrays) const {
    for (size_t k = 0; k < kernel_.arrays.size() && k < rewrite::kMostArrays; ++k) {
      if ((arrays >> (2 * k) & 3) != 0) add_array(to, k);
    }
  }

  void look_at(const ptx::Step& step) {
    const ptx::Instruction& instruction = *step.instruction;
    const ptx::Access access = ptx::access_of(instruction);
    if (!has_addresses(access)) return;
    Footprint found{{kernel_.code.place(step), mnemonic(instruction)}, Rows(kAllWords / row_), {}, {}};
    if (access.layout == ptx::Access::Layout::operands) add_words(found.rows, 0, kAllWords);  // descriptors say where
    size_t k = 0;
    bool may_have_escaped = false;
    for (const ptx::Operand& operand : instruction.operands) {
      if (operand.kind != ptx::Operand::Kind::address) continue;
      const Space space = space_of(access, k++);
      const rewrite::Value value = kernel_.provenance.value(step, operand);
      add_arrays(found, value.arrays);
      if (value.number && space == Space::shared) add_words(found.rows, 0, kAllWords);
      if (value.number && space == Space::generic) add_arrays(found, escaped_);
      may_have_escaped |= value.number && space == Space::generic && escaped_ != 0;
    }
    if (std::ranges::find(found.rows, true) == found.rows.end()) return;
    found.why_kept = why_no_hash(instruction, access);
    const auto walked = walked_.find(found.instruction.place.ptx_line);
    if (walked != walked_.end() && found.why_kept.empty() && !may_have_escaped &&
        std::ranges::find(walked->second, nullptr) == walked->second.end())
      take_words(found, walked->second);
    footprints_.push_back(std::move(found));
  }

  /// @param sites  of the line
  void take_words(Footprint& to, const std::vector<const analysis::Site*>& sites) const {
    std::fill(to.rows.begin(), to.rows.end(), false);
    to.instruction.by_walk = true;
    for (const analysis::Site* const site : sites) {
      for (const scratchpad::Pattern& pattern : site->patterns) {
        for (unsigned lane = 0; lane < scratchpad::kMaxLanes; ++lane) {
          if ((pattern.mask >> lane & 1) != 0)
            add_words(to.rows, pattern.words[lane], pattern.words[lane] + std::max(4u, pattern.width) / 4);
        }
      }
    }
  }

  /// Instructions that have a row, or their line, in common are in one part.
  std::vector<Part> joined() const {
    std::vector<size_t> group(footprints_.size());
    std::iota(group.begin(), group.end(), size_t{0});
    const auto root = [&](size_t k) {
      while (group[k] != k) k = group[k] = group[group[k]];
      return k;
    };
    const auto join = [&](size_t a, size_t b) {
      a = root(a), b = root(b);
      group[std::max(a, b)] = std::min(a, b);
    };
    std::map<uint32_t, size_t> by_line;
    std::vector<std::optional<size_t>> by_row(kAllWords / row_);
    for (size_t k = 0; k < footprints_.size(); ++k) {
      join(k, by_line.try_emplace(footprints_[k].instruction.place.ptx_line, k).first->second);
      for (size_t row = 0; row < by_row.size(); ++row) {
        if (!footprints_[k].rows[row]) continue;
        if (by_row[row]) join(k, *by_row[row]);
        by_row[row] = k;
      }
    }
    std::map<size_t, Part> parts;
    std::map<size_t, std::set<std::string>> arrays;
    for (size_t k = 0; k < footprints_.size(); ++k) {
      const Footprint& one = footprints_[k];
      Part& part = parts[root(k)];
      if (part.instructions.empty() || part.instructions.back().place.ptx_line != one.instruction.place.ptx_line)
        part.instructions.push_back(one.instruction);
      if (part.why_kept.empty()) part.why_kept = one.why_kept;
      arrays[root(k)].insert(one.arrays.begin(), one.arrays.end());
    }
    for (size_t row = 0; row < by_row.size(); ++row) {
      if (!by_row[row]) continue;
      const auto begin = static_cast<uint32_t>(row) * row_;
      scratchpad::add(parts[root(*by_row[row])].words, {begin, begin + row_});
    }
    std::vector<Part> all;
    for (auto& [k, part] : parts) {
      part.arrays.assign(arrays[k].begin(), arrays[k].end());
      std::ranges::sort(part.instructions, {}, [](const Instruction& i) { return i.place.ptx_line; });
      all.push_back(std::move(part));
    }
    std::erase_if(all, [](const Part& part) { return part.words.empty(); });
    std::ranges::sort(all, {}, [](const Part& part) { return part.words.front().begin; });
    return all;
  }

  const rewrite::KernelArrays kernel_;
  const Layout& layout_;
  const uint32_t row_;
  uint64_t escaped_ = 0;  ///< arrays whose address goes where it is not followed: bits as in rewrite::Value
  bool calls_ = false;
  std::map<uint32_t, std::vector<const analysis::Site*>> walked_;  ///< by line; null: not all its words are known
  std::vector<Footprint> footprints_;
};

}  // namespace

Result<std::vector<Part>> split(const ptx::Module& module, const ptx::Function& kernel, const Layout& layout,
                                uint32_t row, const analysis::Kernel* walked) {
  Splitter splitter(module, kernel, layout, row, walked);
  if (!splitter.knows_all_arrays())
    return Error{fmt::format("it has more than {} shared variables", rewrite::kMostArrays)};
  if (splitter.calls()) {
    if (const std::string function = function_on_shared(module); !function.empty())
      return Error{"it calls functions, and " + function + " accesses memory that may be shared"};
  }
  return splitter.parts();
}

}  // namespace bankshot::regions
