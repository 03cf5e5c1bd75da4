// Reading a description. toml++ is heavy, so it stays in this file.
#define TOML_EXCEPTIONS 0
#include "bankshot/gpu/keys.hpp"

#include <toml++/toml.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace bankshot::gpu {
namespace {

Position position_of(const toml::node& node) { return {node.source().begin.line, node.source().begin.column}; }

class Reader {
 public:
  explicit Reader(const toml::table& root) : root_(root) {}

  void read(Gpu& gpu) {
    for (const std::string_view section : {"gpu", "clocks", "memory", "sm", "scratchpad"}) {
      const toml::node* node = root_.get(section);
      if (node == nullptr) {
        complain({}, "section [" + std::string(section) + "] is missing");
      } else if (!node->is_table()) {
        complain(position_of(*node), std::string(section) + " must be a section: [" + std::string(section) + "]");
      }
    }
    if (!problems.empty()) return;
    read_text(gpu);
    for (const Key& key : keys()) read_integer(gpu, key);
    read_merge(gpu);
    refuse_unknown();
    if (!problems.empty()) return;
    for (const Relation& relation : relations()) {
      if (relation.holds(gpu)) continue;
      const toml::node* node = find(relation.section, relation.name);
      complain(node ? position_of(*node) : Position{}, path(relation.section, relation.name) + ": " +
                                                           std::string(relation.message));
    }
  }

  Diagnostics problems;

 private:
  static std::string path(std::string_view section, std::string_view name) {
    return std::string(section) + "." + std::string(name);
  }
  void complain(Position position, std::string message) { problems.push_back({position, std::move(message), {}}); }

  const toml::node* find(std::string_view section, std::string_view name) const {
    return root_[section].as_table()->get(name);
  }

  const toml::value<std::string>* text(std::string_view name) {
    const toml::node* node = find("gpu", name);
    if (node == nullptr) {
      complain(position_of(root_), path("gpu", name) + " is missing");
    } else if (!node->is_string()) {
      complain(position_of(*node), path("gpu", name) + " must be a text in quotes");
    } else {
      return node->as_string();
    }
    return nullptr;
  }

  void read_text(Gpu& gpu) {
    if (const auto* name = text("name")) {
      gpu.name = name->get();
      if (gpu.name.empty() || gpu.name.size() > 255) {  // cudaDeviceProp::name has 256 characters
        complain(position_of(*name), "gpu.name must have 1 to 255 characters");
      }
    }
    if (const auto* capability = text("compute_capability")) {
      const std::string& value = capability->get();
      char rest = 0;
      if (value.size() > 5 ||
          std::sscanf(value.c_str(), "%2u.%1u%c", &gpu.compute_major, &gpu.compute_minor, &rest) != 2) {
        complain(position_of(*capability), "gpu.compute_capability must be like \"9.0\"");
      }
    }
  }

  void read_integer(Gpu& gpu, const Key& key) {
    const toml::node* node = find(key.section, key.name);
    if (node == nullptr) {
      if (!key.optional) {
        complain(position_of(*root_.get(key.section)),
                 path(key.section, key.name) + " (" + std::string(key.meaning) + ") is missing");
      }
      return;
    }
    const auto* integer = node->as_integer();
    if (integer == nullptr) {
      complain(position_of(*node), path(key.section, key.name) + " must be an integer: " + std::string(key.meaning));
      return;
    }
    const int64_t value = integer->get();
    const bool in_range = value >= 0 && static_cast<uint64_t>(value) >= key.least &&
                          static_cast<uint64_t>(value) <= key.most;
    if (!in_range || (key.power_of_two && !std::has_single_bit(static_cast<uint64_t>(value)))) {
      complain(position_of(*node), path(key.section, key.name) + " = " + std::to_string(value) + " is impossible: " +
                                       std::string(key.meaning) + (key.power_of_two ? ", a power of two" : "") +
                                       ", from " + std::to_string(key.least) + " to " + std::to_string(key.most));
      return;
    }
    set(gpu, key, static_cast<uint64_t>(value));
  }

  void read_merge(Gpu& gpu) {
    const toml::node* node = find("scratchpad", kMerge);
    if (node == nullptr) return;
    if (const auto* flag = node->as_boolean()) {
      gpu.machine.scratchpad.merge_b128 = flag->get();
    } else {
      complain(position_of(*node), path("scratchpad", kMerge) + " must be true or false");
    }
  }

  static bool known(std::string_view section, std::string_view name) {
    if (section == "gpu" && (name == "name" || name == "compute_capability")) return true;
    if (section == "scratchpad" && name == kMerge) return true;
    for (const Key& key : keys()) {
      if (key.section == section && key.name == name) return true;
    }
    return false;
  }

  void refuse_unknown() {
    for (const auto& [section, node] : root_) {
      const toml::table* table = node.as_table();
      const bool is_section = section == "gpu" || section == "clocks" || section == "memory" || section == "sm" ||
                              section == "scratchpad";
      if (!is_section) {
        complain(position_of(node), "unknown section or key: " + std::string(section.str()));
        continue;
      }
      for (const auto& [name, value] : *table) {
        if (!known(section, name)) complain(position_of(value), "unknown key: " + path(section.str(), name.str()));
      }
    }
  }

  static constexpr std::string_view kMerge = "merge_b128";
  const toml::table& root_;
};

}  // namespace

Result<Gpu> parse_gpu(std::string_view toml, const std::string& file) {
  const toml::parse_result parsed = toml::parse(toml);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    const Position position{error.source().begin.line, error.source().begin.column};
    return Error{format_diagnostic({position, std::string(error.description()), {}}, file, toml)};
  }
  Gpu gpu;
  gpu.file = file;
  Reader reader(parsed.table());
  reader.read(gpu);
  if (!reader.problems.empty()) return Error{format_diagnostics(reader.problems, file, toml)};
  gpu.machine.resident_ctas = gpu.machine.sms * gpu.max_blocks_per_sm;
  return gpu;
}

Result<Gpu> load_gpu(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) return Error{path + ": is a folder, not the description of a GPU"};
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  if (in && in.peek() != std::ifstream::traits_type::eof()) bytes << in.rdbuf();  // nothing to copy would be a failure
  if (!in.is_open() || in.bad() || !bytes) {
    return Error{path + ": cannot be read: " + std::strerror(errno != 0 ? errno : EIO)};
  }
  const std::string text = bytes.str();
  if (text.find('\0') != std::string::npos) return Error{path + ": is not a text, so not the description of a GPU"};
  const std::filesystem::path absolute = std::filesystem::absolute(path, code);
  Result<Gpu> gpu = parse_gpu(text, path);
  if (gpu && !code) gpu->file = absolute.lexically_normal().string();
  return gpu;
}

}  // namespace bankshot::gpu
