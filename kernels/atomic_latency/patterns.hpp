// The access patterns of atomic_latency: made from equation 1, or read from a file that `bankshot atomics model` reads, too.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "../check.hpp"
#include "../replication.hpp"

constexpr int lanes = 32;

struct Pattern {
  std::string name;
  int words[lanes];  // by lane; -1: the lane is off
};

/// Equation 1 of the ICCD paper: the first lanes are `stride` words apart, the others in the bank of their own.
inline Pattern strided(int stride, int conflicts) {
  Pattern pattern;
  pattern.name = "stride " + std::to_string(stride) + " conflicts " + std::to_string(conflicts);
  for (int lane = 0; lane < lanes; ++lane) pattern.words[lane] = lane < conflicts ? lane * stride : lane;
  return pattern;
}

/// Reads the addresses of a file of the form bankshot/patterns/1, and of it nothing else; ends the program if there are none,
/// or if one does not fit.
inline std::vector<Pattern> read_patterns(const char* path) {
  size_t at = 0;
  std::string text;
  const auto refuse = [&](const char* reason) {
    std::fprintf(stderr, "%s: byte %zu: %s; give a file of the form bankshot/patterns/1 (docs/json.md)\n", path, at,
                 reason);
    std::exit(2);
  };
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    refuse_arguments((std::string(path) + ": cannot be read").c_str(), "give a file of the form bankshot/patterns/1");
  text.assign(std::istreambuf_iterator<char>(file), {});
  const auto next = [&] {  // the next character that is no blank
    while (at < text.size() && std::strchr(" \t\r\n", text[at])) ++at;
    return at < text.size() ? text[at] : '\0';
  };
  const auto expect = [&](char what) {
    if (next() != what) refuse("expected a list of addresses");
    ++at;
  };
  std::vector<Pattern> patterns;
  const std::string key = "\"addresses\"";
  while ((at = text.find(key, at)) != std::string::npos) {
    at += key.size();
    expect(':');
    expect('[');
    Pattern pattern;
    pattern.name = "pattern " + std::to_string(patterns.size());
    for (int& word : pattern.words) word = -1;
    for (int lane = 0; next() != ']'; ++lane) {
      if (lane > 0) expect(',');
      if (lane == lanes) refuse("a warp has 32 lanes");
      if (next() == 'n' && text.compare(at, 4, "null") == 0) {
        at += 4;
        continue;
      }
      const size_t start = at;
      int word = 0;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        if ((word = word * 10 + (text[at] - '0')) >= shared_words) refuse("shared memory has words 0 to 12,287");
      if (at == start) refuse("expected a word address or null");
      pattern.words[lane] = word;
    }
    patterns.push_back(pattern);
  }
  if (patterns.empty()) {
    at = text.size();
    refuse("no addresses");
  }
  return patterns;
}
