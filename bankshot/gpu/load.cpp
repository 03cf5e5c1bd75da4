// Reading a description. toml++ is heavy, so it stays in this file.
#define TOML_EXCEPTIONS 0
#include "bankshot/gpu/keys.hpp"
#include "bankshot/support/nearest_name.hpp"
#include "bankshot/timing/atomics/locks.hpp"

#include <toml++/toml.h>

#include <algorithm>
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
    const bool timed = says(timing_keys());
    need_sections(keys(), {});
    if (timed) need_sections(timing_keys(), ": a GPU that can be simulated needs all timing sections");
    for (const Key& key : keys()) read(gpu, key);
    if (timed) {
      gpu.timing.emplace();
      gpu.timing->l1.ways = 0;  // a file says ways or sets
      for (const Key& key : timing_keys()) read(gpu, key);
    }
    refuse_unknown(root_, {});
    if (gpu.issue_khz == 0) gpu.issue_khz = gpu.core_khz;
    if (problems.empty()) complain_of(broken_relations(gpu));
    if (problems.empty()) complain_of(broken_timing_relations(gpu));
  }

  Diagnostics problems;

 private:
  static std::string path(const Key& key) { return std::string(key.section) + "." + std::string(key.name); }
  void complain(Position position, std::string message) { problems.push_back({position, std::move(message), {}}); }
  void complain(const toml::node& node, std::string message) { complain(position_of(node), std::move(message)); }

  /// A section or key; null if it is not there, or if what it should be in is no section.
  const toml::node* find(std::string_view section) const { return root_.at_path(section).node(); }
  const toml::node* find(std::string_view section, std::string_view name) const {
    const toml::node* table = find(section);
    return table != nullptr && table->is_table() ? table->as_table()->get(name) : nullptr;
  }

  static bool has_section(std::span<const Key> table, std::string_view section) {
    return std::ranges::any_of(table, [&](const Key& key) { return key.section == section; });
  }

  /// Whether any of the keys is there, or a section that only they have.
  bool says(std::span<const Key> table) const {
    return std::ranges::any_of(table, [&](const Key& key) {
      return find(key.section, key.name) != nullptr ||
             (!has_section(keys(), key.section) && find(key.section) != nullptr);
    });
  }

  void need_sections(std::span<const Key> table, std::string_view why) {
    std::string_view before;
    for (const Key& key : table) {
      if (key.section == before) continue;
      before = key.section;
      const std::string name(key.section);
      const toml::node* node = find(key.section);
      if (node == nullptr) {
        if (!may_be_left_out(name)) complain(Position{}, "section [" + name + "] is missing" + std::string(why));
      } else if (!node->is_table()) {
        complain(*node, name + " must be a section: [" + name + "]");
      }
    }
  }

  void read(Gpu& gpu, const Key& key) {
    const toml::node *section = find(key.section), *node = find(key.section, key.name);
    if (section == nullptr || !section->is_table()) return;  // that was told
    if (node == nullptr) {
      if (!key.optional) complain(*section, path(key) + " (" + std::string(key.meaning) + ") is missing");
    } else if (const auto* text = std::get_if<Text>(&key.value)) {
      read_text(gpu, key, *text, *node);
    } else if (is_flag(key)) {
      read_flag(gpu, key, *node);
    } else {
      read_integer(gpu, key, *node);
    }
  }

  void read_text(Gpu& gpu, const Key& key, const Text& text, const toml::node& node) {
    if (text.list ? !is_list_of_texts(node) : !node.is_string()) {
      return complain(node, path(key) + (text.list ? " must be a list of strings: " + std::string(key.meaning)
                                                   : std::string(" must be a string in quotes")));
    }
    const std::string wrong = text.set(gpu, text.list ? joined(*node.as_array()) : node.as_string()->get());
    if (!wrong.empty()) complain(node, path(key) + " " + wrong);
  }

  static bool is_list_of_texts(const toml::node& node) {
    return node.is_array() && node.as_array()->is_homogeneous(toml::node_type::string);
  }

  static std::string joined(const toml::array& texts) {
    std::string all;
    for (const toml::node& text : texts) all += (all.empty() ? "" : ", ") + text.as_string()->get();
    return all;
  }

  void read_flag(Gpu& gpu, const Key& key, const toml::node& node) {
    if (!node.is_boolean()) return complain(node, path(key) + " must be true or false: " + std::string(key.meaning));
    set(gpu, key, node.as_boolean()->get() ? 1 : 0);
  }

  void read_integer(Gpu& gpu, const Key& key, const toml::node& node) {
    if (!node.is_integer()) return complain(node, path(key) + " must be an integer: " + std::string(key.meaning));
    const int64_t value = node.as_integer()->get();
    if (value < 0 || !allows(key, static_cast<uint64_t>(value))) {
      return complain(node, path(key) + " = " + std::to_string(value) + " is impossible: " + std::string(key.meaning) +
                                range_of(key));
    }
    set(gpu, key, static_cast<uint64_t>(value));
  }

  void complain_of(const std::vector<Broken>& relations) {
    for (const Broken& broken : relations) {
      const toml::node* node = find(broken.section, broken.name);
      complain(node ? position_of(*node) : Position{},
               std::string(broken.section) + "." + std::string(broken.name) + ": " + broken.message);
    }
  }

  /// Every section, and every key with its section.
  static std::vector<std::string> known_names() {
    std::vector<std::string> names;
    for (const auto table : {keys(), timing_keys()}) {
      for (const Key& key : table) {
        names.emplace_back(key.section);
        names.push_back(path(key));
      }
    }
    return names;
  }

  static bool known(std::string_view section, std::string_view name) {
    const auto is_it = [&](const Key& key) { return key.section == section && key.name == name; };
    return std::ranges::any_of(keys(), is_it) || std::ranges::any_of(timing_keys(), is_it);
  }

  /// Whether some section is this one or lies in it.
  static bool leads_to_section(std::string_view name) {
    const auto leads = [&](const Key& key) {
      return key.section.starts_with(name) && (key.section.size() == name.size() || key.section[name.size()] == '.');
    };
    return std::ranges::any_of(keys(), leads) || std::ranges::any_of(timing_keys(), leads);
  }

  void refuse_unknown(const toml::table& table, const std::string& section) {
    for (const auto& [key, node] : table) {
      const std::string name(key.str()), full = section.empty() ? name : section + "." + name;
      if (known(section, name)) continue;
      if (leads_to_section(full) && node.is_table()) {
        refuse_unknown(*node.as_table(), full);
      } else {
        complain(node, (section.empty() || node.is_table() ? "unknown section or key: " : "unknown key: ") + full +
                           did_you_mean(full, known_names()));
      }
    }
  }

  const toml::table& root_;
};

}  // namespace

