// tcgen05.mma: products whose sums are in tensor memory. Source: PTX ISA 9.0, section 9.7.16. How an instruction is
// laid out: lower_tensor_memory.hpp. Products are asynchronous; here they are made at once, before the program may use
// them.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/isa/lanes/scaled_products.hpp"
#include "bankshot/simt/isa/lanes/shared_operands.hpp"
#include "bankshot/simt/isa/lanes/tensor_products.hpp"
#include "bankshot/simt/isa/lanes/warp_product.hpp"
#include "bankshot/simt/lower/lower_control.hpp"
#include "bankshot/simt/lower/lower_tensor_memory.hpp"
#include "bankshot/simt/matrices/container.hpp"
#include "bankshot/simt/matrices/tensor_product.hpp"
#include "bankshot/simt/matrices/zero_columns.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/tensor_access/access.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

constexpr unsigned kMostRows = 128, kMostN = 256, kMostKept = 96, kMostK = 128, kMostRowBytes = 64;
constexpr unsigned kMostUnscaled = 32;  ///< elements of a row of A, if there are no scale factors
constexpr unsigned kQuarter = 32;       ///< lanes that have scale factors of their own

/// Between the rows of a B whose columns are side by side. What is behind them counts as 0.
constexpr unsigned kPitch = kMostN + kSideBySide;

/// What a product needs beside the CTA's memory: too much for the stack of a program's own thread.
struct Room {
  Scale scales_a[kMostRows][ScaledDots::kMostScales], scales_b[kPitch][ScaledDots::kMostScales];
  alignas(64) f32 x[kMostRows * kMostKept], y[kMostK * kPitch], sums[kMostRows * kMostN], line[kPitch];
  alignas(64) f32 scaled_y[kMostK * kPitch], own[kMostKept * kPitch], own_scaled[kMostKept * kPitch];
};

/// That of the host's thread.
Room& room() {
  thread_local const std::unique_ptr<Room> own = std::make_unique<Room>();
  return *own;
}

/// One product that a thread issued, and the CTAs that have it.
class Issued {
 public:
  Issued(Warp& w, const Instr* i, unsigned lane)
      : w_(w), i_(i), lane_(lane), form_(TensorProductForm::unpacked(i->imm)), d_(address(i->op[0], i->op[5])) {}

  /// @return false after a fault
  bool run() {
    if (const std::string why = TensorProduct::read(rows32(list()[TensorOperands::kDescriptor]), form_, product_);
        !why.empty())
      return refuse("the instruction descriptor does not fit: " + why);
    if (const std::string why = product_.wrong_lane(d_.lane); !why.empty()) return refuse(why);
    if (!read_zero_columns()) return false;
    const unsigned ctas = tensor_group(w_, i_, lane_, form_.pair, ctas_);
    if (ctas == 0) return false;
    for (unsigned c = 0; c < ctas; ++c) {
      if (!range(*ctas_[c], {d_, product_.lanes(), product_.columns(), true, product_.spread()}, "D")) return false;
    }
    if (by_rows()) {
      std::fill_n(y_, product_.k() * kPitch, 0.0f);
      if (product_.scales != 0) std::fill_n(scaled_y_, product_.k() * kPitch, 0.0f);
    }
    const unsigned n_of_each = product_.columns_of_b(), behind = zero_columns_.columns_behind();
    const Layout of_b = by_rows() ? Layout{1, kPitch} : Layout{product_.k(), 1};
    for (unsigned c = 0; c < ctas; ++c) {
      if (!gather(*ctas_[c], 'B', i_->op[2], product_.b, product_.mn_major_b, n_of_each + behind, product_.depth_of_b(),
                  of_b, y_ + c * n_of_each * of_b.line_step))
        return false;
    }
    if (zero_columns_.any()) choose_columns(of_b, behind);
    if (product_.negate_b) negate(y_, by_rows() ? product_.k() * kPitch : product_.n * product_.k());
    if (by_rows()) bits_of_b_ = bit_range(y_, product_.k() * kPitch);
    for (unsigned c = 0; c < ctas; ++c) {
      if (!multiply_in(*ctas_[c])) return false;
    }
    return true;
  }

