// What lanes do together: barriers and exchange through shared memory, and the instructions of a warp.
#include "tests/differential/writer.hpp"

namespace bankshot::differential {

/// Each thread writes its own words, then reads those of another between two barriers.
void Writer::barrier_exchange() {
  const uint32_t threads = kernel_.shape.threads();
  const char* const sync =
      pick<const char*>({"bar.sync 0;", "barrier.sync 0;", "barrier.sync.aligned 0;", "bar.cta.sync 0;"});
  const uint64_t word = below(kOwnBytes / 8);
  line("add.u32 %t0, %me, {};\nrem.u32 %t0, %t0, {};\nmov.u32 %t1, mine;\nmad.lo.u32 %t1, %t0, {}, %t1;",
       1 + below(threads + 3), threads, kOwnBytes);
  line("st.shared.b64 [%sh+{}], {};\n{}", word * 8, reg('q'), sync);
  if (one_in(2)) {
    line("ld.shared.b64 {}, [%t1+{}];", reg('q'), word * 8);
  } else {
    line("ld.shared.v2.b32 {{%r{}, %r{}}}, [%t1+{}];", below(5), 5 + below(5), word * 8);
  }
  line("{}", sync);
}

/// The first warps meet at a barrier of their own, or the last ones tell the first that they have written.
void Writer::barrier_of_some() {
  const uint32_t threads = kernel_.shape.threads();
  if (kernel_.any_warp_size || threads % 32 != 0 || threads < 64) return barrier_exchange();
  const unsigned id = next();
  const uint64_t some = 32 * (1 + below(threads / 32 - 1)), number = 1 + below(15), word = below(kOwnBytes / 8);
  line("setp.lt.u32 %z0, %me, {};", some);
  if (one_in(2)) {
    line("@!%z0 bra OTHERS{};", id);
    line("add.u32 %t0, %me, {};\nrem.u32 %t0, %t0, {};\nmov.u32 %t1, mine;\nmad.lo.u32 %t1, %t0, {}, %t1;",
         1 + below(some), some, kOwnBytes);
    line("st.shared.b64 [%sh+{}], {};\nbarrier.sync {}, {};", word * 8, reg('q'), number, some);
    // All wait at the end: the others might be at the next barrier of this number before.
    line("ld.shared.b64 {}, [%t1+{}];\nbarrier.sync {}, {};\nOTHERS{}:\nbar.sync 0;", reg('q'), word * 8, number, some,
         id);
    return;
  }
  line("@%z0 bra FIRST{};\nst.shared.b64 [%sh+{}], {};\nbar.arrive {}, {};\nbra DONE{};", id, word * 8, reg('q'),
       number, threads, id);
  line("FIRST{}:\nbar.sync {}, {};\nadd.u32 %t0, %me, {};\nrem.u32 %t0, %t0, {};\nadd.u32 %t0, %t0, {};", id, number,
       threads, below(threads), threads - some, some);
  line("mov.u32 %t1, mine;\nmad.lo.u32 %t1, %t0, {}, %t1;\nld.shared.b64 {}, [%t1+{}];\nDONE{}:\nbar.sync 0;",
       kOwnBytes, reg('q'), word * 8, id);
}

void Writer::barrier_reduction() {
  const std::string p = (one_in(2) ? "!" : "") + reg('p');
  const uint64_t number = below(16);
  const char* const name = pick<const char*>({"bar", "barrier", "bar.cta", "barrier.cta"});
  switch (below(3)) {
    case 0: return line("{}.red.popc.u32 {}, {}, {};", name, reg('r'), number, p);
    case 1: return line("{}.red.and.pred {}, {}, {};", name, reg('p'), number, p);
    default: return line("{}.red.or.pred {}, {}, {};", name, reg('p'), number, p);
  }
}

void Writer::collective(const Where& where) {
  const std::string& mask = where.mask;
  const std::string p = (one_in(3) ? "!" : "") + reg('p');
  const bool whole = mask == "%full" && kernel_.shape.threads() % 32 == 0;
  if (whole && one_in(10)) return matrix();
  switch (below(12)) {
    case 0:
      if (one_in(2)) return line("vote.sync.ballot.b32 {}, {}, {};", reg('r'), p, mask);
      return line("vote.ballot.sync.b32 {}, {}, {};", reg('r'), p, mask);
    case 1: return line("vote.sync.{}.pred {}, {}, {};", pick<const char*>({"all", "any", "uni"}), reg('p'), p, mask);
    case 2: return line("vote.{}.sync.pred {}, {}, {};", pick<const char*>({"all", "any", "uni"}), reg('p'), p, mask);
    case 3:
      return line("and.b32 %t0, {}, {};\nmatch.any.sync.b32 {}, %t0, {};", reg('r'), one_in(2) ? 3 : 1, reg('r'), mask);
    case 4:
      if (one_in(2))
        return line("match.{}.b64 {}, {}, {};", one_in(2) ? "any.sync" : "sync.any", reg('r'), reg('q'), mask);
      return line("and.b32 %t0, {}, {};\nmatch.{}.b32 {}|{}, %t0, {};", reg('r'), below(2),
                  one_in(2) ? "all.sync" : "sync.all", reg('r'), reg('p'), mask);
    case 5:
      return line("redux.sync.{}.{} {}, {}, {};", pick<const char*>({"add", "min", "max"}),
                  pick<const char*>({"u32", "s32"}), reg('r'), reg('r'), mask);
    case 6:
      return line("redux.sync.{}.b32 {}, {}, {};", pick<const char*>({"and", "or", "xor"}), reg('r'), reg('r'), mask);
    case 7:
      return line("redux.sync.{}{}{}.f32 {}, {}, {};", pick<const char*>({"min", "max"}), one_in(2) ? ".abs" : "",
                  one_in(2) ? ".NaN" : "", reg('f'), reg('f'), mask);
    case 8: return line("elect.sync {}|{}, {};", reg('r'), reg('p'), mask);
    case 9: return warp_exchange(where);
    case 10: return call_to_meet(where);
    default: return shuffle(where);
  }
}

/// From any lane if the warp has all of its 32, else from a member of the mask.
void Writer::shuffle(const Where& where) {
  const std::string to = one_in(2) ? reg('r') : reg('r') + "|" + reg('p');
  if (where.mask == "%full" && kernel_.shape.threads() % 32 == 0) {
    const std::string c = one_in(2) ? std::to_string(pick<unsigned>({31, 0, 0x1c1f, 0x1800, 0x100f})) : reg('r');
    return line("shfl.sync.{}.b32 {}, {}, {}, {}, {};", pick<const char*>({"up", "down", "bfly", "idx"}), to, reg('r'),
                one_in(2) ? std::to_string(below(32)) : reg('r'), c, where.mask);
  }
  line("popc.b32 %t0, {};\nrem.u32 %t0, {}, %t0;\nadd.u32 %t0, %t0, 1;\nfns.b32 %t0, {}, 0, %t0;", where.mask, reg('r'),
       where.mask);
  line("shfl.sync.idx.b32 {}, {}, %t0, 31, {};", to, reg('r'), where.mask);
}

/// Through shared memory, between lanes of one warp that wait for each other.
void Writer::warp_exchange(const Where& where) {
  const uint64_t word = below(kOwnBytes / 8);
  line("popc.b32 %t0, {};\nrem.u32 %t0, {}, %t0;\nadd.u32 %t0, %t0, 1;\nfns.b32 %t0, {}, 0, %t0;", where.mask, reg('r'),
       where.mask);
  line("add.u32 %t0, %t0, %first;\nmov.u32 %t1, mine;\nmad.lo.u32 %t1, %t0, {}, %t1;", kOwnBytes);
  line("st.shared.b64 [%sh+{}], {};\nbar.warp.sync {};", word * 8, reg('q'), where.mask);
  line("ld.shared.b64 {}, [%t1+{}];\nbar.warp.sync {};", reg('q'), word * 8, where.mask);
}

/// Sometimes from two places, where both sides of a branch bring their lanes.
void Writer::call_to_meet(const Where& where) {
  const auto call = [&] {
    line(
        "{{ .param .b32 x; .param .b32 y; .param .b32 result;\nst.param.b32 [x], {};\nst.param.b32 [y], {};\n"
        "call (result), meet, (x, y);\nld.param.b32 {}, [result]; }}",
        reg('r'), where.mask, reg('r'));
  };
  if (one_in(2)) return call();
  const unsigned id = next();
  line("@{} bra THERE{};", reg('p'), id);
  call();
  line("bra MET{};\nTHERE{}:", id, id);
  call();
  line("MET{}:", id);
}

/// A warp of 32 lanes: rows of 16 bytes in what is the lanes' own, or a matrix in registers.
void Writer::matrix() {
  const std::string trans = one_in(2) ? ".trans" : "", space = one_in(2) ? ".shared" : one_in(2) ? ".shared::cta" : "";
  if (one_in(3)) return line("movmatrix.sync.aligned.m8n8.trans.b16 {}, {};", reg('r'), reg('r'));
  const unsigned count = pick<unsigned>({1, 2, 4});
  const uint64_t first = below(kWords - count + 1);
  std::string list;
  for (unsigned k = 0; k < count; ++k) list += fmt::format("{}%r{}", k == 0 ? "" : ", ", first + k);
  const std::string shape =
      one_in(2) ? fmt::format("m8n8.x{}{}", count, trans) : fmt::format("x{}{}.m8n8", count, trans);
  const std::string address = fmt::format("[{}+{}]", space.empty() ? "%mine" : "%sh", below(kOwnBytes / 16) * 16);
  line("bar.warp.sync %full;");
  if (one_in(2)) {
    line("ldmatrix.sync.aligned.{}{}.b16 {{{}}}, {};", shape, space, list, address);
  } else {
    line("stmatrix.sync.aligned.{}{}.b16 {}, {{{}}};", shape, space, address, list);
  }
  line("bar.warp.sync %full;");
}

}  // namespace bankshot::differential
