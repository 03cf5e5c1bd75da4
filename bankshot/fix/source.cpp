#include "bankshot/fix/source.hpp"

#include <algorithm>

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

/// Where the functions go. @param function  its name for elements of a size
std::string uses(const SourceArray& array, auto function, unsigned word_bytes) {
  std::string text = "// At " + array.lines + ":\n";
  for (unsigned width : array.widths) {
    text += fmt::format("//   {}[{}(i)] in place of {}[i]{}\n", array.name, function(width), array.name,
                        array.widths.size() == 1 && width == word_bytes
                            ? ""
                            : fmt::format(" if its elements have {} byte{}", width, width == 1 ? "" : "s"));
  }
  return text + "// where i counts elements from the start (of an array with several dimensions: y * columns + x).\n";
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
  const std::string name = identifier(array.name);
  std::string text = uses(array, [&](unsigned width) { return function_for(name, width, word_bytes); }, word_bytes);
  const uint64_t row = uint64_t{word_bytes} << hash.bank_bits, whole = (array.bytes + row - 1) / row * row;
  if (array.bytes == 0) {
    text += fmt::format("// Its size at the launch must be a multiple of {} bytes, and its start aligned to as many.\n",
                        row);
  } else {
    text +=
        fmt::format("// Declare it __align__({}){}.\n", row,
                    array.bytes == whole ? "" : fmt::format(" and larger, with {} bytes: rows must be whole", whole));
  }
  text += scratchpad::cpp_source(hash, name);
  for (unsigned width : array.widths) {
    if (width != word_bytes) text += element_function(name, width, word_bytes);
  }
  return text;
}

std::string padding_source(const SourceArray& array, const scratchpad::Padding& padding, unsigned word_bytes) {
  const std::string name = identifier(array.name);
  const auto function = [&](unsigned width) {
    return (array.widths.size() == 1 ? "padded_" : fmt::format("padded{}_", width)) + name;
  };
  std::string text = uses(array, function, word_bytes);
  const uint64_t row = uint64_t{padding.row} * word_bytes, more = uint64_t{padding.words} * word_bytes;
  text += fmt::format(
      "// Declare it with {} bytes. An array whose rows have {} bytes needs no function: declare rows of {} bytes.\n",
      array.bytes + array.bytes / row * more, row, row + more);
  for (unsigned width : array.widths) {
    text += fmt::format("__host__ __device__ constexpr unsigned {}(unsigned i) {{ return i + i / {} * {}; }}\n",
                        function(width), row / width, more / width);
  }
  return text;
}

}  // namespace bankshot::fix
