#include "bankshot/sass/cubin.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bankshot/sass/cursor.hpp"
#include "bankshot/sass/line_table.hpp"
#include "bankshot/sass/sections.hpp"

namespace bankshot::sass {
namespace {

constexpr size_t kInstruction = 16;  ///< bytes
constexpr std::string_view kText = ".text.";
constexpr unsigned kFirstWithReserved = 90;
constexpr uint64_t kReserved = 1024;  ///< shared memory of the system, counted in .nv.shared since sm_90

constexpr size_t kMostNameBytes = size_t{256} << 20;  ///< far more than any program has

/// Registers per text section from .nv.info: items of four bytes, the first is the format, the second says what it is;
/// of format 4, as many bytes follow as the last two say.
std::map<uint16_t, unsigned> register_counts(const Sections& sections) {
  constexpr uint8_t kSized = 4, kRegisterCount = 0x2f;
  std::map<uint16_t, unsigned> counts;
  const Section* info = sections.find(".nv.info");
  if (info == nullptr) return counts;
  Cursor cursor(info->bytes);
  while (!cursor.done()) {
    const auto format = cursor.number<uint8_t>(), what = cursor.number<uint8_t>();
    const auto size = cursor.number<uint16_t>();
    if (format != kSized) continue;
    const size_t start = cursor.at();
    if (what == kRegisterCount) {
      const auto symbol = cursor.number<uint32_t>(), count = cursor.number<uint32_t>();
      if (!cursor.failed() && symbol < sections.symbols.size()) counts[sections.symbols[symbol].section] = count;
    }
    cursor = Cursor(info->bytes, start);
    cursor.skip(size);
  }
  return counts;
}

uint32_t shared_bytes(const Sections& sections, const std::string& kernel) {
  const Section* shared = sections.find(".nv.shared." + kernel);
  if (shared == nullptr) return 0;
  const bool with_reserved = sections.linked && sections.architecture >= kFirstWithReserved;
  const uint64_t reserved = with_reserved ? kReserved : 0;
  return static_cast<uint32_t>(shared->size - std::min(shared->size, reserved));
}

/// Finds the row of the line table for each instruction of a section.
class Lines {
 public:
  explicit Lines(LineTable table) : table_(std::move(table)) {
    for (uint32_t i = 0; i < table_.rows.size(); ++i) order_.push_back(i);
    // Of rows with the same address the last holds.
    std::sort(order_.begin(), order_.end(),
              [&](uint32_t a, uint32_t b) { return std::pair(key(a), a) < std::pair(key(b), b); });
  }

  const LineTable& table() const { return table_; }

  /// The number of the row that holds at an address, from 1; 0 if there is none.
  uint32_t at(uint16_t section, uint64_t address) const {
    const auto after = std::upper_bound(order_.begin(), order_.end(), std::pair(section, address),
                                        [&](const auto& place, uint32_t row) { return place < key(row); });
    if (after == order_.begin()) return 0;
    const uint32_t row = *std::prev(after);
    return table_.rows[row].section == section && table_.rows[row].line != 0 ? row + 1 : 0;
  }

 private:
  std::pair<uint16_t, uint64_t> key(uint32_t row) const { return {table_.rows[row].section, table_.rows[row].address}; }

  LineTable table_;
  std::vector<uint32_t> order_;
};

Result<Lines> read_lines(const Sections& sections, std::string_view name) {
  const Section* section = sections.find(name);
  if (section == nullptr) return Lines({});
  auto table = read_line_table(sections, *section);
  if (!table) return table.error();
  return Lines(std::move(*table));
}

/// Gives each row of the line table a place: equal ones are the same.
std::vector<uint32_t> number_places(const LineTable& table, std::vector<Place>& places) {
  std::map<Place, uint32_t> numbers{{Place{}, 0}};
  places.emplace_back();
  std::vector<uint32_t> of_row{0};  // by the row's number, from 1
  for (const LineRow& row : table.rows) {
    const Place place{row.file, row.line, of_row[row.inlined_at]};
    const auto [known, is_new] = numbers.try_emplace(place, static_cast<uint32_t>(places.size()));
    if (is_new) places.push_back(place);
    of_row.push_back(known->second);
  }
  return of_row;
}

/// The kernel of a section without its code, and what its symbols say.
/// @param name_bytes  goes up by the length of the names that were copied
Kernel named_kernel(std::string_view name, const std::vector<const Symbol*>& symbols, size_t& name_bytes) {
  Kernel kernel;
  kernel.name = name;
  name_bytes += name.size();
  for (const Symbol* symbol : symbols) {
    if (symbol->name == name) {
      kernel.entry = symbol->entry;
      continue;
    }
    name_bytes += symbol->name.size();
    if (name_bytes > kMostNameBytes) break;
    kernel.subroutines.push_back(
        {std::string(symbol->name), static_cast<uint32_t>(symbol->value), static_cast<uint32_t>(symbol->size)});
  }
  return kernel;
}

}  // namespace

Result<Cubin> read_cubin(std::span<const std::byte> bytes) {
  const auto sections = read_sections(bytes);
  if (!sections) return sections.error();
  auto source = read_lines(*sections, ".debug_line");
  if (!source) return source.error();
  const auto ptx = read_lines(*sections, ".nv_debug_line_sass");
  if (!ptx) return ptx.error();

  Cubin cubin;
  cubin.architecture = sections->architecture;
  cubin.files = source->table().files;
  if (cubin.files.empty()) cubin.files.emplace_back();
  const std::vector<uint32_t> place_of_row = number_places(source->table(), cubin.places);
  const std::map<uint16_t, unsigned> registers = register_counts(*sections);

  std::map<uint16_t, std::vector<const Symbol*>> functions;  // by section
  for (const Symbol& symbol : sections->symbols) {
    if (symbol.function) functions[symbol.section].push_back(&symbol);
  }
  size_t total = 0, name_bytes = 0;
  for (size_t i = 0; i < sections->all.size(); ++i) {
    const Section& section = sections->all[i];
    if (section.type != SHT_PROGBITS || (section.flags & SHF_EXECINSTR) == 0 || !section.name.starts_with(kText))
      continue;
    if (section.bytes.size() % kInstruction != 0)
      return damaged(fmt::format("{} ends within an instruction", section.name));
    total += section.bytes.size();
    if (total > bytes.size()) return damaged("sections overlap");

    const auto number = static_cast<uint16_t>(i);
    Kernel kernel = named_kernel(section.name.substr(kText.size()), functions[number], name_bytes);
    if (name_bytes > kMostNameBytes) return damaged("its functions have too many names");
    const auto count = registers.find(number);
    kernel.registers = count != registers.end() ? count->second : section.info >> 24;  // before CUDA 13
    kernel.shared_bytes = shared_bytes(*sections, kernel.name);
    Cursor code(section.bytes);
    while (!code.done()) {
      const auto address = static_cast<uint32_t>(code.at());
      const auto low = code.number<uint64_t>(), high = code.number<uint64_t>();
      Instruction instruction = decode(low, high, cubin.architecture);
      instruction.address = address;
      instruction.place = place_of_row[source->at(number, address)];
      if (const uint32_t row = ptx->at(number, address)) instruction.ptx_line = ptx->table().rows[row - 1].line;
      kernel.code.push_back(instruction);
    }
    cubin.kernels.push_back(std::move(kernel));
  }
  return cubin;
}

}  // namespace bankshot::sass
