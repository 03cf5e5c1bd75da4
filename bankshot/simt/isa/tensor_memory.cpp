// tcgen05: products whose sums are in tensor memory, and all that works on it. Source: PTX ISA 9.0, section 9.7.16.
// What does not depend on the host's instruction set is in simt/tensor_memory and simt/tensor_access. How an
// instruction is laid out: lower_tensor_memory.hpp.
//
// Products and copies are asynchronous; here they are done at once, before the program may use them.
#include <algorithm>
#include <bit>
#include <cstring>

#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/isa/lanes/shared_operands.hpp"
#include "bankshot/simt/isa/lanes/tensor_products.hpp"
#include "bankshot/simt/lower/lower_control.hpp"
#include "bankshot/simt/lower/lower_tensor_memory.hpp"
#include "bankshot/simt/matrices/tensor_product.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/tensor_access/access.hpp"
#include "bankshot/simt/tensor_access/copy_in.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

constexpr unsigned kMostRows = 128, kMostN = 256, kMostK = 32, kDepthBytes = TensorProduct::kDepth;

/// One product that a thread issued, and the CTAs that have it.
class Issued {
 public:
  Issued(Warp& w, const Instr* i, unsigned lane)
      : w_(w), i_(i), lane_(lane), form_(TensorProductForm::unpacked(i->imm)), d_(address(i->op[0], i->op[5])) {}

  /// @return false after a fault
  bool run() {
    if (const std::string why = TensorProduct::read(rows32(list()[0]), form_, product_); !why.empty())
      return refuse("the instruction descriptor does not fit: " + why);
    if (const std::string why = product_.wrong_lane(d_.lane); !why.empty()) return refuse(why);
    const unsigned ctas = tensor_group(w_, i_, lane_, form_.pair, ctas_);
    if (ctas == 0) return false;
    for (unsigned c = 0; c < ctas; ++c) {
      if (!tensor_range(w_, *ctas_[c], i_, static_cast<int>(lane_), d_, product_.lanes(), product_.columns(), "D"))
        return false;
    }
    const unsigned n_of_each = product_.columns_of_b();
    for (unsigned c = 0; c < ctas; ++c) {
      if (!gather(*ctas_[c], "B", i_->op[2], product_.b, product_.mn_major_b, n_of_each, {product_.k(), 1},
                  y_ + c * n_of_each * product_.k()))
        return false;
    }
    if (product_.negate_b) negate(y_, product_.n * product_.k());
    for (unsigned c = 0; c < ctas; ++c) {
      if (!multiply_in(*ctas_[c])) return false;
    }
    return true;
  }

 private:
  const std::vector<u32>& list() const { return w_.worker->program->lists[i_->op[4]]; }
  u32 rows32(u32 row) const { return w_.row<const u32>(row)[lane_]; }
  TensorAddress address(u32 row, u32 offset) const { return TensorAddress::unpacked(rows32(row) + offset); }
  bool refuse(const std::string& why) {
    fault(w_, i_, Fault::Kind::bad_tensor_memory, static_cast<int>(lane_), 0, why);
    return false;
  }

  /// An operand in shared memory. @param row  of descriptors
  bool gather(const Cta& cta, const char* name, u32 row, Element element, bool mn_major, unsigned rows, Layout layout,
              f32* out) {
    const u64 bits_of_descriptor = w_.row<const u64>(row)[lane_];
    if (const std::string why = MatrixDescriptor::what_is_wrong(bits_of_descriptor); !why.empty())
      return refuse(std::string("the descriptor of ") + name + " does not fit: " + why);
    const SharedOperand operand{
        name, MatrixDescriptor::unpacked(bits_of_descriptor), mn_major, rows, kDepthBytes, bits(element) / 8};
    alignas(64) std::byte bytes[kMostN * kDepthBytes];
    if (!fetch_operand(w_, cta, i_, static_cast<int>(lane_), operand, bytes)) return false;
    gather_cores(bytes, element, mn_major, rows, kDepthBytes, layout, out);
    return true;
  }

