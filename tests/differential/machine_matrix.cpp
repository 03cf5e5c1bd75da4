// ldmatrix, stmatrix and movmatrix: 8 x 8 elements of 16 bits. Lane l holds columns 2 (l mod 4) and the next of row l /
// 4 of each matrix; the address of row r of matrix m is that of lane 8 m + r. Source: PTX ISA 9.0, section 9.7.14.5.
#include <array>
#include <cstring>

#include "tests/differential/machine.hpp"

namespace bankshot::differential {
namespace {

using Matrix = std::array<std::array<uint16_t, 8>, 8>;  // rows

Matrix transposed(const Matrix& matrix) {
  Matrix out{};
  for (unsigned row = 0; row < 8; ++row) {
    for (unsigned column = 0; column < 8; ++column) out[column][row] = matrix[row][column];
  }
  return out;
}

uint64_t part_of(const Matrix& matrix, uint32_t lane) {
  const auto& row = matrix[lane / 4];
  return row[2 * (lane % 4)] | static_cast<uint64_t>(row[2 * (lane % 4) + 1]) << 16;
}
void put_part(Matrix& matrix, uint32_t lane, uint64_t part) {
  auto& row = matrix[lane / 4];
  row[2 * (lane % 4)] = static_cast<uint16_t>(part);
  row[2 * (lane % 4) + 1] = static_cast<uint16_t>(part >> 16);
}

}  // namespace

void exchange_matrix(Cta& cta, const Step& step, uint32_t first_lane) {
  const bool moves = step.op == "movmatrix", stores = step.op == "stmatrix";
  const ptx::Space space = step.has("shared") || step.has("shared::cta") ? ptx::Space::shared : ptx::Space::generic;
  const size_t count = stores ? step.sources.size() - 2 : step.targets.size();
  for (size_t m = 0; m < count; ++m) {
    Matrix matrix{};
    const auto row_at = [&](size_t row) {
      Lane& lane = cta.lanes[first_lane + 8 * m + row];
      return cta.bytes_at(lane, space, lane.brought[0], 16);
    };
    for (uint32_t lane = 0; lane < 32 && (moves || stores); ++lane) {
      put_part(matrix, lane, cta.lanes[first_lane + lane].brought[stores ? 1 + m : 0]);
    }
    for (size_t row = 0; row < 8 && !moves && !stores; ++row) {
      const uint8_t* const from = row_at(row);
      if (from == nullptr) return;
      std::memcpy(matrix[row].data(), from, 16);
    }
    if (step.has("trans")) matrix = transposed(matrix);
    for (size_t row = 0; row < 8 && stores; ++row) {
      uint8_t* const to = row_at(row);
      if (to == nullptr) return;
      std::memcpy(to, matrix[row].data(), 16);
    }
    for (uint32_t lane = 0; lane < 32 && !stores; ++lane) {
      cta.write(cta.lanes[first_lane + lane], step, m, part_of(matrix, lane));
    }
  }
  for (uint32_t k = first_lane; k < first_lane + 32; ++k) {
    cta.lanes[k].state = Lane::State::runs;
    ++cta.lanes[k].frame().next;
  }
}

}  // namespace bankshot::differential
