#include "bankshot/cuda/process/recorded_launch.hpp"

#include <cstring>

#include <nlohmann/json.hpp>

namespace bankshot::cuda {
namespace {

using nlohmann::json;

json to_json(const simt::Dim3& size) { return {size.x, size.y, size.z}; }
simt::Dim3 size_from(const json& json) { return {json.at(0), json.at(1), json.at(2)}; }

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

}  // namespace

std::string to_file(const RecordedLaunch& launch) {
  json root = {{"module", launch.module},
               {"kernel", launch.kernel},
               {"grid", to_json(launch.grid)},
               {"block", to_json(launch.block)},
               {"dynamic_shared", launch.dynamic_shared},
               {"refusal", launch.refusal},
               {"parameters", launch.parameters.size()},
               {"pointers", launch.pointers},
               {"memory", json::array()}};
  size_t bytes = launch.parameters.size();
  for (const RecordedMemory& one : launch.memory) {
    root["memory"].push_back({{"address", one.address}, {"variable", one.variable}, {"bytes", one.contents.size()}});
    bytes += one.contents.size();
  }
  std::string text = root.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  text.reserve(text.size() + bytes);
  const auto add = [&](const std::vector<std::byte>& contents) {
    text.append(reinterpret_cast<const char*>(contents.data()), contents.size());
  };
  add(launch.parameters);
  for (const RecordedMemory& one : launch.memory) add(one.contents);
  return text;
}

Result<RecordedLaunch> launch_from_file(std::string_view text) {
  const size_t line = text.find('\n');
  if (line == std::string_view::npos) return Error{"a recorded launch has no first line"};
  std::string_view rest = text.substr(line + 1);
  bool whole = true;
  const auto take = [&](uint64_t bytes) {
    whole &= bytes <= rest.size();
    const std::string_view taken = rest.substr(0, bytes);
    rest.remove_prefix(taken.size());
    return bytes_of(taken);
  };
  try {
    const json root = json::parse(text.substr(0, line));
    RecordedLaunch launch;
    launch.module = root.at("module");
    launch.kernel = root.at("kernel");
    launch.grid = size_from(root.at("grid"));
    launch.block = size_from(root.at("block"));
    launch.dynamic_shared = root.at("dynamic_shared");
    launch.refusal = root.at("refusal");
    launch.parameters = take(root.at("parameters"));
    launch.pointers = root.at("pointers").get<std::vector<uint32_t>>();
    for (const json& one : root.at("memory"))
      launch.memory.push_back({one.at("address"), one.at("variable"), take(one.at("bytes"))});
    if (!whole || !rest.empty()) return Error{"the size of a recorded launch differs from the size that it states"};
    for (const uint32_t offset : launch.pointers) {
      if (launch.parameters.size() < 8 || offset > launch.parameters.size() - 8)
        return Error{"a pointer of a recorded launch lies outside of its parameters"};
    }
    return launch;
  } catch (const json::exception& error) {
    return Error{error.what()};
  }
}

}  // namespace bankshot::cuda