 private:
  const std::vector<u32>& list() const { return w_.worker->program->lists[i_->op[4]]; }
  u32 rows32(u32 row) const { return w_.row<const u32>(row)[lane_]; }
  TensorAddress address(u32 row, u32 offset) const { return TensorAddress::unpacked(rows32(row) + offset); }
  /// Of an operand whose row and offset are in the list.
  TensorAddress listed(unsigned at) const { return address(list()[at], list()[at + 1]); }
  bool refuse(const std::string& why) {
    fault(w_, i_, Fault::Kind::bad_tensor_memory, static_cast<int>(lane_), 0, why);
    return false;
  }
  bool range(Cta& cta, const TensorRange& at, const char* what) {
    return tensor_range(w_, cta, i_, static_cast<int>(lane_), at, what);
  }

  /// Whether sums are made a row at a time: each row of A meets other rows of B, or has scale factors.
  bool by_rows() const { return product_.sparse || product_.scales != 0; }

  bool read_zero_columns() {
    const u32 row = list()[TensorOperands::kZeroColumns];
    if (row == OperandRef::kNone) return true;
    const std::string why = ZeroColumns::read(w_.row<const u64>(row)[lane_], product_, zero_columns_);
    return why.empty() || refuse("zero-column-mask-desc does not fit: " + why);
  }

  /// Of the columns of B, and of those behind it, those that the product has.
  void choose_columns(Layout layout, unsigned behind) {
    for (unsigned column = 0; column < product_.n + behind; ++column) {
      const bool zero = column >= product_.n || zero_columns_.zero(column);
      f32* const to = y_ + column * layout.line_step;
      const f32* const from = to + zero_columns_.shift() * layout.line_step;
      for (unsigned q = 0; q < product_.k(); ++q) to[q * layout.across_step] = zero ? 0 : from[q * layout.across_step];
    }
  }

  /// An operand in shared memory. @param row  of descriptors
  bool gather(const Cta& cta, char name, u32 row, Element element, bool mn_major, unsigned rows, unsigned depth,
              Layout layout, f32* out) {
    const auto wrong = [&](const std::string& why) {
      return refuse(std::string("the descriptor of ") + name + " does not fit: " + why);
    };
    SharedOperand operand{name, {}, mn_major, rows, depth, bits(element) / 8};
    if (const std::string why = MatrixDescriptor::read(w_.row<const u64>(row)[lane_], operand.descriptor); !why.empty())
      return wrong(why);
    const bool by_fours = mn_major && element == Element::tf32;
    if (by_fours != (operand.descriptor.unit == 32))
      return wrong(by_fours ? "tf32 operands that are MN-major need layout 1, the 128-byte swizzle in units of 32 bytes"
                            : "layout 1, the 128-byte swizzle in units of 32 bytes, is for tf32 operands that are "
                              "MN-major");
    if (mn_major && operand.descriptor.absolute)
      return wrong("bit 52, an absolute leading offset, is for operands that are K-major");
    if (const unsigned atom = operand.descriptor.swizzle().span; !mn_major && atom != 0 && atom < depth)
      return wrong("rows of " + std::to_string(depth) + " bytes are wider than its swizzle of " + std::to_string(atom) +
                   " bytes");
    alignas(64) std::byte bytes[kMostN * kMostRowBytes];
    if (!fetch_operand(w_, cta, i_, static_cast<int>(lane_), operand, bytes)) return false;
    if (stored_bits(element) != bits(element)) expand(stored_bits(element), bytes, size_t{rows} * depth);
    gather_cores(bytes, element, mn_major, rows, depth, layout, out);
    return true;
  }

