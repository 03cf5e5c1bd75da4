// Branches, loops, tables and calls. Lanes of a warp take different ways, unless the place says otherwise.
#include "tests/differential/writer.hpp"

namespace bankshot::differential {

void Writer::branch(const Where& where, unsigned statements) {
  const unsigned id = next();
  const int group = group_;
  Where inside = where;
  ++inside.depth;
  Where other = inside;
  if (where.in_function) {
    line("@{}{} bra ELSE{};", one_in(2) ? "!" : "", reg('p'), id);
  } else if (where.all_threads && one_in(4)) {
    // The same for the whole CTA.
    line("setp.{} %g{}, %cta, {};\n@%g{} bra ELSE{};", pick<const char*>({"eq.u32", "ne.u32"}), id, below(2), id, id);
  } else {
    inside.all_threads = other.all_threads = false;
    inside.mask = other.mask = "";
    line("mov.pred %g{}, {};", id, reg('p'));
    if (!where.mask.empty()) {
      // Who goes where is known to all.
      line("vote.sync.ballot.b32 %m{}, %g{}, {};\nxor.b32 %m{}, %m{}, {};", 2 * id, id, where.mask, 2 * id + 1, 2 * id,
           where.mask);
      inside.mask = fmt::format("%m{}", 2 * id);
      other.mask = fmt::format("%m{}", 2 * id + 1);
    }
    line("@!%g{} bra ELSE{};", id, id);
  }
  block(inside, statements);
  group_ = group;
  const bool has_other = one_in(2);
  if (has_other) line("bra{} JOIN{};", one_in(3) && where.in_function ? ".uni" : "", id);
  line("ELSE{}:", id);
  if (!has_other) return;
  block(other, statements);
  group_ = group;
  line("JOIN{}:", id);
}

void Writer::loop(const Where& where, unsigned statements) {
  const unsigned id = next();
  const int group = group_;
  // Nobody changes the counter of a loop but the loop; functions have scratch registers for the two loops they may
  // have.
  const std::string counter = where.in_function ? fmt::format("%t{}", 4 + where.loops) : fmt::format("%c{}", id);
  const std::string end = where.in_function ? fmt::format("%t{}", 6 + where.loops) : fmt::format("%m{}", 2 * id);
  const std::string condition = where.in_function ? "%z3" : fmt::format("%g{}", id);
  const bool outer = where.loops == 0;
  Where inside = where;
  ++inside.depth;
  ++inside.loops;
  const bool uniform = one_in(2);
  if (uniform) {
    line("mov.u32 {}, {};", end, 1 + below(outer ? 9 : 3));
  } else {
    inside.all_threads = false;
    inside.mask = "";
    line("and.b32 {}, {}, {};\nadd.u32 {}, {}, 1;", end, reg('r'), outer ? 7 : 3, end, end);
  }
  const bool down = one_in(4);
  line("mov.u32 {}, {};\nLOOP{}:", counter, down ? end : "0", id);
  block(inside, statements);
  bool next = false, leave = false;
  if (!uniform) {
    // break and continue
    begin();
    leave = one_in(2);
    if (leave) line("@{} bra LEAVE{};", reg('p'), id);
    begin();
    next = one_in(2);
    if (next) line("@!{} bra NEXT{};", reg('p'), id);
    if (leave || next) block(inside, 2);
  }
  group_ = group;
  if (next) line("NEXT{}:", id);
  // Without a label in its body a loop may be unrolled (bankshot/optimise): in all forms of loop end.
  if (down) {
    line("add.s32 {}, {}, -1;\nsetp.gt.s32 {}, {}, 0;\n@{} bra LOOP{};", counter, counter, condition, counter,
         condition, id);
  } else if (one_in(5)) {
    line("setp.lt.u32 {}, {}, {};\nadd.u32 {}, {}, 1;\n@{} bra LOOP{};", condition, counter, end, counter, counter,
         condition, id);
  } else {
    struct End {
      const char *comparison, *guard;
      bool end_first;
    };
    const End its = pick<End>({{"lt.u32", "@", false},
                               {"lt.s32", "@", false},
                               {"ne.s32", "@", false},
                               {"gt.u32", "@", true},
                               {"ge.s32", "@!", false},
                               {"eq.u32", "@!", true}});
    const std::string &first = its.end_first ? end : counter, &second = its.end_first ? counter : end;
    line("add.u32 {}, {}, 1;\nsetp.{} {}, {}, {};\n{}{} bra LOOP{};", counter, counter, its.comparison, condition,
         first, second, its.guard, condition, id);
  }
  if (leave) line("LEAVE{}:", id);
}

void Writer::table_branch(const Where& where, unsigned statements) {
  const unsigned id = next();
  const int group = group_;
  const uint64_t ways = 2 + below(3);
  Where inside = where;
  ++inside.depth;
  inside.all_threads = false;
  inside.mask = "";
  std::string labels;
  for (uint64_t k = 0; k < ways; ++k) labels += fmt::format("{}WAY{}_{}", k == 0 ? "" : ", ", id, k);
  line("TABLE{}: .branchtargets {};", id, labels);
  line("rem.u32 %t0, {}, {};\nbrx.idx %t0, TABLE{};", reg('r'), ways, id);
  for (uint64_t k = 0; k < ways; ++k) {
    group_ = group;
    line("WAY{}_{}:", id, k);
    block(inside, (statements + 1) / 2);
    group_ = group;
    if (!one_in(4)) line("bra OUT{};", id);  // else on into the next
  }
  line("OUT{}:", id);
}

void Writer::tangle(const Where& where) {
  const unsigned id = next();
  const int group = group_;
  const uint64_t parts = 3 + below(3);
  Where inside = where;
  ++inside.depth;
  inside.all_threads = false;
  inside.mask = "";
  for (uint64_t k = 0; k < parts; ++k) {
    group_ = group;
    line("KNOT{}_{}:", id, k);
    block(inside, 2);
    for (uint64_t more = below(3); k + 1 < parts && more > 0; --more) {
      begin();
      line("@{}{} bra KNOT{}_{};", one_in(2) ? "!" : "", reg('p'), id, k + 1 + below(parts - k));
    }
  }
  group_ = group;
  line("KNOT{}_{}:", id, parts);
}

void Writer::call(const Where& where) {
  if (callees_.empty()) return plain();
  const Callee callee = callees_[below(callees_.size())];
  unsigned of_kind = 0;
  for (const Callee& other : callees_) of_kind += other.kind == callee.kind ? 1 : 0;
  const bool indirect = one_in(2), by_table = indirect && !where.in_function && one_in(2);
  std::string before, name = callee.name, prototype;
  constexpr const char* kPrototypes[] = {
      "(.param .b32 _) _ (.param .b32 _)",
      "(.param .b64 _) _ (.param .b32 _, .param .b64 _, .param .f32 _)",
      "(.param .align 16 .b8 _[16]) _ (.param .f64 _, .param .align 16 .b8 _[16])",
  };
  if (by_table) {
    before = fmt::format(
        "rem.u32 %t0, {}, {};\nmul.wide.u32 %a0, %t0, 8;\nmov.u64 %a1, table{};\nadd.u64 %a0, %a0, %a1;\nld.global.u64 "
        "%a0, [%a0];\n",
        reg('r'), of_kind, callee.kind);
  } else if (indirect) {
    before = fmt::format("mov.u64 %a0, {};\n", callee.name);
  }
  if (indirect) {
    before += fmt::format("P: .callprototype {};\n", kPrototypes[callee.kind]);
    name = "%a0";
    prototype = ", P";
  }
  constexpr const char* kParameters[] = {
      ".param .b32 x; .param .b32 result;",
      ".param .b32 x; .param .b64 y; .param .f32 z; .param .b64 result;",
      ".param .f64 x; .param .align 16 .b8 y[16]; .param .align 16 .b8 result[16];",
  };
  std::string arguments, list, result;
  if (callee.kind == 2) {
    arguments = fmt::format("st.param.f64 [x], {};\nst.param.v2.b64 [y], {{{}, {}}};", reg('d'), reg('q'), reg('q'));
    list = "(x, y)";
    result = fmt::format("ld.param.v2.b64 {{%q{}, %q{}}}, [result];", below(3), 3 + below(3));
  } else {
    arguments = fmt::format("st.param.b32 [x], {};", reg('r'));
    if (callee.kind == 1)
      arguments += fmt::format("\nst.param.b64 [y], {};\nst.param.f32 [z], {};", reg('q'), reg('f'));
    list = callee.kind == 1 ? "(x, y, z)" : "(x)";
    result = callee.kind == 1 ? fmt::format("ld.param.b64 {}, [result];", reg('q'))
                              : fmt::format("ld.param.b32 {}, [result];", reg('r'));
  }
  line("{{ {}\n{}{}\ncall{} (result), {}, {}{};\n{} }}", kParameters[callee.kind], before, arguments,
       one_in(4) && where.all_threads && !indirect ? ".uni" : "", name, list, prototype, result);
}

}  // namespace bankshot::differential
