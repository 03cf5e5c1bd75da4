#include "bankshot/sass/line_table.hpp"

#include <fmt/format.h>

#include <map>

#include "bankshot/sass/cursor.hpp"

namespace bankshot::sass {
namespace {

// Standard operations of DWARF, section 6.2.5.2, and extended ones.
enum : uint8_t {
  kExtended,
  kCopy,
  kAdvancePc,
  kAdvanceLine,
  kSetFile,
  kSetColumn,
  kNegateStatement,
  kBasicBlock,
  kConstAddPc,
  kFixedAdvancePc,
};
enum : uint8_t { kEndSequence = 1, kSetAddress = 2, kDefineFile = 3, kInlinedCall = 0x90 };

constexpr size_t kMostPathBytes = size_t{64} << 20;  ///< far more than any program has

struct Header {
  uint8_t minimum_length = 1;
  int8_t line_base = 0;
  uint8_t line_range = 1;
  uint8_t opcode_base = 0;
  std::vector<uint8_t> operands;  ///< of each standard operation, from 1
  std::vector<uint32_t> files;    ///< of the table, by the unit's numbers; [0] is none
};

class Reader {
 public:
  Reader(const Sections& sections, const Section& section)
      : section_(section), targets_(sections.relocations(section)) {
    table_.files.emplace_back();
  }

  Result<LineTable> read() {
    size_t at = 0;
    while (at < section_.bytes.size()) {
      Cursor cursor(section_.bytes, at);
      const auto length = cursor.number<uint32_t>();
      if (cursor.failed() || length > section_.bytes.size() - cursor.at()) return cut_off();
      const size_t end = cursor.at() + length;
      if (const std::string wrong = read_unit(at + 4, end); !wrong.empty()) return damaged(wrong);
      at = end;
    }
    return std::move(table_);
  }

 private:
  std::string cut_off_text() const { return fmt::format("the line table {} is cut off", section_.name); }
  Error cut_off() const { return damaged(cut_off_text()); }

  /// @return what is wrong, or empty
  std::string read_unit(size_t begin, size_t end) {
    Cursor cursor(section_.bytes.first(end), begin);
    const auto version = cursor.number<uint16_t>();
    if (!cursor.failed() && (version < 2 || version > 4))
      return fmt::format("the line table {} has the unknown version {}", section_.name, version);
    const auto header_length = cursor.number<uint32_t>();
    const size_t program = cursor.at() + header_length;
    Header header;
    header.minimum_length = cursor.number<uint8_t>();
    if (version == 4) cursor.skip(1);  // operations per instruction
    cursor.skip(1);                    // default_is_stmt
    header.line_base = cursor.number<int8_t>();
    header.line_range = cursor.number<uint8_t>();
    header.opcode_base = cursor.number<uint8_t>();
    if (cursor.failed() || header.line_range == 0 || header.opcode_base == 0) return cut_off_text();
    header.operands.push_back(0);
    for (unsigned i = 1; i < header.opcode_base; ++i) header.operands.push_back(cursor.number<uint8_t>());
    if (!read_files(cursor, header)) return fmt::format("the line table {} names too many files", section_.name);
    if (cursor.failed() || program > end) return cut_off_text();
    return run(program, end, header);
  }

  bool read_files(Cursor& cursor, Header& header) {
    std::vector<std::string_view> folders{{}};
    for (std::string_view folder; !(folder = cursor.text()).empty();) folders.push_back(folder);
    header.files.push_back(0);
    for (std::string_view name; !(name = cursor.text()).empty();) {
      if (!add_file(cursor, header, folders, name)) return false;
    }
    return true;
  }

  bool add_file(Cursor& cursor, Header& header, const std::vector<std::string_view>& folders, std::string_view name) {
    const uint64_t folder = cursor.unsigned_leb();
    cursor.unsigned_leb();  // time
    cursor.unsigned_leb();  // length
    std::string path(name);
    if (folder != 0 && folder < folders.size() && !name.starts_with('/'))
      path = fmt::format("{}/{}", folders[folder], name);
    path_bytes_ += path.size();
    if (path_bytes_ > kMostPathBytes) return false;
    const auto [known, is_new] = numbers_.try_emplace(path, static_cast<uint32_t>(table_.files.size()));
    if (is_new) table_.files.push_back(path);
    header.files.push_back(known->second);
    return true;
  }

  /// Runs the program of one unit, which makes the rows.
  std::string run(size_t begin, size_t end, const Header& header) {
    Cursor cursor(section_.bytes.first(end), begin);
    size_t first_row = table_.rows.size();
    Target place;
    bool placed = false;
    uint64_t file = 1, line = 1, context = 0;
    const auto begin_sequence = [&] {
      first_row = table_.rows.size();
      placed = false, place = {}, file = 1, line = 1, context = 0;
    };
    const auto add = [&](bool is_end) {
      const size_t number = table_.rows.size() - first_row;
      LineRow row;
      row.section = placed ? place.section : 0;
      row.address = place.address;
      if (!is_end) {
        row.file = file < header.files.size() ? header.files[file] : 0;
        row.line = static_cast<uint32_t>(line);
        if (context != 0 && context <= number) row.inlined_at = static_cast<uint32_t>(first_row + context);
      }
      table_.rows.push_back(row);
    };
    while (!cursor.done()) {
      const auto operation = cursor.number<uint8_t>();
      if (operation >= header.opcode_base) {
        const unsigned special = operation - header.opcode_base;
        place.address += uint64_t{special / header.line_range} * header.minimum_length;
        line += static_cast<uint64_t>(header.line_base + static_cast<int>(special % header.line_range));
        add(false);
        continue;
      }
      switch (operation) {
        case kExtended: {
          const uint64_t length = cursor.unsigned_leb();
          const size_t start = cursor.at();
          if (length == 0 || length > end - start) return cut_off_text();
          switch (cursor.number<uint8_t>()) {
            case kEndSequence:
              add(true);
              begin_sequence();
              break;
            case kSetAddress:
              if (const auto target = targets_.find(cursor.at()); target != targets_.end()) {
                place = target->second;
                placed = true;
              }
              break;
            case kInlinedCall: context = cursor.unsigned_leb(); break;
            default: break;  // kDefineFile is not used by ptxas
          }
          cursor = Cursor(section_.bytes.first(end), start + length);
          break;
        }
        case kCopy: add(false); break;
        case kAdvancePc: place.address += cursor.unsigned_leb() * header.minimum_length; break;
        case kAdvanceLine: line += static_cast<uint64_t>(cursor.signed_leb()); break;
        case kSetFile: file = cursor.unsigned_leb(); break;
        case kConstAddPc:
          place.address += uint64_t{(255U - header.opcode_base) / header.line_range} * header.minimum_length;
          break;
        case kFixedAdvancePc: place.address += cursor.number<uint16_t>(); break;
        default:  // those that change nothing that is kept
          for (unsigned i = 0; i < header.operands[operation]; ++i) cursor.unsigned_leb();
          break;
      }
    }
    return cursor.failed() ? cut_off_text() : std::string{};
  }

  const Section& section_;
  std::map<uint64_t, Target> targets_;
  LineTable table_;
  std::map<std::string, uint32_t> numbers_;  ///< of files
  size_t path_bytes_ = 0;
};

}  // namespace

Result<LineTable> read_line_table(const Sections& sections, const Section& section) {
  return Reader(sections, section).read();
}

}  // namespace bankshot::sass
