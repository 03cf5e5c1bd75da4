// Experiments that may fault: a fault ends the process's use of the GPU, so that each such experiment costs a process.
#pragma once
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace hopper {

/// Calls run(0), …, run(count - 1) in a child process. Where one ends the child, failed(its number) is called in this
/// process, which must not have used the GPU, and a new child goes on with the next. After `most` failures the rest is
/// left out. The result is the number of failures, -1 if there is no child.
template <class Run, class Failed>
int isolate(int count, int most, Run run, Failed failed) {
  void* memory = mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return -1;
  volatile int* current = static_cast<int*>(memory);
  int failures = 0;
  for (int first = 0; first < count && failures < most; first = *current + 1) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
      for (int i = first; i < count; ++i) {
        *current = i;
        run(i);
        std::fflush(nullptr);
      }
      *current = count;
      std::_Exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (*current >= count) break;
    failed(*current);
    ++failures;
  }
  return failures;
}

}  // namespace hopper
