// Host threads that advance the parts of a machine together, from quantum to quantum.
#pragma once

#include <functional>

#include "bankshot/support/thread_pool.hpp"

namespace bankshot::timing {

/// Calls part(k) for each k below `parts`, on all threads, then between() on one, again and again until it says no.
/// Which thread takes which part is open; parts must not depend on each other. A thread that the host does not run
/// takes no part and delays no other thread, unless it was stopped inside one.
void run_quanta(ThreadPool& pool, unsigned threads, unsigned parts, const std::function<void(unsigned)>& part,
                const std::function<bool()>& between);

}  // namespace bankshot::timing
