#include "bankshot/fix/layouts.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "bankshot/fix/hash_search.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/scratchpad/patterns/padding.hpp"

namespace bankshot::fix {
namespace {

using scratchpad::PatternSet;

class Finder {
 public:
  Finder(const LayoutSubject& array, std::chrono::milliseconds time_limit)
      : array_(array), time_limit_(time_limit), before_(conflicts(array.patterns)) {
    for (const scratchpad::Pattern& pattern : array.patterns.patterns)
      widest_ = std::max(widest_, std::max(pattern.width, 4u));
  }

  std::vector<Layout> find() {
    if (array_.declaration && array_.bytes != 0) {
      longer_elements();
      longer_rows();
      longer_rows_of_elements();
      rows_without_padding();
    }
    if (!array_.is_rewritten) {
      longer_rows_of_banks();
      if (!array_.is_matrix) swizzle();
    }
    std::ranges::stable_sort(found_, {}, [](const Layout& l) { return std::pair(l.conflicts, l.extra_bytes); });
    if (found_.size() > 3) found_.resize(3);
    return std::move(found_);
  }

 private:
  static constexpr uint64_t kMostExtra = 4;  ///< an array is not made longer than this many times

  /// The patterns with words moved. The place of a lane's first word tells that of the others.
  PatternSet moved(const std::function<uint32_t(uint32_t)>& place) const {
    PatternSet set = array_.patterns;
    for (scratchpad::Pattern& pattern : set.patterns) {
      for (size_t lane = 0; lane < pattern.words.size(); ++lane) {
        if ((pattern.mask >> lane & 1) != 0) pattern.words[lane] = place(pattern.words[lane]);
      }
    }
    scratchpad::merge_equal(set.patterns);
    return set;
  }

  static uint64_t conflicts(PatternSet set) {
    const unsigned least = static_cast<unsigned>(std::countr_zero(set.rules.banks)) + 1;
    if (!scratchpad::fit_address_bits(set, least)) return UINT64_MAX;
    return scratchpad::excess(set.rules, set, scratchpad::modulo_hash(scratchpad::size_of(set)));
  }

  void add(Layout layout) {
    if (layout.conflicts >= before_) return;
    if (array_.bytes != 0 && layout.extra_bytes > static_cast<int64_t>(kMostExtra * array_.bytes)) return;
    found_.push_back(std::move(layout));
  }

  /// The least that helps most, of a few steps of the widest access.
  void add_best(const std::function<Layout(uint32_t more_bytes)>& layout) {
    std::optional<Layout> best;
    for (uint32_t more = widest_; more <= 4 * widest_; more += widest_) {
      Layout one = layout(more);
      if (!best || one.conflicts < best->conflicts) best = std::move(one);
    }
    add(std::move(*best));
  }

  /// Structs that are read member by member: their distance should be an odd number of accesses.
  void longer_elements() {
    const uint32_t bytes = array_.declaration->element_bytes;
    if (bytes <= widest_ || bytes % 4 != 0 || bytes_of_builtin(array_.declaration->type) != 0) return;
    add_best([&](uint32_t more) {
      const PatternSet set = moved([&](uint32_t a) { return a + a / (bytes / 4) * (more / 4); });
      return Layout{fmt::format("elements of {} + {} bytes: members at the end of {} that are not used", bytes, more,
                                array_.declaration->type),
                    "", conflicts(set), static_cast<int64_t>(array_.bytes / bytes * more)};
    });
  }

  /// The rows that the source has, if they are none that was tried on the PTX.
  void longer_rows() {
    const Declaration& d = *array_.declaration;
    if (d.sizes.size() < 2) return;
    const uint64_t row = d.sizes.back() * d.element_bytes;
    if (row % 4 != 0 || (array_.is_rewritten && std::has_single_bit(row) && std::has_single_bit(d.element_bytes)))
      return;
    add_best([&](uint32_t more_bytes) {
      // Whole elements; of small ones as many as an access reads.
      const uint64_t elements = std::max(more_bytes / d.element_bytes, more_bytes / widest_);
      const uint64_t more = elements * d.element_bytes;
      if (more % 4 != 0) return Layout{"", "", UINT64_MAX, 0};
      const PatternSet set = moved([&](uint32_t a) { return static_cast<uint32_t>(a + a / (row / 4) * (more / 4)); });
      return Layout{fmt::format("rows of {} + {} elements", d.sizes.back(), elements),
                    declared(d, fmt::format(" + {}", elements)), conflicts(set),
                    static_cast<int64_t>(array_.bytes / row * more)};
    });
  }

