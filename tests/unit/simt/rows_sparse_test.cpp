// mma.sp against plain loops over the sparse matrix as the manual describes it.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tensor_harness.hpp"

namespace bankshot::simt {
namespace {

class SparseRows : public TensorTest {};
INSTANTIATE_TEST_SUITE_P(hosts, SparseRows, ::testing::Values("portable", "avx2", "avx512"),
                         [](const auto& info) { return std::string(info.param); });

struct SparseForm {
  std::string shape, types, a, b;  ///< types: "f32.f16.f16.f32"
  unsigned k, bits, sum_bits, selectors;
  bool ordered_only = false;
};

/// A small whole number as an element: exact in all sums.
uint64_t sparse_element(const std::string& type, int value) {
  if (type == "s8") return static_cast<uint8_t>(value);
  if (type == "s4") return static_cast<uint64_t>(value) & 15;
  if (type == "u8" || type == "u4") return static_cast<uint64_t>(value);
  const auto wide = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type == "tf32") return wide;
  if (type == "bf16") return wide >> 16;
  const bool e4m3 = type == "e4m3", f16 = type == "f16";
  const int bias = f16 || type == "e5m2" ? 15 : 7, fraction = f16 ? 10 : e4m3 ? 3 : 2;
  if (value == 0) return 0;
  const int top = std::bit_width(static_cast<unsigned>(std::abs(value))) - 1;
  const int mantissa = (std::abs(value) << fraction >> top) & ((1 << fraction) - 1);
  return static_cast<uint64_t>(top + bias) << fraction | static_cast<uint64_t>(mantissa) |
         (value < 0 ? (f16 ? 0x8000u : 0x80u) : 0);
}

/// The bits of a row of A that describe chunk `chunk` of it: four elements, four pairs of 4 bits, two of tf32; where
/// the manual's figures have them. @return the lane, and the first of four bits
std::pair<unsigned, unsigned> place_of_chunk(const SparseForm& f, unsigned selector, unsigned row, unsigned chunk) {
  const unsigned quad = row % 8 * 4, lower = row / 8;
  if (f.bits >= 16) {
    const unsigned lanes = f.selectors == 4 ? 1 : 2;
    return {quad + selector * lanes + chunk / 4, 16 * lower + chunk % 4 * 4};
  }
  return {quad + 2 * selector + chunk / 8 * 2 + lower, chunk % 8 * 4};
}

TEST_P(SparseRows, products_are_those_of_the_matrix_with_its_zeros) {
  std::vector<SparseForm> forms = {
      {"m16n8k16", "f32.f16.f16.f32", "f16", "f16", 16, 16, 32, 4},
      {"m16n8k32", "f32.f16.f16.f32", "f16", "f16", 32, 16, 32, 2},
      {"m16n8k16", "f16.f16.f16.f16", "f16", "f16", 16, 16, 16, 4},
      {"m16n8k32", "f16.f16.f16.f16", "f16", "f16", 32, 16, 16, 2},
      {"m16n8k16", "f32.bf16.bf16.f32", "bf16", "bf16", 16, 16, 32, 4},
      {"m16n8k32", "f32.bf16.bf16.f32", "bf16", "bf16", 32, 16, 32, 2},
      {"m16n8k8", "f32.tf32.tf32.f32", "tf32", "tf32", 8, 32, 32, 4},
      {"m16n8k16", "f32.tf32.tf32.f32", "tf32", "tf32", 16, 32, 32, 2},
      {"m16n8k64", "f32.e4m3.e5m2.f32", "e4m3", "e5m2", 64, 8, 32, 1},
      {"m16n8k64", "f32.e5m2.e4m3.f32", "e5m2", "e4m3", 64, 8, 32, 1},
      {"m16n8k64", "f16.e4m3.e4m3.f16", "e4m3", "e4m3", 64, 8, 16, 1, true},
  };
  for (const auto& [a, b] : {std::pair("s", "s"), std::pair("s", "u"), std::pair("u", "s"), std::pair("u", "u")}) {
    for (const std::string saturate : {"", "satfinite."}) {
      for (const unsigned bits : {8u, 4u}) {
        const std::string ta = a + std::to_string(bits), tb = b + std::to_string(bits);
        const std::string types = saturate + "s32." + ta + "." + tb + ".s32";
        forms.push_back({bits == 8 ? "m16n8k32" : "m16n8k64", types, ta, tb, 256 / bits, bits, 32, 2});
        forms.push_back({bits == 8 ? "m16n8k64" : "m16n8k128", types, ta, tb, 512 / bits, bits, 32, 1});
      }
    }
  }
  std::mt19937_64 random(7);
  for (const SparseForm& f : forms) {
    for (unsigned trial = 0; trial < 2 * f.selectors; ++trial) {
      const unsigned selector = trial % f.selectors, kept = f.k / 2;
      const bool ordered = f.ordered_only || trial < f.selectors;
      const auto small = [&](const std::string& type) {
        return type[0] == 'u' ? static_cast<int>(random() % 4) : static_cast<int>(random() % 7) - 3;
      };
      // Neighbours that are chosen or not together, and how many of them a chunk has.
      const unsigned together = f.bits == 4 ? 2 : 1, in_chunk = f.bits == 32 ? 2 : 4, chosen = in_chunk / 2;
      std::vector<int> a(16 * f.k), stored(16 * kept), b(f.k * 8), c(16 * 8);
      TensorRegisters metadata = filled(1, 0x77777777);
      for (auto& word : metadata[0]) word = random() & 0xffffffff;  // of lanes that the selector leaves out
      for (unsigned row = 0; row < 16; ++row) {
        for (unsigned chunk = 0; chunk * in_chunk * together < f.k; ++chunk) {
          unsigned first = static_cast<unsigned>(random() % in_chunk), second = first;
          while (chosen == 2 && second == first) second = static_cast<unsigned>(random() % in_chunk);
          if (ordered && first > second) std::swap(first, second);
          const unsigned units[] = {first, second};
          for (unsigned u = 0; u < chosen; ++u) {
            for (unsigned e = 0; e < together; ++e) {
              const int value = small(f.a);
              stored[row * kept + (chunk * chosen + u) * together + e] = value;
              a[row * f.k + (chunk * in_chunk + units[u]) * together + e] = value;
            }
          }
          const auto [lane, bit] = place_of_chunk(f, selector, row, chunk);
          const uint64_t nibble = f.bits == 32 ? (first == 0 ? 0b0100 : 0b1110) : first | second << 2;
          metadata[0][lane] = (metadata[0][lane] & ~(uint64_t{15} << bit)) | nibble << bit;
        }
      }
      for (int& x : b) x = small(f.b);
      for (int& x : c) x = static_cast<int>(random() % 64) - 32;
      TensorRegisters ra(16 * kept * f.bits / 1024), rb(f.k * 8 * f.bits / 1024), rc(16 * 8 * f.sum_bits / 1024);
      const std::string sum_type = f.types.substr(f.types.rfind('.') + 1);
      const auto of_sum = [&](int x) -> uint64_t {
        if (sum_type == "f16") return sparse_element("f16", x);
        return sum_type == "f32" ? std::bit_cast<uint32_t>(static_cast<float>(x)) : static_cast<uint32_t>(x);
      };
      for (unsigned l = 0; l < 32; ++l) {
        for (unsigned i = 0; i < 16 * kept / 32; ++i) {
          const FragmentPlace p = place_in_a(16, f.bits, l, i);
          put_bits(ra, l, i, f.bits, sparse_element(f.a, stored[p.row * kept + p.column]));
        }
        for (unsigned i = 0; i < f.k / 4; ++i) {
          const FragmentPlace p = place_in_b(f.bits, l, i);
          put_bits(rb, l, i, f.bits, sparse_element(f.b, b[p.row * 8 + p.column]));
        }
        for (unsigned i = 0; i < 4; ++i)
          put_bits(rc, l, i, f.sum_bits, of_sum(c[place_in_c(l, i).row * 8 + place_in_c(l, i).column]));
      }
      const std::string text = std::string(ordered ? "mma.sp::ordered_metadata" : "mma.sp") + ".sync.aligned." +
                               f.shape + ".row.col." + f.types;
      const TensorRegisters rd =
          multiply(text, 4, rc.size(), ra, rb, rc, {", %e0, " + std::to_string(selector), metadata});
      for (unsigned l = 0; l < 32; ++l) {
        for (unsigned i = 0; i < 4; ++i) {
          const FragmentPlace p = place_in_c(l, i);
          int sum = c[p.row * 8 + p.column];
          for (unsigned q = 0; q < f.k; ++q) sum += a[p.row * f.k + q] * b[q * 8 + p.column];
          ASSERT_EQ(get_bits(rd, l, i, f.sum_bits), of_sum(sum))
              << text << " selector " << selector << " row " << p.row << " column " << p.column;
        }
      }
    }
  }
}

TEST_P(SparseRows, worked_examples) {
  // A keeps 1 and 2 of each four: elements 0 and 3. B is 1 in all rows but those of k = 3 mod 4, where it is 10.
  const TensorRegisters a = filled(2, 0x40003c00), b_ones = filled(2, 0x3c003c00);
  TensorRegisters b = b_ones;
  for (unsigned l = 0; l < 32; ++l)
    for (auto& lanes : b) lanes[l] = l % 2 == 1 ? 0x49003c00 : 0x3c003c00;
  const auto product = [&](uint32_t metadata, const TensorRegisters& of_b) {
    return multiply("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 4, a, of_b,
                    filled(4, 0x3f800000), {", %e0, 0", filled(1, metadata)})[0][5];
  };
  EXPECT_EQ(product(0xcccccccc, b), std::bit_cast<uint32_t>(1.0f + 4 * (1 + 2 * 10)));
  EXPECT_EQ(product(0x44444444, b), std::bit_cast<uint32_t>(1.0f + 4 * (1 + 2 * 1))) << "elements 0 and 1";
  EXPECT_EQ(product(0xffffffff, b), std::bit_cast<uint32_t>(1.0f + 4 * (10 + 2 * 10)))
      << "PTX leaves this open: on an H100, both are multiplied with the last";
  EXPECT_EQ(product(0xcccccccc, b_ones), std::bit_cast<uint32_t>(1.0f + 4 * (1 + 2)));
  // Sums lose what mma's lose: products of 2^-26 beside 1, sixteen of them.
  const auto cut = [&](uint32_t element) {
    return multiply("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", 4, 4, filled(4, element * 0x10001u),
                    filled(4, 0x0800'0800), filled(4, 0x3f800000), {", %e0, 1", filled(1, 0x44444444)})[0][7];
  };
  EXPECT_EQ(cut(0x0800), 0x3f800000u);
  EXPECT_EQ(cut(0x0c00), 0x3f800004u) << "16 products of 2^-25";
}

TEST(SparseForms, rejects_what_ptxas_refuses) {
  Engine engine{EngineOptions{}};
  const auto refusal = [&](const std::string& form, const std::string& behind) {
    const std::string text =
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<20>;\nmma." + form +
        " {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, {%r8,%r9,%r10,%r11}, {%r12,%r13,%r14,%r15}, " + behind + ";\nret;\n}\n";
    const auto program = engine.load(text, "test.ptx");
    return program ? "" : format_diagnostics(program.error(), "test.ptx", text);
  };
  const auto says = [&](const std::string& form, const std::string& behind, const std::string& what) {
    EXPECT_NE(refusal(form, behind).find(what), std::string::npos) << refusal(form, behind);
  };
  const std::string halves = "sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32";
  const std::string bytes = "sp.sync.aligned.m16n8k64.row.col.s32.s8.u8.s32";
  EXPECT_EQ(refusal(halves, "%r16, 1"), "");
  EXPECT_EQ(refusal(halves, "{%r16}, 0x0"), "");
  EXPECT_EQ(refusal("sync.aligned.sp::ordered_metadata.m16n8k32.row.col.f32.f16.f16.f32", "%r16, 1"), "");
  says(halves, "%r16, 2", "the sparsity selector of this form is 0 or 1, found 2");
  says(bytes, "%r16, 1", "the sparsity selector of this form is 0, found 1");
  says("sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "%r16, 0", "expected 2 registers in braces");
  says(halves, "5, 0", "a register in this form, not a number");
  says(halves, "%r16", "takes 6 operands");
  says("sp.sync.aligned.m16n8k64.row.col.f16.e4m3.e5m2.f16", "%r16, 0", "this form of 'mma' is not supported");
  says("sp.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", "%r16, 0", "this form of 'mma' is not supported");
}

}  // namespace
}  // namespace bankshot::simt
