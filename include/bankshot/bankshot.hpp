// Bankshot as a library, for C++17 and later: the cost of accesses to GPU shared memory, the bank hash with the least
// cost, and the accesses that a kernel's code makes. Everything here wraps the C interface of <bankshot/bankshot.h>
// inline; that header says what the functions mean, and its ABI is stable. Errors throw bankshot::Failure.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <bankshot/bankshot.h>

namespace bankshot {
inline namespace v0 {

class Failure : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace detail {
template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* p) const {
    Free(p);
  }
};
template <class T>
T* checked(T* p) {
  if (p == nullptr) throw Failure(bankshot_error());
  return p;
}
inline void check(int status) {
  if (status != 0) throw Failure(bankshot_error());
}
inline std::string text(char* owned) {
  const std::unique_ptr<char, Deleter<bankshot_free>> held(checked(owned));
  return held.get();
}
}  // namespace detail

enum class Kind {
  load = BANKSHOT_LOAD,
  store = BANKSHOT_STORE,
  atomic = BANKSHOT_ATOMIC,
  increment = BANKSHOT_INCREMENT,
  cas = BANKSHOT_CAS,
  copy = BANKSHOT_COPY,
  ldmatrix = BANKSHOT_LDMATRIX
};
enum class Pattern { linear, stride, block, broadcast, random };

struct Cost {
  unsigned wavefronts = 0, ideal = 0;  ///< passes over the banks: needed, and without conflicts
  unsigned position = 0;               ///< for atomics: due to lanes on one word
  Pattern pattern = Pattern::linear;
  int stride_bytes = 0;
  unsigned conflicts() const { return wavefronts - ideal; }
};

/// One access of a warp: byte addresses in shared memory, from lane 0 on. Lanes without an address, and lanes whose
/// bit in `off` is set, take no part.
struct Access {
  Kind kind = Kind::load;
  unsigned width = 4;  ///< bytes per lane
  std::vector<uint32_t> addresses;
  uint64_t off = 0;

  /// The lanes that take part. Throws Failure if there are more addresses than the widest warp has lanes.
  uint64_t lanes() const {
    if (addresses.size() > 64) throw Failure("there are more than 64 addresses, and a warp has at most 64 lanes");
    const uint64_t all = addresses.size() >= 64 ? ~uint64_t{0} : (uint64_t{1} << addresses.size()) - 1;
    return all & ~off;
  }
};

/// Which bank holds a word.
class Hash {
 public:
  /// @param spec  "xor", "swizzle:3,0,5", "rows:33,66,…"
  explicit Hash(const std::string& spec, unsigned banks = 32, unsigned address_bits = 14)
      : Hash(detail::checked(bankshot_hash_parse(spec.c_str(), banks, address_bits))) {}
  /// Takes ownership.
  explicit Hash(bankshot_hash* hash) : hash_(hash) {}

  unsigned bank(uint32_t word) const { return bankshot_hash_bank(hash_.get(), word); }
  bool is_in_place() const { return bankshot_hash_is_in_place(hash_.get()) != 0; }
  std::string spec() const { return detail::text(bankshot_hash_spec(hash_.get())); }
  std::string source() const { return detail::text(bankshot_hash_source(hash_.get())); }  ///< C++
  const bankshot_hash* get() const { return hash_.get(); }

 private:
  std::unique_ptr<bankshot_hash, detail::Deleter<bankshot_hash_free>> hash_;
};

/// The rules of a GPU's shared memory.
class Banks {
 public:
  /// @param gpu  a name that `bankshot gpus` lists, or the path of a .toml file
  explicit Banks(const std::string& gpu) : banks_(detail::checked(bankshot_banks_of(gpu.c_str()))) {}

  /// @param json  an object like `scratchpad` in a report
  static Banks read(const std::string& json) { return Banks(detail::checked(bankshot_banks_read(json.c_str()))); }

  unsigned count() const { return bankshot_banks_count(banks_.get()); }
  unsigned width() const { return bankshot_banks_width(banks_.get()); }  ///< bytes of a word
  void set_hash(const Hash& hash) { detail::check(bankshot_banks_set_hash(banks_.get(), hash.get())); }
  Cost cost(const Access& access) const {
    bankshot_cost c;
    detail::check(bankshot_access(banks_.get(), static_cast<bankshot_kind>(access.kind), access.width,
                                  access.addresses.data(), access.lanes(), &c));
    return {c.wavefronts, c.ideal, c.position, static_cast<Pattern>(c.pattern), c.stride_bytes};
  }
  /// What the banks do in each pass, by pass, then by bank.
  std::vector<bankshot_service> services(const Access& access) const {
    const auto list = [&](std::vector<bankshot_service>& into) {
      return bankshot_access_services(banks_.get(), static_cast<bankshot_kind>(access.kind), access.width,
                                      access.addresses.data(), access.lanes(), into.data(), into.size());
    };
    std::vector<bankshot_service> services;
    const int count = list(services);
    detail::check(count < 0);
    services.resize(static_cast<size_t>(count));
    list(services);
    return services;
  }
  const bankshot_banks* get() const { return banks_.get(); }

