// SHA-256 of many messages of 64 bytes, a message a thread: integer additions, rotations and logic, no shared memory and few
// accesses. Written from FIPS 180-4, sections 4.1.2, 4.2.2, 5.1.1, 5.3.3 and 6.2.2.
//   sha256 [messages: 10000]
#include "../check.hpp"

constexpr int message_words = 16, digest_words = 8;

__constant__ uint32_t device_constants[64];

/// The 64 round constants: the first 32 bits of the fractions of the cube roots of the first 64 primes.
std::vector<uint32_t> round_constants() {
  std::vector<uint32_t> constants;
  for (unsigned prime = 2; constants.size() < 64; ++prime) {
    bool is_prime = true;
    for (unsigned divisor = 2; divisor * divisor <= prime; ++divisor) is_prime &= prime % divisor != 0;
    if (!is_prime) continue;
    // The largest root with root^3 <= prime * 2^96, in whole numbers.
    using Wide = unsigned __int128;
    uint64_t root = 0;
    for (int bit = 35; bit >= 0; --bit) {
      const Wide next = root | uint64_t{1} << bit, square = next * next;
      // next < 2^36: the cube has up to 108 bits.
      if (square * next <= Wide{prime} << 96) root = static_cast<uint64_t>(next);
    }
    constants.push_back(static_cast<uint32_t>(root));
  }
  return constants;
}

__host__ __device__ inline uint32_t rotate(uint32_t x, int bits) { return x >> bits | x << (32 - bits); }

/// Adds a block of 16 words to the state.
__host__ __device__ inline void compress(uint32_t state[8], const uint32_t block[16], const uint32_t* constants) {
  uint32_t w[16];
  for (int t = 0; t < 16; ++t) w[t] = block[t];
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
#pragma unroll 16
  for (int t = 0; t < 64; ++t) {
    if (t >= 16) {
      const uint32_t before_15 = w[(t + 1) % 16], before_2 = w[(t + 14) % 16];
      w[t % 16] += (rotate(before_15, 7) ^ rotate(before_15, 18) ^ before_15 >> 3) + w[(t + 9) % 16] +
                   (rotate(before_2, 17) ^ rotate(before_2, 19) ^ before_2 >> 10);
    }
    const uint32_t first =
        h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + constants[t] + w[t % 16];
    const uint32_t second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d;
  state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

/// The digest of a message of 64 bytes: its block, and one of padding with the length of 512 bits.
__host__ __device__ inline void digest_of(const uint32_t message[16], const uint32_t* constants, uint32_t digest[8]) {
  const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const uint32_t padding[16] = {0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 512};
  for (int i = 0; i < 8; ++i) digest[i] = initial[i];
  compress(digest, message, constants);
  compress(digest, padding, constants);
}

__global__ void sha256(const uint32_t* messages, uint32_t* digests, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t message[message_words], digest[digest_words];
  for (int k = 0; k < message_words; ++k) message[k] = messages[size_t(k) * n + i];
  digest_of(message, device_constants, digest);
  for (int k = 0; k < digest_words; ++k) digests[size_t(k) * n + i] = digest[k];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({}, 1);
  const int n = arguments.number(0, 10'000), block = 128;
  const std::vector<uint32_t> constants = round_constants();
  // The digest of "abc", the first example of the standard, so that the reference is known to be right.
  uint32_t abc[16] = {0x61626380},
           state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  abc[15] = 24;
  compress(state, abc, constants.data());
  if (state[0] != 0xba7816bf || state[7] != 0xf20015ad) {
    std::printf("FAIL sha256: the reference does not know \"abc\"\n");
    return 1;
  }
  std::vector<uint32_t> messages(size_t(n) * message_words), expected(size_t(n) * digest_words);
  Random random;
  for (uint32_t& word : messages) word = random.next();
  for (int i = 0; i < n; ++i) {
    uint32_t message[message_words], digest[digest_words];
    for (int k = 0; k < message_words; ++k) message[k] = messages[size_t(k) * n + i];
    digest_of(message, constants.data(), digest);
    for (int k = 0; k < digest_words; ++k) expected[size_t(k) * n + i] = digest[k];
  }
  CUDA_CHECK(cudaMemcpyToSymbol(device_constants, constants.data(), sizeof device_constants));
  DeviceArray<uint32_t> device_messages(messages), digests(expected.size());
  sha256<<<(n + block - 1) / block, block>>>(device_messages.get(), digests.get(), n);
  finish_kernel();
  return verdict("sha256", digests.to_host(), expected);
}