  /// A in tensor memory: each sum takes the row that is in its own lane. @param part  of the columns of D
  bool gather_tensor(Cta& cta, unsigned part, Layout layout) {
    const TensorAddress at = address(i_->op[1], static_cast<u32>(i_->imm >> 32));
    const unsigned rows = product_.rows(), row_words = product_.depth / 4;
    if (at.lane != d_.lane)
      return refuse("A and D must begin at the same lane of tensor memory, but A is at lane " +
                    std::to_string(at.lane) + " and D at lane " + std::to_string(d_.lane));
    if (!range(cta, {at, product_.lanes(), row_words, false, product_.spread()}, "A")) return false;
    const unsigned width = 128 / bits(product_.a), group = width / kCoreGroups;
    alignas(64) f32 core[256];
    for (unsigned first = 0; first < rows; first += kCoreLines) {
      for (unsigned word = 0; word < row_words; word += kCoreGroups) {
        u32 words[kTensorLanes];
        for (unsigned l = 0; l < kTensorLanes; ++l) {
          const unsigned row = first + l / kCoreGroups, from = form_.next_rows ? std::min(row + 1, rows - 1) : row;
          words[l] = cta.tensor_memory->column(at.column + word +
                                               l % kCoreGroups)[at.lane + part * rows + product_.lane_of_a(from)];
        }
        numbers_of(words, product_.a, core);
        for (unsigned e = 0; e < kCoreLines * width; ++e)
          x_[(word * group + e % width) * layout.across_step + (first + e / width) * layout.line_step] = core[e];
      }
    }
    return true;
  }

  /// A for a part of the columns. @return false after a fault
  bool gather_a(Cta& cta, unsigned part) {
    const unsigned rows = product_.rows(), kept = product_.kept();
    const Layout layout = by_rows() ? Layout{kept, 1} : Layout{1, rows};
    const bool has_a = form_.a_in_tensor_memory ? gather_tensor(cta, part, layout)
                                                : gather(cta, 'A', i_->op[1], product_.a, product_.mn_major_a, rows,
                                                         product_.depth, layout, x_);
    if (has_a && product_.negate_a) negate(x_, rows * kept);
    return has_a;
  }

  template <unsigned Most>
  void multiply_for(const Dense& dense, const Exact& exact, f32* sums) const {
    switch (product_.d) {
      case Element::s32: return multiply_integers(dense, sums);
      case Element::f16: return multiply<true, Most>(dense, exact, sums);
      default: return multiply<false, Most>(dense, exact, sums);
    }
  }

  bool multiply_in(Cta& cta) {
    const unsigned rows = product_.rows(), k = product_.k(), n = product_.n;
    const bool accumulates = (w_.predicate_value(i_->op[3]) >> lane_ & 1) != 0, integers = product_.d == Element::s32;
    // Sums of 128 rows as f32 are made where they are.
    const bool in_place = rows == TensorMemory::kLanes && product_.d == Element::f32 && form_.shift == 0 &&
                          list().size() == TensorOperands::kDisabled && d_.lane == 0;
    f32* const sums = in_place ? reinterpret_cast<f32*>(cta.tensor_memory->column(d_.column)) : sums_;
    if (!accumulates || integers) {
      std::fill_n(sums, rows * n, 0.0f);
    } else if (!in_place) {
      begin_sums(*cta.tensor_memory);
    }
    // In tensor memory there are operands for each part of the columns.
    const unsigned parts = product_.parts(), columns = n / parts;
    for (unsigned part = 0; part < parts; ++part) {
      if ((part == 0 || form_.a_in_tensor_memory) && !gather_a(cta, part)) return false;
      if (by_rows()) {
        if (!multiply_rows(cta, part, sums + part * columns * rows)) return false;
        continue;
      }
      const Dense dense{rows, columns, k, product_.a, product_.b, product_.d, x_, y_ + part * columns * k};
      multiply_for<kMostN * 32>(dense, Exact::of(dense), sums + part * columns * rows);
    }
    if (in_place) {
      BANKSHOT_LANE_LOOP
      for (unsigned at = 0; at < rows * n; ++at) sums[at] = as_float(canonical_bits(as_bits(sums[at])));
    } else {
      end_sums(cta, accumulates);
    }
    return true;
  }

  /// The scale factors of lines: rows of A, or columns of D. @param at  their address @param quarter  of the lanes
  /// @param out  of each line and block of k
  void read_scales(Cta& cta, bool of_a, TensorAddress at, unsigned quarter, unsigned begin, unsigned end,
                   Scale (*out)[ScaledDots::kMostScales]) const {
    const unsigned first = of_a ? product_.first_scale_a : product_.first_scale_b, step = product_.scale_step(of_a);
    for (unsigned line = begin; line < end; ++line) {
      for (unsigned k = 0; k < product_.scales; ++k) {
        const unsigned byte = first + k, column = at.column + line / kQuarter + byte / 4 * step;
        const u32 word = cta.tensor_memory->column(column)[quarter * kQuarter + line % kQuarter];
        out[line][k] = Scale(static_cast<u8>(word >> 8 * (byte % 4)), product_.scale);
      }
    }
  }

