// ldmatrix and stmatrix of elements of 8 bits and less. Source: PTX ISA 9.0, ldmatrix and stmatrix. Which byte of a
// register is which element of a transposed matrix is as CuTe expects it (copy_traits_sm100.hpp). What they do does not
// depend on the host's instruction set: it is in simt/matrices.
#include "bankshot/simt/isa/lanes/families.hpp"
#include "bankshot/simt/lower/lower_matrix.hpp"
#include "bankshot/simt/matrices/matrix.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

void lower_load_bytes(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  lower_ldmatrix(decoder, instruction, m, out);
  out.op[3] = m.has("b6x16_p32") ? 6 : m.has("b4x16_p64") ? 4 : 8;
}

}  // namespace

void byte_matrix_rows(Rows& rows) {
  const auto load = [&rows](std::string_view syntax, std::string_view sets) {
    rows.push_back({syntax, sets, Unit::memory, always(&run_ldmatrix_bytes), &lower_load_bytes});
  };
  load("ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8 r, p:addr", "num = x1 x2; ss = shared shared::cta");
  load("ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8x16.format r, p:addr",
       "num = x1 x2; ss = shared shared::cta; format = b6x16_p32 b4x16_p64");
  load("ldmatrix.sync.aligned.m8n16.num{.ss}.b8x16.format r, p:addr",
       "num = x1 x2 x4; ss = shared shared::cta; format = b6x16_p32 b4x16_p64");
  rows.push_back({"stmatrix.sync.aligned.m16n8.num.trans{.ss}.b8 p:addr, r", "num = x1 x2 x4; ss = shared shared::cta",
                  Unit::memory, always(&run_stmatrix_bytes), &lower_stmatrix});
}

}  // namespace bankshot::simt::BANKSHOT_ISA
