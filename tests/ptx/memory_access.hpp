// Kernels that access memory, and what they leave there: for the tests of ld and st.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "run_form.hpp"

namespace bankshot::simt::conformance::memory_forms {

using T = ptx::Type;

constexpr unsigned kThreads = 64, kStride = 32;  ///< bytes a thread has

struct Access {
  T type = T::none;
  unsigned elements = 1, register_bits = 0;
  std::string space;  ///< where the data are: "global", "shared", "local", "const", "param"
  bool generic = false;
  const char* load = "ld";  ///< or "ldu", "ld.nc"

  unsigned bytes() const { return ptx::bits(type) / 8; }
  std::string form(const char* opcode) const;
  std::string values() const;
};

/// Vectors of up to 32 bytes; registers as wide as the type or, but for floats, wider.
void for_all_accesses(const std::function<void(const Access&)>& f);

// Pieces of a kernel. Thread t has bytes 32 t and following of each buffer.
/// Declarations and what follows them: registers %v0… for the elements, the buffers in %in, %out; %on for is_on(t).
extern const std::string kHead;
std::string start(const Access& a);
/// Stores the registers of the elements, 8 bytes apart from %out on.
std::string stored(const Access& a);
/// Copies 32 bytes of a thread, by 32-bit accesses.
std::string copy(const std::string& from_space, const std::string& from, const std::string& to_space,
                 const std::string& to);
/// Sets %at to where the thread's bytes are, in the window of the space.
std::string address(const Access& a);
std::string made_generic(const Access& a);

using Bytes = std::vector<std::byte>;

Bytes random_bytes(size_t count);

/// @return what is in `out` afterwards; nothing if the kernel is refused or faults
std::optional<Bytes> run_on_bytes(const Host& host, const std::string& text, const Bytes& in, Bytes out,
                                  Fault* fault = nullptr);

/// The number of these bytes, lowest first.
uint64_t number_at(const Bytes& bytes, size_t at, unsigned count);

/// As it is in a register of so many bits.
uint64_t extended(uint64_t x, T type, unsigned width);

}  // namespace bankshot::simt::conformance::memory_forms
