#include "bankshot/fix/layouts.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "bankshot/fix/hash_search.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/scratchpad/patterns/padding.hpp"

namespace bankshot::fix {
namespace {

using scratchpad::LaneMask;
using scratchpad::PatternSet;

class Finder {
 public:
  Finder(const LayoutSubject& array, std::chrono::milliseconds time_limit)
      : array_(array), time_limit_(time_limit), before_(conflicts(array.patterns)) {
    for (const scratchpad::Pattern& pattern : array.patterns.patterns)
      widest_ = std::max(widest_, std::max(pattern.width, 4u));
  }

  Layouts find() {
    if (array_.is_tensor) {
      tensor_swizzles();
    } else {
      find_moves();
    }
    std::ranges::stable_sort(found_, {}, [](const Layout& l) { return std::pair(l.conflicts, l.extra_bytes); });
    if (found_.size() > 3) found_.resize(3);
    return {ideal(), before_, std::move(found_)};
  }

 private:
  static constexpr uint64_t kMostExtra = 4;  ///< an array is not made longer than this many times

  /// What software places.
  void find_moves() {
    const bool tiles = !array_.tiles.empty();
    if (array_.declaration && array_.bytes != 0 && !tiles) {
      longer_elements();
      longer_rows_of_elements();
      rows_without_padding();
    }
    if (array_.declaration) longer_rows();
    if (array_.is_rewritten) return;
    longer_rows_of_banks();
    if (!tiles) swizzle();
  }

  /// Of the array; of a dynamic one, what is known of it.
  uint64_t bytes() const { return array_.bytes != 0 ? array_.bytes : uint64_t{4} << array_.patterns.address_bits; }