void derive(Gpu& gpu) {
  gpu.machine.resident_ctas = gpu.machine.sms * gpu.max_blocks_per_sm;
  if (gpu.timing) {
    timing::Config& timing = *gpu.timing;  // what it shares with the rest of the description
    timing.core_khz = gpu.issue_khz;
    timing.clock_khz = gpu.core_khz;
    timing.sms = gpu.machine.sms;
    timing.warp_size = gpu.machine.warp_size;
    timing.max_warps = gpu.max_warps_per_sm;
    timing.l2_bytes = gpu.l2_bytes;
    timing.l1.reserved = gpu.shared_reserved_per_block;
    timing.l1.shared_unit = gpu.compute_major >= 8 ? 128 : 256;  // as occupancy counts
    timing.rules = gpu.machine.scratchpad;
    const scratchpad::LockSize locks = timing::lock_size(timing);
    if (locks.lock_bits != 0) timing.lock_hash = *scratchpad::parse_lock_hash("none", locks);
  }
}

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
  derive(gpu);
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
  if (text.find('\0') != std::string::npos)
    return Error{path + ": is not a text file, so not the description of a GPU"};
  const std::filesystem::path absolute = std::filesystem::absolute(path, code);
  Result<Gpu> gpu = parse_gpu(text, path);
  if (gpu && !code) gpu->file = absolute.lexically_normal().string();
  return gpu;
}

}  // namespace bankshot::gpu
