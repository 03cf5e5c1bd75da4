// The classes of bank hashes. Each is one file of hash/classes that registers itself; nothing else lists them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/scratchpad/hash/hash.hpp"
#include "bankshot/scratchpad/hash/hash_circuit.hpp"

namespace bankshot::scratchpad {

/// What a class promises of one of its hashes of 14 address bits and 32 banks; tests/contract checks it.
struct HashExample {
  std::string_view parameters;
  /// 32 words that are so far apart, from word 0 up, are on 32 banks. In words; 0: nothing is promised.
  uint32_t conflict_free_stride = 0;
};

/// Rows that a class allows in its matrices, so that a search can choose among them row by row.
enum class RowSpace : uint8_t {
  none,         ///< the rows depend on each other
  single_bits,  ///< any single address bit
  bit_pairs,    ///< any single bit or XOR of two
  any,
};

struct HashClass {
  int order = 0;               ///< least first: help texts list the classes so, and the first that has a hash names it
  std::string_view word = {};  ///< "bvxor": what a spec begins with
  std::string_view parameters = {};  ///< "K1,K2,MASK": what follows behind a colon; empty: nothing does
  /// "bitvector-xor", for JSON and searches; empty: a way to write hashes of other classes.
  std::string_view name = {};
  std::string_view summary = {};  ///< the bank as a formula, for docs/json.md
  bool fixed = false;             ///< hardware of this class has nothing to set, and needs no cycle for it

  /// The error names the parameter that is wrong.
  Result<BankHash> (*parse)(std::string_view parameters, HashSize size) = nullptr;
  /// The parameters from which parse() makes the hash; nothing if it is not of the class.
  std::optional<std::string> (*parameters_of)(const BankHash& hash) = nullptr;
  /// A hash of the class as the XOR-hash paper writes it; null: the rows, "bits 0 0^4 1^5".
  std::string (*paper)(const BankHash& hash) = nullptr;

  /// Calls the function for all hashes of the class, which has word modulo banks among them; of equally good ones a
  /// search takes the first. Null: they are too many.
  void (*each)(HashSize size, const std::function<void(const BankHash&)>& visit) = nullptr;
  RowSpace rows = RowSpace::none;
  /// How many hashes Table 1 of the XOR-hash paper counts; null: it has no such class.
  std::string (*count)(HashSize size) = nullptr;
  /// Hardware that can be set to any of its hashes; null: there is none.
  const HashCircuit* circuit = nullptr;

  std::vector<HashExample> examples = {};

  /// Whether a search can be restricted to the class.
  bool searchable() const { return each != nullptr || rows != RowSpace::none; }
  /// The name of a search's class: `name`, or the word of a class without one.
  std::string_view search_name() const { return name.empty() ? word : name; }
  /// "bvxor:K1,K2,MASK"
  std::string syntax() const;
};

/// All classes, in order.
std::span<const HashClass> hash_classes();
/// Null if there is none.
const HashClass* find_hash_class(std::string_view word);
/// By its search_name(). Null if there is none that can be searched.
const HashClass* find_searchable_class(std::string_view name);
/// The class that names a hash: the first with a name that it is of.
const HashClass& class_of(const BankHash& hash);

/// "none, xor, add, perm:K, …", for help texts.
std::string hash_syntaxes();
/// "bitvector-perm, bitvector-xor, …": the classes that can be searched.
std::string searchable_classes();
/// "no hash class is called 'xr'; there are …"
std::string unknown_class(std::string_view name);
std::vector<std::string> searchable_class_names();
/// The same of those with a circuit, by their search_name().
const HashClass* find_configurable_class(std::string_view name);
std::string configurable_classes();
/// Whether a spec, also one of a lock hash, names a class without settings.
bool is_fixed(std::string_view spec);

/// Registers a class: static const RegisterHashClass registered({…});
struct RegisterHashClass {
  explicit RegisterHashClass(HashClass c);
};

}  // namespace bankshot::scratchpad
