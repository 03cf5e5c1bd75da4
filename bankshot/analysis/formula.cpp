#include "bankshot/analysis/formula.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace bankshot::analysis {
namespace {

constexpr int64_t kWord = 4;

int64_t distance(uint32_t from, uint32_t to) { return static_cast<int32_t>(to - from); }

using Index = std::array<int64_t, 3>;

Index index_of(uint32_t thread, const Extent& block) {
  return {thread % block.x, thread / block.x % block.y, thread / block.x / block.y};
}

/// The factor of one axis, from two threads that differ in it alone; 0 if there are none.
std::optional<int64_t> factor_of(const std::vector<ThreadAddress>& threads, const Extent& block, unsigned axis) {
  for (size_t first : {size_t{0}, threads.size() / 2}) {  // the first thread may be alone in its row
    const Index from = index_of(threads[first].thread, block);
    for (const ThreadAddress& other : threads) {
      Index to = index_of(other.thread, block);
      const int64_t steps = to[axis] - from[axis];
      to[axis] = from[axis];
      if (steps == 0 || to != from) continue;
      const int64_t apart = distance(threads[first].address, other.address);
      if (apart % steps != 0) return std::nullopt;
      return apart / steps;
    }
  }
  return 0;
}

std::optional<Formula> affine(const std::vector<ThreadAddress>& threads, const Extent& block) {
  std::array<int64_t, 3> factor{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    const auto found = factor_of(threads, block, axis);
    if (!found) return std::nullopt;
    factor[axis] = *found;
  }
  const auto at = [&](uint32_t thread) {
    const Index index = index_of(thread, block);
    return factor[0] * index[0] + factor[1] * index[1] + factor[2] * index[2];
  };
  const int64_t offset = static_cast<int32_t>(threads[0].address) - at(threads[0].thread);
  for (const ThreadAddress& t : threads) {
    if (static_cast<uint32_t>(at(t.thread) + offset) != t.address) return std::nullopt;
  }
  Formula f;
  f.kind = Formula::Kind::affine;
  f.tx = factor[0];
  f.ty = factor[1];
  f.tz = factor[2];
  f.offset = offset;
  return f;
}

std::optional<Formula> subwarps(const std::vector<ThreadAddress>& threads, uint32_t length) {
  std::optional<int64_t> inside, rows;
  for (size_t k = 1; k < threads.size() && !inside; ++k) {
    const ThreadAddress &a = threads[k - 1], &b = threads[k];
    if (a.thread / length != b.thread / length) continue;
    const int64_t steps = b.thread - a.thread, apart = distance(a.address, b.address);
    if (apart % steps != 0) return std::nullopt;
    inside = apart / steps;
  }
  if (!inside) return std::nullopt;  // one thread a sub-warp says nothing of them
  const ThreadAddress& first = threads[0];
  const auto start = [&](const ThreadAddress& t) {
    return static_cast<uint32_t>(t.address - *inside * (t.thread % length));
  };
  for (const ThreadAddress& t : threads) {
    const int64_t steps = int64_t{t.thread / length} - first.thread / length;
    if (steps == 0) continue;
    const int64_t apart = distance(start(first), start(t));
    if (apart % steps != 0) return std::nullopt;
    rows = apart / steps;
    break;
  }
  if (!rows) return std::nullopt;
  Formula f;
  f.kind = Formula::Kind::subwarps;
  f.length = length;
  f.inside = *inside;
  f.rows = *rows;
  f.offset = static_cast<int32_t>(start(first)) - *rows * (first.thread / length);
  for (const ThreadAddress& t : threads) {
    if (static_cast<uint32_t>(*rows * (t.thread / length) + *inside * (t.thread % length) + f.offset) != t.address)
      return std::nullopt;
  }
  return f;
}

/// Appends "+ factor*name".
void add_term(std::string& text, int64_t factor, const std::string& name) {
  if (factor == 0) return;
  text += text.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ";
  const int64_t size = factor < 0 ? -factor : factor;
  if (name.empty())
    text += std::to_string(size);
  else
    text += (size == 1 ? "" : std::to_string(size) + "*") + name;
}

int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

}  // namespace

Formula formula_of(const std::vector<ThreadAddress>& threads, const Extent& block) {
  if (const auto found = affine(threads, block)) return *found;
  for (uint32_t length = 2; length < block.count(); length *= 2) {
    if (const auto found = subwarps(threads, length)) return *found;
  }
  return {};
}

std::string text_of(const Formula& f, int64_t base) {
  if (f.kind == Formula::Kind::other) return "";
  const int64_t offset = f.offset - base;
  const bool words = f.tx % kWord == 0 && f.ty % kWord == 0 && f.tz % kWord == 0 && f.rows % kWord == 0 &&
                     f.inside % kWord == 0 && offset % kWord == 0;
  const int64_t unit = words ? kWord : 1;
  std::string text;
  if (f.kind == Formula::Kind::affine) {
    add_term(text, f.tz / unit, "tz");
    add_term(text, f.ty / unit, "ty");
    add_term(text, f.tx / unit, "tx");
  } else {
    const std::string length = std::to_string(f.length);
    add_term(text, f.rows / unit, "(t/" + length + ")");
    add_term(text, f.inside / unit, "(t%" + length + ")");
  }
  add_term(text, offset / unit, "");
  if (text.empty()) text = "0";
  return words ? text : text + " bytes";
}

Matrix matrix_of(const Formula& f, int64_t base, int64_t columns) {
  Matrix matrix;
  const int64_t words[] = {f.ty / kWord, f.tx / kWord, (f.offset - base) / kWord};
  for (unsigned k = 0; k < 3; ++k) {
    const int64_t row = floor_divide(words[k], columns), column = words[k] - row * columns;
    (k < 2 ? matrix.m[0][k] : matrix.o[0]) = row;
    (k < 2 ? matrix.m[1][k] : matrix.o[1]) = column;
  }
  return matrix;
}

}  // namespace bankshot::analysis
