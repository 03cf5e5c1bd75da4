// What calls on streams do around their work: each makes work of work, to be given to `call` of an interface, in which
// the lock is held and the context is open.
#pragma once

#include "bankshot/cuda/graphs/capture.hpp"
#include "bankshot/cuda/process/session.hpp"

namespace bankshot::cuda {

/// Looks at a stream, whose handle is checked; captured or not is the same.
template <class Work>
auto looking_at(void* stream, Work& work) {
  return [&work, stream](Session& session) {
    return session.streams().find(stream) ? work(session) : Status::invalid_handle;
  };
}

/// Work that comes if `check` gives success.
template <class Check, class Work>
auto behind(Check check, Work& work) {
  return [&work, check](Session& session) {
    const Status status = check(session);
    return status == Status::success ? work(session) : status;
  };
}

/// Work that must be carried out at once, on a stream that is then idle: not possible while it is captured.
template <class Work>
auto waiting_for(void* stream, Work& work) {
  return behind([stream](Session& session) { return before_waiting(session, stream); }, work);
}

/// Work on a stream: carried out by `now`, or made a node of the graph for which the stream is captured.
/// @param node  gives a MadeWork
template <class Now, class MakeNode>
auto issued_on(void* stream, Now& now, MakeNode& node) {
  return [&now, &node, stream](Session& session) {
    Stream* capturing = nullptr;
    const Status status = before_work(session, stream, capturing);
    if (status != Status::success) return status;
    return capturing ? capture(session, *capturing, node(session)) : now(session);
  };
}

}  // namespace bankshot::cuda
