// The engine against the second interpreter: the same kernel on every instruction set of the host, all bytes of the
// output.
#pragma once

#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "bankshot/simt/run/engine.hpp"
#include "tests/differential/forms.hpp"
#include "tests/differential/kernel.hpp"

namespace bankshot::differential {

struct Difference {
  enum class Kind : uint8_t {
    none,
    results,    ///< they disagree, or the engine refuses or faults
    undefined,  ///< the reference cannot run it: the generator made a mistake, or a reduced kernel is none any more
  };
  Kind kind = Kind::none;
  std::string what;  ///< who found which value where
};

struct Totals {
  uint64_t kernels = 0, runs = 0;  ///< a kernel runs on several hosts
  uint64_t shortened = 0;          ///< of which a real GPU lacks instructions, so that these were left out
  uint64_t instructions = 0;       ///< of lanes, by the reference
};

/// With the variable BANKSHOT_DEVICE what is compared with the reference is not the engine, but a real GPU.
class Comparison {
 public:
  Comparison();
  ~Comparison();
  Difference compare(const Kernel& kernel);
  const Totals& totals() const { return totals_; }
  /// Notes the forms that kernels use from here on, or no longer if null.
  void note_forms_in(Forms* forms) { noted_ = forms; }

 private:
  struct Host;
  void make_hosts();
  Difference compare_on_gpu(const Kernel& kernel, const std::string& text, const std::vector<uint8_t>& input,
                            const std::vector<uint8_t>& before, const std::vector<uint8_t>& expected);
  std::vector<std::unique_ptr<Host>> hosts_;
  Totals totals_;
  Forms* noted_ = nullptr;
};

/// The kernel with as many groups of lines left out as it may lose and still differ.
Kernel reduced(const Kernel& kernel, Comparison& comparison);

/// The kernel without the groups of which a line matches.
Kernel without(const Kernel& kernel, const std::regex& pattern);

/// Everything on a failure: seed, difference, the reduced kernel.
std::string report_of(const Kernel& kernel, const Difference& difference, Comparison& comparison);

}  // namespace bankshot::differential
