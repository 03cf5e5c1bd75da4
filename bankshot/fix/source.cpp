#include "bankshot/fix/source.hpp"

#include <algorithm>
#include <bit>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/support/demangle.hpp"

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

/// What is said of the elements.
std::string uses(const SourceArray& array, const Recipe& recipe) {
  std::string text = "// At " + array.lines + ":\n";
  const std::vector<std::string> dimensions =
      array.declaration ? array.declaration->dimensions : std::vector<std::string>();
  if (dimensions.size() == 2) {
    return text + fmt::format("//   (&{0}[0][0])[{1}(y * ({2}) + x)] in place of {0}[y][x], elements of {3}\n",
                              array.name, recipe.place.begin()->second, dimensions[1], array.declaration->type);
  }
  for (const auto& [bytes, function] : recipe.place) {
    text +=
        fmt::format("//   {}[{}(i)] in place of {}[i]{}\n", array.name, function, array.name,
                    array.declaration ? ", elements of " + array.declaration->type
                                      : fmt::format(" if its elements have {} byte{}", bytes, bytes == 1 ? "" : "s"));
  }
  if (dimensions.size() == 1) return text;
  return text + "// where i counts elements from the start (of an array with several dimensions: y * columns + x).\n";
}

/// How the declaration changes.
std::string declared(const SourceArray& array, const Recipe& recipe) {
  const std::string row = fmt::format("{} bytes", recipe.row);
  if (array.bytes == 0) {
    return recipe.alignment == 0
               ? "// Its launch must give it as much more.\n"
               : "// Its size at the launch must be a multiple of " + row + ", and its start aligned to as many.\n";
  }
  if (recipe.alignment != 0) {
    return fmt::format(
        "// Declare it __align__({}){}.\n", recipe.alignment,
        recipe.bytes == array.bytes ? "" : fmt::format(" and larger, with {} bytes: rows must be whole", recipe.bytes));
  }
  if (!array.declaration) {
    return fmt::format("// Declare it with {} bytes. An array whose rows have {} needs no function: lengthen them.\n",
                       recipe.bytes, row);
  }
  return fmt::format("// Declare it with {} elements in place of {}.\n",
                     recipe.bytes / array.declaration->element_bytes, array.bytes / array.declaration->element_bytes);
}

std::string not_whole(const Declaration& declaration) {
  return fmt::format("The move splits elements of type {} ({} bytes), so C++ cannot express it; use the rewritten PTX.",
                     declaration.type, declaration.element_bytes);
}

Recipe hash_recipe(const SourceArray& array, const scratchpad::BankHash& hash, unsigned word_bytes,
                   const std::string& suffix) {
  const auto stay_whole = [&](uint32_t bytes) {
    if (!std::has_single_bit(bytes)) return false;
    const uint32_t words = std::max(bytes / word_bytes, 1u);
    for (uint32_t bit = 1; bit < uint32_t{1} << hash.address_bits; bit *= 2) {
      if ((hash.bank(bit) & (words - 1)) != (bit & (words - 1)) || (bit < words && hash.bank(bit) != bit)) return false;
    }
    return true;
  };
  Recipe recipe;
  if (array.declaration && !stay_whole(array.declaration->element_bytes)) {
    recipe.refusal = not_whole(*array.declaration);
    return recipe;
  }
  recipe.row = uint64_t{word_bytes} << hash.bank_bits;
  recipe.alignment = static_cast<unsigned>(recipe.row);
  recipe.bytes = (array.bytes + recipe.row - 1) / recipe.row * recipe.row;
  recipe.functions = scratchpad::cpp_source(hash, suffix);
  for (const unsigned bytes : element_sizes(array)) {
    recipe.place[bytes] = function_for(suffix, bytes, word_bytes);
    if (bytes != word_bytes) recipe.functions += element_function(suffix, bytes, word_bytes);
  }
  return recipe;
}

/// Elements that are rows of the padding get a member more.
void lengthen_elements(Recipe& recipe, const Declaration& d, uint64_t more, const std::string& suffix) {
  // Vectors are aligned to their size, up to 16 bytes.
  const uint32_t builtin = bytes_of_builtin(d.type);
  if (builtin != 0 && std::has_single_bit(builtin) && more % std::min(builtin, 16u) != 0) {
    recipe.refusal = fmt::format(
        "{} is aligned to {} bytes, so that its elements cannot be {} bytes longer in C++; use "
        "the rewritten PTX.",
        d.type, std::min(builtin, 16u), more);
    return;
  }
  recipe.element = "padded_" + suffix;
  recipe.functions = fmt::format(
      "struct {0} {{ {1} element; unsigned padding[{2}]; }};\nstatic_assert(sizeof({0}) == {3}, \"{1} is aligned to "
      "more "
      "than its padding\");\n",
      recipe.element, d.type, more / 4, d.element_bytes + more);
}

