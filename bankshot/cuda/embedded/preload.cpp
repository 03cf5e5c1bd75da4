// libbankshot_preload.so, which `bankshot run` and relatives load into every process before anything else. Where a
// program or library has NVIDIA's runtime inside (embedded/symbols.hpp), each of its functions is made to jump to ours
// of that name; nothing of NVIDIA's is called then. Where NVRTC is loaded, what asks for machine code gets PTX. Other
// processes pay for a look at the section headers of their files.
#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "bankshot/cuda/embedded/redirect.hpp"
#include "bankshot/cuda/embedded/stubs.hpp"
#include "bankshot/cuda/embedded/symbols.hpp"
#include "bankshot/cuda/process/say.hpp"
#include "bankshot/support/mapped_file.hpp"

namespace bankshot::cuda::embedded {
namespace {

std::string_view name_of(const link_map& object) {
  const std::string_view path = object.l_name;
  return path.substr(path.rfind('/') + 1);
}

/// The file of the program has no name in the loader's list.
const char* path_of(const link_map& object) { return *object.l_name != '\0' ? object.l_name : "/proc/self/exe"; }

/// Where a symbol is in the process; null if a jump has no room there, or other code is there than in the file, because
/// the file is another one by now.
std::byte* code_of(const Symbol& symbol, const link_map& object, std::span<const std::byte> file) {
  if (symbol.room < kJumpBytes || symbol.offset > file.size() || file.size() - symbol.offset < kJumpBytes)
    return nullptr;
  auto* const code = reinterpret_cast<std::byte*>(object.l_addr + symbol.address);
  return std::memcmp(code, file.data() + symbol.offset, kJumpBytes) == 0 ? code : nullptr;
}

/// The runtime inside an object, if there is one, gives way to ours.
void replace_runtime(const link_map& object) {
  if (name_of(object).starts_with("libcudart.so.")) return;  // a library of its own, and ours
  const MappedFile file(path_of(object));
  if (!file.readable()) return;
  const std::vector<Symbol> symbols = function_symbols(file.bytes());
  const Release release = release_of(symbols);
  // Left as it is, a runtime asks our libcuda for what only NVIDIA's has, and the program ends with advice.
  const auto left = [&](const std::string& why) {
    say(why + ": the CUDA runtime in " + (*object.l_name != '\0' ? object.l_name : "this program") +
        " is not replaced");
  };
  std::vector<Jump> jumps;
  for (const Symbol& symbol : symbols) {
    const Stub* const stub = find_stub(release, symbol.name);
    if (!stub) continue;
    std::byte* const code = code_of(symbol, object, file.bytes());
    if (!code) return left(std::string(stub->name) + " differs from the file, or is too small for a jump");
    jumps.push_back({code, stub->code});
  }
  if (!write_jumps(jumps)) left("the system does not allow changing code");
}

/// NVRTC generates machine code if it is given a GPU, and also has the PTX, which runs here: the
/// functions that give the one become those that give the other, whose parameters are the same. Source: NVRTC
/// documentation, section 3.
void take_ptx_from_nvrtc(const link_map& object) {
  const std::string_view name =
      name_of(object);  // libnvrtc.so.13, libnvrtc.alt.so.13; with a hash in Python's packages
  if (!name.starts_with("libnvrtc.") && !name.starts_with("libnvrtc-")) return;
  const MappedFile file(path_of(object));
  if (!file.readable()) return;
  const std::vector<Symbol> symbols = function_symbols(file.bytes(), Table::exported);
  const auto code = [&](std::string_view name) {
    const auto at =
        std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& symbol) { return symbol.name == name; });
    return at == symbols.end() ? nullptr : code_of(*at, object, file.bytes());
  };
  const Jump jumps[] = {{code("nvrtcGetCUBINSize"), code("nvrtcGetPTXSize")},
                        {code("nvrtcGetCUBIN"), code("nvrtcGetPTX")}};
  for (const Jump& jump : jumps)
    if (!jump.from || !jump.to) return;  // one of before CUDA 11.1: it makes PTX only
  write_jumps(jumps);                    // if not allowed, loading the machine code fails with advice
}

/// The objects that were looked at, by place: an object that is unloaded is forgotten, as another may take its place.
std::vector<const link_map*>& known() {
  static auto& all = *new std::vector<const link_map*>;
  return all;
}

void look_at_new_objects() {
  std::vector<const link_map*> now;
  for (const link_map* object = _r_debug.r_map; object; object = object->l_next) now.push_back(object);
  for (const link_map* object : now)
    if (std::find(known().begin(), known().end(), object) == known().end()) {
      replace_runtime(*object);
      take_ptx_from_nvrtc(*object);
    }
  known() = std::move(now);
}

/// What the loader calls for debuggers when its list of objects changed (System V ABI, "r_brk"): a new library is
/// mapped then, and nothing of it has run. It holds its lock.
void list_changed() {
  if (_r_debug.r_state == r_debug::RT_CONSISTENT) look_at_new_objects();
}

void watch_the_loader() {
  auto* const code = reinterpret_cast<std::byte*>(_r_debug.r_brk);
  const Jump jump{code, reinterpret_cast<const void*>(&list_changed)};
  // Without it programs go on, and libraries loaded later keep their runtime.
  if (code && is_empty_function(code)) write_jumps({&jump, 1});
}

Exit next_exit = nullptr;  ///< the process's own, or that of our runtime library if the program is linked with it

/// Before any other constructor (-z initfirst): those of a program register its kernels.
__attribute__((constructor)) void start() {
  next_exit = reinterpret_cast<Exit>(dlsym(RTLD_NEXT, "_exit"));
  look_at_new_objects();
  watch_the_loader();
}

}  // namespace

/// The drop-in libraries end the report at _exit (see bankshot__exit); of those that a stub loads the program knows
/// nothing.
extern "C" __attribute__((visibility("hidden"), noreturn, used)) void bankshot_preload_exit(int status) {
  const Exit ours = exit_of_runtime();
  if (ours) ours(status);
  if (next_exit) next_exit(status);
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace bankshot::cuda::embedded

// clang-format off
__asm__(".text\n.globl _exit, _Exit\n.type _exit, @function\n.type _Exit, @function\n"
        "_exit:\n_Exit:\n  jmp bankshot_preload_exit\n");
// clang-format on
