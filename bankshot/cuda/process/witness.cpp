#include "bankshot/cuda/process/witness.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "bankshot/cuda/process/say.hpp"

namespace bankshot::cuda {
namespace {

constexpr uint64_t kFirstEvents = 10000;

const char* name(simt::MemoryKind kind) {
  switch (kind) {
    case simt::MemoryKind::device: return "device memory";
    case simt::MemoryKind::pinned: return "pinned memory";
    case simt::MemoryKind::managed: return "managed memory";
    case simt::MemoryKind::module_global: return "variable";
    case simt::MemoryKind::module_constant: return "constant";
    case simt::MemoryKind::registered: return "registered memory";
    case simt::MemoryKind::heap: return "memory of the heap of kernels";
  }
  return "memory";
}

std::string told(const simt::Allocation& allocation) {
  Digest digest;
  digest.add(reinterpret_cast<const void*>(allocation.address), allocation.size);
  const std::string label = allocation.label.empty() ? "" : " " + allocation.label;
  return fmt::format("{}{} of {} bytes: {}", name(allocation.kind), label, allocation.size, digest.text());
}

}  // namespace

void Digest::add(const void* bytes, uint64_t count) {
  // Two multiply-and-rotate chains over words; each step is a bijection of its state, so that no difference is lost in
  // it.
  const auto step = [&](uint64_t word) {
    a_ = std::rotl(a_ ^ word, 29) * 0x9e3779b97f4a7c15;
    b_ = std::rotl((b_ + word) * 0xd6e8feb86659fd93, 31) ^ a_;
  };
  const auto* at = static_cast<const char*>(bytes);
  const uint64_t total = count;
  for (; count >= 8; at += 8, count -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    step(word);
  }
  uint64_t rest = 0;
  if (count != 0) std::memcpy(&rest, at, count);
  step(rest);
  step(total);
}

std::string Digest::text() const { return fmt::format("{:016x}{:016x}", a_, b_); }

Witness* Witness::get() {
  static Witness* const witness = []() -> Witness* {
    const char* folder = std::getenv("BANKSHOT_WITNESS_DIR");
    if (folder == nullptr || *folder == 0) return nullptr;
    auto* made = new Witness;  // never destroyed: static destructors of the program may still free memory
    made->folder_ = folder;
    made->pid_ = getpid();
    return made;
  }();
  return witness;
}

void Witness::add(const std::string& line) {
  all_.add(line.data(), line.size());
  if (events_++ < kFirstEvents) first_ += line + "\n";
}

void Witness::launched(const std::string& kernel, simt::Dim3 grid, simt::Dim3 block, uint64_t dynamic_shared) {
  ++launches_;
  add(fmt::format("launch of {}, grid {}x{}x{}, block {}x{}x{}, {} bytes of dynamic shared memory", kernel, grid.x,
                  grid.y, grid.z, block.x, block.y, block.z, dynamic_shared));
}

void Witness::ran(const simt::Memory& memory) {
  memory.for_each_live([&](const simt::Allocation& allocation) {
    if (allocation.kind == simt::MemoryKind::registered) add("after it " + told(allocation));
  });
}

void Witness::copied_row(const void* bytes, uint64_t count) {
  Digest digest;
  digest.add(bytes, count);
  add(fmt::format("copy of {} bytes to the host: {}", count, digest.text()));
}

void Witness::freed(const simt::Allocation& allocation) { add("freed " + told(allocation)); }

void Witness::finish(const simt::Memory* memory) {
  if (pid_ != getpid()) return;
  std::string text = first_;
  text += fmt::format("{} events: {}\n", events_, all_.text());
  if (memory != nullptr) {
    memory->for_each_live([&](const simt::Allocation& allocation) {
      // Registered memory is the program's own, which may be gone: see ran().
      if (allocation.kind != simt::MemoryKind::registered) text += "left " + told(allocation) + "\n";
    });
  }
  text += fmt::format("end after {} launches\n", launches_);
  const std::string path = fmt::format("{}/witness-{}.txt", folder_, pid_), beside = path + ".part";
  std::ofstream file(beside, std::ios::binary);
  file << text;
  file.close();
  if (!file || std::rename(beside.c_str(), path.c_str()) != 0) say_once(path, path + " cannot be written");
}

}  // namespace bankshot::cuda
