// Loads, stores and atomics. A thread writes its own bytes only, except for the cells of a zone, which commute.
#include "tests/differential/writer.hpp"

namespace bankshot::differential {
namespace {

constexpr Type kStored[] = {Type::b8,  Type::u8,  Type::s8,  Type::b16, Type::u16, Type::s16, Type::b32,
                            Type::u32, Type::s32, Type::b64, Type::u64, Type::s64, Type::f32, Type::f64};

char pool_for(Type type) {
  if (type == Type::f32) return 'f';
  if (type == Type::f64) return 'd';
  const unsigned bits = ptx::bits(type);
  return bits <= 16 ? 'h' : bits == 32 ? 'r' : 'q';
}

}  // namespace

/// One register, or several in braces; of integers, registers may be wider than the type.
std::string Writer::value_list(Type type, unsigned count, bool written) {
  char pool = pool_for(type);
  if (pool == 'h' && one_in(3)) pool = one_in(2) ? 'r' : 'q';
  if (pool == 'r' && type != Type::b32 && one_in(4)) pool = 'q';
  if (count == 1)
    return !written && ptx::bits(type) == 32 && pool == 'r' && one_in(6) ? std::to_string(below(1000)) : reg(pool);
  const uint64_t first = below(pool_size(pool) - count + 1);
  std::string list = "{";
  for (unsigned k = 0; k < count; ++k) list += fmt::format("{}%{}{}", k == 0 ? "" : ", ", pool, first + k);
  return list + "}";
}

void Writer::own_memory(const Where&) {
  const Type type = kStored[below(std::size(kStored))];
  const unsigned bytes = ptx::bits(type) / 8, most = bytes == 8 ? 2 : 4;
  const unsigned count = one_in(3) ? (one_in(2) ? 2 : most) : 1, size = bytes * count;
  const bool stores = one_in(2), is_shared = one_in(2), is_generic = one_in(4);
  const std::string space = is_generic ? "" : is_shared ? (one_in(3) ? ".shared::cta" : ".shared") : ".global";
  std::string base = is_shared ? (is_generic ? "%mine" : "%sh") : is_generic ? "%own_generic" : "%own";
  std::string how, cache;
  if (one_in(5)) {
    how = pick<const char*>({".volatile", ".relaxed.gpu", ".relaxed.cta", ".weak"});
    if (!stores && one_in(3)) how = ".acquire.gpu";
    if (stores && one_in(3)) how = ".release.gpu";
  } else if (one_in(4)) {
    cache = stores ? pick<const char*>({".wb", ".cg", ".cs", ".wt"})
                   : pick<const char*>({".ca", ".cg", ".cs", ".lu", ".cv"});
  }
  const std::string vector = count == 1 ? "" : fmt::format(".v{}", count), name(ptx::name(type));
  const uint64_t offset = below(kOwnBytes / size) * size;
  std::string before, address = fmt::format("{}+{}", base, offset);
  if (one_in(3)) {  // indexed
    const bool wide = base != "%sh";
    before = fmt::format("and.b32 %t0, {}, {};\n", reg('r'), (kOwnBytes - 1) & ~(size - 1));
    before += wide ? fmt::format("cvt.u64.u32 %a0, %t0;\nadd.u64 %a0, %a0, {};\n", base)
                   : fmt::format("add.u32 %t1, %t0, {};\n", base);
    address = wide ? "%a0" : "%t1";
  }
  const std::string g = guard();
  if (stores) {
    line("{}{}st{}{}{}{}.{} [{}], {};", before, g, how, space, cache, vector, name, address,
         value_list(type, count, false));
  } else {
    line("{}{}ld{}{}{}{}.{} {}, [{}];", before, g, how, space, cache, vector, name, value_list(type, count, true),
         address);
  }
}

void Writer::local_memory() {
  const Type type = kStored[below(std::size(kStored))];
  const unsigned bytes = ptx::bits(type) / 8;
  const unsigned count = one_in(3) ? 2 : 1, size = bytes * count;
  const std::string vector = count == 1 ? "" : ".v2", name(ptx::name(type));
  std::string before, address = fmt::format("kept+{}", below(64 / size) * size), space = ".local";
  if (one_in(2)) {
    before =
        fmt::format("and.b32 %t0, {}, {};\ncvt.u64.u32 %a0, %t0;\nmov.u64 %a1, kept;\n", reg('r'), 63 & ~(size - 1));
    if (one_in(3)) {
      before += "cvta.local.u64 %a1, %a1;\n";
      space = "";
    }
    before += "add.u64 %a1, %a1, %a0;\n";
    address = "%a1";
  }
  const std::string g = guard();
  if (one_in(2)) {
    line("{}{}st{}{}.{} [{}], {};", before, g, space, vector, name, address, value_list(type, count, false));
  } else {
    line("{}{}ld{}{}.{} {}, [{}];", before, g, space, vector, name, value_list(type, count, true), address);
  }
}

void Writer::read_only_memory(const Where& where) {
  const Type type = kStored[below(std::size(kStored))];
  const unsigned bytes = ptx::bits(type) / 8, most = bytes == 8 ? 2 : 4;
  const unsigned count = one_in(4) ? most : 1, size = bytes * count;
  const std::string vector = count == 1 ? "" : fmt::format(".v{}", count), name(ptx::name(type)), g = guard();
  const std::string values = value_list(type, count, true);
  const uint64_t offset = below(128 / size) * size;
  const std::string index = fmt::format("and.b32 %t0, {}, {};\ncvt.u64.u32 %a0, %t0;\n", reg('r'), 127 & ~(size - 1));
  switch (below(where.in_function ? 4 : 8)) {
    case 0: return line("{}ld.const{}.{} {}, [fixed+{}];", g, vector, name, values, offset);
    case 1:
      return line("{}mov.u64 %a1, fixed;\nadd.u64 %a0, %a0, %a1;\n{}ld.const{}.{} {}, [%a0];", index, g, vector, name,
                  values);
    case 2: return line("{}ld.global{}.{} {}, [given+{}];", g, vector, name, values, offset);
    case 3:
      return line("{}mov.u64 %a1, given;\ncvta.global.u64 %a1, %a1;\nadd.u64 %a0, %a0, %a1;\n{}ld{}.{} {}, [%a0];",
                  index, g, vector, name, values);
    case 4: return line("{}ldu.global{}.{} {}, [%in+{}];", g, vector, name, values, offset);
    case 5:
      return line("cvta.to.global.u64 %a1, %own_generic;\ncvta.to.shared.u64 %a2, %mine;\nisspacep.{} {}, {};",
                  pick<const char*>({"global", "shared", "local"}), reg('p'),
                  pick<const char*>({"%own_generic", "%mine"}));
    case 6:
      return line("and.b32 %t0, {}, {};\ncvt.u64.u32 %a0, %t0;\nadd.u64 %a0, %a0, %in;\n{}ld.global.nc{}.{} {}, [%a0];",
                  reg('r'), 1023 & ~(size - 1), g, vector, name, values);
    default:
      return line(
          "and.b32 %t0, {}, {};\ncvt.u64.u32 %a0, %t0;\nadd.u64 %a0, %a0, %in;\n{}ld.global{}.{} {}, [%a0+1024];",
          reg('r'), 1023 & ~(size - 1), g, vector, name, values);
  }
}

/// On the thread's own bytes, so that the result is the same in any order.
void Writer::atomic_on_own() {
  struct Kind {
    const char* op;
    std::initializer_list<const char*> types;
  };
  static const Kind kinds[] = {{"add", {"u32", "s32", "u64", "f32", "f64", "f16x2", "bf16x2", "f16", "bf16"}},
                               {"min", {"u32", "s32", "u64", "s64"}},
                               {"max", {"u32", "s32", "u64", "s64"}},
                               {"and", {"b32", "b64"}},
                               {"or", {"b32", "b64"}},
                               {"xor", {"b32", "b64"}},
                               {"inc", {"u32"}},
                               {"dec", {"u32"}},
                               {"exch", {"b32", "b64"}},
                               {"cas", {"b16", "b32", "b64"}}};
  const Kind& kind = kinds[below(std::size(kinds))];
  const std::string name = *(kind.types.begin() + below(kind.types.size())), op = kind.op;
  const Type type = ptx::type_named(name);
  const char pool = pool_for(type);
  const bool is_shared = one_in(2), is_generic = one_in(4);
  const std::string space = is_generic ? "" : is_shared ? ".shared" : ".global";
  const std::string base = is_shared ? (is_generic ? "%mine" : "%sh") : is_generic ? "%own_generic" : "%own";
  const unsigned bytes = ptx::bits(type) / 8;
  // 16-bit and packed sums: not flushed.
  const std::string noftz =
      op == "add" && bytes <= 4 && ptx::type_named(name) != Type::f32 && name.find("f16") != std::string::npos
          ? ".noftz"
          : "";
  const std::string last = op == "cas" ? ", " + reg(pool) : "";
  const bool returns = op == "exch" || op == "cas" || !one_in(3);
  const std::string to = returns ? reg(pool) + ", " : "";
  std::string how =
      one_in(3) ? pick<const char*>({".relaxed.gpu", ".acquire.cta", ".release.gpu", ".acq_rel.sys"}) : "";
  if (!returns && !how.empty()) how = one_in(2) ? ".relaxed.cta" : ".release.gpu";
  line("{}{}{}{}.{}{}.{} {}[{}+{}], {}{};", guard(), returns ? "atom" : "red", how, space, op, noftz, name, to, base,
       below(kOwnBytes / bytes) * bytes, reg(pool), last);
}

/// From the input to the thread's own shared memory, and waited for.
void Writer::copy_to_own() {
  const uint64_t bytes = pick<uint64_t>({4, 8, 16}), to = below(kOwnBytes / bytes) * bytes, from = below(64) * 16;
  const std::string how = bytes == 16 && one_in(2) ? "cg" : "ca", g = guard();
  const std::string some = one_in(2) ? "" : fmt::format(", {}", below(bytes + 1));
  const char* const end = one_in(2) ? "cp.async.wait_all;" : "cp.async.commit_group;\ncp.async.wait_group 0;";
  line("{}cp.async.{}.shared{}.global [%sh+{}], [%in+{}], {}{};\n{}", g, how, one_in(2) ? "::cta" : "", to, from, bytes,
       some, end);
}

void Writer::fence() {
  line("{};", pick<const char*>(
                  {"membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.sc.sys"}));
}

/// On a cell that all threads change.
void Writer::reduction() {
  const uint64_t k = below(std::size(kCells));
  const Cell& cell = kCells[k];
  const bool is_shared = one_in(2), wide = std::string(cell.type).find("64") != std::string::npos;
  const std::string operation = cell.op, value = operation == "inc" ? "1000" : reg(wide ? 'q' : 'r');
  const std::string address =
      is_shared ? fmt::format("zone+{}", k * 8) : fmt::format("%zones+{}", kernel_.shape.ctas * kZoneBytes + k * 8);
  const std::string space = is_shared ? "shared" : "global", g = guard();
  if (one_in(3)) {  // a result that nobody looks at
    line("{}atom.{}.{}.{} {}, [{}], {};", g, space, operation, cell.type, wide ? "%a7" : "%t7", address, value);
  } else {
    line("{}red.{}.{}.{} [{}], {};", g, space, operation, cell.type, address, value);
  }
}

}  // namespace bankshot::differential
