// Source places of instructions, from .file and .loc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bankshot/ptx/library_headers.hpp"
#include "bankshot/ptx/module.hpp"
#include "bankshot/ptx/source_frame.hpp"

namespace bankshot::ptx {

/// A place of inlined code, or the place of a call that was inlined.
struct Frame {
  uint32_t file = 0, line = 0;
  uint32_t function =
      0;  ///< that contains the line, as SourceMap::function() numbers it; 0: the kernel itself, or not known
  auto operator<=>(const Frame&) const = default;
};

/// The source files of a module, and the chains of inlined calls that its code comes from.
class SourceMap {
 public:
  SourceMap() = default;
  /// @param module  must outlive the calls of function(), until finish()
  explicit SourceMap(const Module& module, const std::vector<std::string>& roots = header_roots());

  /// Name of a file; empty where the number is not used.
  const std::string& file(uint32_t number) const;
  bool is_library(uint32_t file) const { return file < is_library_.size() && is_library_[file]; }

  /// The number of a chain, the same for equal ones; 0 for one without a call. @param frames  innermost first
  uint32_t chain(const std::vector<Frame>& frames);
  /// The frames of a chain, innermost first; of chain 0 none.
  std::vector<SourceFrame> frames(uint32_t chain) const;

  /// The number of the function whose name a label in .debug_str is; 0 if there is none.
  uint32_t function(const Inlining& inlining);

  /// Drops what only function() and chain() need.
  void finish();

 private:
  const Module* module_ = nullptr;
  std::vector<std::string> files_;
  std::vector<bool> is_library_;
  std::vector<std::string> functions_{""};
  std::vector<std::vector<Frame>> chains_{{}};
  std::map<std::vector<Frame>, uint32_t> numbers_;
  std::map<std::pair<std::string, int64_t>, uint32_t> labels_;
  std::map<std::string, std::string, std::less<>> strings_;  ///< by label, from there to the end of the section
  bool has_strings_ = false;
};

/// Replaces the labels of the functions of inlined code by their names: what remains valid without .debug_str.
void name_inlined(Module& module);

/// Where the instructions of one function come from: its .loc directives are given in the order of the text.
class Places {
 public:
  explicit Places(SourceMap& map) : map_(&map) {}

  /// Begins a function: what stands before its first line belongs to that line.
  void start(const Block& body);

  /// The instructions that follow come from here. Line 0 is what compilers write for code of no line; it stays with the
  /// line before.
  void set(const Location& location);

  /// The user's own line: the innermost one outside headers of libraries, or the innermost if all are in such headers.
  /// Line 0: not known.
  uint32_t file = 0, line = 0;
  uint32_t chain = 0;  ///< the innermost line and its callers; 0 if nothing was inlined

 private:
  void find_first(const Block& block);

  /// A directive, and that of the place it was inlined at. Compilers write the place of a call once, before its first
  /// code, and then only what `inlined_at` says. So equal directives may come from several places, and those around
  /// them tell which one is meant.
  struct Seen {
    const Location* location;
    int caller;  ///< in seen_, an earlier one; -1: none
  };
  struct Before {
    bool operator()(const Location* a, const Location* b) const;
  };
  int find_or_add(const Location& location);
  /// Of equal directives, the one that the current code was inlined into, or else the latest that was inlined into the
  /// current code; -1 if there is none.
  int find(const Location& location, const std::vector<int>& known) const;
  /// The nearest place of the call among the current code and its callers; -1 if there is none.
  int caller_of(const Inlining& call) const;
  /// Whether code is the same as other code or was inlined into it.
  bool is_within(int inner, int outer) const;

  SourceMap* map_;
  std::vector<Seen> seen_;
  int current_ = -1;                                                ///< in seen_: the code that was set last
  std::map<const Location*, std::vector<int>, Before> numbers_;     ///< in seen_, of equal directives, latest last
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, int> latest_;  ///< by file, line and column
};

}  // namespace bankshot::ptx
