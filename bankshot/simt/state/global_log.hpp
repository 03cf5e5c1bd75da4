// What a lane's transaction has read of global memory and would write there. Beyond GPU-LocalTM, which leaves global
// memory to a second step: versions are lazy, conflicts are found at the commit by the values themselves, as NOrec has
// it (Dalessandro, Spear, Scott: NOrec: Streamlining STM by Abolishing Ownership Records, PPoPP 2010).
#pragma once

#include <cstdint>
#include <vector>

namespace bankshot::simt {

/// By words of 4 bytes, at addresses of the process.
class GlobalLog {
 public:
  struct Read {
    uint64_t address = 0;
    uint32_t value = 0;
    bool operator==(const Read&) const = default;
  };
  struct Write {
    uint64_t address = 0;
    uint32_t value = 0, bits = 0;  ///< of the word that are written
  };

  bool empty() const { return reads_.empty() && writes_.empty(); }
  void clear();

  /// The lane is about to access the word: memory holds what its transaction sees from now on, until hide().
  /// @param reads  it may look at it
  /// @return what memory held
  uint32_t show(uint64_t address, bool reads);
  /// … and has. @param bits  that it has written @param held  what memory held
  void hide(uint64_t address, uint32_t bits, uint32_t held);

  /// Whether all that was read is still there.
  bool is_valid() const;
  /// Writes what the transaction has written.
  void publish() const;

  const std::vector<Read>& reads() const { return reads_; }
  const std::vector<Write>& writes() const { return writes_; }

 private:
  Write* find(uint64_t address);
  void note(const Read& read);
  std::vector<Read> reads_;
  std::vector<Write> writes_;
};

}  // namespace bankshot::simt
