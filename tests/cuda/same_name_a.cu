// Two units with a kernel of one name each: they are different kernels.
static __global__ void same(float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][0];
}
void launch_b(float* out);

int main() {
  float* out = nullptr;
  cudaMalloc(&out, 32 * sizeof(float));
  same<<<1, 32>>>(out);
  launch_b(out);
  return cudaDeviceSynchronize();
}
