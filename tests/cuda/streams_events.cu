// Streams, events and callbacks: all in issue order.
#include "check.hpp"

__global__ void times_and_plus(int* value, int factor, int term) { *value = *value * factor + term; }

static int seen = 0;

int main() {
  cudaStream_t first, second;
  OK(cudaStreamCreate(&first));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  cudaEvent_t start, stop, untimed;
  OK(cudaEventCreate(&start));
  OK(cudaEventCreateWithFlags(&stop, cudaEventBlockingSync));
  OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));

  int* value = nullptr;
  int* host = nullptr;
  OK(cudaMalloc(&value, sizeof(int)));
  OK(cudaMallocHost(&host, sizeof(int)));
  *host = 1;
  OK(cudaEventRecord(start, first));
  OK(cudaMemcpyAsync(value, host, sizeof(int), cudaMemcpyHostToDevice, first));
  times_and_plus<<<1, 1, 0, first>>>(value, 3, 4);
  OK(cudaEventRecord(untimed, first));
  OK(cudaStreamWaitEvent(second, untimed, 0));
  times_and_plus<<<1, 1, 0, second>>>(value, 10, 1);
  OK(cudaMemcpyAsync(host, value, sizeof(int), cudaMemcpyDeviceToHost, second));
  OK(cudaLaunchHostFunc(second, [](void* data) { seen = *static_cast<int*>(data); }, host));
  OK(cudaStreamAddCallback(
      second, [](cudaStream_t, cudaError_t status, void*) { seen += status == cudaSuccess; }, nullptr, 0));
  OK(cudaEventRecord(stop, second));
  OK(cudaEventSynchronize(stop));
  OK(cudaStreamSynchronize(second));
  EXPECT_EQ(*host, 71);
  EXPECT_EQ(seen, 72);
  OK(cudaStreamQuery(first));
  OK(cudaEventQuery(stop));
  float milliseconds = -1;
  OK(cudaEventElapsedTime(&milliseconds, start, stop));
  EXPECT(milliseconds >= 0 && milliseconds < 60000);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, untimed), cudaErrorInvalidResourceHandle);

  unsigned flags = 9;
  int priority = 9;
  OK(cudaStreamGetFlags(second, &flags));
  EXPECT_EQ(flags, cudaStreamNonBlocking);
  OK(cudaStreamGetPriority(first, &priority));
  EXPECT_EQ(priority, 0);
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusActive;
  OK(cudaStreamIsCapturing(first, &capturing));
  EXPECT_EQ(capturing, cudaStreamCaptureStatusNone);
  times_and_plus<<<1, 1, 0, cudaStreamPerThread>>>(value, 1, 1);
  times_and_plus<<<1, 1, 0, cudaStreamLegacy>>>(value, 1, 1);
  OK(cudaDeviceSynchronize());

  OK(cudaStreamDestroy(first));
  EXPECT_EQ(cudaStreamSynchronize(first), cudaErrorInvalidResourceHandle);
  OK(cudaEventDestroy(start));
  EXPECT_EQ(cudaEventRecord(start, second), cudaErrorInvalidResourceHandle);
  OK(cudaFreeHost(host));

  void* pooled = nullptr;
  OK(cudaMallocAsync(&pooled, 256, second));
  OK(cudaMemsetAsync(pooled, 0, 256, second));
  OK(cudaFreeAsync(pooled, second));
  cudaMemPool_t pool;
  unsigned long long threshold = 1 << 20;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  threshold = 0;
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  EXPECT_EQ(threshold, 1 << 20);
  OK(cudaMallocFromPoolAsync(&pooled, 256, pool, second));
  OK(cudaFreeAsync(pooled, second));
  return finish("streams_events");
}
