// Reads a column of a tile under a bank hash, and prints the C++ function with which a kernel applies the hash.
#include <bankshot/bankshot.hpp>
#include <cstdio>

int main() {
  const bankshot::Hash hash("xor");
  bankshot::Banks banks("h100");
  banks.set_hash(hash);
  bankshot::Access column;
  for (unsigned lane = 0; lane < 32; ++lane) column.addresses.push_back(4 * 32 * lane);
  std::printf("%s: %u wavefront(s), software can apply it: %s\n", hash.spec().c_str(), banks.cost(column).wavefronts,
              hash.is_in_place() ? "yes" : "no");
  std::printf("%s", hash.source().c_str());
}
// Prints:
// xor: 1 wavefront(s), software can apply it: yes
// constexpr unsigned bank(unsigned a) { return (a & 31) ^ ((a >> 5) & 31); }
// constexpr unsigned place(unsigned a) { return (a & ~31u) | bank(a); }
// constexpr bool place_is_a_permutation() {
//   for (unsigned row = 0; row < 16384; row += 32) {
//     unsigned long long seen = 0;
//     for (unsigned a = row; a < row + 32; ++a) seen |= 1ull << (place(a) - row);
//     if (seen != 4294967295ull) return false;
//   }
//   return true;
// }
// static_assert(place_is_a_permutation(), "every row of words keeps its words");
