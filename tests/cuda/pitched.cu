// Pitched memory: two and three dimensions.
#include <vector>

#include "check.hpp"

__global__ void transpose(const char* in, size_t in_pitch, char* out, size_t out_pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  reinterpret_cast<float*>(out + x * out_pitch)[y] = reinterpret_cast<const float*>(in + y * in_pitch)[x];
}

int main() {
  const int width = 37, height = 21;
  std::vector<float> host(width * height), back(width * height);
  for (int i = 0; i < width * height; ++i) host[i] = i;
  char *a, *b;
  size_t a_pitch, b_pitch;
  OK(cudaMallocPitch(&a, &a_pitch, width * sizeof(float), height));
  OK(cudaMallocPitch(&b, &b_pitch, height * sizeof(float), width));
  EXPECT(a_pitch >= width * sizeof(float) && a_pitch % 256 == 0);
  OK(cudaMemcpy2D(a, a_pitch, host.data(), width * sizeof(float), width * sizeof(float), height,
                  cudaMemcpyHostToDevice));
  transpose<<<dim3(3, 2), dim3(16, 16)>>>(a, a_pitch, b, b_pitch, width, height);
  OK(cudaMemcpy2DAsync(back.data(), height * sizeof(float), b, b_pitch, height * sizeof(float), width,
                       cudaMemcpyDeviceToHost, 0));
  OK(cudaStreamSynchronize(0));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) EXPECT_EQ(back[x * height + y], host[y * width + x]);

  OK(cudaMemset2D(a, a_pitch, 1, 3, 2));
  unsigned char bytes[8];
  OK(cudaMemcpy2D(bytes, 4, a, a_pitch, 4, 2, cudaMemcpyDeviceToHost));
  EXPECT(bytes[0] == 1 && bytes[2] == 1 && bytes[3] != 1 && bytes[4] == 1);
  EXPECT_EQ(cudaMemcpy2D(bytes, 2, a, a_pitch, 4, 2, cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(bytes, 4, a, a_pitch, 4, height + 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);

  const cudaExtent extent = make_cudaExtent(5 * sizeof(int), 4, 3);
  cudaPitchedPtr cube;
  OK(cudaMalloc3D(&cube, extent));
  OK(cudaMemset3D(cube, 0, extent));
  std::vector<int> in(5 * 4 * 3), out(5 * 4 * 3);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i) * 3;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(in.data(), 5 * sizeof(int), 5, 4);
  copy.dstPtr = cube;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&copy));
  copy.srcPtr = cube;
  copy.dstPtr = make_cudaPitchedPtr(out.data(), 5 * sizeof(int), 5, 4);
  copy.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&copy));
  EXPECT(in == out);
  // One row from the middle to the start.
  copy.srcPos = make_cudaPos(0, 2, 1);
  copy.extent = make_cudaExtent(5 * sizeof(int), 1, 1);
  OK(cudaMemcpy3D(&copy));
  EXPECT_EQ(out[0], in[(1 * 4 + 2) * 5]);
  return finish("pitched");
}
