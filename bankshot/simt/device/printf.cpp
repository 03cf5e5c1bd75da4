// Device printf, assert, and the condition of a graph's node. Source: CUDA C++ Programming Guide, formatted output:
// vprintf(format, arguments), where the arguments lie one after the other, each at a multiple of its size, floats as
// doubles, small integers as int.
#include <algorithm>
#include <bit>
#include <cstdio>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/paths.hpp"
#include "bankshot/simt/state/call_values.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {
namespace {

constexpr size_t kLongestText = 1 << 16;

/// A zero-terminated text in device memory. @return false after a fault
bool read_text(Warp& w, const Instr* i, uint64_t address, unsigned lane, std::string& out) {
  for (out.clear(); out.size() < kLongestText; ++address) {
    char c;
    if (!load_lane(w, i, ptx::Space::generic, address, 1, lane, &c)) return false;
    if (c == 0) break;
    out += c;
  }
  return true;
}

/// Takes one argument after the other from the buffer.
class Arguments {
 public:
  Arguments(Warp& w, const Instr* i, uint64_t address, unsigned lane) : w_(w), i_(i), at_(address), lane_(lane) {}

  template <class T>
  bool next(T& value) {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const bool fine = load_lane(w_, i_, ptx::Space::generic, at_, sizeof(T), lane_, &value);
    at_ += sizeof(T);
    return fine;
  }

 private:
  Warp& w_;
  const Instr* i_;
  uint64_t at_;
  unsigned lane_;
};

template <class... T>
void append(std::string& out, const std::string& conversion, T... values) {
  char text[512];
  const int length = std::snprintf(text, sizeof text, conversion.c_str(), values...);
  if (length < 0) return;
  if (static_cast<size_t>(length) < sizeof text) {
    out += text;
    return;
  }
  std::string longer(static_cast<size_t>(length) + 1, '\0');
  std::snprintf(longer.data(), longer.size(), conversion.c_str(), values...);
  longer.pop_back();
  out += longer;
}

/// Formats one conversion; `conversion` is "%…d" without length modifiers. @return false after a fault
bool convert(Warp& w, const Instr* i, unsigned lane, std::string conversion, bool wide, Arguments& arguments,
             std::string& out) {
  const char kind = conversion.back();
  switch (kind) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'c': {
      if (!wide || kind == 'c') {
        int32_t value;
        if (!arguments.next(value)) return false;
        append(out, conversion, value);
        return true;
      }
      int64_t value;
      if (!arguments.next(value)) return false;
      conversion.insert(conversion.size() - 1, "ll");
      append(out, conversion, static_cast<long long>(value));
      return true;
    }
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
      double value;
      if (!arguments.next(value)) return false;
      append(out, conversion, value);
      return true;
    }
    case 'p': {
      uint64_t value;
      if (!arguments.next(value)) return false;
      append(out, conversion, reinterpret_cast<void*>(value));
      return true;
    }
    case 's': {
      uint64_t address;
      std::string text;
      if (!arguments.next(address)) return false;
      if (address == 0) {
        text = "(null)";
      } else if (!read_text(w, i, address, lane, text)) {
        return false;
      }
      append(out, conversion, text.c_str());
      return true;
    }
    default: out += conversion; return true;  // an unknown conversion is printed as it stands
  }
}

bool format(Warp& w, const Instr* i, unsigned lane, const std::string& text, uint64_t buffer, std::string& out,
            int& count) {
  Arguments arguments(w, i, buffer, lane);
  for (size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '%') {
      out += text[k];
      continue;
    }
    if (k + 1 < text.size() && text[k + 1] == '%') {
      out += '%';
      ++k;
      continue;
    }
    std::string conversion = "%";
    bool wide = false;
    for (++k; k < text.size(); ++k) {
      const char c = text[k];
      if (c == 'l') {
        wide = true;  // long is 64 bits on the device as well
      } else if (c == 'z' || c == 't' || c == 'j') {
        wide = true;
      } else if (c == 'h' || c == 'L') {
        continue;
      } else if (c == '*') {
        int32_t width;
        if (!arguments.next(width)) return false;
        conversion += std::to_string(std::clamp(width, -4096, 4096));
        ++count;
      } else {
        conversion += c;
        if (std::string_view("0123456789.+-# ").find(c) == std::string_view::npos) break;
      }
      if (conversion.size() > 32) break;
    }
    if (conversion.size() < 2 || conversion.size() > 32) {
      out += conversion;
      continue;
    }
    ++count;
    if (!convert(w, i, lane, conversion, wide, arguments, out)) return false;
  }
  return true;
}

}  // namespace

const Instr* run_printf(Warp& w, const Instr* i) {
  const CallInfo& call = w.worker->program->calls[i->aux];
  int count = 0;
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    std::string text;
    count = 0;
    if (!read_text(w, i, argument(w, call, 0, lane), lane, text) ||
        !format(w, i, lane, text, argument(w, call, 1, lane), w.cta->output, count)) {
      return nullptr;
    }
  }
  for_lanes(w, [&](unsigned lane) { return_value(w, call, lane, static_cast<uint32_t>(count)); });
  return i + 1;
}

const Instr* run_set_condition(Warp& w, const Instr* i) {
  const CallInfo& call = w.worker->program->calls[i->aux];
  for (uint64_t rest = w.active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const auto value = static_cast<uint32_t>(argument(w, call, 1, lane));
    if (!store_lane(w, i, ptx::Space::global, argument(w, call, 0, lane), sizeof value, lane, &value)) return nullptr;
  }
  return i + 1;
}

const Instr* run_assert(Warp& w, const Instr* i) {
  const CallInfo& call = w.worker->program->calls[i->aux];
  const auto lane = static_cast<unsigned>(std::countr_zero(w.active));
  std::string message, file, function;
  if (!read_text(w, i, argument(w, call, 0, lane), lane, message) ||
      !read_text(w, i, argument(w, call, 1, lane), lane, file) ||
      !read_text(w, i, argument(w, call, 3, lane), lane, function)) {
    return nullptr;
  }
  return fault(w, i, Fault::Kind::assertion, static_cast<int>(lane), 0,
               file + ":" + std::to_string(static_cast<uint32_t>(argument(w, call, 2, lane))) + ": " + function +
                   ": assertion `" + message + "` failed");
}

}  // namespace bankshot::simt
