#include "bankshot/cuda/process/witness.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "bankshot/cuda/process/hand_in.hpp"
#include "bankshot/cuda/process/request.hpp"
#include "bankshot/simt/memory/labels.hpp"

namespace bankshot::cuda {
namespace {

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

Witness* Witness::get() {
  static Witness* const witness = []() -> Witness* {
    if (!process_request().witness) return nullptr;
    auto* made = new Witness;  // never destroyed: static destructors of the program may still free memory
    made->pid_ = getpid();
    made->path_ = free_path("witness");
    return made;
  }();
  return witness;
}

void Witness::add(const std::string& event) {
  all_.add(event.data(), event.size());
  if (record_.events++ < WitnessRecord::kNamedEvents) record_.named.push_back(event);
}

void Witness::launched(const std::string& kernel, simt::Dim3 grid, simt::Dim3 block, uint64_t dynamic_shared) {
  ++record_.launches;
  record_.dynamic_shared[kernel].add({dynamic_shared, dynamic_shared});
  add(fmt::format("launch of {}, grid {}x{}x{}, block {}x{}x{}, {} bytes of dynamic shared memory", kernel, grid.x,
                  grid.y, grid.z, block.x, block.y, block.z, dynamic_shared));
}

void Witness::ran(const simt::Memory& memory) {
  // In an order that does not depend on where the program's heap has put it.
  std::vector<std::string> registered;
  memory.for_each_live([&](const simt::Allocation& allocation) {
    if (allocation.kind == simt::MemoryKind::registered) registered.push_back("after it " + told(allocation));
  });
  std::ranges::sort(registered);
  for (const std::string& one : registered) add(one);
}

void Witness::copied_row(const void* bytes, uint64_t count) {
  Digest digest;
  digest.add(bytes, count);
  add(fmt::format("copy of {} bytes to the host: {}", count, digest.text()));
}

void Witness::freed(const simt::Allocation& allocation) { add("freed " + told(allocation)); }

void Witness::finish(const simt::Memory* memory) {
  if (pid_ != getpid()) return;
  record_.digest = all_.text();
  record_.left.clear();
  if (memory != nullptr) {
    memory->for_each_live([&](const simt::Allocation& allocation) {
      // Registered memory is the program's own, which may be gone: see ran(). Parameters are no result, and may be
      // addresses of the program's heap.
      const bool is_left =
          allocation.kind != simt::MemoryKind::registered && allocation.label != simt::kParametersLabel;
      if (is_left) record_.left.push_back(told(allocation));
    });
  }
  hand_in(Output::witness, path_, to_json(record_));
}

}  // namespace bankshot::cuda
