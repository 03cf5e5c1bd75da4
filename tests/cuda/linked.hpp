// What the units of device_linked share.
#pragma once

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};

extern __device__ int counter;
extern __constant__ float scales[2];
extern __managed__ int noted;
extern __device__ float (*chosen)(float);

__device__ float twice(float x);
__device__ float squared(float x);
__device__ const Shape* make_square(void* room, float side);
__global__ void count(int* out);

/// In both units, of which one is linked.
template <class T>
__device__ __noinline__ T plus_one(T x) {
  return x + 1;
}