  /// Elements whose size is no power of two, in one dimension: no row of banks holds whole ones.
  void longer_rows_of_elements() {
    const Declaration& d = *array_.declaration;
    if (d.dimensions.size() != 1 || std::has_single_bit(d.element_bytes) || d.element_bytes % 4 != 0) return;
    const uint32_t words = d.element_bytes / 4;
    const uint64_t elements = array_.bytes / d.element_bytes;
    std::optional<Layout> best;
    for (uint32_t row = 8; row <= 256 && row * 2 <= elements; row *= 2) {
      for (uint32_t more = 1; more <= 4; ++more) {
        const PatternSet set = moved([&](uint32_t a) { return a + a / (row * words) * more * words; });
        Layout one{
            fmt::format("rows of {} + {} elements", row, more),
            fmt::format(
                "// {0}[padded_{0}(i)] in place of {0}[i], {1} elements in place of {2}\n"
                "__host__ __device__ constexpr unsigned padded_{0}(unsigned i) {{ return i + i / {3} * {4}; }}\n",
                array_.name, elements + elements / row * more, elements, row, more),
            conflicts(set), static_cast<int64_t>(elements / row * more * d.element_bytes)};
        const auto order = [](const Layout& l) { return std::pair(l.conflicts, l.extra_bytes); };
        if (!best || order(one) < order(*best)) best = std::move(one);
      }
    }
    if (best) add(std::move(*best));
  }

  /// Rows that were padded by hand, 16 + 1: without the padding, a hash may do as much in less memory.
  void rows_without_padding() {
    const Declaration& d = *array_.declaration;
    if (d.sizes.size() < 2 || d.sizes.back() < 9 || !std::has_single_bit(d.element_bytes)) return;
    const uint64_t whole = std::bit_floor(d.sizes.back()), extra = d.sizes.back() - whole;
    if (extra == 0 || extra > 4 || d.element_bytes * d.sizes.back() % 4 != 0 || d.element_bytes * whole % 4 != 0)
      return;
    const uint64_t row = d.sizes.back() * d.element_bytes / 4, kept = whole * d.element_bytes / 4;
    bool padding_is_used = false;
    PatternSet set = moved([&](uint32_t a) {
      padding_is_used |= a % row >= kept;
      return static_cast<uint32_t>(a / row * kept + a % row);
    });
    if (padding_is_used || !make_searchable(set).empty()) return;
    const auto hash = search_hash(set.rules, set, std::max(widest_, d.element_bytes), time_limit_);
    if (!hash) return;
    add({fmt::format("rows of {} without the padding, then hash {}", whole, scratchpad::spec(hash->hash)),
         fmt::format("// Rows of {} elements in line {}; then\n", whole, d.line) +
             scratchpad::cpp_source(hash->hash, array_.name),
         hash->excess, -static_cast<int64_t>(array_.bytes / (row * 4) * (row - kept) * 4)});
  }

  void longer_rows_of_banks() {
    const uint64_t words = array_.bytes != 0 ? array_.bytes / 4 : uint64_t{1} << array_.patterns.address_bits;
    // What one lane accesses stays aligned: matrix instructions and asynchronous copies want that.
    const auto padding = scratchpad::best_padding(array_.patterns.rules, array_.patterns, words, widest_ / 4);
    if (!padding) return;
    add({fmt::format("rows of {} + {} words", padding->row, padding->words), "", padding->excess,
         static_cast<int64_t>(padding->extra_bytes)});
  }

  void swizzle() {
    const auto hash = search_hash(array_.patterns.rules, array_.patterns, widest_, time_limit_);
    if (!hash) return;
    const std::string cute = scratchpad::swizzle_form(hash->hash);
    add({fmt::format("chunks of {} bytes by hash {}{}", widest_, scratchpad::spec(hash->hash),
                     cute.empty() ? "" : ", CuTe " + cute + " of words"),
         scratchpad::cpp_source(hash->hash, array_.name), hash->excess, 0});
  }

  std::string declared(const Declaration& d, const std::string& more) const {
    std::string text = "// In line " + std::to_string(d.line) +
                       "; indices stay as they are, if all accesses are by index:\n__shared__ " + d.type + " " +
                       array_.name;
    for (size_t k = 0; k < d.dimensions.size(); ++k)
      text += "[" + d.dimensions[k] + (k + 1 == d.dimensions.size() ? more : "") + "]";
    return text + ";\n";
  }

  const LayoutSubject& array_;
  std::chrono::milliseconds time_limit_;
  uint64_t before_;
  unsigned widest_ = 4;
  std::vector<Layout> found_;
};

}  // namespace

std::vector<Layout> find_layouts(const LayoutSubject& array, std::chrono::milliseconds time_limit) {
  if (array.patterns.patterns.empty() || array.patterns.rules.hash || array.patterns.rules.ports != 1) return {};
  return Finder(array, time_limit).find();
}

}  // namespace bankshot::fix
