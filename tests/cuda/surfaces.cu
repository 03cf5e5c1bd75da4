// Surfaces: written by one kernel, read by another and by a texture, at and beyond their edges.
#include <vector>

#include "check.hpp"

namespace {

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
  const cudaResourceDesc resource = resource_of(array);
  cudaSurfaceObject_t surface = 0;
  OK(cudaCreateSurfaceObject(&surface, &resource));
  return surface;
}

__global__ void write_2d(cudaSurfaceObject_t s, int width) {
  const int x = threadIdx.x, y = blockIdx.x;
  if (x < width) surf2Dwrite(make_uchar4(x, y, x + y, 255), s, x * sizeof(uchar4), y);
  surf2Dwrite(make_uchar4(9, 9, 9, 9), s, (width + x) * sizeof(uchar4), y, cudaBoundaryModeZero);
}

__global__ void read_2d(cudaSurfaceObject_t s, cudaTextureObject_t t, int* out, int width) {
  const int x = threadIdx.x, y = blockIdx.x;
  const uchar4 a = surf2Dread<uchar4>(s, x * sizeof(uchar4), y), b = tex2D<uchar4>(t, x, y);
  const uchar4 beyond = surf2Dread<uchar4>(s, (width + x) * sizeof(uchar4), y, cudaBoundaryModeClamp);
  const uchar4 nothing = surf2Dread<uchar4>(s, -4, y, cudaBoundaryModeZero);
  out[y * width + x] = a.x + 256 * a.y + 65536 * (a.z + b.z + nothing.w) + (beyond.x == width - 1 ? 1 << 30 : 0);
}

void plane() {
  const int w = 10, h = 6;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array, plain;
  OK(cudaMallocArray(&array, &format, w, h, cudaArraySurfaceLoadStore));
  OK(cudaMallocArray(&plain, &format, w, h));
  cudaResourceDesc resource = resource_of(plain);
  cudaSurfaceObject_t none;
  EXPECT_EQ(cudaCreateSurfaceObject(&none, &resource), cudaErrorInvalidValue);
  resource = resource_of(array);
  const cudaTextureDesc desc{};
  cudaTextureObject_t texture;
  OK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
  const cudaSurfaceObject_t surface = surface_of(array);
  int* out;
  OK(cudaMallocManaged(&out, w * h * 4));
  write_2d<<<h, 32>>>(surface, w);
  read_2d<<<h, w>>>(surface, texture, out, w);
  OK(cudaDeviceSynchronize());
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) EXPECT_EQ(out[y * w + x], x + 256 * y + 65536 * 2 * (x + y) + (1 << 30));
  // Another array, then host memory.
  OK(cudaMemcpy2DArrayToArray(plain, 0, 0, array, 0, 0, w * 4, h, cudaMemcpyDeviceToDevice));
  std::vector<uchar4> host(w * h);
  OK(cudaMemcpy2DFromArray(host.data(), w * 4, plain, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
  for (int k = 0; k < w * h; ++k) EXPECT(host[k].x == k % w && host[k].y == k / w && host[k].w == 255);
  OK(cudaDestroySurfaceObject(surface));
  EXPECT_EQ(cudaDestroySurfaceObject(surface), cudaErrorInvalidValue);
}

__global__ void write_volume(cudaSurfaceObject_t s) {
  surf3Dwrite(static_cast<float>(threadIdx.x + 4 * threadIdx.y + 16 * threadIdx.z), s, threadIdx.x * 4, threadIdx.y,
              threadIdx.z);
}

__global__ void write_layers(cudaSurfaceObject_t s) {
  surf2DLayeredwrite(static_cast<short>(100 * threadIdx.y + threadIdx.x), s, threadIdx.x * 2, 0, threadIdx.y);
}

void volume_and_layers() {
  const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>(), shorts = cudaCreateChannelDesc<short>();
  cudaArray_t array;
  OK(cudaMalloc3DArray(&array, &floats, make_cudaExtent(4, 4, 4), cudaArraySurfaceLoadStore));
  write_volume<<<1, dim3(4, 4, 4)>>>(surface_of(array));
  float host[64];
  cudaMemcpy3DParms copy{};
  copy.srcArray = array;
  copy.dstPtr = make_cudaPitchedPtr(host, 16, 4, 4);
  copy.extent = make_cudaExtent(4, 4, 4);
  copy.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&copy));
  for (int k = 0; k < 64; ++k) EXPECT(host[k] == static_cast<float>(k));
  OK(cudaMalloc3DArray(&array, &shorts, make_cudaExtent(4, 1, 3), cudaArraySurfaceLoadStore | cudaArrayLayered));
  write_layers<<<1, dim3(4, 3)>>>(surface_of(array));
  short layer[4];
  copy = {};
  copy.srcArray = array;
  copy.srcPos = make_cudaPos(0, 0, 2);
  copy.dstPtr = make_cudaPitchedPtr(layer, 8, 4, 1);
  copy.extent = make_cudaExtent(4, 1, 1);
  copy.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&copy));
  for (int k = 0; k < 4; ++k) EXPECT_EQ(layer[k], 200 + k);
}

__global__ void beyond(cudaSurfaceObject_t s) { surf1Dwrite(1.0f, s, 64); }

/// Last: the context cannot be used any more.
void traps() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &format, 16, 0, cudaArraySurfaceLoadStore));
  beyond<<<1, 1>>>(surface_of(array));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

}  // namespace

int main() {
  plane();
  volume_and_layers();
  traps();
  return finish("surfaces");
}
