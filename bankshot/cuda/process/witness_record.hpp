// What a process did to memory, as a file that is the same for runs that do the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::cuda {

/// What launches of a kernel get, in bytes.
struct DynamicShared {
  uint64_t most = 0;  ///< the largest launch
  uint64_t unit = 0;  ///< the largest number that all are multiples of; 0 if none gets any
  bool operator==(const DynamicShared&) const = default;
  void add(const DynamicShared& other);
};

struct WitnessRecord {
  /// Events that the record names; of the others it has the digest.
  static constexpr uint64_t kNamedEvents = 10000;

  uint64_t launches = 0;
  std::map<std::string, DynamicShared> dynamic_shared;  ///< of each kernel; names as in the PTX
  uint64_t events = 0;                                  ///< launches, copies to the host, memory that was freed
  std::vector<std::string> named;                       ///< the first of them in order, a sentence each
  std::string digest;                                   ///< of all events
  std::vector<std::string> left;                        ///< memory that lived at the end, a sentence each
};

std::string to_json(const WitnessRecord& record);
/// The error says what is wrong in the text.
Result<WitnessRecord> witness_from_json(std::string_view text);

}  // namespace bankshot::cuda
