// Textures: arrays of every kind, filters, address modes, mipmaps, cubes and linear memory, held against formulas on
// the host.
#include <cmath>
#include <cstring>
#include <vector>

#include "check.hpp"

namespace {

cudaTextureDesc sampler(cudaTextureAddressMode mode, cudaTextureFilterMode filter, cudaTextureReadMode read,
                        bool normalised) {
  cudaTextureDesc desc{};
  for (auto& m : desc.addressMode) m = mode;
  desc.filterMode = filter;
  desc.readMode = read;
  desc.normalizedCoords = normalised;
  return desc;
}

cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc& desc) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureObject_t texture = 0;
  EXPECT(cudaCreateTextureObject(&texture, &resource, &desc, nullptr) == cudaSuccess);
  return texture;
}

float* results(size_t count) {
  float* out = nullptr;
  EXPECT(cudaMallocManaged(&out, count * sizeof(float)) == cudaSuccess);
  return out;
}

__global__ void sample_2d(cudaTextureObject_t t, float* out, int width, int height, float scale, float shift) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * width + x] = tex2D<float>(t, (x + 0.5f) * scale + shift, (y + 0.5f) * scale + shift);
  (void)height;
}

/// The guide's formula with weights of 8 bits behind the point.
float bilinear(const std::vector<float>& t, int w, int h, float x, float y) {
  const auto texel = [&](int i, int j) {
    return t[std::min(std::max(j, 0), h - 1) * w + std::min(std::max(i, 0), w - 1)];
  };
  const double bx = x - 0.5, by = y - 0.5;
  const int i = static_cast<int>(std::floor(bx)), j = static_cast<int>(std::floor(by));
  const double a = std::floor((bx - i) * 256 + 0.5) / 256, b = std::floor((by - j) * 256 + 0.5) / 256;
  return static_cast<float>((1 - a) * (1 - b) * texel(i, j) + a * (1 - b) * texel(i + 1, j) +
                            (1 - a) * b * texel(i, j + 1) + a * b * texel(i + 1, j + 1));
}

void plane() {
  const int w = 20, h = 12;
  std::vector<float> host(w * h);
  for (int k = 0; k < w * h; ++k) host[k] = static_cast<float>((k * 37) % 101) - 50;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  EXPECT(cudaMallocArray(&array, &format, w, h) == cudaSuccess);
  EXPECT(cudaMemcpy2DToArray(array, 0, 0, host.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice) == cudaSuccess);
  float* out = results(w * h);
  const cudaTextureObject_t point =
      texture_of(array, sampler(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false));
  sample_2d<<<h, w>>>(point, out, w, h, 1, 0);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  for (int k = 0; k < w * h; ++k) EXPECT(out[k] == host[k]);
  const cudaTextureObject_t linear =
      texture_of(array, sampler(cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, false));
  const float scale = 1.3f, shift = -2.2f;
  sample_2d<<<h, w>>>(linear, out, w, h, scale, shift);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      EXPECT(out[y * w + x] ==
             bilinear(host, w, h, std::fma(x + 0.5f, scale, shift), std::fma(y + 0.5f, scale, shift)));
  // Back again, and what the objects tell.
  std::vector<float> back(w * h);
  EXPECT(cudaMemcpyFromArray(back.data(), array, 0, 0, w * h * 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  EXPECT(back == host);
  cudaResourceDesc resource{};
  EXPECT(cudaGetTextureObjectResourceDesc(&resource, linear) == cudaSuccess);
  EXPECT(resource.resType == cudaResourceTypeArray && resource.res.array.array == array);
  cudaTextureDesc desc{};
  EXPECT(cudaGetTextureObjectTextureDesc(&desc, linear) == cudaSuccess);
  EXPECT(desc.filterMode == cudaFilterModeLinear && desc.addressMode[0] == cudaAddressModeClamp);
  cudaExtent extent;
  unsigned flags = 7;
  cudaChannelFormatDesc told;
  EXPECT(cudaArrayGetInfo(&told, &extent, &flags, array) == cudaSuccess);
  EXPECT(extent.width == 20 && extent.height == 12 && extent.depth == 0 && flags == 0 && told.x == 32 &&
         told.f == cudaChannelFormatKindFloat);
  EXPECT(cudaDestroyTextureObject(point) == cudaSuccess && cudaDestroyTextureObject(linear) == cudaSuccess);
  EXPECT(cudaDestroyTextureObject(linear) == cudaErrorInvalidValue);
  EXPECT(cudaFreeArray(array) == cudaSuccess);
}

__global__ void sample_layers(cudaTextureObject_t t, float* out, int layers) {
  for (int l = 0; l < layers; ++l)
    out[l * 16 + threadIdx.x] = tex2DLayered<float>(t, threadIdx.x % 4 + 0.5f, threadIdx.x / 4 + 0.5f, l);
}

void layers() {
  const int n = 4, count = 3;
  std::vector<float> host(n * n * count);
  for (size_t k = 0; k < host.size(); ++k) host[k] = static_cast<float>(k);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  EXPECT(cudaMalloc3DArray(&array, &format, make_cudaExtent(n, n, count), cudaArrayLayered) == cudaSuccess);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), n * 4, n, n);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(n, n, count);
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT(cudaMemcpy3D(&copy) == cudaSuccess);
  float* out = results(host.size());
  sample_layers<<<1, 16>>>(
      texture_of(array, sampler(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false)), out,
      count);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  for (size_t k = 0; k < host.size(); ++k) EXPECT(out[k] == host[k]);
}