Recipe padding_recipe(const SourceArray& array, const scratchpad::Padding& padding, unsigned word_bytes,
                      const std::string& suffix) {
  const uint64_t more = uint64_t{padding.words} * word_bytes;
  Recipe recipe;
  recipe.row = uint64_t{padding.row} * word_bytes;
  recipe.bytes = array.bytes + array.bytes / recipe.row * more;
  const auto stay_whole = [&](uint32_t bytes) { return recipe.row % bytes == 0 && more % bytes == 0; };
  if (array.declaration && !stay_whole(array.declaration->element_bytes)) {
    if (array.declaration->element_bytes == recipe.row) {
      lengthen_elements(recipe, *array.declaration, more, suffix);
    } else {
      recipe.refusal = not_whole(*array.declaration);
    }
    return recipe;
  }
  if (array.declaration && array.declaration->sizes.size() > 1 &&
      array.declaration->sizes.back() * array.declaration->element_bytes == recipe.row) {
    recipe.longer_rows = more / array.declaration->element_bytes;
    return recipe;
  }
  const std::set<unsigned> sizes = element_sizes(array);
  for (const unsigned bytes : sizes) {
    recipe.place[bytes] = (sizes.size() == 1 ? "padded_" : fmt::format("padded{}_", bytes)) + suffix;
    recipe.functions +=
        fmt::format("__host__ __device__ constexpr unsigned {}(unsigned i) {{ return i + i / {} * {}; }}\n",
                    recipe.place[bytes], recipe.row / bytes, more / bytes);
  }
  return recipe;
}

/// "transpose.cu:18, 21"; PTX lines where there is no line information.
std::string lines_text(const ArrayPlan& array) {
  constexpr size_t kMostPtxLines = 4;
  std::string text, file;
  const bool nameless =
      std::all_of(array.places.begin(), array.places.end(), [](const ptx::Place& p) { return p.line == 0; });
  if (nameless && array.places.size() > kMostPtxLines) {
    return fmt::format("{} PTX lines from {} to {} (nvcc -lineinfo tells lines of the source)", array.places.size(),
                       array.places.front().ptx_line, array.places.back().ptx_line);
  }
  for (const ptx::Place& place : array.places) {
    if (place.line == 0) {
      text += (text.empty() ? "" : ", ") + ptx::to_string(place);
    } else if (place.file == file) {
      text += ", " + std::to_string(place.line);
    } else {
      text += (text.empty() ? "" : ", ") + ptx::to_string(place);
      file = place.file;
    }
  }
  return text;
}

}  // namespace

std::string source_name(const std::string& name) {
  const std::string whole = demangle(name);
  const size_t colons = whole.rfind("::");
  return colons == whole.npos ? whole : whole.substr(colons + 2);
}

SourceArray source_array(const ArrayPlan& array) {
  SourceArray source{source_name(array.array.name), array.array.bytes, {}, lines_text(array), array.declaration};
  for (const rewrite::Access& access : array.array.accesses) source.widths.insert(access.width);
  return source;
}

Recipe recipe(const SourceArray& array, const rewrite::Move& move, unsigned word_bytes, const std::string& suffix) {
  const std::string name = identifier(suffix);
  if (const auto* hash = std::get_if<scratchpad::BankHash>(&move)) return hash_recipe(array, *hash, word_bytes, name);
  return padding_recipe(array, std::get<scratchpad::Padding>(move), word_bytes, name);
}

bool can_be_written(const KernelPlan& kernel, Remedy remedy, unsigned word_bytes) {
  return std::ranges::all_of(kernel.arrays, [&](const ArrayPlan& array) {
    return !array.tried[remedy].rewritten ||
           (array.declaration && recipe(source_array(array), *array.move(remedy), word_bytes, "").refusal.empty());
  });
}

std::string size_check(const Declaration& declaration) {
  if (bytes_of_builtin(declaration.type) != 0) return {};
  return fmt::format("static_assert(sizeof({}) == {});", declaration.type, declaration.element_bytes);
}

std::string source_text(const SourceArray& array, const rewrite::Move& move, unsigned word_bytes) {
  const Recipe recipe = fix::recipe(array, move, word_bytes, array.name);
  if (!recipe.refusal.empty()) return "// " + recipe.refusal + "\n";
  if (recipe.longer_rows != 0) {
    std::vector<std::string> dimensions = array.declaration->dimensions;
    dimensions.back() += fmt::format(" + {}", recipe.longer_rows);
    std::string text =
        fmt::format("// In line {}; indices stay as they are, if all accesses are by index:\n__shared__ {} {}",
                    array.declaration->line, array.declaration->type, array.name);
    for (const std::string& dimension : dimensions) text += "[" + dimension + "]";
    return text + ";\n";
  }
  if (!recipe.element.empty()) {
    return fmt::format("// In line {0}, with {1} in place of {2}; at {3}: {4}[i].element in place of {4}[i]\n",
                       array.declaration->line, recipe.element, array.declaration->type, array.lines, array.name) +
           recipe.functions;
  }
  std::string text = uses(array, recipe) + declared(array, recipe) + recipe.functions;
  if (array.declaration && !size_check(*array.declaration).empty())
    text += "// Behind its declaration:\n" + size_check(*array.declaration) + "\n";
  return text;
}

}  // namespace bankshot::fix