  /// An address of scale factors. @return false after a fault
  bool scales_at(Cta& cta, bool of_a, TensorAddress& at) {
    const char* const what = of_a ? "scale factors of A" : "scale factors of B";
    // CUTLASS also keeps the byte number in the upper two bits of the address; the descriptor has it, so they are
    // ignored.
    at = TensorAddress::unpacked(listed(of_a ? TensorOperands::kScalesA : TensorOperands::kScalesB).packed() &
                                 0x3fffffff);
    if (at.lane != 0)
      return refuse(std::string(what) + " must begin at lane 0 of tensor memory, but they are at lane " +
                    std::to_string(at.lane));
    return range(cta, {at, TensorMemory::kLanes, product_.columns_of_scales(of_a)}, what);
  }

  /// B with its scale factors, as numbers; those that f32 cannot hold are not finite or subnormal, and then not exact.
  void scale_b(unsigned part, unsigned columns) {
    const unsigned k = product_.k();
    for (unsigned q = 0; q < k; ++q) {
      for (unsigned column = 0; column < columns; ++column) {
        const unsigned at = q * kPitch + part * columns + column;
        scaled_y_[at] = static_cast<f32>(static_cast<f64>(y_[at]) * scales_b_[column][q * product_.scales / k].value);
      }
    }
  }

  /// Sums of a part of the columns, a row of A after the other. @return false after a fault
  bool multiply_rows(Cta& cta, unsigned part, f32* sums) {
    const unsigned rows = product_.rows(), columns = product_.columns(), kept = product_.kept(), k = product_.k();
    TensorAddress metadata, of_a, of_b;
    if (product_.sparse) {
      metadata = listed(TensorOperands::kMetadata);
      if (metadata.lane != d_.lane)
        return refuse("metadata and D must begin at the same lane of tensor memory, but metadata are at lane " +
                      std::to_string(metadata.lane) + " and D is at lane " + std::to_string(d_.lane));
      if (!range(cta, {metadata, product_.lanes(), product_.columns_of_metadata()}, "metadata")) return false;
    }
    const bool scaled = product_.scales != 0;
    if (scaled && (!scales_at(cta, true, of_a) || !scales_at(cta, false, of_b))) return false;
    const unsigned lines = (columns + kSideBySide - 1) / kSideBySide * kSideBySide;
    u32 words[kTensorLanes];
    BitRange range_of_b = bits_of_b_;
    for (unsigned row = 0; row < rows; ++row) {
      const unsigned in_warp = row % Product::kM, quarter = (part * rows + row) / kQuarter;
      if (product_.sparse && in_warp == 0) {
        for (unsigned l = 0; l < kTensorLanes; ++l) {
          const TensorAddress place = product_.metadata(row, l);
          words[l] =
              cta.tensor_memory->column(metadata.column + place.column)[metadata.lane + part * rows + place.lane];
        }
      }
      if (scaled && row % kQuarter == 0) {
        read_scales(cta, true, of_a, quarter, row, row + kQuarter, scales_a_);
        read_scales(cta, false, of_b, quarter, 0, columns, scales_b_);
        scale_b(part, columns);
        range_of_b = bit_range(scaled_y_, k * kPitch);
      }
      // The rows of B that the row of A meets, of these columns.
      const auto choose = [&](const f32* from, f32* own) {
        from += part * columns;
        if (product_.sparse) return select_rows(product_.selection(), words, in_warp, lines, from, kPitch, own);
        for (unsigned q = 0; q < k; ++q) std::memcpy(own + q * lines, from + q * kPitch, lines * sizeof(f32));
      };
      for (unsigned column = 0; column < columns; ++column) line_[column] = sums[column * rows + row];
      std::fill(line_ + columns, line_ + lines, 0.0f);
      const f32* const a = x_ + row * kept;
      if (scaled) {
        if (product_.sparse || row % kQuarter == 0) choose(scaled_y_, own_scaled_);
        multiply_scaled_row(a, row, lines, range_of_b, [&] { choose(y_, own_); });
      } else {
        choose(y_, own_);
        const Dense dense{lines, 1, kept, product_.b, product_.a, product_.d, own_, a};
        multiply_for<kMostUnscaled * kPitch>(dense, Exact(dense, bits_of_b_, bit_range(a, kept)), line_);
      }
      for (unsigned column = 0; column < columns; ++column) sums[column * rows + row] = line_[column];
    }
    return true;
  }