__global__ void sample_cube(cudaTextureObject_t t, float* out) {
  const float3 d[6] = {{1, .1f, .1f}, {-1, .1f, .1f}, {.1f, 1, .1f}, {.1f, -1, .1f}, {.1f, .1f, 1}, {.1f, .1f, -1}};
  const float3 v = d[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(t, v.x, v.y, v.z);
}

void cube() {
  const int n = 2;
  std::vector<float> host(n * n * 6);
  for (size_t k = 0; k < host.size(); ++k) host[k] = static_cast<float>(10 * (k / 4) + k % 4);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  EXPECT(cudaMalloc3DArray(&array, &format, make_cudaExtent(n, n, 6), cudaArrayCubemap) == cudaSuccess);
  EXPECT(cudaMalloc3DArray(&array, &format, make_cudaExtent(n, n + 1, 6), cudaArrayCubemap) == cudaErrorInvalidValue);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), n * 4, n, n);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(n, n, 6);
  copy.kind = cudaMemcpyHostToDevice;
  EXPECT(cudaMemcpy3D(&copy) == cudaSuccess);
  float* out = results(6);
  sample_cube<<<1, 6>>>(
      texture_of(array, sampler(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, true)), out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  // By the table of the guide: s and t of each face for these directions are just above or below a half.
  const float expected[6] = {0 + 0, 10 + 1, 20 + 3, 30 + 1, 40 + 1, 50 + 0};
  for (int k = 0; k < 6; ++k) EXPECT(out[k] == expected[k]);
}

__global__ void sample_levels(cudaTextureObject_t t, float* out) {
  const float lod[5] = {0, 1, 2, 0.5f, 1.25f};
  out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, lod[threadIdx.x]);
}

void mipmaps() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t mipmapped;
  EXPECT(cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(4, 4, 0), 3) == cudaSuccess);
  for (unsigned k = 0; k < 3; ++k) {
    cudaArray_t level;
    EXPECT(cudaGetMipmappedArrayLevel(&level, mipmapped, k) == cudaSuccess);
    cudaExtent extent;
    EXPECT(cudaArrayGetInfo(nullptr, &extent, nullptr, level) == cudaSuccess && extent.width == 4u >> k);
    const std::vector<float> fill(16, static_cast<float>(100 * (k + 1)));
    EXPECT(cudaMemcpy2DToArray(level, 0, 0, fill.data(), 16, extent.width * 4, extent.height, cudaMemcpyHostToDevice) ==
           cudaSuccess);
  }
  cudaArray_t none;
  EXPECT(cudaGetMipmappedArrayLevel(&none, mipmapped, 3) == cudaErrorInvalidValue);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmapped;
  cudaTextureDesc desc = sampler(cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, true);
  desc.mipmapFilterMode = cudaFilterModeLinear;
  desc.maxMipmapLevelClamp = 2;
  cudaTextureObject_t texture = 0;
  EXPECT(cudaCreateTextureObject(&texture, &resource, &desc, nullptr) == cudaSuccess);
  float* out = results(5);
  sample_levels<<<1, 5>>>(texture, out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  const float expected[5] = {100, 200, 300, 150, 225};
  for (int k = 0; k < 5; ++k) EXPECT(out[k] == expected[k]);
  EXPECT(cudaFreeMipmappedArray(mipmapped) == cudaSuccess);
}