  /// A in tensor memory: each sum takes the row that is in its own lane. @param part  of the columns of D
  bool gather_tensor(Cta& cta, unsigned part) {
    const TensorAddress at = address(i_->op[1], static_cast<u32>(i_->imm >> 32));
    constexpr unsigned kWords = kDepthBytes / 4;
    const unsigned rows = product_.rows();
    if (at.lane != d_.lane)
      return refuse("A and D must begin at the same lane of tensor memory, but A is at lane " +
                    std::to_string(at.lane) + " and D at lane " + std::to_string(d_.lane));
    if (!tensor_range(w_, cta, i_, static_cast<int>(lane_), at, product_.lanes(), kWords, "A")) return false;
    TensorMemory& memory = *cta.tensor_memory;
    const unsigned width = 128 / bits(product_.a), group = width / kCoreGroups;
    alignas(64) f32 core[128];
    for (unsigned first = 0; first < rows; first += kCoreLines) {
      for (unsigned word = 0; word < kWords; word += kCoreGroups) {
        u32 words[kTensorLanes];
        for (unsigned l = 0; l < kTensorLanes; ++l)
          words[l] = memory.column(at.column + word +
                                   l % kCoreGroups)[at.lane + part * rows + product_.lane_of_a(first + l / 4)];
        numbers_of(words, product_.a, core);
        for (unsigned e = 0; e < kCoreLines * width; ++e)
          x_[(word * group + e % width) * rows + first + e / width] = core[e];
      }
    }
    return true;
  }

  void multiply_columns(const Dense& dense, f32* sums) const {
    constexpr unsigned kMost = kMostN * kMostK;
    if (product_.d == Element::s32) {
      multiply_integers(dense, sums);
    } else if (product_.d == Element::f16) {
      multiply<true, kMost>(dense, sums);
    } else {
      multiply<false, kMost>(dense, sums);
    }
  }