  /// Adds to line_ what own_scaled_ gives, if that is exact. @param choose  fills own_
  template <class F>
  void multiply_scaled_row(const f32* a, unsigned row, unsigned lines, BitRange range_of_b, F choose) {
    const unsigned kept = product_.kept();
    alignas(64) f32 scaled_a[kMostKept];
    for (unsigned q = 0; q < kept; ++q)
      scaled_a[q] = static_cast<f32>(static_cast<f64>(a[q]) * scales_a_[row][q * product_.scales / kept].value);
    bool has_own = false;
    const auto carefully = [&](unsigned first, unsigned count, unsigned, unsigned) {
      if (!has_own) choose();
      has_own = true;
      for (unsigned column = first; column < first + count; column += Addends::kSums) {
        add_scaled<false>({a, own_ + column, lines, kept, product_.a, product_.b, product_.scales, scales_a_[row],
                           scales_b_ + column},
                          line_ + column);
      }
    };
    // The exponents of subnormal elements count as larger than they are, by 6 in a product at most. Sums of 32 products
    // have room for that.
    const Dense dense{lines, 1, kept, Element::f32, Element::f32, Element::f32, own_scaled_, scaled_a};
    const Exact exact(dense, range_of_b, bit_range(scaled_a, kept));
    if (!exact.admitted()) return carefully(0, lines, 0, 1);
    fuse(dense, &exact, line_, carefully);
  }

  /// Calls each(cell, index of the sum) for all of D.
  template <class F>
  void for_cells(TensorMemory& memory, F each) {
    const unsigned rows = product_.rows();
    for (unsigned column = 0; column < product_.n; ++column) {
      for (unsigned row = 0; row < rows; ++row) {
        const TensorAddress cell = product_.sum(row, column);
        each(memory.column(d_.column + cell.column)[d_.lane + cell.lane], column * rows + row, d_.lane + cell.lane);
      }
    }
  }

  void begin_sums(TensorMemory& memory) {
    const bool halves = product_.d == Element::f16;
    const f32 scale = as_float(static_cast<u32>(127 - form_.shift) << 23);
    for_cells(memory, [&](u32& cell, unsigned at, unsigned) {
      const f32 sum = halves ? widen(f16{static_cast<u16>(cell)}) : as_float(cell);
      sums_[at] = form_.shift == 0 ? sum : sum * scale;
    });
  }

  void end_sums(Cta& cta, bool accumulates) {
    u32 disabled[8] = {};
    for (size_t k = TensorOperands::kDisabled; k < list().size(); ++k)
      disabled[k - TensorOperands::kDisabled] = rows32(list()[k]);
    const unsigned first = 4 * (form_.pair && &cta == ctas_[1] ? 1 : 0);
    for_cells(*cta.tensor_memory, [&](u32& cell, unsigned at, unsigned lane) {
      if ((disabled[first + lane / 32] >> lane % 32 & 1) != 0) return;
      if (product_.d == Element::s32) {
        const s64 sum = s64{accumulates ? static_cast<s32>(cell) : 0} + static_cast<s32>(sums_[at]);
        cell = static_cast<u32>(finished(sum, product_.saturate));
      } else if (product_.d == Element::f16) {
        f16 half;
        put(half, sums_[at]);
        cell = half.bits;
      } else {
        cell = canonical_bits(as_bits(sums_[at]));
      }
    });
  }

  Warp& w_;
  const Instr* i_;
  unsigned lane_;
  TensorProductForm form_;
  TensorProduct product_;
  TensorAddress d_;
  ZeroColumns zero_columns_;
  Cta* ctas_[2] = {};
  BitRange bits_of_b_ = {};
  Room& room_ = room();
  Scale (&scales_a_)[kMostRows][ScaledDots::kMostScales] = room_.scales_a;
  Scale (&scales_b_)[kPitch][ScaledDots::kMostScales] = room_.scales_b;
  f32 *const x_ = room_.x, *const y_ = room_.y, *const sums_ = room_.sums, *const line_ = room_.line;
  f32 *const scaled_y_ = room_.scaled_y, *const own_ = room_.own, *const own_scaled_ = room_.own_scaled;
};

