// Memory of the device that is measured.
#pragma once

#include "bankshot/measure/runner.hpp"

namespace bankshot::measure {

/// Device memory that is given back.
class Buffer {
 public:
  Buffer(Runner& runner, uint64_t address) : runner_(runner), address_(address) {}
  ~Buffer() { runner_.release(address_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  uint64_t address() const { return address_; }

 private:
  Runner& runner_;
  uint64_t address_;
};

}  // namespace bankshot::measure
