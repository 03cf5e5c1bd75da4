// Finds the best hash for a tile that is written by rows and read by columns, and checks the proof.
#include <bankshot/bankshot.hpp>
#include <cstdio>

int main() {
  bankshot::Patterns patterns(bankshot::Banks("h100"));
  for (unsigned k = 0; k < 32; ++k) {
    bankshot::Access row, column;
    row.kind = bankshot::Kind::store;
    for (unsigned lane = 0; lane < 32; ++lane) {
      row.addresses.push_back(4 * (32 * k + lane));
      column.addresses.push_back(4 * (32 * lane + k));
    }
    patterns.add(row);
    patterns.add(column);
  }
  const bankshot::Found found = patterns.search();
  std::printf("%s: %llu conflicts in place of %llu\n", found.hash.spec().c_str(),
              static_cast<unsigned long long>(found.conflicts), static_cast<unsigned long long>(found.without));
  std::printf("%s\n", bankshot::verify(found.certificate).c_str());
}
// Prints:
// xor: 0 conflicts in place of 992
// no 5x14 XOR hash has less than excess 0
