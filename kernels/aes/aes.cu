// AES-128 (FIPS 197) with T-boxes in shared memory. A CTA of 256 threads has 64 blocks of 16 bytes, a thread one column of
// the state, which is a word with the first byte in its low bits. The state is in one of two stage blocks: each round, a
// thread loads a byte of four columns of its block from the one, gathers a word from each of four tables by them, and
// stores the sum of these and of the round key into the other. Gathers conflict, by data; nothing else does.
//   aes_encrypt  the bytes of the last round, which mixes no columns, are in the T-boxes
//   aes_decrypt  the equivalent inverse cipher (section 5.3.5); the last round takes a fifth table of bytes, the inverse S-box
//   aes_encrypt_cached (--cached)  the T-boxes stay in global memory, for what caches do
//   aes [CTAs: 257] [--decrypt | --cached] [--appendix-c] [--repeated]
// Key and first block are the example of appendix B of the standard, with --appendix-c that of C.1; what follows is random.
// With --repeated half of the warps, chosen at random, have eight equal blocks each: their gathers conflict less.
#include "../check.hpp"

#include "fips197.hpp"

using fips197::Block;

constexpr int rounds = fips197::rounds, table_words = 256, block_threads = 256;

__constant__ uint32_t round_keys[rounds + 1][4];

/// Where the thread finds row 0 to 3 of its column after the rows have been shifted, as bytes of a stage block.
struct Sources {
  int byte[4];
};

/// @param direction  1 if row r comes from r columns to the right, -1 if from the left
__device__ inline Sources sources(int thread, int direction) {
  Sources from;
  for (int row = 0; row < 4; ++row) {
    const int column = (thread & ~3) | ((thread + direction * row) & 3);
    from.byte[row] = 4 * column + row;
  }
  return from;
}

using Stage = uint32_t[block_threads];
using TBoxes = uint32_t[4][table_words];

__device__ inline int load(const Stage& stage, int byte) { return reinterpret_cast<const uint8_t*>(stage)[byte]; }

__device__ inline void copy(const TBoxes& from, TBoxes& to) {
  for (int i = 0; i < 4; ++i) to[i][threadIdx.x] = from[i][threadIdx.x];
}

/// Adds the first round key and does all rounds but the last. The state is in stage[1] afterwards.
/// @param keys  the round keys of the thread's column: every fourth word
__device__ inline void all_but_last_round(const TBoxes& t_box, uint32_t word, const uint32_t* keys, const Sources& from,
                                          Stage (&stage)[2]) {
  const int thread = threadIdx.x;
  stage[0][thread] = word ^ keys[0];
  __syncthreads();
#pragma unroll
  for (int round = 1; round < rounds; ++round) {
    const Stage& now = stage[(round - 1) % 2];
    const int op0 = load(now, from.byte[0]), op1 = load(now, from.byte[1]);
    const int op2 = load(now, from.byte[2]), op3 = load(now, from.byte[3]);
    stage[round % 2][thread] = t_box[0][op0] ^ t_box[1][op1] ^ t_box[2][op2] ^ t_box[3][op3] ^ keys[4 * round];
    // The four threads of a block are lanes of one warp. What is read now is not written again before all have got here.
    __syncwarp();
  }
}

__device__ inline void encrypt(const uint32_t* in, uint32_t* out, const TBoxes& t_box, Stage (&stage)[2]) {
  static_assert(rounds % 2 == 0, "the last round reads stage[1]");
  const int thread = threadIdx.x, place = blockIdx.x * block_threads + thread;
  const uint32_t* keys = &round_keys[0][thread & 3];
  const Sources from = sources(thread, 1);
  all_but_last_round(t_box, in[place], keys, from, stage);
  // Each T-box has the S-box's byte once in the row that is asked for.
  const uint32_t word =
      (t_box[2][load(stage[1], from.byte[0])] & 0x000000ffu) | (t_box[3][load(stage[1], from.byte[1])] & 0x0000ff00u) |
      (t_box[0][load(stage[1], from.byte[2])] & 0x00ff0000u) | (t_box[1][load(stage[1], from.byte[3])] & 0xff000000u);
  out[place] = word ^ keys[4 * rounds];
}

__global__ void aes_encrypt(const uint32_t* in, uint32_t* out, const TBoxes* boxes) {
  __shared__ TBoxes t_box;
  __shared__ Stage stage[2];
  copy(*boxes, t_box);
  encrypt(in, out, t_box, stage);
}

__global__ void aes_encrypt_cached(const uint32_t* in, uint32_t* out, const TBoxes* boxes) {
  __shared__ Stage stage[2];
  encrypt(in, out, *boxes, stage);
}

