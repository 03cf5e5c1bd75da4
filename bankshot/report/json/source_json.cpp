#include "bankshot/report/json/source_json.hpp"

#include "bankshot/report/json/json_values.hpp"

namespace bankshot::report {

using nlohmann::ordered_json;
using namespace json_values;

ordered_json place_json(const simt::Source& source) {
  return {{"ptx_line", source.ptx_line}, {"file", source.file}, {"line", source.line}};
}

simt::Source read_place(const json& object) {
  return {text(object, "file"), number<uint32_t>(object, "line"), number<uint32_t>(object, "ptx_line"), {}};
}

ordered_json frames_json(const std::vector<ptx::SourceFrame>& frames) {
  ordered_json list = ordered_json::array();
  for (const ptx::SourceFrame& frame : frames)
    list.push_back({{"file", frame.file}, {"line", frame.line}, {"function", frame.function}});
  return list;
}

std::vector<ptx::SourceFrame> read_frames(const json& object) {
  std::vector<ptx::SourceFrame> frames;
  if (!object.contains("frames")) return frames;
  for (const json& frame : list(object, "frames"))
    frames.push_back({text(frame, "file"), number<uint32_t>(frame, "line"), text(frame, "function")});
  return frames;
}

ordered_json FrameTable::source(const simt::Source& source) {
  ordered_json json = place_json(source);
  for (const ptx::SourceFrame& frame : source.frames) {
    const auto [known, is_new] = numbers_.try_emplace({frame.file, frame.line, frame.function}, frames_.size());
    if (is_new) frames_.push_back(frame);
    json["frames"].push_back(known->second);
  }
  return json;
}

simt::Source read_source(const json& object, const std::vector<ptx::SourceFrame>& frames) {
  simt::Source source = read_place(object);
  if (!object.contains("frames")) return source;
  constexpr size_t kMost = 256;  // as ptx::Places has
  if (list(object, "frames").size() > kMost) throw Bad{"\"frames\" has more than 256 indices"};
  for (const json& index : list(object, "frames")) {
    if (!index.is_number_unsigned() || index.get<uint64_t>() >= frames.size())
      throw Bad{"\"frames\" must hold indices into \"frames\" of the kernel"};
    source.frames.push_back(frames[index.get<size_t>()]);
  }
  return source;
}

}  // namespace bankshot::report