__global__ void sample_linear(cudaTextureObject_t t, int* out, int count) {
  const int k = threadIdx.x - 2;
  out[threadIdx.x] = tex1Dfetch<int>(t, k);
  (void)count;
}

void linear_memory() {
  int *data, *out;
  EXPECT(cudaMallocManaged(&data, 16 * 4) == cudaSuccess && cudaMallocManaged(&out, 20 * 4) == cudaSuccess);
  for (int k = 0; k < 16; ++k) data[k] = k * k - 7;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = data;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = 64;
  cudaTextureDesc desc{};
  cudaTextureObject_t texture = 0;
  EXPECT(cudaCreateTextureObject(&texture, &resource, &desc, nullptr) == cudaSuccess);
  sample_linear<<<1, 20>>>(texture, out, 16);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  for (int k = 0; k < 20; ++k) EXPECT(out[k] == (k < 2 || k >= 18 ? 0 : data[k - 2]));
  resource.res.linear.devPtr = data + 1;  // not aligned
  EXPECT(cudaCreateTextureObject(&texture, &resource, &desc, nullptr) == cudaErrorInvalidValue);
}

__global__ void sample_bytes(cudaTextureObject_t t, float4* out) {
  out[threadIdx.x] = tex2D<float4>(t, (threadIdx.x + 0.5f) / 4 + 1, 0.5f);
}

void pitched_bytes() {
  uchar4* data;
  size_t pitch;
  EXPECT(cudaMallocPitch(&data, &pitch, 4 * sizeof(uchar4), 2) == cudaSuccess);
  const uchar4 host[4] = {{0, 51, 102, 255}, {1, 2, 3, 4}, {255, 0, 0, 0}, {128, 64, 32, 16}};
  EXPECT(cudaMemcpy2D(data, pitch, host, sizeof host, sizeof host, 1, cudaMemcpyHostToDevice) == cudaSuccess);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {data, cudaCreateChannelDesc<uchar4>(), 4, 1, pitch};
  const cudaTextureDesc desc = sampler(cudaAddressModeWrap, cudaFilterModePoint, cudaReadModeNormalizedFloat, true);
  cudaTextureObject_t texture = 0;
  EXPECT(cudaCreateTextureObject(&texture, &resource, &desc, nullptr) == cudaSuccess);
  float4* out;
  EXPECT(cudaMallocManaged(&out, 4 * sizeof(float4)) == cudaSuccess);
  sample_bytes<<<1, 4>>>(texture, out);
  EXPECT(cudaDeviceSynchronize() == cudaSuccess);
  for (int k = 0; k < 4; ++k)
    EXPECT(out[k].x == host[k].x / 255.0f && out[k].y == host[k].y / 255.0f && out[k].w == host[k].w / 255.0f);
  // Integers cannot be filtered.
  const cudaTextureDesc wrong = sampler(cudaAddressModeClamp, cudaFilterModeLinear, cudaReadModeElementType, false);
  EXPECT(cudaCreateTextureObject(&texture, &resource, &wrong, nullptr) == cudaErrorInvalidFilterSetting);
  (void)cudaGetLastError();
}

__global__ void read_gone(cudaTextureObject_t t, float* out) { *out = tex2D<float>(t, 0, 0); }

/// Last: the context cannot be used any more.
void freed_array() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  EXPECT(cudaMallocArray(&array, &format, 4, 4) == cudaSuccess);
  const cudaTextureObject_t texture =
      texture_of(array, sampler(cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false));
  EXPECT(cudaFreeArray(array) == cudaSuccess);
  read_gone<<<1, 1>>>(texture, results(1));
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
}

}  // namespace

int main() {
  plane();
  layers();
  cube();
  mipmaps();
  linear_memory();
  pitched_bytes();
  freed_array();
  return finish("textures");
}