const Instr* run_tensor_product(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "a matrix instruction");
  set_fp(w, i);
  for (u64 rest = w.active; rest != 0; rest &= rest - 1) {
    if (!Issued(w, i, static_cast<unsigned>(std::countr_zero(rest))).run()) return nullptr;
  }
  return i + 1;
}

}  // namespace

#define BANKSHOT_GROUP "group = cta_group::1 cta_group::2; "
#define BANKSHOT_COLLECTOR \
  "; collector = collector::a::fill collector::a::use collector::a::lastuse collector::a::discard"

void tensor_product_rows(Rows& rows) {
  const auto product = [&](std::string_view syntax, std::string_view sets) {
    rows.push_back({syntax, sets, Unit::control, always(&run_tensor_product), &lower_tensor_product});
  };
  // Behind the descriptor of the instruction: disabled lanes {4 or 8 registers} or none, a predicate, and the shift of
  // the accumulators or none; with .ws the predicate, and a mask of columns or none.
  constexpr std::string_view kKinds =
      BANKSHOT_GROUP "kind = kind::f16 kind::tf32 kind::f8f6f4 kind::i8" BANKSHOT_COLLECTOR;
  product("tcgen05.mma.group.kind{.ashift}{.collector} [d], a, b:b64, i:b32, p", kKinds);
  product("tcgen05.mma.sp.group.kind{.ashift}{.collector} [d], a, b:b64, [m], i:b32, p", kKinds);
  for (const std::string_view form :
       {"tcgen05.mma.group.kind::mxf8f6f4.block_scale{.vector}{.collector} [d], a, b:b64, i:b32, [sa], [sb], p",
        "tcgen05.mma.sp.group.kind::mxf8f6f4.block_scale{.vector}{.collector} [d], a, b:b64, [m], i:b32, [sa], [sb], "
        "p"})
    product(form, BANKSHOT_GROUP "vector = scale_vec::1X block32" BANKSHOT_COLLECTOR);
  for (const std::string_view form :
       {"tcgen05.mma.group.kind::mxf4.block_scale{.vector}{.collector} [d], a, b:b64, i:b32, [sa], [sb], p",
        "tcgen05.mma.sp.group.kind::mxf4.block_scale{.vector}{.collector} [d], a, b:b64, [m], i:b32, [sa], [sb], p"})
    product(form, BANKSHOT_GROUP "vector = scale_vec::2X block32" BANKSHOT_COLLECTOR);
  for (const std::string_view form :
       {"tcgen05.mma.group.kind::mxf4nvf4.block_scale.vector{.collector} [d], a, b:b64, i:b32, [sa], [sb], p",
        "tcgen05.mma.sp.group.kind::mxf4nvf4.block_scale.vector{.collector} [d], a, b:b64, [m], i:b32, [sa], [sb], p"})
    product(form, BANKSHOT_GROUP "vector = scale_vec::2X scale_vec::4X block16 block32" BANKSHOT_COLLECTOR);
  constexpr std::string_view kStationary =
      "kind = kind::f16 kind::tf32 kind::f8f6f4 kind::i8; collector = collector::b0::fill collector::b0::use "
      "collector::b0::lastuse collector::b0::discard collector::b1::fill collector::b1::use "
      "collector::b1::lastuse collector::b1::discard collector::b2::fill collector::b2::use "
      "collector::b2::lastuse collector::b2::discard collector::b3::fill collector::b3::use "
      "collector::b3::lastuse collector::b3::discard";
  product("tcgen05.mma.ws.cta_group::1.kind{.collector} [d], a, b:b64, i:b32, p", kStationary);
  product("tcgen05.mma.ws.sp.cta_group::1.kind{.collector} [d], a, b:b64, [m], i:b32, p", kStationary);
}

#undef BANKSHOT_GROUP
#undef BANKSHOT_COLLECTOR

}  // namespace bankshot::simt::BANKSHOT_ISA
