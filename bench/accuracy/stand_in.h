// What the programs of bench/accuracy/build take from helper headers of CUDA SDK 4.2 and from functions that later
// toolkits dropped, in as few words as they need.
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __CUDACC__
#include <cuda_runtime.h>
#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define CUDA_SAFE_CALL(call) call
#define cutilSafeCall(call) check_cuda((call), __FILE__, __LINE__)
#define checkCudaErrors(call) check_cuda((call), __FILE__, __LINE__)
#define cutilCheckMsg(what) check_cuda(cudaGetLastError(), __FILE__, __LINE__)
#define getLastCudaError(what) check_cuda(cudaGetLastError(), __FILE__, __LINE__)
#define cutilDeviceSynchronize cudaDeviceSynchronize
#define cutilDeviceReset cudaDeviceReset

static inline void check_cuda(cudaError_t error, const char* file, int line) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
  exit(2);
}
#endif

#define cutilCheckError(call) (void)(call)
#define cutilSafeMalloc(call) \
  if ((call) == NULL) exit(2)

enum { QA_FAILED, QA_PASSED, QA_WAIVED };
enum { LOGBOTH = 1, MASTER = 2 };

static inline void shrQAStart(int, char**) {}
static inline void shrQAFinishExit(int, const char**, int how) { exit(how == QA_FAILED ? 1 : 0); }
static inline void shrSetLogFileName(const char*) {}
static inline void shrLog(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
}
static inline void shrLogEx(int, int, const char*, ...) {}
static inline int cutCheckCmdLineFlag(int, const char**, const char*) { return 0; }
static inline int cutilDeviceInit(int, char**) { return 0; }
static inline int cutGetMaxGflopsDeviceId() { return 0; }
static inline int cutCreateTimer(unsigned*) { return 0; }
static inline int cutDeleteTimer(unsigned) { return 0; }
static inline int cutResetTimer(unsigned) { return 0; }
static inline int cutStartTimer(unsigned) { return 0; }
static inline int cutStopTimer(unsigned) { return 0; }
static inline float cutGetTimerValue(unsigned) { return 1; }
