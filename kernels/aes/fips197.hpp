// AES-128 on the CPU as FIPS 197 describes it, byte by byte: the standard's own algorithms for cipher and inverse cipher,
// its key expansion, and examples of it. Everything is worked out from arithmetic in GF(2^8); no table is typed in.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace fips197 {

constexpr int columns = 4, rounds = 10, block_bytes = 4 * columns;

using Block = std::array<uint8_t, block_bytes>;     // the state, byte r of column c at r + 4 c: section 3.4
using KeySchedule = std::array<Block, rounds + 1>;  // a block for each AddRoundKey

/// The product of two polynomials over GF(2), modulo x^8 + x^4 + x^3 + x + 1: section 4.2.
inline uint8_t multiply(uint8_t a, uint8_t b) {
  uint8_t product = 0;
  for (; b; b >>= 1) {
    if (b & 1) product ^= a;
    a = static_cast<uint8_t>(a << 1 ^ (a & 0x80 ? 0x1b : 0));
  }
  return product;
}

/// The S-box, its inverse, and products with the small factors that mixing columns takes.
struct Tables {
  uint8_t substitute[256], restore[256], product[16][256];

  Tables() {
    for (int x = 0; x < 256; ++x) {
      const uint8_t byte = static_cast<uint8_t>(x);
      for (uint8_t factor = 0; factor < 16; ++factor) product[factor][x] = multiply(factor, byte);
      // Section 5.1.1: the inverse, which is the power 254 and makes 0 of 0, then an affine map over GF(2).
      uint8_t inverse = 1;
      for (int i = 0; i < 254; ++i) inverse = multiply(inverse, byte);
      uint8_t image = 0x63;
      for (int turn = 0; turn < 5; ++turn) image ^= static_cast<uint8_t>(inverse << turn | inverse >> (8 - turn));
      substitute[x] = image;
      restore[image] = byte;
    }
  }
};

inline const Tables& tables() {
  static const Tables made;
  return made;
}

/// Section 5.2, for keys of four words.
inline KeySchedule expand_key(const Block& key) {
  KeySchedule schedule;
  schedule[0] = key;
  uint8_t constant = 1;
  for (int round = 1; round <= rounds; ++round, constant = multiply(constant, 2)) {
    const Block& last = schedule[round - 1];
    Block& next = schedule[round];
    for (int i = 0; i < 4; ++i) next[i] = last[i] ^ tables().substitute[last[12 + (i + 1) % 4]];
    next[0] ^= constant;
    for (int i = 4; i < block_bytes; ++i) next[i] = last[i] ^ next[i - 4];
  }
  return schedule;
}

inline void add_round_key(Block& state, const Block& key) {
  for (int i = 0; i < block_bytes; ++i) state[i] ^= key[i];
}

/// Every byte through a table, and row r turned by r columns: to the left for the cipher, to the right for its inverse.
inline void substitute_and_shift(Block& state, const uint8_t (&table)[256], int direction) {
  const Block from = state;
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < 4; ++r) state[r + 4 * c] = table[from[r + 4 * ((c + direction * r + columns) % columns)]];
}

/// Every column times the polynomial whose coefficients are these, lowest first, modulo x^4 + 1: section 4.3.
inline void mix_columns(Block& state, const std::array<uint8_t, 4>& polynomial) {
  const Block from = state;
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < 4; ++r) {
      uint8_t sum = 0;
      for (int i = 0; i < 4; ++i) sum ^= tables().product[polynomial[(r - i + 4) % 4]][from[i + 4 * c]];
      state[r + 4 * c] = sum;
    }
}

constexpr std::array<uint8_t, 4> mixing = {2, 1, 1, 3}, unmixing = {14, 9, 13, 11};

/// The cipher: section 5.1.
inline Block encrypted(Block state, const KeySchedule& keys) {
  add_round_key(state, keys[0]);
  for (int round = 1; round <= rounds; ++round) {
    substitute_and_shift(state, tables().substitute, 1);
    if (round < rounds) mix_columns(state, mixing);
    add_round_key(state, keys[round]);
  }
  return state;
}

/// The inverse cipher, not the equivalent one: section 5.3.
inline Block decrypted(Block state, const KeySchedule& keys) {
  add_round_key(state, keys[rounds]);
  for (int round = rounds - 1; round >= 0; --round) {
    substitute_and_shift(state, tables().restore, -1);
    add_round_key(state, keys[round]);
    if (round > 0) mix_columns(state, unmixing);
  }
  return state;
}

struct Example {
  const char* place;
  Block key, plain, cipher;
};

inline const Example example_b = {
    "appendix B",
    {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c},
    {0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d, 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34},
    {0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb, 0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32}};

inline const Example example_c1 = {
    "appendix C.1",
    {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f},
    {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff},
    {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a}};

/// Ends the program unless this file does to the standard's examples what the standard says.
inline void check_examples() {
  for (const Example& example : {example_b, example_c1}) {
    const KeySchedule keys = expand_key(example.key);
    if (encrypted(example.plain, keys) == example.cipher && decrypted(example.cipher, keys) == example.plain) continue;
    std::printf("FAIL aes: the CPU does not compute the example of FIPS 197, %s\n", example.place);
    std::exit(1);
  }
}

}  // namespace fips197
