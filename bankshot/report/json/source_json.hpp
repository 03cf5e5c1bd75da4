// A place in the source as members of a JSON object.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bankshot/simt/state/fault.hpp"

namespace bankshot::report {

/// `ptx_line`, `file`, `line`.
nlohmann::ordered_json place_json(const simt::Source& source);
/// Reads the same members of an object. Throws json_values::Bad.
simt::Source read_place(const nlohmann::json& object);

/// Frames of inlined code: a list of objects.
nlohmann::ordered_json frames_json(const std::vector<ptx::SourceFrame>& frames);
std::vector<ptx::SourceFrame> read_frames(const nlohmann::json& object);

/// The frames of a kernel, each once: a kernel has few, but they are in the chains of many instructions, and their
/// names are long.
class FrameTable {
 public:
  /// place_json(), and of inlined code `frames`: their numbers.
  nlohmann::ordered_json source(const simt::Source& source);
  /// What the numbers stand for.
  const std::vector<ptx::SourceFrame>& frames() const { return frames_; }

 private:
  std::vector<ptx::SourceFrame> frames_;
  std::map<std::tuple<std::string, uint32_t, std::string>, size_t> numbers_;
};
/// Reads what FrameTable::source() wrote. @param frames  of the table
simt::Source read_source(const nlohmann::json& object, const std::vector<ptx::SourceFrame>& frames);

}  // namespace bankshot::report
