// __device__ and __constant__ variables from the host's side.
#include "bankshot/cuda/runtime/symbols.hpp"

#include "bankshot/cuda/memory/transfer.hpp"
#include "bankshot/cuda/runtime/call.hpp"

namespace bankshot::cuda::runtime {
namespace {

/// The loaded variable that a symbol stands for. Writes `found` on success.
Status find_symbol(Session& session, const void* symbol, const simt::GlobalInfo*& found) {
  Variable* variable = session.modules().variable(symbol);
  if (!variable) return Status::invalid_symbol;
  if (const Status status = load(session.load_target(), *variable->module); status != Status::success) return status;
  found = variable->info;
  return found ? Status::success : Status::invalid_symbol;
}

/// The kinds that make sense for the side of the symbol. @param to_symbol  1 and 3 of cudaMemcpyKind, else 2 and 3
bool is_direction(int kind, bool to_symbol) { return kind == 3 || kind == 4 || kind == (to_symbol ? 1 : 2); }

/// The two sides of a copy to or from a symbol.
struct SymbolCopy {
  Region to, from;
};

Result<SymbolCopy, Status> symbol_copy(Session& session, const void* symbol, void* other, size_t bytes, size_t offset,
                                       int kind, bool to_symbol) {
  if (!is_direction(kind, to_symbol)) return Status::invalid_memcpy_direction;
  const simt::GlobalInfo* global = nullptr;
  if (const Status status = find_symbol(session, symbol, global); status != Status::success) return status;
  if (offset > global->size || bytes > global->size - offset) return Status::invalid_value;
  const Region inside{global->address + offset, bytes, 0, Side::device};
  const Region outside{reinterpret_cast<uint64_t>(other), bytes, 0,
                       kind == 4   ? Side::either
                       : kind == 3 ? Side::device
                                   : Side::host};
  return to_symbol ? SymbolCopy{inside, outside} : SymbolCopy{outside, inside};
}

Status copy_symbol(void* stream, const void* symbol, void* other, size_t bytes, size_t offset, int kind,
                   bool to_symbol) {
  return issue(
      stream,
      [&](Session& session) {
        const auto sides = symbol_copy(session, symbol, other, bytes, offset, kind, to_symbol);
        return sides ? copy(session.memory().engine(), sides->to, sides->from, {bytes, 1, 1}) : sides.error();
      },
      [&](Session& session) { return symbol_work(session, symbol, other, bytes, offset, kind, to_symbol); });
}

}  // namespace

MadeWork symbol_work(Session& session, const void* symbol, void* other, size_t bytes, size_t offset, int kind,
                     bool to_symbol) {
  const auto sides = symbol_copy(session, symbol, other, bytes, offset, kind, to_symbol);
  if (!sides) return sides.error();
  return copy_work(copy_parameters(sides->to, sides->from, {bytes, 1, 1}));
}

BANKSHOT_API(cudaMemcpyToSymbolAsync)
(const void* symbol, const void* from, size_t bytes, size_t offset, int kind, void* stream) {
  return copy_symbol(stream, symbol, const_cast<void*>(from), bytes, offset, kind, true);
}

BANKSHOT_API(cudaMemcpyToSymbol)(const void* symbol, const void* from, size_t bytes, size_t offset, int kind) {
  return bankshot_cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}

BANKSHOT_API(cudaMemcpyFromSymbolAsync)
(void* to, const void* symbol, size_t bytes, size_t offset, int kind, void* stream) {
  return copy_symbol(stream, symbol, to, bytes, offset, kind, false);
}

BANKSHOT_API(cudaMemcpyFromSymbol)(void* to, const void* symbol, size_t bytes, size_t offset, int kind) {
  return bankshot_cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}

BANKSHOT_API(cudaGetSymbolAddress)(void** address, const void* symbol) {
  return call([&](Session& session) {
    const simt::GlobalInfo* global = nullptr;
    if (!address) return Status::invalid_value;
    if (const Status status = find_symbol(session, symbol, global); status != Status::success) return status;
    *address = reinterpret_cast<void*>(global->address);
    return Status::success;
  });
}

BANKSHOT_API(cudaGetSymbolSize)(size_t* size, const void* symbol) {
  return call([&](Session& session) {
    const simt::GlobalInfo* global = nullptr;
    if (!size) return Status::invalid_value;
    if (const Status status = find_symbol(session, symbol, global); status != Status::success) return status;
    *size = global->size;
    return Status::success;
  });
}

}  // namespace bankshot::cuda::runtime