  uint64_t ideal() const {
    uint64_t sum = 0;
    for (const scratchpad::Pattern& pattern : array_.patterns.patterns)
      sum += pattern.weight * scratchpad::phases(array_.patterns.rules, pattern).size() *
             scratchpad::ideal_passes(array_.patterns.rules, pattern.kind, pattern.width);
    return sum;
  }

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
    if (layout.extra_bytes > static_cast<int64_t>(kMostExtra * bytes())) return;
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
    if (bytes == array_.tried_row) return;
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
    const bool tried = array_.is_rewritten && array_.bytes != 0;
    if (row % 4 != 0 || (tried && std::has_single_bit(row) && std::has_single_bit(d.element_bytes))) return;
    add_best([&](uint32_t more_bytes) {
      // Whole elements; of small ones as many as an access reads.
      const uint64_t elements = std::max(more_bytes / d.element_bytes, more_bytes / widest_);
      const uint64_t more = elements * d.element_bytes;
      const auto place = [&](uint32_t a) { return static_cast<uint32_t>(a + a / (row / 4) * (more / 4)); };
      if (more % 4 != 0 || !keeps_tiles(place)) return Layout{"", "", UINT64_MAX, 0};
      const uint64_t extra = bytes() / row * more;
      return Layout{fmt::format("rows of {} + {} elements", d.sizes.back(), elements) + stride_text(),
                    declared(d, elements, extra), conflicts(moved(place)), static_cast<int64_t>(extra)};
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

  /// Where the rows of a tile begin, if they are equally far apart; the words of a row follow each other.
  struct Rows {
    uint32_t length = 0, stride = 0;  ///< words; stride 0: the tile has no gaps, so that its rows are not known
    bool operator==(const Rows&) const = default;
  };
  static std::optional<Rows> rows_of(const scratchpad::Pattern& tile, const std::function<uint32_t(uint32_t)>& place) {
    std::set<uint32_t> words;
    for (const unsigned lane : LaneMask(tile.mask)) {
      for (uint32_t k = 0; k < std::max(tile.width, 4u) / 4; ++k) words.insert(place(tile.words[lane]) + k);
    }
    Rows rows;
    uint32_t start = 0, length = 0;
    bool first = true;
    const auto end_row = [&](uint32_t next) {
      const bool same = first || (rows.length == length && (rows.stride == 0 || rows.stride == next - start));
      first = false;
      rows = {length, next - start};
      return same;
    };
    for (const uint32_t word : words) {
      if (length != 0 && word == start + length) {
        ++length;
        continue;
      }
      if (length != 0 && !end_row(word)) return {};
      start = word;
      length = 1;
    }
    if (first) return Rows{length, 0};
    return length == rows.length ? std::optional(rows) : std::nullopt;
  }

  /// Whether tiles are still what an instruction can read: rows of the same length, equally far apart.
  bool keeps_tiles(const std::function<uint32_t(uint32_t)>& place) const {
    return std::ranges::all_of(array_.tiles, [&](const scratchpad::Pattern& tile) {
      const std::optional<Rows> before = rows_of(tile, [](uint32_t a) { return a; });
      if (!before) return true;  // such as a part of a tile that wmma may hold in any way
      const std::optional<Rows> after = rows_of(tile, place);
      return before->stride != 0 && after && after->length == before->length;
    });
  }

  void longer_rows_of_banks() {
    // What one lane accesses stays aligned: matrix instructions and asynchronous copies want that.
    const auto padding = scratchpad::best_padding(
        array_.patterns.rules, array_.patterns, bytes() / 4, widest_ / 4, 0,
        [&](const scratchpad::Padding& one) { return keeps_tiles([&](uint32_t a) { return one.place(a); }); });
    if (!padding) return;
    const auto extra = static_cast<int64_t>(padding->extra_bytes);
    const bool known = std::ranges::any_of(found_, [&](const Layout& layout) {
      return layout.conflicts <= padding->excess && layout.extra_bytes <= extra;
    });
    if (known) return;
    add({fmt::format("rows of {} + {} words", padding->row, padding->words) + stride_text(),
         fmt::format("// Bytes from the start, {} bytes more in all:\n__host__ __device__ constexpr unsigned padded_{}"
                     "(unsigned byte) {{ return byte + byte / {} * {}; }}\n",
                     extra, array_.name, padding->row * 4, padding->words * 4),
         padding->excess, extra});
  }

  /// What else changes with the rows of tiles.
  const char* stride_text() const { return array_.tiles.empty() ? "" : ", with the stride of wmma longer by as much"; }

  /// What takes a byte of the array to its place.
  std::string swizzle_function(uint64_t mask, int shift) const {
    return fmt::format(
        "__host__ __device__ constexpr unsigned swizzled_{}(unsigned byte) {{ return byte ^ (byte & 0x{:x}) {} {}; "
        "}}\n",
        array_.name, mask, shift < 0 ? "<<" : ">>", std::abs(shift));
  }

  /// "CuTe Swizzle<2,4,3> of bytes, Swizzle<2,3,3> of half"
  std::string cute(const scratchpad::BankHash& hash) const {
    std::string text = "CuTe " + scratchpad::swizzle_form(hash, 1) + " of bytes";
    if (array_.declaration && std::has_single_bit(array_.declaration->element_bytes) &&
        array_.declaration->element_bytes > 1)
      text +=
          ", " + scratchpad::swizzle_form(hash, array_.declaration->element_bytes) + " of " + array_.declaration->type;
    return text;
  }

  void swizzle() {
    const scratchpad::Rules& rules = array_.patterns.rules;
    search::SearchOptions options;
    options.time_limit = time_limit_;
    options.in_place = true;
    options.plain_low_bits = static_cast<unsigned>(std::countr_zero(widest_ / rules.bank_bytes));
    const auto swizzle =
        search::find(search::problem(rules, array_.patterns), "swizzle", search::Method::exhaustive, options);
    uint64_t least = before_;
    if (const auto form = swizzle ? scratchpad::as_swizzle(swizzle->hash) : std::nullopt;
        form && swizzle->excess < before_) {
      const unsigned from = form->m + 2 + static_cast<unsigned>(std::max(form->s, 0));
      add({fmt::format("chunks of {} bytes by {}", widest_, cute(swizzle->hash)),
           "// Bytes from the start, which is aligned to rows of the banks:\n" +
               swizzle_function(((uint64_t{1} << form->b) - 1) << from, form->s),
           swizzle->excess, 0});
      least = swizzle->excess;
    }
    const auto hash = search_hash(rules, array_.patterns, widest_, time_limit_);
    if (!hash || hash->excess >= least) return;
    add({fmt::format("chunks of {} bytes by hash {}", widest_, scratchpad::spec(hash->hash)),
         scratchpad::cpp_source(hash->hash, array_.name), hash->excess, 0});
  }

  /// The modes of tensor maps. A row of a box takes the whole span of its mode, so that the declared rows may get
  /// longer. Source: CUDA driver API, cuTensorMapEncodeTiled; PTX ISA, swizzling modes.
  void tensor_swizzles() {
    const Declaration* d = array_.declaration && array_.declaration->sizes.size() > 1 ? &*array_.declaration : nullptr;
    const uint64_t row = d != nullptr ? d->sizes.back() * d->element_bytes : 0;
    for (const unsigned span : {32u, 64u, 128u}) {
      if (row > span || row % 4 != 0) continue;
      const uint64_t more = row == 0 ? 0 : span - row;
      PatternSet set = more == 0
                           ? array_.patterns
                           : moved([&](uint32_t a) { return static_cast<uint32_t>(a + a / (row / 4) * (more / 4)); });
      if (!scratchpad::fit_address_bits(set, 8)) return;
      const auto hash = scratchpad::tma_hash(scratchpad::size_of(set), span);
      if (!hash) return;
      const std::string condition =
          row != 0 ? fmt::format("if a row of the box is a row of {}", array_.name)
                   : fmt::format("if a row of the box has {} bytes, which the PTX does not say", span);
      add({fmt::format("CU_TENSOR_MAP_SWIZZLE_{}B ({}) in its tensor map, {}", span, cute(*hash), condition),
           fmt::format("// If the map has no swizzle yet. {} is aligned to {} bytes; bytes from its start{}:\n",
                       array_.name, 8 * span, more == 0 ? "" : fmt::format(", with rows of {}", span)) +
               swizzle_function(uint64_t{span / 16 - 1} << 7, 3),
           scratchpad::excess(set.rules, set, *hash), static_cast<int64_t>(row == 0 ? 0 : bytes() / row * more)});
    }
  }

  std::string declared(const Declaration& d, uint64_t more_elements, uint64_t more_bytes) const {
    std::vector<std::string> dimensions = d.dimensions;
    dimensions.back() += fmt::format(" + {}", more_elements);
    const bool dynamic = array_.bytes == 0;
    std::string text =
        fmt::format("// In line {}; indices stay as they are, if all accesses are by index{}:\n{}__shared__ {} {}",
                    d.line, dynamic ? fmt::format(", and the launch gives it {} bytes more", more_bytes) : "",
                    dynamic ? "extern " : "", d.type, array_.name);
    for (const std::string& dimension : dimensions) text += "[" + dimension + "]";
    return text + ";\n";
  }

  const LayoutSubject& array_;
  std::chrono::milliseconds time_limit_;
  uint64_t before_;
  unsigned widest_ = 4;
  std::vector<Layout> found_;
};

}  // namespace

Layouts find_layouts(const LayoutSubject& array, std::chrono::milliseconds time_limit) {
  if (array.patterns.patterns.empty() || array.patterns.rules.hash || array.patterns.rules.ports != 1) return {};
  return Finder(array, time_limit).find();
}

}  // namespace bankshot::fix
