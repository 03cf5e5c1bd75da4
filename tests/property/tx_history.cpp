#include "tests/property/tx_history.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

namespace bankshot::scratchpad {
namespace {

class Checker {
 public:
  explicit Checker(const std::vector<uint8_t>& first) : committed_(first) {}

  std::string event(const TxEvent& e) {
    if (e.thread >= threads_.size()) threads_.resize(size_t{e.thread} + 1);
    Attempt& attempt = threads_[e.thread];
    switch (e.what) {
      case TxEvent::What::begin:
        if (attempt.runs) return fmt::format("{} begins, and is in a transaction", name(e.thread));
        attempt.runs = true;
        return {};
      case TxEvent::What::commit: return commit(e.thread, attempt);
      case TxEvent::What::abort:
        if (!attempt.runs) return fmt::format("{} is aborted, and is in no transaction", name(e.thread));
        for (const auto& [byte, value] : attempt.written) aborted_.emplace(std::pair{byte, value}, e.thread);
        attempt = {};
        return {};
      default: break;
    }
    if (!attempt.runs) return fmt::format("{} accesses byte {} in no transaction", name(e.thread), e.byte);
    if (e.byte >= committed_.size())
      return fmt::format("{} accesses byte {}, which is not there", name(e.thread), e.byte);
    if (e.what == TxEvent::What::write) {
      attempt.written[e.byte] = e.value;
      return consistent(e.thread, attempt);
    }
    const std::string wrong = read(e, attempt);
    return wrong.empty() ? consistent(e.thread, attempt) : wrong;
  }

  std::string end(const std::vector<uint8_t>& last) const {
    for (size_t thread = 0; thread < threads_.size(); ++thread) {
      if (threads_[thread].runs) return fmt::format("{} neither commits nor aborts", name(thread));
    }
    for (uint32_t byte = 0; byte < committed_.size(); ++byte) {
      if (byte < last.size() && last[byte] == committed_[byte]) continue;
      if (byte >= last.size()) return fmt::format("byte {} is not there at the end", byte);
      if (const auto by = aborted_by(byte, last[byte])) {
        return fmt::format(
            "leak of an aborted write: byte {} ends as {:#04x}, which {} wrote and took back; committed: {:#04x}", byte,
            last[byte], name(*by), committed_[byte]);
      }
      return fmt::format("lost update: byte {} ends as {:#04x}; committed: {:#04x}", byte, last[byte],
                         committed_[byte]);
    }
    return {};
  }

 private:
  struct Attempt {
    bool runs = false;
    std::map<uint32_t, uint8_t> written, read;  ///< read: before it wrote there
    uint64_t seen = 0;                          ///< commits when what it had read was last looked at
  };

  static std::string name(size_t thread) { return "thread " + std::to_string(thread); }

  std::optional<uint16_t> aborted_by(uint32_t byte, uint8_t value) const {
    const auto found = aborted_.find({byte, value});
    return found == aborted_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Who accesses memory acts on values of one time.
  std::string consistent(size_t thread, Attempt& attempt) const {
    if (std::exchange(attempt.seen, commits_) == commits_) return {};
    for (const auto& [byte, value] : attempt.read) {
      if (committed_[byte] == value) continue;
      return fmt::format("{} goes on having read byte {} as {:#04x}, which others made {:#04x} since", name(thread),
                         byte, value, committed_[byte]);
    }
    return {};
  }

  std::string read(const TxEvent& e, Attempt& attempt) {
    const auto saw = [&](const char* what, uint8_t expected) {
      return fmt::format("{}: {} reads byte {} as {:#04x}, expected {:#04x}", what, name(e.thread), e.byte, e.value,
                         expected);
    };
    if (const auto own = attempt.written.find(e.byte); own != attempt.written.end()) {
      return own->second == e.value ? std::string() : saw("its own write is lost", own->second);
    }
    const auto before = attempt.read.emplace(e.byte, e.value).first;
    const uint8_t expected = committed_[e.byte];
    if (e.value == expected && before->second == e.value) return {};
    for (size_t other = 0; other < threads_.size(); ++other) {
      const auto dirty = threads_[other].written.find(e.byte);
      if (other == e.thread || dirty == threads_[other].written.end() || dirty->second != e.value) continue;
      return saw("dirty read", expected) + ", and " + name(other) + " has not committed it";
    }
    if (before->second != e.value) return saw("non-repeatable read", before->second);
    if (const auto by = aborted_by(e.byte, e.value)) {
      return saw("leak of an aborted write", expected) + ", and " + name(*by) + " took it back";
    }
    return saw("a value that nobody committed last", expected);
  }

  std::string commit(uint16_t thread, Attempt& attempt) {
    if (!attempt.runs) return fmt::format("{} commits, and is in no transaction", name(thread));
    for (const auto& [byte, value] : attempt.read) {
      if (committed_[byte] == value) continue;
      return fmt::format("{}: {} commits having read byte {} as {:#04x}, which others made {:#04x} since",
                         attempt.written.contains(byte) ? "lost update" : "stale read", name(thread), byte, value,
                         committed_[byte]);
    }
    for (const auto& [byte, value] : attempt.written) committed_[byte] = value;
    attempt = {};
    ++commits_;
    return {};
  }

  std::vector<uint8_t> committed_;
  uint64_t commits_ = 0;
  std::vector<Attempt> threads_;
  std::map<std::pair<uint32_t, uint8_t>, uint16_t> aborted_;  ///< what was taken back, and a thread that did
};

}  // namespace

std::string check_history(const std::vector<TxEvent>& history, const std::vector<uint8_t>& first,
                          const std::vector<uint8_t>& last) {
  Checker checker(first);
  for (size_t k = 0; k < history.size(); ++k) {
    const std::string violation = checker.event(history[k]);
    if (!violation.empty()) return fmt::format("event {}: {}", k, violation);
  }
  return checker.end(last);
}

}  // namespace bankshot::scratchpad