 private:
  explicit Banks(bankshot_banks* banks) : banks_(banks) {}

  std::unique_ptr<bankshot_banks, detail::Deleter<bankshot_banks_free>> banks_;
};

struct SearchOptions {
  std::string hash_class = "gf2";
  bool in_place = false;  ///< only hashes that software can apply without extra memory
  unsigned threads = 1;
  double seconds = 10;  ///< time limit; then the best hash so far is returned
  /// Only hashes with a form in which bank bits 0 to plain_low_bits - 1 are address bits; at most the bank bits. With
  /// in_place, vectors of 2^plain_low_bits words stay contiguous.
  unsigned plain_low_bits = 0;
};

struct Found {
  Hash hash;
  uint64_t conflicts = 0, without = 0;  ///< with the hash, and without any
  uint64_t lower_bound = 0;             ///< no hash of the class has fewer
  bool is_proved = false;               ///< `hash` is the best of its class
  std::string certificate;              ///< for class gf2 the proof, for verify(); else empty
};

/// Many accesses, each with how often it occurs.
class Patterns {
 public:
  explicit Patterns(const Banks& banks) : patterns_(detail::checked(bankshot_patterns_new(banks.get()))) {}
  /// Reads the text of a patterns file.
  explicit Patterns(const std::string& json) : patterns_(detail::checked(bankshot_patterns_read(json.c_str()))) {}

  void add(const Access& access, uint64_t weight = 1) {
    detail::check(bankshot_patterns_add(patterns_.get(), static_cast<bankshot_kind>(access.kind), access.width,
                                        access.addresses.data(), access.lanes(), weight));
  }
  uint64_t conflicts() const { return conflicts_under(nullptr); }
  uint64_t conflicts(const Hash& hash) const { return conflicts_under(hash.get()); }

  /// Finds the hash under which they have the fewest conflicts.
  Found search(const SearchOptions& options = {}) const {
    bankshot_search_options c{sizeof c,        options.hash_class.c_str(), options.in_place ? 1 : 0, options.threads,
                              options.seconds, options.plain_low_bits};
    bankshot_found found{};
    found.size = sizeof found;
    detail::check(bankshot_search(patterns_.get(), &c, &found));
    Hash hash(found.hash);
    std::string certificate = found.certificate == nullptr ? "" : detail::text(found.certificate);
    return {std::move(hash),   found.conflicts,      found.without,
            found.lower_bound, found.is_proved != 0, std::move(certificate)};
  }

  const bankshot_patterns* get() const { return patterns_.get(); }

 private:
  uint64_t conflicts_under(const bankshot_hash* hash) const {
    uint64_t conflicts = 0;
    detail::check(bankshot_patterns_conflicts(patterns_.get(), hash, &conflicts));
    return conflicts;
  }

  std::unique_ptr<bankshot_patterns, detail::Deleter<bankshot_patterns_free>> patterns_;
};

/// Checks a proof. @return what it proves. Throws if it is wrong
inline std::string verify(const std::string& certificate) { return detail::text(bankshot_verify(certificate.c_str())); }

/// The cost of a warp's atomic addition to these words, by the closed model of a GPU.
/// @param words  word addresses, one per active lane
inline bankshot_atomics_cost atomics(const std::string& gpu, const std::vector<uint32_t>& words) {
  bankshot_atomics_cost cost;
  detail::check(bankshot_atomics(gpu.c_str(), words.data(), static_cast<unsigned>(words.size()), &cost));
  return cost;
}

/// A launch, as far as it is known.
struct Launch {
  std::string block;                    ///< "256", "16,16"
  std::string grid;                     ///< empty: unknown
  std::vector<std::string> parameters;  ///< "n=1024"
  std::string kernel;                   ///< only kernels with this in their name; empty: all
  bool as_written = false;              ///< count accesses as the PTX has them, not as ptxas joins them
};

/// Finds accesses and conflicts of shared memory in PTX, without a run. @return JSON, schema bankshot/static/1
inline std::string analyse(const std::string& ptx, const Launch& launch, const std::string& gpu = "h100") {
  std::vector<const char*> parameters;
  for (const std::string& parameter : launch.parameters) parameters.push_back(parameter.c_str());
  parameters.push_back(nullptr);
  const bankshot_launch c{sizeof c,
                          launch.block.c_str(),
                          launch.grid.empty() ? nullptr : launch.grid.c_str(),
                          parameters.data(),
                          launch.kernel.empty() ? nullptr : launch.kernel.c_str(),
                          launch.as_written ? 1 : 0};
  return detail::text(bankshot_analyse(ptx.c_str(), gpu.c_str(), &c));
}

}  // namespace v0
}  // namespace bankshot
