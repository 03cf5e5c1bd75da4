#include "bankshot/cuda/graphs/capture_table.hpp"

#include <algorithm>

namespace bankshot::cuda {

void add_once(std::vector<Node*>& nodes, const std::vector<Node*>& more) {
  for (Node* node : more)
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
}

Capture& CaptureTable::begin() {
  auto capture = std::make_unique<Capture>();
  capture->id = next_id_++;
  Capture& made = *capture;
  all_[made.id] = std::move(capture);
  return made;
}

Capture* CaptureTable::find(uint64_t id) const {
  const auto found = all_.find(id);
  return found == all_.end() ? nullptr : found->second.get();
}

void CaptureTable::end(Capture& capture) {
  for (Stream* stream : capture.streams) {
    stream->capture = 0;
    stream->tail.clear();
  }
  all_.erase(capture.id);
}

void CaptureTable::leave(Stream& stream) {
  Capture* capture = find(stream.capture);
  if (!capture) return;
  std::erase(capture->streams, &stream);
  add_once(capture->left, stream.tail);
  if (capture->origin == &stream) end(*capture);
}

}  // namespace bankshot::cuda
