// The four problems of bench/peers, the same for every contestant: inputs, the expected result, the shape of the grid,
// and how launches are timed. Data and grids are those of the programs of the same names in kernels/.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

struct Extent {
  unsigned x, y;
};

using Bytes = std::vector<unsigned char>;

struct Problem {
  std::string name;
  int size = 0;  // elements, pixels or the side of a square matrix: what the kernel is told
  std::vector<Bytes> inputs;
  Bytes expected;  // results are exact in any order, so that they are compared byte by byte
  Extent groups{1, 1}, group{1, 1};
};

/// Pseudo-random numbers (xorshift32) below a bound, as in kernels/check.hpp.
class Random {
 public:
  uint32_t below(uint32_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ % bound;
  }

 private:
  uint32_t state_ = 2463534242u;
};

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline Problem vector_add_problem(int n) {
  std::vector<float> a(n), b(n), sum(n);
  Random random;
  for (int i = 0; i < n; ++i) {
    a[i] = random.below(1000) * 0.25f;
    b[i] = random.below(1000) * 0.5f;
    sum[i] = a[i] + b[i];
  }
  return {"vector_add", n, {bytes_of(a), bytes_of(b)}, bytes_of(sum), {(n + 255u) / 256, 1}, {256, 1}};
}

inline Problem transpose_problem(int side) {
  std::vector<float> in(size_t(side) * side), out(in.size());
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const auto value = static_cast<float>((y * 131 + x * 7) % 65521);
      in[size_t(y) * side + x] = value;
      out[size_t(x) * side + y] = value;
    }
  const unsigned tiles = (side + 31u) / 32;
  return {"transpose", side, {bytes_of(in)}, bytes_of(out), {tiles, tiles}, {32, 32}};
}

inline Problem histogram_problem(int n) {
  Bytes pixels(n);
  std::vector<unsigned> counts(256);
  Random random;
  int brightness = 128;
  for (unsigned char& pixel : pixels) {
    brightness = std::clamp(brightness + static_cast<int>(random.below(17)) - 8, 0, 255);
    pixel = static_cast<unsigned char>(brightness);
    ++counts[pixel];
  }
  return {"histogram", n, {pixels}, bytes_of(counts), {64, 1}, {256, 1}};
}

inline Problem matmul_problem(int side) {
  if (side % 16) {
    std::fprintf(stderr, "the side must be a multiple of 16\n");
    std::exit(2);
  }
  // Small whole numbers: every sum is exact, with or without fused multiply-add.
  std::vector<float> a(size_t(side) * side), b(a.size()), c(a.size());
  Random random;
  for (float& value : a) value = static_cast<float>(random.below(9)) - 4;
  for (float& value : b) value = static_cast<float>(random.below(9)) - 4;
  for (int y = 0; y < side; ++y)
    for (int k = 0; k < side; ++k)
      for (int x = 0; x < side; ++x) c[size_t(y) * side + x] += a[size_t(y) * side + k] * b[size_t(k) * side + x];
  const unsigned tiles = side / 16;
  return {"matmul", side, {bytes_of(a), bytes_of(b)}, bytes_of(c), {tiles, tiles}, {16, 16}};
}

/// The command line of every program: KERNEL SIZE WARM_SECONDS SECONDS.
struct Request {
  Problem problem;
  double warm_seconds, seconds;
};

inline Request read_request(int argc, char** argv) {
  const std::string name = argc == 5 ? argv[1] : "";
  const int size = argc == 5 ? std::atoi(argv[2]) : 0;
  Problem (*make)(int) = name == "vector_add"  ? vector_add_problem
                         : name == "transpose" ? transpose_problem
                         : name == "histogram" ? histogram_problem
                         : name == "matmul"    ? matmul_problem
                                               : nullptr;
  if (!make || size < 1) {
    std::fprintf(stderr, "usage: %s vector_add|transpose|histogram|matmul SIZE WARM_SECONDS SECONDS\n", argv[0]);
    std::exit(2);
  }
  return {make(size), std::atof(argv[3]), std::atof(argv[4])};
}

/// Times launches and prints what bench/peers/run reads: `launches=N first=SECONDS warm=SECONDS busy=SHARE`. `first` is
/// the wall time of the first launch, `warm` the median processor time, of all threads, of those after the warm-up, and
/// `busy` the share of their wall time in which this process was on a processor. Without seconds `warm` is that of the
/// first launch.
/// @param clear   makes the output zero; not timed
/// @param launch  starts the kernel and waits for its end
template <class Clear, class Launch>
void time_launches(const Request& request, Clear clear, Launch launch) {
  std::vector<double> on_processor, on_wall;
  const auto launch_for = [&](double seconds) {
    on_processor.clear();
    on_wall.clear();
    for (double total = 0; on_wall.empty() || total < seconds; total += on_processor.back()) {
      clear();
      const auto start = std::chrono::steady_clock::now();
      const std::clock_t ticks = std::clock();
      launch();
      on_processor.push_back(static_cast<double>(std::clock() - ticks) / CLOCKS_PER_SEC);
      on_wall.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  };
  launch_for(request.warm_seconds);
  const double first = on_wall.front();
  if (request.seconds > 0) launch_for(request.seconds);
  const double busy = std::accumulate(on_processor.begin(), on_processor.end(), 0.0) /
                      std::accumulate(on_wall.begin(), on_wall.end(), 0.0);
  std::sort(on_processor.begin(), on_processor.end());
  std::printf("launches=%zu first=%.9f warm=%.9f busy=%.3f\n", on_processor.size(), first,
              on_processor[on_processor.size() / 2], busy);
}

/// Prints PASS or FAIL. @return the exit status of the program
inline int verdict(const Problem& problem, const Bytes& result) {
  const bool same = result == problem.expected;
  std::printf("%s %s\n", same ? "PASS" : "FAIL", problem.name.c_str());
  return same ? 0 : 1;
}
