#include "bankshot/fix/source.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::fix {
namespace {

/// A name that is one in C++ as well: what is not a letter or digit becomes _.
std::string identifier(std::string name) {
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

std::string function_for(const std::string& name, unsigned element_bytes, unsigned word_bytes) {
  return (element_bytes == word_bytes ? "place_" : fmt::format("place{}_", element_bytes)) + name;
}

/// place_NAME works on words; elements of other sizes are several words, or part of one.
std::string element_function(const std::string& name, unsigned element_bytes, unsigned word_bytes) {
  const std::string head = fmt::format("__host__ __device__ constexpr unsigned {}(unsigned i) {{ return ",
                                       function_for(name, element_bytes, word_bytes));
  if (element_bytes > word_bytes) {
    const unsigned words = element_bytes / word_bytes;
    return head + fmt::format("place_{}({} * i) / {}; }}\n", name, words, words);
  }
  const unsigned parts = word_bytes / element_bytes;
  return head + fmt::format("place_{}(i / {}) * {} + i % {}; }}\n", name, parts, parts, parts);
}

/// Bytes that the elements of an array may have.
std::set<unsigned> element_sizes(const SourceArray& array) {
  return array.declaration ? std::set<unsigned>{array.declaration->element_bytes} : array.widths;
}

/// "float tile[32][33]", less what is behind the name if `dimensions` is not given.
std::string declarator(const SourceArray& array, const std::vector<std::string>& dimensions = {}) {
  std::string text = array.declaration->type + " " + array.name;
  for (const std::string& dimension : dimensions) text += "[" + dimension + "]";
  return text;
}

/// Where the functions go. @param function  its name for elements of a size
std::string uses(const SourceArray& array, auto function) {
  const std::set<unsigned> sizes = element_sizes(array);
  std::string text = "// At " + array.lines + ":\n";
  const std::vector<std::string> dimensions =
      array.declaration ? array.declaration->dimensions : std::vector<std::string>();
  if (dimensions.size() == 2) {
    return text + fmt::format("//   (&{0}[0][0])[{1}(y * ({2}) + x)] in place of {0}[y][x], elements of {3}\n",
                              array.name, function(*sizes.begin()), dimensions[1], array.declaration->type);
  }
  for (unsigned bytes : sizes) {
    text +=
        fmt::format("//   {}[{}(i)] in place of {}[i]{}\n", array.name, function(bytes), array.name,
                    array.declaration ? ", elements of " + array.declaration->type
                                      : fmt::format(" if its elements have {} byte{}", bytes, bytes == 1 ? "" : "s"));
  }
  if (dimensions.size() == 1) return text;
  return text + "// where i counts elements from the start (of an array with several dimensions: y * columns + x).\n";
}

/// What the functions are right for.
std::string size_check(const SourceArray& array) {
  if (!array.declaration) return {};
  return fmt::format("static_assert(sizeof({}) == {});\n", array.declaration->type, array.declaration->element_bytes);
}

/// Why this cannot be written in the source, or empty. @param stay_whole  whether elements of so many bytes do
std::string not_whole(const SourceArray& array, auto stay_whole) {
  if (!array.declaration || stay_whole(array.declaration->element_bytes)) return {};
  return fmt::format(
      "// Its elements ({}, {} bytes) would be torn apart, so this cannot be written in the source: keep the rewritten "
      "PTX.\n",
      array.declaration->type, array.declaration->element_bytes);
}

}  // namespace

std::string source_name(const std::string& name) {
  // _ZZ9histogramPKhPjiE5local: E, a length, and as many letters.
  for (size_t at = name.rfind('E'); name.starts_with("_ZZ") && at != std::string::npos && at != 0;
       at = name.rfind('E', at - 1)) {
    size_t digits = at + 1, length = 0;
    while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9' && length < name.size()) {
      length = length * 10 + static_cast<size_t>(name[digits++] - '0');
    }
    if (digits > at + 1 && digits + length <= name.size() && length != 0) return name.substr(digits, length);
  }
  return name;
}

std::string hash_source(const SourceArray& array, const scratchpad::BankHash& hash, unsigned word_bytes) {
  const auto stay_whole = [&](uint32_t bytes) {
    if (!std::has_single_bit(bytes)) return false;
    const uint32_t words = std::max(bytes / word_bytes, 1u);
    for (uint32_t bit = 1; bit < uint32_t{1} << hash.address_bits; bit *= 2) {
      if ((hash.bank(bit) & (words - 1)) != (bit & (words - 1)) || (bit < words && hash.bank(bit) != bit)) return false;
    }
    return true;
  };
  if (std::string why = not_whole(array, stay_whole); !why.empty()) return why;
  const std::string name = identifier(array.name);
  std::string text = uses(array, [&](unsigned bytes) { return function_for(name, bytes, word_bytes); });
  const uint64_t row = uint64_t{word_bytes} << hash.bank_bits, whole = (array.bytes + row - 1) / row * row;
  if (array.bytes == 0) {
    text += fmt::format("// Its size at the launch must be a multiple of {} bytes, and its start aligned to as many.\n",
                        row);
  } else {
    text +=
        fmt::format("// Declare it __align__({}){}.\n", row,
                    array.bytes == whole ? "" : fmt::format(" and larger, with {} bytes: rows must be whole", whole));
  }
  text += size_check(array) + scratchpad::cpp_source(hash, name);
  for (unsigned bytes : element_sizes(array)) {
    if (bytes != word_bytes) text += element_function(name, bytes, word_bytes);
  }
  return text;
}

std::string padding_source(const SourceArray& array, const scratchpad::Padding& padding, unsigned word_bytes) {
  const uint64_t row = uint64_t{padding.row} * word_bytes, more = uint64_t{padding.words} * word_bytes;
  const auto stay_whole = [&](uint32_t bytes) { return row % bytes == 0 && more % bytes == 0; };
  if (std::string why = not_whole(array, stay_whole); !why.empty()) return why;
  if (array.declaration && array.declaration->sizes.size() > 1 &&
      array.declaration->sizes.back() * array.declaration->element_bytes == row) {
    std::vector<std::string> dimensions = array.declaration->dimensions;
    dimensions.back() += fmt::format(" + {}", more / array.declaration->element_bytes);
    return fmt::format("// In line {}; indices stay as they are:\n__shared__ {};\n", array.declaration->line,
                       declarator(array, dimensions));
  }
  const std::string name = identifier(array.name);
  const std::set<unsigned> sizes = element_sizes(array);
  const auto function = [&](unsigned bytes) {
    return (sizes.size() == 1 ? "padded_" : fmt::format("padded{}_", bytes)) + name;
  };
  std::string text = uses(array, function);
  const uint64_t all = array.bytes + array.bytes / row * more;
  if (array.declaration) {
    text += fmt::format("// Declare it with {} elements in place of {}.\n", all / array.declaration->element_bytes,
                        array.bytes / array.declaration->element_bytes);
  } else {
    text += fmt::format(
        "// Declare it with {} bytes. An array whose rows have {} bytes needs no function: declare rows "
        "of {} bytes.\n",
        all, row, row + more);
  }
  text += size_check(array);
  for (unsigned bytes : sizes) {
    text += fmt::format("__host__ __device__ constexpr unsigned {}(unsigned i) {{ return i + i / {} * {}; }}\n",
                        function(bytes), row / bytes, more / bytes);
  }
  return text;
}

}  // namespace bankshot::fix