__global__ void aes_decrypt(const uint32_t* in, uint32_t* out, const TBoxes* boxes, const uint8_t* inverse_s_box) {
  __shared__ TBoxes t_box;
  __shared__ uint8_t s_box[table_words];
  __shared__ Stage stage[2];
  const int thread = threadIdx.x, place = blockIdx.x * block_threads + thread;
  const uint32_t* keys = &round_keys[0][thread & 3];
  const Sources from = sources(thread, -1);
  copy(*boxes, t_box);
  s_box[thread] = inverse_s_box[thread];
  all_but_last_round(t_box, in[place], keys, from, stage);
  uint32_t word = 0;
  for (int row = 0; row < 4; ++row) word |= uint32_t{s_box[load(stage[1], from.byte[row])]} << 8 * row;
  out[place] = word ^ keys[4 * rounds];
}

/// A word of four bytes, the first in the low bits.
uint32_t packed(const uint8_t* bytes) {
  return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

/// The four T-boxes: what byte x of row i adds to each row of a column, after substitution by a table and mixing.
std::vector<uint32_t> t_boxes(const uint8_t (&substitute)[256], const std::array<uint8_t, 4>& polynomial) {
  std::vector<uint32_t> words;
  for (int row = 0; row < 4; ++row)
    for (int x = 0; x < table_words; ++x) {
      Block column{};
      column[row] = substitute[x];
      fips197::mix_columns(column, polynomial);
      words.push_back(packed(column.data()));
    }
  return words;
}

/// Round keys in the order in which the kernel adds them; those of the equivalent inverse cipher are mixed: section 5.3.5.
std::vector<uint32_t> kernel_keys(fips197::KeySchedule keys, bool decrypt) {
  if (decrypt)
    for (int round = 1; round < rounds; ++round) fips197::mix_columns(keys[round], fips197::unmixing);
  std::vector<uint32_t> words;
  for (int i = 0; i <= rounds; ++i)
    for (int column = 0; column < 4; ++column) words.push_back(packed(&keys[decrypt ? rounds - i : i][4 * column]));
  return words;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--decrypt", "--cached", "--appendix-c", "--repeated"}, 1);
  const int grid = arguments.number(0, 257);
  const bool decrypt = arguments.flag("--decrypt");
  const fips197::Example& example = arguments.flag("--appendix-c") ? fips197::example_c1 : fips197::example_b;
  fips197::check_examples();

  const fips197::KeySchedule keys = fips197::expand_key(example.key);
  std::vector<Block> blocks(size_t(grid) * block_threads / 4);
  Random random;
  for (Block& block : blocks)
    for (uint8_t& byte : block) byte = static_cast<uint8_t>(random.next() >> 24);
  constexpr size_t warp_blocks = 8;
  for (size_t first = 0; arguments.flag("--repeated") && first < blocks.size(); first += warp_blocks) {
    if (random.next() >> 31) std::fill_n(&blocks[first], warp_blocks, blocks[0]);
  }
  blocks[0] = decrypt ? example.cipher : example.plain;
  std::vector<uint32_t> in, expected;
  for (const Block& block : blocks) {
    const Block result = decrypt ? fips197::decrypted(block, keys) : fips197::encrypted(block, keys);
    for (int column = 0; column < 4; ++column) {
      in.push_back(packed(&block[4 * column]));
      expected.push_back(packed(&result[4 * column]));
    }
  }

  const fips197::Tables& tables = fips197::tables();
  const uint8_t(&substitute)[256] = decrypt ? tables.restore : tables.substitute;
  const std::vector<uint32_t> key_words = kernel_keys(keys, decrypt);
  CUDA_CHECK(cudaMemcpyToSymbol(round_keys, key_words.data(), key_words.size() * sizeof(uint32_t)));
  DeviceArray<uint32_t> boxes(t_boxes(substitute, decrypt ? fips197::unmixing : fips197::mixing));
  DeviceArray<uint8_t> s_box(std::vector<uint8_t>(substitute, substitute + table_words));
  DeviceArray<uint32_t> device_in(in), out(in.size());
  const auto* t_box = reinterpret_cast<const TBoxes*>(boxes.get());
  if (decrypt)
    aes_decrypt<<<grid, block_threads>>>(device_in.get(), out.get(), t_box, s_box.get());
  else if (arguments.flag("--cached"))
    aes_encrypt_cached<<<grid, block_threads>>>(device_in.get(), out.get(), t_box);
  else
    aes_encrypt<<<grid, block_threads>>>(device_in.get(), out.get(), t_box);
  finish_kernel();
  return verdict(decrypt ? "aes --decrypt" : "aes", out.to_host(), expected);
}