  bool multiply_in(Cta& cta) {
    const unsigned rows = product_.rows(), k = product_.k(), n = product_.n;
    const bool accumulates = (w_.predicate_value(i_->op[3]) >> lane_ & 1) != 0, integers = product_.d == Element::s32;
    // Sums of 128 rows as f32 are made where they are.
    const bool in_place = rows == TensorMemory::kLanes && product_.d == Element::f32 && form_.shift == 0 &&
                          list().size() == 1 && d_.lane == 0;
    f32* const sums = in_place ? reinterpret_cast<f32*>(cta.tensor_memory->column(d_.column)) : sums_;
    if (!accumulates || integers) {
      std::fill_n(sums, rows * n, 0.0f);
    } else if (!in_place) {
      begin_sums(*cta.tensor_memory);
    }
    // A in shared memory serves all columns; in tensor memory each part of them has its own.
    const unsigned parts = form_.a_in_tensor_memory ? product_.parts() : 1, columns = n / parts;
    for (unsigned part = 0; part < parts; ++part) {
      const bool has_a = form_.a_in_tensor_memory
                             ? gather_tensor(cta, part)
                             : gather(cta, "A", i_->op[1], product_.a, product_.mn_major_a, rows, {1, rows}, x_);
      if (!has_a) return false;
      if (product_.negate_a) negate(x_, rows * k);
      const Dense dense{rows, columns, k, product_.a, product_.b, product_.d, x_, y_ + part * columns * k};
      multiply_columns(dense, sums + part * columns * rows);
    }
    if (in_place) {
      BANKSHOT_LANE_LOOP
      for (unsigned at = 0; at < rows * n; ++at) sums[at] = as_float(canonical_bits(as_bits(sums[at])));
    } else {
      end_sums(cta, accumulates);
    }
    return true;
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
    for (size_t k = 1; k < list().size(); ++k) disabled[k - 1] = rows32(list()[k]);
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
  Cta* ctas_[2] = {};
  alignas(64) f32 x_[kMostRows * kMostK], y_[kMostN * kMostK], sums_[kMostRows * kMostN];
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

void tensor_memory_rows(Rows& rows) {
  const auto add = [&](std::string_view syntax, std::string_view sets, Unit unit, Handler handler, Lower lower) {
    rows.push_back({syntax, sets, unit, always(handler), lower});
  };
#define BANKSHOT_GROUP "group = cta_group::1 cta_group::2"
#define BANKSHOT_NUM "num = x1 x2 x4 x8 x16 x32 x64 x128"
#define BANKSHOT_SHAPES "shape = 32x32b 16x64b 16x128b 16x256b; " BANKSHOT_NUM
  add("tcgen05.alloc.group.sync.aligned{.shared::cta}.b32 [p], columns:u32", BANKSHOT_GROUP, Unit::control,
      &run_tensor_allocate, &lower_tensor_allocate);
  add("tcgen05.dealloc.group.sync.aligned.b32 a:u32, columns:u32", BANKSHOT_GROUP, Unit::control, &run_tensor_free,
      &lower_tensor_free);
  add("tcgen05.relinquish_alloc_permit.group.sync.aligned", BANKSHOT_GROUP, Unit::control, &run_tensor_relinquish,
      &lower_nothing);
  add("tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32 r, [a]", BANKSHOT_SHAPES, Unit::control,
      &run_tensor_memory_load, &lower_tensor_load);
  add("tcgen05.ld.sync.aligned.16x32bx2.num{.pack::16b}.b32 r, [a], split:imm", BANKSHOT_NUM, Unit::control,
      &run_tensor_memory_load, &lower_tensor_load);
  add("tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32 [a], r", BANKSHOT_SHAPES, Unit::control,
      &run_tensor_memory_store, &lower_tensor_store);
  add("tcgen05.st.sync.aligned.16x32bx2.num{.unpack::16b}.b32 [a], split:imm, r", BANKSHOT_NUM, Unit::control,
      &run_tensor_memory_store, &lower_tensor_store);
  add("tcgen05.which.sync.aligned", "which = wait::ld wait::st", Unit::fence, &run_tensor_wait, &lower_nothing);
  add("tcgen05.which", "which = fence::before_thread_sync fence::after_thread_sync", Unit::fence, &no_operation,
      &lower_nothing);
  add("tcgen05.commit.group.mbarrier::arrive::one{.shared::cluster}.b64 [p]", BANKSHOT_GROUP, Unit::control,
      &run_tensor_commit, &lower_tensor_commit);
  add("tcgen05.commit.group.mbarrier::arrive::one{.shared::cluster}.multicast::cluster.b64 [p], ctas:b16",
      BANKSHOT_GROUP, Unit::control, &run_tensor_commit, &lower_tensor_commit);
  const auto copy = [&](std::string_view syntax, std::string_view sets) {
    add(syntax, sets, Unit::control, &run_tensor_copy_in, &lower_tensor_copy_in);
  };
  copy("tcgen05.cp.group.shape [d], a:b64", BANKSHOT_GROUP "; shape = 128x256b 4x256b 128x128b");
  copy("tcgen05.cp.group.64x128b.warps [d], a:b64", BANKSHOT_GROUP "; warps = warpx2::02_13 warpx2::01_23");
  copy("tcgen05.cp.group.32x128b.warpx4 [d], a:b64", BANKSHOT_GROUP);
  add("tcgen05.shift.group.down [d]", BANKSHOT_GROUP, Unit::control, &run_tensor_shift, &lower_tensor_shift);
  // Operands behind the descriptor of the instruction: disabled lanes {4 or 8 registers} or none, a predicate, and the
  // shift of the accumulators or none.
  const auto product = [&](std::string_view syntax, std::string_view sets) {
    add(syntax, sets, Unit::control, &run_tensor_product, &lower_tensor_product);
  };
  product("tcgen05.mma.group.kind{.collector} [d], a, b:b64, i:b32, p", BANKSHOT_GROUP
          "; kind = kind::f16 kind::tf32 kind::f8f6f4 kind::i8; collector = collector::a::fill collector::a::use "
          "collector::a::lastuse collector::a::discard");
  product("tcgen05.mma.ws.cta_group::1.kind{.collector} [d], a, b:b64, i:b32, p",
          "kind = kind::f16 kind::tf32 kind::f8f6f4 kind::i8; collector = collector::b0::fill collector::b0::use "
          "collector::b0::lastuse collector::b0::discard collector::b1::fill collector::b1::use "
          "collector::b1::lastuse collector::b1::discard collector::b2::fill collector::b2::use "
          "collector::b2::lastuse collector::b2::discard collector::b3::fill collector::b3::use "
          "collector::b3::lastuse collector::b3::discard");
#undef BANKSHOT_GROUP
#undef BANKSHOT_SHAPES
#undef BANKSHOT_NUM
}

}  // namespace bankshot::simt::BANKSHOT_ISA
